package crossgate.gitops.prune_stateful_test

import rego.v1

import data.crossgate.gitops.prune_stateful

messages(document) := {finding.msg | some finding in prune_stateful.warn with input as document}

claim(annotations) := {"kind": "GPUClusterClaim", "metadata": {"name": "c", "annotations": annotations}}

options(text) := {"argocd.argoproj.io/sync-wave": "40", "argocd.argoproj.io/sync-options": text}

test_refuses if {
	messages(claim({"argocd.argoproj.io/sync-wave": "40"})) == {"Prune and Delete are not asked about for GPUClusterClaim c"}
	messages(claim(options("Prune=confirm"))) == {"Delete is not asked about for GPUClusterClaim c"}
	messages(claim(options("Prune=true,Delete=confirm"))) == {"Prune is not asked about for GPUClusterClaim c"}
	count(messages({"kind": "Namespace", "metadata": {"name": "ml-team-a", "annotations": options("")}})) == 1
}

test_lets_pass if {
	messages(claim(options("Prune=confirm, Delete=confirm"))) == set()
	messages(claim(options("ServerSideApply=true,Delete=false,Prune=false"))) == set()
	messages(claim({})) == set()
	messages({"kind": "Namespace", "metadata": {"name": "monitoring", "annotations": options("")}}) == set()
	messages({"kind": "ConfigMap", "metadata": {"annotations": options("")}}) == set()
}

test_silent_about_the_estate if messages([{"path": "a.yaml", "contents": claim(options(""))}]) == set()

test_bypass_by_options_that_are_others if {
	every text in ["Prune=Confirm,Delete=confirm", "PruneLast=true,Delete=confirm", "xPrune=confirm,Delete=false", "Prune = confirm,Delete=confirm", "Prune=confirm;Delete=confirm"] {
		count(messages(claim(options(text)))) == 1
	}
	count(messages({"kind": "List", "items": [claim(options(""))]})) == 1
}
