# METADATA
# title: A database has at most so much disk
# custom:
#   severity: error
#   reason: DISK_TOO_LARGE
#   remediation: Ask the platform team for a larger limit.
package crossgate.cost.disk

import rego.v1

deny contains {"msg": sprintf("%v GB of disk cost too much (at most %v)", [size, data.limits.disk]), "path": ["spec", "forProvider", "settings", "diskSize"]} if {
	size := input.spec.forProvider.settings.diskSize
	size > data.limits.disk
}
