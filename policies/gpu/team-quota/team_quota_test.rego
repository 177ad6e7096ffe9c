package crossgate.gpu.team_quota_test

import rego.v1

import data.crossgate.gpu.team_quota

cluster(team, parameters) := {"kind": "GPUClusterClaim", "metadata": {"namespace": sprintf("ml-team-%s", [team])}, "spec": {"parameters": parameters}}

service(team, type, replicas) := {"kind": "ModelService", "metadata": {"namespace": sprintf("ml-team-%s", [team])}, "spec": {"compute": {"instanceType": type, "replicas": replicas}}}

limits := {"gpus": 16, "overridable": "lower", "teams": {"small": {"gpus": 4}, "large": {"gpus": 100}}, "gpus_of": {"p3.2xlarge": 1, "p4d.24xlarge": 8}, "claim_nodes": {"GPUClusterClaim": 10}}

paths_within(documents, given) := {finding.path |
	some finding in team_quota.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents] with data.crossgate.lists.quotas as given
}

paths(documents) := paths_within(documents, limits)

test_refuses_the_sum_at_the_largest_claim if {
	paths([cluster("fraud", {"maxNodes": 5}), cluster("fraud", {"maxNodes": 12})]) == {[1, "contents", "spec", "parameters", "maxNodes"]}
	paths([service("fraud", "p4d.24xlarge", 2), cluster("fraud", {"maxNodes": 1})]) == {[0, "contents", "spec", "compute", "replicas"]}
}

# What a claim does not say counts as its default.
test_refuses_the_default if count(paths([cluster("fraud", {}), cluster("fraud", {})])) == 1

test_bypass_by_numbers_that_are_none if {
	count(paths([cluster("fraud", {"maxNodes": null}), cluster("fraud", {"maxNodes": null})])) == 1
	count(paths([cluster("fraud", {"maxNodes": 17}), cluster("fraud", {"maxNodes": -5})])) == 1
	count(paths([service("fraud", "p4d.24xlarge", 3), service("fraud", "p4d.24xlarge", -3)])) == 1
}

test_lets_pass if {
	paths([cluster("fraud", {"maxNodes": 16}), cluster("vision", {"maxNodes": 16})]) == set()
	paths([service("fraud", "c5.large", 10), service("fraud", "p3.2xlarge", 10), cluster("fraud", {"maxNodes": 6})]) == set()
}

test_a_team_may_lower_its_quota_and_not_raise_it if {
	count(paths([cluster("small", {"maxNodes": 5})])) == 1
	count(paths([cluster("large", {"maxNodes": 17})])) == 1
	paths([cluster("small", {"maxNodes": 4})]) == set()
}

test_the_platform_says_whether_a_team_may if {
	raised := object.union(limits, {"overridable": "any"})
	fixed := object.union(limits, {"overridable": "no"})
	paths_within([cluster("large", {"maxNodes": 17})], raised) == set()
	paths_within([cluster("small", {"maxNodes": 5})], fixed) == set()
}

test_silent_about_documents if count(team_quota.deny) == 0 with input as cluster("fraud", {"maxNodes": 1000})

# Many small claims, and one of another kind, are counted together.
test_bypass_by_dividing if {
	count(paths([cluster("fraud", {"maxNodes": 1}) | some _ in numbers.range(1, 17)])) == 1
	count(paths([cluster("fraud", {"maxNodes": 9}), service("fraud", "p4d.24xlarge", 1)])) == 1
	count(paths([cluster("fraud", {"maxNodes": 16}), service("fraud", "p3.2xlarge", 1)])) == 1
}

report(teams) := {"kind": "CostReport", "spec": {"teams": teams}}

# Eight GPUs in each of three machines are 24, whatever the claim calls them.
test_refuses_what_claims_become if {
	gpus := {"fraud": {"gpus": {"a100": {"usual": 8, "most": 16}, "t4": {"usual": 0, "most": 8}}}}
	paths([cluster("fraud", {"maxNodes": 3}), report(gpus)]) == {[1, "contents", "spec", "teams", "fraud", "gpus"]}
	paths([cluster("vision", {"maxNodes": 3}), report({"small": {"gpus": {"t4": {"usual": 5, "most": 5}}}})]) == {[1, "contents", "spec", "teams", "small", "gpus"]}
}

# Said once: what the claims themselves say already is not said of what they become.
test_refuses_once if {
	paths([cluster("fraud", {"maxNodes": 17}), report({"fraud": {"gpus": {"t4": {"usual": 0, "most": 17}}}})]) == {[0, "contents", "spec", "parameters", "maxNodes"]}
}

test_lets_what_claims_become_pass if {
	paths([cluster("fraud", {"maxNodes": 3}), report({"fraud": {"gpus": {"t4": {"usual": 0, "most": 16}}}, "vision": {"gpus": {}}, "speech": {}})]) == set()
}

test_speaks_about_kinds if {"CostReport", "GPUClusterClaim", "MLPlatformClaim", "ModelService"} == team_quota.kinds

# Claims that are alike come as one, with their number.
alike(number) := [{"path": "a.yaml", "contents": cluster("fraud", {"maxNodes": 4}), "count": number}]

test_counts_what_is_alike if {
	count(team_quota.deny) == 1 with input as alike(5) with data.crossgate.lists.quotas as limits
	count(team_quota.deny) == 0 with input as alike(4) with data.crossgate.lists.quotas as limits
}
