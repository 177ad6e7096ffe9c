# What belongs to the platform: its APIs, its projects, its names.
package crossgate.lists.platform

import rego.v1

# Kinds of claims that teams write.
claims := {
	"GPUClusterClaim",
	"VectorDatabaseClaim",
	"ModelRegistryClaim",
	"MLPlatformClaim",
	"ObservabilityStackClaim",
	"MLEnvironmentClaim",
	"ModelService",
}

# Kinds whose claims serve requests of others.
services := {"ModelService"}

# Kinds that hold data or somebody's running work: what makes them go must be confirmed.
stateful := claims | {"PersistentVolumeClaim", "Namespace"}

# The namespace of a team.
team_namespace := `^ml-team-[a-z0-9]([a-z0-9-]*[a-z0-9])?$`

# A pattern (of Argo CD) for namespaces that matches those of more than one team, or any.
many_namespaces := `^(m(l(-(t(e(a(m-?)?)?)?)?)?)?)?[*?{\[]`

# Argo CD projects of the platform itself.
projects := {"ml-platform"}

# APIs that are gone, or go with the next release of what serves them.
deprecated := [
	{"api": `^(.+\.)?(aws|gcp|azure)\.crossplane\.io/`, "instead": "the official provider family (*.upbound.io)"},
	{"api": `^kubernetes\.crossplane\.io/v1alpha1$`, "kinds": ["Object"], "instead": "kubernetes.crossplane.io/v1alpha2"},
	{"api": `^apiextensions\.crossplane\.io/v1(alpha1|beta1)$`, "kinds": ["Composition", "CompositeResourceDefinition", "CompositionRevision"], "instead": "apiextensions.crossplane.io/v1"},
	{"api": `^apiextensions\.crossplane\.io/v1alpha1$`, "kinds": ["EnvironmentConfig"], "instead": "apiextensions.crossplane.io/v1beta1"},
	{"api": `^pkg\.crossplane\.io/v1alpha1$`, "kinds": ["ControllerConfig"], "instead": "a DeploymentRuntimeConfig (pkg.crossplane.io/v1beta1)"},
	{"api": `^secrets\.crossplane\.io/`, "instead": "connection Secrets, or External Secrets"},
	{"api": `^external-secrets\.io/v1(alpha1|beta1)$`, "instead": "external-secrets.io/v1"},
	{"api": `^policy/v1beta1$`, "instead": "policy/v1, and Pod Security Admission for PodSecurityPolicy"},
	{"api": `^(extensions|networking\.k8s\.io)/v1beta1$`, "kinds": ["Ingress", "IngressClass", "NetworkPolicy"], "instead": "networking.k8s.io/v1"},
	{"api": `^autoscaling/v2beta[12]$`, "instead": "autoscaling/v2"},
	{"api": `^batch/v1beta1$`, "instead": "batch/v1"},
]

# The same of an object's API and kind, with a space between.
deprecated_forms := [concat("", [api_form(entry.api), kind_form(entry), "$"]) | some entry in deprecated]

api_form(api) := concat("", [trim_suffix(api, "$"), " "]) if endswith(api, "$")

api_form(api) := concat("", [api, "[^ ]* "]) if not endswith(api, "$")

kind_form(entry) := sprintf("(?:%v)", [concat("|", entry.kinds)]) if entry.kinds

kind_form(entry) := ".*" if not entry.kinds

# The same in the text of a document.
deprecated_in_text := concat("", [`"apiVersion":"(?:`, concat("|", [replace(replace(trim_prefix(entry.api, "^"), ".+", `[^"]+`), "$", `"`) | some entry in deprecated]), ")"])
