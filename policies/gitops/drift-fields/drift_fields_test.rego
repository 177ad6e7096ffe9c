package crossgate.gitops.drift_fields_test

import rego.v1

import data.crossgate.gitops.drift_fields

paths(document) := {finding.path | some finding in drift_fields.warn with input as document}

application(path, ignored) := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": {"path": path}, "ignoreDifferences": ignored}}

test_refuses if {
	paths(application("dist/40-claims/claims/fraud", [])) == {["spec", "ignoreDifferences"]}
	paths(application("dist/claims", [{"group": "apps", "jsonPointers": ["/spec/replicas"]}])) == {["spec", "ignoreDifferences"]}
	paths({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"template": {"spec": {"source": {"path": "claims/x"}}}}}) == {["spec", "template", "spec", "ignoreDifferences"]}
}

test_lets_pass if {
	every ignored in [
		[{"group": "*", "kind": "*", "jsonPointers": ["/spec/resourceRef", "/spec/compositionRef"]}],
		[{"jqPathExpressions": [".spec.resourceRef"]}], [{"managedFieldsManagers": ["apiextensions.crossplane.io/claim"]}],
	] {
		paths(application("dist/claims/fraud", ignored)) == set()
	}
	paths(application("dist/teams", [])) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": application("claims", [])}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Application", "ApplicationSet"} - drift_fields.kinds) == 0

test_bypass_by_another_source if {
	every path in ["./claims", "dist/claim", "claims/", "x/claims/fraud/"] {
		count(paths(application(path, [{"jqPathExpressions": [".status"]}]))) == 1
	}
	count(paths({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"sources": [{"path": "teams"}, {"path": "claims"}]}})) == 1
}
