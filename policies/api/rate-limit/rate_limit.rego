# METADATA
# title: Served models limit how often they are called
# description: >-
#   A ModelService says how many requests a caller may make in a minute.
# related_resources:
# - https://docs.konghq.com/hub/kong-inc/rate-limiting/
# custom:
#   severity: warning
#   reason: NO_RATE_LIMIT
#   remediation: Set api.rateLimit.requestsPerMinute.
package crossgate.api.rate_limit

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.platform

kinds := platform.services

warn contains {"msg": "one caller may take all of the model's time", "path": array.concat(found[0], ["spec", "api"])} if {
	some found in objects.of(kinds)
	found[1].spec.api
	not limited(found[1])
}

limited(claim) if types.number(claim.spec.api.rateLimit.requestsPerMinute) > 0
