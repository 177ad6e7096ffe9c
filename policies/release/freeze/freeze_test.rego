package crossgate.release.freeze_test

import rego.v1

import data.crossgate.release.freeze

change(freezes, objects) := {"kind": "Change", "spec": {"freezes": freezes, "objects": objects}}

frozen(team) := {"team": team, "reason": "the books are closed", "owner": "finance", "starts": "2026-01-01T00:00:00+01:00", "ends": "2026-01-10T00:00:00+01:00"}

objects := {"GPUClusterClaim/ml-team-fraud/a": {"action": "update", "team": "fraud"}, "Namespace/ml-team-vision": {"action": "delete", "team": "vision"}}

found(documents) := {finding |
	some finding in freeze.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]
}

test_refuses_what_a_frozen_team_changes if {
	found([change([frozen("fraud")], objects)]) == {{
		"msg": "team fraud is frozen until 2026-01-10T00:00:00+01:00: the books are closed; this change would update GPUClusterClaim/ml-team-fraud/a; ask finance",
		"path": [0, "contents", "spec", "objects", "GPUClusterClaim/ml-team-fraud/a"],
	}}
}

test_refuses_everything if {
	{finding.path[4] | some finding in found([change([frozen("*")], objects)])} == {"GPUClusterClaim/ml-team-fraud/a", "Namespace/ml-team-vision"}
}

test_bypass_by_each_action if {
	every action in ["create", "update", "delete"] {
		count(found([change([frozen("fraud")], {"a": {"action": action, "team": "fraud"}})])) == 1
	}
}

test_bypass_by_a_change_of_the_composition if {
	made := {"GPUClusterClaim/ml-team-fraud/a": {"action": "update", "team": "fraud", "remade": true, "through": ["Composition gpu-cluster-gcp", "EnvironmentConfig eu"]}}
	{finding.msg | some finding in found([change([frozen("fraud")], made)])} == {"team fraud is frozen until 2026-01-10T00:00:00+01:00: the books are closed; this change would update GPUClusterClaim/ml-team-fraud/a through Composition gpu-cluster-gcp, EnvironmentConfig eu; ask finance"}
}

test_lets_pass if {
	found([change([], objects)]) == set()
	found([change([frozen("speech")], objects)]) == set()
	found([change([frozen("fraud")], {})]) == set()
	found([]) == set()
}

test_silent_about_documents if count(freeze.deny) == 0 with input as change([frozen("*")], objects)

test_speaks_about_kinds if freeze.kinds == {"Change"}
