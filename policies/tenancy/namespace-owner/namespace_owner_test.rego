package crossgate.tenancy.namespace_owner_test

import rego.v1

import data.crossgate.tenancy.namespace_owner

messages(documents) := {finding.msg | some finding in namespace_owner.warn with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

claim(metadata) := {"kind": "GPUClusterClaim", "metadata": metadata}

namespace(name, labels) := {"kind": "Namespace", "metadata": {"name": name, "labels": labels}}

test_refuses if {
	messages([claim({})]) == {"the claim names no namespace: that of its team is missing"}
	messages([claim({"namespace": ""})]) == {"the claim names no namespace: that of its team is missing"}
	messages([claim({"namespace": "default"})]) == {"namespace default is not that of a team"}
	messages([claim({"namespace": "ml-team-fraud", "labels": {"team": "vision"}})]) == {"the claim is of team vision and stands in namespace ml-team-fraud"}
	messages([claim({"namespace": "ml-team-fraud"}), namespace("ml-team-fraud", {})]) == {"namespace ml-team-fraud has no owner"}
	messages([claim({"namespace": "ml-team-fraud"}), namespace("ml-team-vision", {"owner": "x"})]) == {"namespace ml-team-fraud is made by nobody"}
}

test_lets_pass if {
	messages([claim({"namespace": "ml-team-fraud"})]) == set()
	messages([claim({"namespace": "ml-team-fraud", "labels": {"team": "fraud"}}), namespace("ml-team-fraud", {"owner": "x"})]) == set()
	messages([{"kind": "ConfigMap", "metadata": {"namespace": "default"}}]) == set()
}

test_silent_about_documents if count(namespace_owner.warn) == 0 with input as claim({})

test_bypass_by_an_owner_that_is_nobody if {
	every owner in ["", "-", null] {
		messages([claim({"namespace": "ml-team-fraud"}), namespace("ml-team-fraud", {"owner": owner})]) == {"namespace ml-team-fraud has no owner"}
	}
}

test_bypass_by_names_that_look_like_a_teams if {
	every name in ["ml-team-", "ml-team--", "xml-team-fraud", "ml-team-fraud/x", "ML-TEAM-fraud", "ml-team-fraud\n"] {
		count(messages([claim({"namespace": name})])) == 1
	}
}
