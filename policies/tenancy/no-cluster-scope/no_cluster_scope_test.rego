package crossgate.tenancy.no_cluster_scope_test

import rego.v1

import data.crossgate.tenancy.no_cluster_scope

paths(document) := {finding.path | some finding in no_cluster_scope.deny with input as document}

project(name, spec) := {"kind": "AppProject", "metadata": {"name": name}, "spec": spec}

binding(role, subject) := {"kind": "ClusterRoleBinding", "roleRef": {"kind": "ClusterRole", "name": role}, "subjects": [subject]}

test_refuses_projects if {
	paths(project("fraud", {"clusterResourceWhitelist": [{"group": "*", "kind": "*"}]})) == {["spec", "clusterResourceWhitelist", 0]}
	paths(project("fraud", {"destinations": [{"namespace": "ml-team-fraud"}, {"namespace": "*"}]})) == {["spec", "destinations", 1, "namespace"]}
	count(paths({"kind": "Object", "spec": {"forProvider": {"manifest": project("fraud", {"destinations": [{"namespace": "*"}]})}}})) == 1
}

test_lets_projects_pass if {
	paths(project("ml-platform", {"clusterResourceWhitelist": [{"group": "*", "kind": "*"}], "destinations": [{"namespace": "*"}]})) == set()
	paths(project("fraud", {"clusterResourceWhitelist": [], "destinations": [{"namespace": "ml-team-fraud"}]})) == set()
}

test_refuses_bindings_and_roles if {
	every role in ["cluster-admin", "admin", "edit"] {
		paths(binding(role, {"kind": "Group", "name": "fraud"})) == {["subjects", 0]}
	}
	every subject in [
		{"kind": "ServiceAccount", "name": "default", "namespace": "ml-team-fraud"}, {"kind": "User", "name": "someone"},
		{"kind": "Group", "name": "system:authenticated"},
	] {
		count(paths(binding("cluster-admin", subject))) == 1
	}
	paths({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "*"]}]}) == {["rules", 0]}
}

test_lets_bindings_and_roles_pass if {
	paths(binding("view", {"kind": "Group", "name": "fraud"})) == set()
	paths(binding("cluster-admin", {"kind": "Group", "name": "system:masters"})) == set()
	paths(binding("cluster-admin", {"kind": "ServiceAccount", "name": "provider-kubernetes", "namespace": "crossplane-system"})) == set()
	paths({"kind": "RoleBinding", "roleRef": {"name": "admin"}, "subjects": [{"kind": "Group", "name": "fraud"}]}) == set()
	paths({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": [{"apiGroups": [""], "resources": ["*"], "verbs": ["*"]}]}) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": binding("admin", {"kind": "Group", "name": "fraud"})}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"AppProject", "ClusterRoleBinding", "ClusterRole"} - no_cluster_scope.kinds) == 0

test_bypass_by_what_gets_its_name_later if {
	count({finding | some finding in no_cluster_scope.deny with input as {"kind": "ClusterRole", "metadata": {"generateName": "a-"}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}}) == 1
	count({finding | some finding in no_cluster_scope.deny with input as {"kind": "AppProject", "metadata": {"generateName": "a-"}, "spec": {"destinations": [{"namespace": "*"}]}}}) == 1
}
