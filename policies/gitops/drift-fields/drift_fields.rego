# METADATA
# title: What Crossplane writes into claims is no drift
# description: >-
#   An Application that syncs claims and heals itself ignores the fields that Crossplane fills in, or the two write
#   against each other for ever.
# related_resources:
# - https://docs.crossplane.io/latest/guides/crossplane-with-argo-cd/
# custom:
#   severity: warning
#   reason: CLAIM_DRIFT
#   remediation: Ignore spec.resourceRef, spec.compositionRef and spec.compositionRevisionRef of claims in ignoreDifferences, and use RespectIgnoreDifferences.
package crossgate.gitops.drift_fields

import rego.v1

import data.crossgate.lib.applications
import data.crossgate.lib.types

kinds := applications.kinds

warn contains {"msg": "what Crossplane writes into claims counts as drift", "path": array.concat(found[0], ["ignoreDifferences"])} if {
	some found in applications.specs
	some source in applications.sources
	source[2] == found[0]
	regex.match(`(^|/)claims?(/|$)`, types.text(source[1].path))
	not ignores(found[1])
}

ignores(spec) if {
	some entry in types.list(spec.ignoreDifferences)
	some listed in ["jsonPointers", "jqPathExpressions", "managedFieldsManagers"]
	some what in types.list(entry[listed])
	regex.match(`resourceRef|^/spec$|^\.spec$|^crossplane|^apiextensions\.crossplane\.io`, types.text(what))
}
