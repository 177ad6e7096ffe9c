package crossgate.gitops.floating_revision_test

import rego.v1

import data.crossgate.gitops.floating_revision

paths(document) := {finding.path | some finding in floating_revision.deny with input as document}

application(source) := {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": source}}

release(chart) := {"apiVersion": "helm.crossplane.io/v1beta1", "kind": "Release", "spec": {"forProvider": {"chart": chart}}}

test_refuses_charts if {
	every version in ["", "*", ">=1.0.0", "1.x", "^1.2.3", "~1.2", "1.2", "latest"] {
		paths(application({"chart": "crossplane", "targetRevision": version})) == {["spec", "source", "targetRevision"]}
		paths(release({"name": "mlflow", "version": version})) == {["spec", "forProvider", "chart", "version"]}
	}
	paths(release({"name": "mlflow"})) == {["spec", "forProvider", "chart", "version"]}
	count(paths({"kind": "HelmRelease", "spec": {"chart": {"spec": {"chart": "a"}}}})) == 1
}

test_refuses_repositories if {
	every revision in ["", "HEAD"] {
		paths(application({"repoURL": "r", "targetRevision": revision})) == {["spec", "source", "targetRevision"]}
	}
	paths({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"sources": [{"repoURL": "r", "targetRevision": "main"}, {"repoURL": "r"}]}}) == {["spec", "sources", 1, "targetRevision"]}
	count(paths({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"template": {"spec": {"source": {"repoURL": "r"}}}}})) == 1
}

test_lets_pass if {
	every version in ["1.2.3", "v1.2.3", "0.7.19", "1.2.3-rc.1", "1.2.3+build.5"] {
		paths(application({"chart": "crossplane", "targetRevision": version})) == set()
		paths(release({"name": "mlflow", "version": version})) == set()
	}
	paths(release({"url": "https://example.org/charts/mlflow-0.7.19.tgz"})) == set()
	paths(application({"repoURL": "r", "targetRevision": "main"})) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": release({})}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Application", "ApplicationSet", "Release", "HelmRelease"} - floating_revision.kinds) == 0

test_bypass_by_ranges_of_tags if {
	every revision in ["*", "v1.*", "^1.0.0", ">=1.0.0", "1.x", "~1.2", null] {
		paths(application({"repoURL": "r", "targetRevision": revision})) == {["spec", "source", "targetRevision"]}
	}
	every revision in ["main", "v1.2", "release-1.x-branch", "feature/x", "0123456789abcdef0123456789abcdef01234567"] {
		paths(application({"repoURL": "r", "targetRevision": revision})) == set()
	}
}

test_bypass_by_a_number if {
	paths(application({"chart": "crossplane", "targetRevision": 1.2})) == {["spec", "source", "targetRevision"]}
	paths(release({"name": "mlflow", "version": 2})) == {["spec", "forProvider", "chart", "version"]}
}

test_bypass_by_ranges_that_look_like_versions if {
	every version in ["1.2.3 || >1", "1.2.3 - 2", "v1.2", "01", "1.2.3.*", " 1.2.3", "1.2.3\n"] {
		count(paths(application({"chart": "crossplane", "targetRevision": version}))) == 1
	}
}
