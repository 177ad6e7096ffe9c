# METADATA
# title: No secret stands in a manifest
# description: >-
#   Fields, variables, options and Helm values named like a secret have no value of their own, and nothing in the form
#   of a key or token stands anywhere.
# related_resources:
# - https://cwe.mitre.org/data/definitions/798.html
# custom:
#   severity: error
#   reason: PLAIN_SECRET
#   remediation: Keep the value in the secret store, and refer to the Secret that an ExternalSecret makes of it. What was committed must be replaced.
package crossgate.secret.plain_value

import rego.v1

import data.crossgate.lib.types
import data.crossgate.lib.values
import data.crossgate.lists.secrets

# A rule need not be asked where the text of a document holds none of what it looks for first.
first_look := concat("|", [secrets.names_in_text, secrets.forms_in_text])

# The credentials of a consumer of Kong are names of Secrets.
known_good := `[{,]"credentials":\[[^\[\]{}]*\],"kind":"KongConsumer"`

deny contains {"msg": sprintf("%v is written in plain", [found[2]]), "path": found[0]} if {
	names_secrets
	some found in named
	found[2] in telling
	holds_one(found[2], found[1])
	not names_a_secret(found)
	acts(found[0])
}

# {name, value} of a container's environment, of Helm's set list, of parameters.
deny contains {"msg": sprintf("%v is written in plain", [called]), "path": found[0]} if {
	names_secrets
	contains(values.text, `"value":"`)
	some found in values.leaves
	found[0][count(found[0]) - 1] == "value"
	above := types.map(object.get(input, array.slice(found[0], 0, count(found[0]) - 1), {}))
	some field in ["name", "key"]
	called := types.text(above[field])
	holds_one(called, found[1])
	acts(found[0])
}

# An option, and its value as the next item.
deny contains {"msg": sprintf("%v is written in plain", [option]), "path": found[0]} if {
	names_secrets
	contains(values.text, `"-`)
	some found in values.leaves
	above := array.slice(found[0], 0, count(found[0]) - 1)
	index := found[0][count(above)]
	types.number(index) > 0
	option := types.text(object.get(input, array.concat(above, [index - 1]), null))
	regex.match(`^--?[A-Za-z]`, option)
	regex.match(secrets.names, option)
	not startswith(found[1], "-")
	is_secret(found[1])
	acts(found[0])
}

# Lines of a text, and options.
deny contains {"msg": sprintf("%v is written in plain", [match[1]]), "path": found[0]} if {
	names_secrets
	regex.match(`[\n=]|"\{`, values.text)
	some found in values.leaves
	regex.match(`[\n=]|^\{`, found[1])
	some match in regex.find_all_string_submatch_n(`(?m)^[ \t]*(?:- +)?(?:--?)?["']?([\w.-]+)["']?[ \t]*(?::[ \t]+|=)[ \t]*["']?([^\s"'#]+)`, values.in_lines(found[1]), -1)
	holds_one(match[1], match[2])
	acts(found[0])
}

# Within a line: an option, a part of an address (?password=), an element of XML.
deny contains {"msg": sprintf("%v is written in plain", [called]), "path": found[0]} if {
	names_secrets
	regex.match(`[\s?&\\]|"<`, values.text)
	some found in values.leaves
	regex.match(`[\s?&]|^<`, found[1])
	some expression in [
		`(?:^|[\s?&;])(?:--?)?([\w.-]+)=([^\s"'&;<>]+)`, `(?:^|[\s])--([\w.-]+)[ \t]+([^\s"'-][^\s"']*)`, `<([\w.-]+)>([^<>\s]+)</`,
	]
	some match in regex.find_all_string_submatch_n(expression, found[1], -1)
	called := match[1]
	holds_one(called, match[2])
	acts(found[0])
}

# Without quotes a secret of digits is a number.
deny contains {"msg": sprintf("%v is written in plain", [values.key(path)]), "path": path} if {
	regex.match(`(?i)(password|passwd|passphrase|pwd)":[0-9]{3}`, values.text)
	not speaks_of_keys
	walk(input, [path, number])
	is_number(number)
	regex.match(secrets.numbers, values.key(path))
	acts(path)
}

deny contains {"msg": sprintf("%v is written in plain", [form]), "path": found[0]} if {
	some form, expression in secrets.forms
	regex.match(expression, values.text)
	some found in values.leaves
	regex.match(expression, found[1])
	acts(found[0])
}

names_secrets if {
	regex.match(secrets.names_in_text, values.text)
	not speaks_of_keys
}

# The keys that may be such a name, each looked at once and all in one text; a key of several lines would be several there.
telling := {line | some line in regex.find_n(concat("", ["(?m)^.*(?:", secrets.names, "|", secrets.perhaps, ")"]), concat("\n", keys), -1)} if {
	count(split(concat("\n", keys), "\n")) == count(keys)
} else := keys

keys := {found[2] | some found in named}

# [path, value, key]
named := [[found[0], found[1], values.key(found[0])] | some found in values.leaves]

# What these call a secret is the name of a key, or a type.
speaks_of_keys if {
	input.kind in {
		"ExternalSecret", "ClusterExternalSecret", "SecretStore", "ClusterSecretStore", "CustomResourceDefinition",
		"CompositeResourceDefinition",
	}
}

holds_one(name, value) if {
	regex.match(secrets.names, name)
	is_secret(value)
}

holds_one(name, value) if {
	regex.match(secrets.perhaps, name)
	is_secret(value)
	not regex.match(secrets.secret_name, value)
}

is_secret(value) if not regex.match(secrets.not_secret, value)

# A map from variables to names of Secrets (envSecrets).
names_a_secret(found) if {
	count(found[0]) > 1
	regex.match(secrets.maps_of_names, types.text(found[0][count(found[0]) - 2]))
	regex.match(secrets.secret_name, found[1])
}

# Secrets of Kubernetes are judged by secret/in-git; names of keys in them are no secrets.
acts(path) if {
	not in_a_secret(path)
	not of_a_consumer(path)
	values.acts(path)
}

in_a_secret(path) if {
	input.kind == "Secret"
	path[0] in {"data", "stringData"}
}

in_a_secret(path) if {
	some length in numbers.range(1, count(path) - 1)
	path[length] in {"data", "stringData"}
	object.get(input, array.concat(array.slice(path, 0, length), ["kind"]), "") == "Secret"
}

# The credentials of a consumer of Kong are names of Secrets.
of_a_consumer(path) if {
	some length, part in path
	part == "credentials"
	object.get(input, array.concat(array.slice(path, 0, length), ["kind"]), "") == "KongConsumer"
}
