# METADATA
# title: Objects whose API comes in the same sync say so
# description: >-
#   What uses an API that an XRD or a package of the same sync brings has SkipDryRunOnMissingResource, or the first sync of a
#   new cluster fails before it starts.
# related_resources:
# - https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#skip-dry-run-for-new-custom-resources-types
# custom:
#   severity: warning
#   reason: DRY_RUN_NOT_SKIPPED
#   input: repository
#   remediation: "Add SkipDryRunOnMissingResource=true to argocd.argoproj.io/sync-options."
package crossgate.gitops.skip_dry_run

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types

looks_at := {["metadata", "annotations"], ["metadata", "ownerReferences"], ["spec", "group"], ["spec", "claimNames"]}

alike_once := {"*"}

warn contains {"msg": sprintf("%v comes in the same sync as its API", [entry[1].kind]), "path": estate.path(entry[0], ["metadata", "annotations", annotation])} if {
	some entry in candidates
	synced(entry[1])
	not skips(entry[1])
}

annotation := "argocd.argoproj.io/sync-options"

# Claims of the XRDs, and the configurations of the packages, that are checked with them.
candidates := array.concat(
	[entry |
		some xrd in estate.by_kind.CompositeResourceDefinition
		some entry in estate.of({xrd.spec.claimNames.kind})
		estate.in_group(entry[1], xrd.spec.group)
	],
	[entry |
		count(estate.by_kind.Provider) > 0
		some entry in estate.of({"ProviderConfig", "ClusterProviderConfig"})
	],
)

synced(found) if {
	not found.metadata.ownerReferences
	some name, _ in types.map(found.metadata.annotations)
	startswith(name, "argocd.argoproj.io/")
}

skips(found) if {
	some given in split(types.text(found.metadata.annotations[annotation]), ",")
	trim_space(given) == "SkipDryRunOnMissingResource=true"
}
