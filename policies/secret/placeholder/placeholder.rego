# METADATA
# title: No placeholder where a secret belongs
# description: >-
#   CHANGE_ME and its relatives are what a sketch leaves behind. They are found in any spelling, in Base64, in Helm
#   values written as objects or as text, in the environment of containers and in Secrets.
# related_resources:
# - https://cwe.mitre.org/data/definitions/1392.html
# custom:
#   severity: error
#   reason: PLACEHOLDER
#   remediation: Take the value from a Secret that an ExternalSecret fills (existingSecret, valueFrom.secretKeyRef).
package crossgate.secret.placeholder

import rego.v1

import data.crossgate.lib.values
import data.crossgate.lists.placeholders

# A rule need not be asked where the text of a document holds none of what it looks for first.
first_look := concat("", ["(?i:", placeholders.words, "|", placeholders.alone_in_text, ")|", placeholders.encoded_in_text])

deny contains {"msg": sprintf("%v is a placeholder", [word]), "path": found[0]} if {
	regex.match(placeholders.anywhere, values.lowered)
	some found in values.leaves
	regex.match(placeholders.anywhere, found[1])
	some word in regex.find_n(concat("", ["(?i)", placeholders.words]), found[1], 1)
	values.acts(found[0])
}

deny contains {"msg": sprintf("%v is a placeholder", [word]), "path": found[0]} if {
	regex.match(placeholders.alone_in_text, values.lowered)
	some found in values.leaves
	some match in regex.find_all_string_submatch_n(placeholders.alone, found[1], 1)
	word := match[2]
	values.acts(found[0])
}

deny contains {"msg": sprintf("%v is a placeholder (%v in Base64)", [start(found[1]), told(decoded)]), "path": found[0]} if {
	regex.match(placeholders.encoded_in_text, values.text)
	some found in array.concat(values.scalars, folded)
	regex.match(`^[A-Za-z0-9+/_-]{8,}={0,2}$`, found[1])
	decoded := from_base64(found[1])
	is_placeholder(decoded)
	values.acts(found[0])
}

start(text) := text if {
	count(text) <= 200
} else := sprintf("%v…", [substring(text, 0, 40)])

# Of a whole file the word alone.
told(decoded) := decoded if {
	count(decoded) <= 200
} else := word if {
	some word in regex.find_n(concat("", ["(?i)", placeholders.words]), decoded, 1)
} else := "a line of it"

# Base64 over several lines is read as one.
folded := [[leaf[0], folded_text] |
	some leaf in values.leaves
	regex.match(`^[A-Za-z0-9+/_-]+[\r\n]+[A-Za-z0-9+/_=\r\n-]*$`, leaf[1])
	folded_text := regex.replace(leaf[1], `[\r\n]+`, "")
]

is_placeholder(text) if regex.match(placeholders.anywhere, text)

is_placeholder(text) if regex.match(placeholders.alone, text)

# Base64 in either alphabet, with or without its padding.
from_base64(text) := base64.decode(padded) if {
	plain := replace(replace(trim_right(text, "="), "-", "+"), "_", "/")
	padded := concat("", [plain, ["", "", "==", "="][count(plain) % 4]])
	base64.is_valid(padded)
	count(plain) % 4 != 1
}
