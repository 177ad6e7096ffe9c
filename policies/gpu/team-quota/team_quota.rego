# METADATA
# title: A team's GPUs stay within its quota
# description: >-
#   The GPUs that all claims of a team may use at once, at their largest, are counted together, as the claims say them and as
#   what they become holds them. A team's own quota counts where the platform allows it.
# related_resources:
# - https://kubernetes.io/docs/concepts/policy/resource-quotas/
# custom:
#   severity: error
#   reason: GPU_QUOTA_EXCEEDED
#   input: estate
#   remediation: Lower maxNodes or replicas of the team's claims, or ask the platform team for a larger quota.
package crossgate.gpu.team_quota

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types
import data.crossgate.lists.quotas

kinds := {"CostReport", "GPUClusterClaim", "MLPlatformClaim", "ModelService"}

looks_at := {
	["metadata", "namespace"],
	["spec", "parameters", "maxNodes"],
	["spec", "compute", "instanceType"],
	["spec", "compute", "replicas"],
	["spec", "teams"],
}

# Most claims of a team ask for the same.
count_alike := {"GPUClusterClaim", "MLPlatformClaim", "ModelService"}

# The finding stands at the claim that asks for most.
deny contains {"msg": sprintf("team %v asks for %v GPUs, its quota is %v", [name, total, limit]), "path": estate.path(largest[1], largest[2])} if {
	some name, claims in claims_of
	total := asked_by(name)
	limit := quota(name)
	total > limit
	most := max([claim[0] | some claim in claims])
	largest := [claim | some claim in claims; claim[0] == most][0]
}

# What claims become may hold more than they say: several GPUs in a machine, an autoscaler, a pool that a Composition adds.
deny contains {"msg": sprintf("what team %v claims becomes %v GPUs at its largest, its quota is %v", [name, total, limit]), "path": estate.path(report[0], ["spec", "teams", name, "gpus"])} if {
	some report in estate.of({"CostReport"})
	some name, found in types.map(report[1].spec.teams)
	total := sum([number | some span in types.map(found.gpus); number := types.number(span.most)])
	limit := quota(name)
	total > limit
	asked_by(name) <= limit
}

asked_by(name) := sum([all_of_them | some claim in object.get(claims_of, name, set()); all_of_them := claim[0] * estate.count_at(claim[1])])

# For each team [GPUs, place, field of the number]. By team, or each of a hundred teams would look at the claims of all.
claims_of[name] contains [nodes, place, ["spec", "parameters", "maxNodes"]] if {
	some kind in {"GPUClusterClaim", "MLPlatformClaim"}
	some place, claim in estate.by_kind[kind]
	name := team(claim)
	nodes := asked_for(claim, ["spec", "parameters", "maxNodes"], quotas.claim_nodes[kind])
}

claims_of[name] contains [replicas * gpus, place, ["spec", "compute", "replicas"]] if {
	some place, claim in estate.by_kind.ModelService
	name := team(claim)
	gpus := quotas.gpus_of[claim.spec.compute.instanceType]
	replicas := asked_for(claim, ["spec", "compute", "replicas"], 1)
}

# A number; the default where there is none, or null, which the API server drops. Less than nothing gives nobody more.
asked_for(claim, path, default_) := default_ if object.get(claim, path, null) == null

asked_for(claim, path, _) := max({0, types.number(object.get(claim, path, null))})

team(claim) := trim_prefix(types.text(claim.metadata.namespace), "ml-team-")

# The platform's number, or the team's own where that is allowed.
quota(name) := own if {
	own := quotas.teams[name].gpus
	allowed(own)
} else := quotas.gpus

allowed(_) if quotas.overridable == "any"

allowed(own) if {
	quotas.overridable == "lower"
	own < quotas.gpus
}
