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

# Argo CD matches namespaces by patterns.
test_bypass_by_patterns_of_namespaces if {
	every pattern in ["**", "?*", "[a-z]*", "{*,x}", "ml-*", "ml-team-*", "ml-team-?*", "*-fraud"] {
		paths(project("fraud", {"destinations": [{"namespace": pattern}]})) == {["spec", "destinations", 0, "namespace"]}
	}
	every pattern in ["ml-team-fraud", "ml-team-fraud-*", "!kube-system", "", null] {
		paths(project("fraud", {"destinations": [{"namespace": pattern}]})) == set()
	}
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

test_bypass_by_names_of_the_system_that_anybody_has if {
	every subject in [
		{"kind": "User", "name": "system:anonymous"}, {"kind": "Group", "name": "system:unauthenticated"},
		{"kind": "User", "name": "system:serviceaccount:ml-team-fraud:default"}, {"kind": "Group", "name": "system:serviceaccounts:ml-team-fraud"},
		{"kind": "Group", "name": "system:serviceaccounts"}, {"kind": "Group", "name": "system:serviceaccounts:argocd-2"},
	] {
		paths(binding("cluster-admin", subject)) == {["subjects", 0]}
	}
	every subject in [
		{"kind": "User", "name": "system:kube-controller-manager"}, {"kind": "Group", "name": "system:serviceaccounts:crossplane-system"},
		{"kind": "User", "name": "system:serviceaccount:argocd:argocd-application-controller"},
	] {
		paths(binding("cluster-admin", subject)) == set()
	}
}

test_bypass_by_roles_that_are_everything_in_other_words if {
	role := {"kind": "ClusterRole", "metadata": {"name": "r"}}
	every rule in [
		{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"]},
		{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"], "verbs": ["escalate"]},
		{"apiGroups": [""], "resources": ["users", "groups"], "verbs": ["impersonate"], "resourceNames": []},
	] {
		count(paths(object.union(role, {"rules": [rule]}))) == 1
	}
	every selector in [{}, {"matchLabels": {}}, {"matchExpressions": []}] {
		count(paths(object.union(role, {"aggregationRule": {"clusterRoleSelectors": [selector]}}))) == 1
	}
	every given in [
		{"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]},
		{"rules": [{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["clusterroles"], "verbs": ["bind"], "resourceNames": ["view"]}]},
		{"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}},
	] {
		paths(object.union(role, given)) == set()
	}
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
