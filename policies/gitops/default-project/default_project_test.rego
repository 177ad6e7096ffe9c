package crossgate.gitops.default_project_test

import rego.v1

import data.crossgate.gitops.default_project

paths(document) := {finding.path | some finding in default_project.deny with input as document}

application(spec) := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": spec}

test_refuses if {
	paths(application({"project": "default"})) == {["spec", "project"]}
	paths(application({})) == {["spec", "project"]}
	paths({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"template": {"spec": {"project": "default"}}}}) == {["spec", "template", "spec", "project"]}
}

test_bypass_by_null if paths(application({"project": null})) == {["spec", "project"]}

test_lets_pass if {
	paths(application({"project": "ml-platform"})) == set()
	paths({"apiVersion": "app.k8s.io/v1beta1", "kind": "Application", "spec": {}}) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": application({})}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Application", "ApplicationSet"} - default_project.kinds) == 0

test_bypass_by_an_application_set if {
	paths(set_of({"generators": [{"list": {"template": {"spec": {"project": "default"}}}}]})) == {["spec", "generators", 0, "list", "template", "spec", "project"]}
	paths(set_of({"generators": [{"matrix": {"generators": [{"list": {"elements": [{"project": "default"}]}}]}}]})) == {["spec", "generators", 0, "matrix", "generators", 0, "list", "elements", 0, "project"]}
	every patch in ["spec:\n  project: default\n", "{\"spec\": {\"project\": \"default\"}}", "spec: {project: 'default', x: 1}"] {
		paths(set_of({"templatePatch": patch})) == {["spec", "templatePatch"]}
	}
	paths(set_of({"templatePatch": "spec:\n  project: defaults\n", "generators": [{"list": {"elements": [{"project": "a"}]}}]})) == set()
}

set_of(spec) := {"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": object.union({"template": {"spec": {"project": "ml-platform"}}}, spec)}
