# METADATA
# title: APIs that go are not used
# description: >-
#   No document, template or claim uses an API that is gone or goes with the next release of what serves it.
# related_resources:
# - https://docs.crossplane.io/latest/guides/upgrade-to-crossplane-v2/
# custom:
#   severity: warning
#   reason: DEPRECATED_VERSION
#   input: written
#   remediation: Move to the API that the message names.
package crossgate.crossplane.deprecated_version

import rego.v1

import data.crossgate.lib.types
import data.crossgate.lib.values
import data.crossgate.lists.platform

# A rule need not be asked where the text of a document holds none of what it looks for first.
first_look := platform.deprecated_in_text

warn contains {"msg": sprintf("%v %v is deprecated; use %v", [version, kind, entry.instead]), "path": array.concat(path, ["apiVersion"])} if {
	regex.match(first_look, values.text)
	walk(input, [path, found])
	version := types.text(found.apiVersion)
	kind := found.kind
	some entry in platform.deprecated
	regex.match(entry.api, version)
	of_kind(entry, kind)
	not names_another(path)
}

of_kind(entry, _) if not entry.kinds

of_kind(entry, kind) if kind in entry.kinds

# A reference is not the object.
names_another(path) if path[count(path) - 1] in {"involvedObject", "ownerReferences", "claimRef", "compositeTypeRef"}
