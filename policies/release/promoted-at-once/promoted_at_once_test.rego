package crossgate.release.promoted_at_once_test

import rego.v1

import data.crossgate.release.promoted_at_once

change(objects, held) := {"kind": "Change", "spec": {"objects": objects, "held": held}}

made(labels) := {"labels": labels, "folders": [], "through": ["Composition shared"], "made": [{"what": "chart", "value": "kyverno@3.2"}, {"what": "engine", "value": "POSTGRES_15"}]}

held(labels) := [{"what": "chart", "value": "kyverno@3.2", "labels": labels, "folders": []}]

found(documents) := {finding |
	some finding in promoted_at_once.warn with input as [{"path": "a.yaml", "contents": document} | some document in documents]
}

test_refuses_what_a_shared_composition_brings if {
	found([change({"MLPlatformClaim/a/b": made({"environment": "production"})}, [])]) == {{
		"msg": "MLPlatformClaim/a/b in production gets chart kyverno@3.2 through Composition shared, which development did not have before this change",
		"path": [0, "contents", "spec", "objects", "MLPlatformClaim/a/b"],
	}}
}

test_lets_other_environments_and_what_development_had_pass if {
	found([change({"MLPlatformClaim/a/b": made({"environment": "dev"})}, [])]) == set()
	found([change({"MLPlatformClaim/a/b": made({})}, [])]) == set()
	found([change({"MLPlatformClaim/a/b": made({"environment": "production"})}, held({"env": "dev"}))]) == set()
}

test_lets_what_production_pins_itself_to_the_other_rule if {
	own := {"labels": {"environment": "production"}, "folders": [], "pins": [{"what": "chart", "value": "kyverno@3.2"}]}
	found([change({"MLPlatformClaim/a/b": made({"env": "prod"}), "Composition/x": own}, [])]) == set()
}

test_bypass_by_what_only_production_had if {
	count(found([change({"MLPlatformClaim/a/b": made({"env": "live"})}, held({"env": "prod"}))])) == 1
}

test_bypass_by_the_same_pin_in_development_of_this_change if {
	own := {"labels": {"environment": "dev"}, "folders": [], "pins": [{"what": "chart", "value": "kyverno@3.2"}]}
	count(found([change({"MLPlatformClaim/a/b": made({"env": "prod"}), "Composition/x": own}, [])])) == 1
}

test_silent_about_documents if count(promoted_at_once.warn) == 0 with input as change({"a": made({"env": "prod"})}, [])

test_speaks_about_kinds if promoted_at_once.kinds == {"Change"}
