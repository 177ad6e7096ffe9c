package crossgate.tenancy.labels_test

import rego.v1

import data.crossgate.tenancy.labels

messages(document) := {finding.msg | some finding in labels.warn with input as document}

claim(own) := {"kind": "GPUClusterClaim", "metadata": {"name": "c", "labels": own}}

test_refuses if {
	messages(claim({})) == {"GPUClusterClaim c has no label owner", "GPUClusterClaim c has no label cost-center"}
	messages(claim({"owner": "", "cost-center": "c1"})) == {"GPUClusterClaim c has no label owner"}
	count(messages({"kind": "Namespace", "metadata": {"name": "ml-team-fraud"}})) == 2
	count(messages({"kind": "List", "items": [claim({"owner": "x"})]})) == 1
}

test_lets_pass if {
	messages(claim({"owner": "fraud-leads", "cost-center": "cc-1"})) == set()
	messages({"kind": "Namespace", "metadata": {"name": "monitoring"}}) == set()
	messages({"kind": "ConfigMap", "metadata": {"name": "ml-team-fraud"}}) == set()
}

test_silent_about_the_estate if messages([{"path": "a.yaml", "contents": claim({})}]) == set()

test_bypass_with_labels_that_say_nothing if {
	every value in ["", " ", "-", "..."] {
		messages(claim({"owner": value, "cost-center": "c1"})) == {"GPUClusterClaim c has no label owner"}
	}
	count(messages({"kind": "GPUClusterClaim", "metadata": {"name": "c", "annotations": {"owner": "x", "cost-center": "y"}}})) == 2
}
