# METADATA
# title: Served models ask who calls
# description: >-
#   A ModelService and every Ingress behind the gateway have authentication.
# related_resources:
# - https://docs.konghq.com/hub/kong-inc/key-auth/
# custom:
#   severity: warning
#   reason: NO_AUTHENTICATION
#   input: estate
#   remediation: Use authentication.method key-auth (Ingress - name a KongPlugin that authenticates in konghq.com/plugins).
package crossgate.api.authentication

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types

kinds := {"ModelService", "Ingress", "KongPlugin", "KongClusterPlugin"}

looks_at := {
	["spec", "api", "authentication"],
	["spec", "ingressClassName"],
	["metadata", "annotations"],
	["metadata", "labels", "crossplane.io/composite"],
	["plugin"],
	["disabled"],
	["config", "anonymous"],
}

# A ModelService that asks nobody, what stands behind the gateway, and what asks there.
first_look := sprintf(`"method":"none"|"kind":"Ingress"|"plugin":"(?:%v)"`, [concat("|", asking)])

asking := {"key-auth", "jwt", "oauth2", "basic-auth", "hmac-auth", "ldap-auth", "mtls-auth", "openid-connect", "key-auth-enc"}

warn contains {"msg": "everybody who reaches the gateway may call the model", "path": estate.path(claim[0], ["spec", "api", "authentication", "method"])} if {
	some claim in estate.of({"ModelService"})
	claim[1].spec.api.authentication.method == "none"
}

warn contains {"msg": sprintf("Ingress %v names no plugin that authenticates", [object.get(ingress[1], ["metadata", "name"], "")]), "path": estate.path(ingress[0], ["metadata", "annotations"])} if {
	some ingress in estate.of({"Ingress"})
	behind_gateway(ingress[1])
	not estate.composite(ingress[1])
	not authenticated(ingress[1])
}

behind_gateway(ingress) if ingress.spec.ingressClassName == "kong"

behind_gateway(ingress) if ingress.metadata.annotations["kubernetes.io/ingress.class"] == "kong"

authenticated(ingress) if {
	some name in split(types.text(ingress.metadata.annotations["konghq.com/plugins"]), ",")
	some namespace in ["*", object.get(ingress, ["metadata", "namespace"], "")]
	[namespace, trim_space(name)] in authenticating
}

# A plugin is for Ingresses of its namespace, unless it is one of the cluster.
authenticating := {[namespace, plugin.metadata.name] |
	some kind in {"KongPlugin", "KongClusterPlugin"}
	some plugin in estate.by_kind[kind]
	namespace := {"KongPlugin": object.get(plugin, ["metadata", "namespace"], ""), "KongClusterPlugin": "*"}[kind]
	plugin.plugin in asking
	object.get(plugin, "disabled", false) in [false, null]

	# A consumer for callers without credentials lets everybody in.
	object.get(plugin, ["config", "anonymous"], null) in [null, ""]
}
