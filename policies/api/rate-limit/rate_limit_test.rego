package crossgate.api.rate_limit_test

import rego.v1

import data.crossgate.api.rate_limit

paths(document) := {finding.path | some finding in rate_limit.warn with input as document}

claim(api) := {"kind": "ModelService", "spec": {"api": api}}

test_refuses if {
	every api in [{"path": "/a"}, {"rateLimit": {}}, {"rateLimit": {"requestsPerMinute": 0}}] {
		paths(claim(api)) == {["spec", "api"]}
	}
}

test_lets_pass if {
	paths(claim({"rateLimit": {"requestsPerMinute": 600}})) == set()
	paths({"kind": "GPUClusterClaim", "spec": {"api": {}}}) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": claim({"path": "/a"})}]) == set()

test_bypass_with_a_limit_that_is_none if {
	every number in [-1, 0, -0.5] {
		count(paths(claim({"rateLimit": {"requestsPerMinute": number}}))) == 1
	}
	count(paths({"kind": "List", "items": [claim({"path": "/a"})]})) == 1
}
