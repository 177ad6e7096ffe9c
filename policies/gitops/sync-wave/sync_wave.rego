# METADATA
# title: Argo CD syncs in the order of dependence
# description: >-
#   Packages come before their configurations, XRDs before Compositions, and Compositions before claims; each says so by
#   its wave.
# related_resources:
# - https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/
# custom:
#   severity: warning
#   reason: SYNC_WAVE
#   input: repository
#   remediation: Give the object the annotation argocd.argoproj.io/sync-wave with a number in the order packages, configurations, XRDs, Compositions, claims.
package crossgate.gitops.sync_wave

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types
import data.crossgate.lists.platform

kinds := union({rank_.kinds | some rank_ in ranks})

looks_at := {["metadata", "annotations", annotation], ["metadata", "ownerReferences"]}

alike_once := {"*"}

warn contains {"msg": sprintf("%v says no sync wave", [entry[1].kind]), "path": estate.path(entry[0], ["metadata", "annotations", annotation])} if {
	some_waves
	some entry in ordered
	not wave(entry[1])
}

warn contains {"msg": sprintf("%v comes in wave %v, not after %v", [entry[1].kind, wave(entry[1]), ranks[nearest].name]), "path": estate.path(entry[0], ["metadata", "annotations", annotation])} if {
	some entry in ordered
	own := rank(entry[1].kind)
	earlier := [number | some number, _ in last_wave; number < own]
	count(earlier) > 0
	nearest := max(earlier)
	wave(entry[1]) <= last_wave[nearest]
}

annotation := "argocd.argoproj.io/sync-wave"

ranks := [
	{"name": "packages", "kinds": {"Provider", "Function", "Configuration"}},
	{"name": "their configurations", "kinds": {"ProviderConfig", "ClusterProviderConfig"}},
	{"name": "XRDs", "kinds": {"CompositeResourceDefinition"}},
	{"name": "Compositions", "kinds": {"Composition"}},
	{"name": "claims", "kinds": platform.claims},
]

rank(kind) := number if {
	some number, entry in ranks
	kind in entry.kinds
}

ordered := [entry |
	some entry in estate.of(union({rank_.kinds | some rank_ in ranks}))
	not made(entry[1])
]

made(found) if found.metadata.ownerReferences

wave(found) := to_number(value) if {
	value := types.text(found.metadata.annotations[annotation])
	regex.match(`^-?[0-9]+$`, value)
}

# Whether waves are used at all: a folder without any is not synced by Argo CD, or in one go.
some_waves if {
	some entry in ordered
	wave(entry[1])
}

last_wave[number] := last if {
	some number, entry in ranks
	waves := [wave(found[1]) | some found in ordered; found[1].kind in entry.kinds]
	count(waves) > 0
	last := max(waves)
}
