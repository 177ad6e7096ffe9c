# METADATA
# title: Nobody lets the whole Internet in
# custom:
#   severity: error
#   reason: OPEN_CIDR
#   remediation: Name the networks that need access.
package crossgate.network.open_cidr

import rego.v1

deny contains {"msg": sprintf("%s is the whole Internet", [network.value]), "path": ["spec", "forProvider", "settings", "ipConfiguration", "authorizedNetworks", i, "value"]} if {
	some i, network in input.spec.forProvider.settings.ipConfiguration.authorizedNetworks
	network.value in {"0.0.0.0/0", "::/0"}
}
