package crossgate.crossplane.deprecated_version_test

import rego.v1

import data.crossgate.crossplane.deprecated_version

paths(document) := {finding.path | some finding in deprecated_version.warn with input as document}

test_refuses if {
	every document in [
		{"apiVersion": "storage.gcp.crossplane.io/v1alpha3", "kind": "Bucket"},
		{"apiVersion": "kubernetes.crossplane.io/v1alpha1", "kind": "Object"},
		{"apiVersion": "pkg.crossplane.io/v1alpha1", "kind": "ControllerConfig"},
		{"apiVersion": "external-secrets.io/v1beta1", "kind": "ExternalSecret"},
		{"apiVersion": "networking.k8s.io/v1beta1", "kind": "Ingress"},
	] {
		paths(document) == {["apiVersion"]}
	}
	paths({"kind": "Composition", "spec": {"pipeline": [{"input": {"resources": [{"base": {"apiVersion": "s3.aws.crossplane.io/v1beta1", "kind": "Bucket"}}]}}]}}) == {["spec", "pipeline", 0, "input", "resources", 0, "base", "apiVersion"]}
	paths({"kind": "Object", "spec": {"forProvider": {"manifest": {"apiVersion": "batch/v1beta1", "kind": "CronJob"}}}}) == {["spec", "forProvider", "manifest", "apiVersion"]}
}

test_lets_pass if {
	every document in [
		{"apiVersion": "storage.gcp.upbound.io/v1beta2", "kind": "Bucket"},
		{"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object"},
		{"apiVersion": "kubernetes.crossplane.io/v1alpha1", "kind": "ProviderConfig"},
		{"apiVersion": "helm.crossplane.io/v1beta1", "kind": "Release"},
		{"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret"},
		{"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition"},
		{"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig"},
		{"kind": "Usage", "spec": {"claimRef": {"apiVersion": "s3.aws.crossplane.io/v1beta1", "kind": "Bucket"}}},
	] {
		paths(document) == set()
	}
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": {"apiVersion": "batch/v1beta1", "kind": "CronJob"}}]) == set()

test_bypass_by_wrapping if {
	old := {"apiVersion": "s3.aws.crossplane.io/v1beta1", "kind": "Bucket"}
	wrapped := {"kind": "Object", "spec": {"forProvider": {"manifest": old}}}
	paths({"kind": "List", "items": [{"kind": "ConfigMap"}, old]}) == {["items", 1, "apiVersion"]}
	paths({"kind": "List", "items": [wrapped]}) == {["items", 0, "spec", "forProvider", "manifest", "apiVersion"]}
	count(paths({"kind": "Composition", "spec": {"pipeline": [{}, {"input": {"resources": [{"base": wrapped}]}}]}})) == 1
}
