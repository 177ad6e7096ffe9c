# METADATA
# title: No network is the whole Internet
# description: >-
#   A network that stands for every address lets everybody in. It is found in every spelling, in any list or text,
#   and as several networks that cover everything together.
# related_resources:
# - https://datatracker.ietf.org/doc/html/rfc4632
# custom:
#   severity: error
#   reason: OPEN_CIDR
#   remediation: Name the networks that need access (the VPC, the office, the proxy) instead of every address.
#   reasons:
#     MALFORMED_CIDR:
#       remediation: Write the network as address/prefix, for example 10.0.0.0/8; tools disagree about anything else.
package crossgate.network.open_cidr

import rego.v1

import data.crossgate.lib.types
import data.crossgate.lib.values

# A rule need not be asked where the text of a document holds none of what it looks for first.
first_look := concat("|", [
	# A wide network, or more than a hundred (what was taken out left a NUL).
	`[0-9a-fA-F:.]/0*(?:[0-7]|9[6-9]|10[0-3])(?:[^0-9]|$)|:/0*(?:[89]|1[0-2])(?:[^0-9]|$)|(?:(?:[0-9a-fA-F:.]/[0-9]|\x00)(?s:.*?)){101}|(?i:source_?address_?prefix)`,
	# From an address to another.
	`[0-9]\s*-\s*(?:12[7-9]|1[3-9][0-9]|2[0-9]{2})\.[0-9]|(?i:"start_?(?:ip|address))`,
	# What stands at a field for networks, after it and further down.
	concat("", ["(?i:", fields, `)":(?:\[[^\[\]{}]*)?"`]),
	concat("", ["(?i:", fields, `)":(?s:.*)`, after_others]),
	concat("", [after_others, "(?s:.*)(?i:", fields, `)":`]),
])

# A network of IPv4 that is not wide, as a whole value; everything, where a route says that packets go there.
known_good := `[{,]"destination(?:CidrBlock":"0\.0\.0\.0/0|Ipv6CidrBlock":"::/0)"|"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])[.]){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])/(?:[89]|[12][0-9]|3[0-2])"`

fields := `cidrs?|cidr_?(?:blocks?|ip(?:v4|v6)?|ranges?)|source_?ranges`

after_others := `[}\]],\s*(?:"[^"]*"|\x00)\s*[,\]]`

deny contains {"msg": sprintf("%v is the whole Internet", [found[1]]), "path": found[0]} if {
	some cidr in in_text
	regex.match(`/0*([0-3]|96)$`, cidr)
	net.cidr_is_valid(cidr)
	everything(cidr)
	some found in array.concat(networks, networks_in_commands)
	everything(found[1])
	values.acts(found[0])
	not lets_nobody_in(found[0])
	not badly_written(found[0])
}

deny contains {"msg": sprintf("%v is the whole Internet", [found[1]]), "path": found[0]} if {
	regex.match(`sourceaddressprefix|source_addressprefix|sourceaddress_prefix|source_address_prefix`, values.lowered)
	some found in values.scalars
	regex.match(`(?i)^source_?address_?prefix(es)?$`, values.key(found[0]))
	lower(found[1]) in {"*", "any", "internet"}
	values.acts(found[0])
	not outbound(found[0])
	not lets_nobody_in(found[0])
}

deny contains {"msg": sprintf("%v together are the whole Internet", [listed(cidrs)]), "path": first[0]} if {
	count(in_text) > 1
	could_cover_everything
	covers_everything({cidr | some cidr in in_text; net.cidr_is_valid(cidr)})
	some place, cidrs in places
	covers_everything(cidrs)
	not whole_alone(cidrs)
	first := [found | some found in networks; where(found[0]) == place; values.acts(found[0])][0]
	not lets_nobody_in(first[0])
}

# From the first address to the last, in one text or in two fields.
deny contains {"msg": sprintf("%v is most of the Internet", [found[1]]), "path": found[0]} if {
	regex.match(`[0-9]\s*-\s*[12][0-9]{2}\.[0-9]`, values.text)
	some found in values.scalars
	some match in regex.find_all_string_submatch_n(`^([0-9]+)\.[0-9]+\.[0-9]+\.[0-9]+\s*-\s*([0-9]+)\.[0-9]+\.[0-9]+\.[0-9]+$`, found[1], 1)
	wide(match[1], match[2])
	values.acts(found[0])
	not lets_nobody_in(found[0])
}

deny contains {"msg": sprintf("%v to %v is most of the Internet", [found[1], last]), "path": found[0]} if {
	regex.match(`"start_?(ip|address)`, values.lowered)
	some found in values.leaves
	regex.match(start_field, values.key(found[0]))
	some name, last in object.get(input, array.slice(found[0], 0, count(found[0]) - 1), {})
	regex.match(end_field, name)
	wide(split(found[1], ".")[0], split(types.text(last), ".")[0])
	values.acts(found[0])
	not lets_nobody_in(found[0])
}

start_field := `(?i)^start_?(ip(_?address)?|address)$`

end_field := `(?i)^end_?(ip(_?address)?|address)$`

# Half of the addresses or more, by the first of their numbers.
wide(first, last) if {
	regex.match(`^[0-9]{1,3}$`, first)
	regex.match(`^[0-9]{1,3}$`, last)
	to_number(last) - to_number(first) >= 127
}

# A mask in place of a prefix.
deny contains {"msg": sprintf("%v is the whole Internet", [found[1]]), "path": found[0]} if {
	regex.match(`[0-9]/0+\.0+\.0+\.0+`, values.text)
	some found in values.scalars
	regex.match(`^[0-9.]+/0+\.0+\.0+\.0+$`, found[1])
	values.acts(found[0])
	not lets_nobody_in(found[0])
}

deny contains {"msg": sprintf("%q is not a network in CIDR form", [found[1]]), "path": found[0], "reason": "MALFORMED_CIDR"} if {
	some found in malformed
}

malformed contains found if {
	may_be_malformed
	some found in values.leaves
	regex.match(`(?i)(cidrs?|cidr_?(blocks?|ip(v4|v6)?|ranges?)|source_?ranges)$`, values.key(found[0]))
	not well_written(found[1])
	values.acts(found[0])
}

# A value, or the texts in a list up to an object or a list in it.
may_be_malformed if {
	some match in regex.find_all_string_submatch_n(`(?:cidrs?|cidr_?(?:blocks?|ip(?:v4|v6)?|ranges?)|source_?ranges)"\s*:\s*(\[[^\[\]{}]*|"[^"]*")`, values.lowered, -1)
	some quoted in regex.find_n(`"[^"]*"`, match[1], -1)
	value := trim(quoted, `"`)
	not well_written(value)
}

# A text that comes after them.
may_be_malformed if regex.match(`[}\]],\s*"[^"]*"\s*[,\]]`, values.text)

well_written(value) if {
	regex.match(usual, value)
} else if {
	every part in split(value, ",") {
		net.cidr_is_valid(part)
	}
}

# Networks of IPv4, nothing yet, a size for which the cloud picks a network, and a place that a template fills.
usual := `^$|^((((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])/([12]?[0-9]|3[0-2]))(,\b|$))+$|^/[0-9]+$|\{\{|\$\{|\$\(`

badly_written(path) if {
	some found in malformed
	found[0] == path
}

# Everything in the text that looks like a network, wherever it stands.
in_text := {cidr | some cidr in regex.find_n(`[0-9a-fA-F:.]+/[0-9]+`, values.text, -1)}

# Every network in the document with its place: a value that is one, or a list of them, or one inside a text.
networks := [[found[0], cidr] |
	some leaf in values.leaves
	contains(leaf[1], "/")
	some found in values.scalars_of(leaf)
	regex.match(`^[0-9a-fA-F:.]+/[0-9]+([\s,;]+[0-9a-fA-F:.]+/[0-9]+)*$`, found[1])
	some cidr in regex.split(`[\s,;]+`, found[1])
	net.cidr_is_valid(cidr)
]

# What is run is read word by word.
networks_in_commands := [[leaf[0], word] |
	some leaf in values.leaves
	values.key(leaf[0]) in {"args", "command"}
	contains(leaf[1], "/")
	some word in regex.split(`[\s,;="']+`, leaf[1])
	regex.match(`^[0-9a-fA-F:.]+/[0-9]+$`, word)
	net.cidr_is_valid(word)
]

everything(cidr) if net.cidr_contains(cidr, "0.0.0.0/0")

# All of IPv6 that is given out.
everything(cidr) if net.cidr_contains(cidr, "2000::/3")

listed(cidrs) := concat(" and ", sort(cidrs)) if count(cidrs) < 5

listed(cidrs) := sprintf("%v networks from %v to %v", [count(cidrs), min(cidrs), max(cidrs)]) if count(cidrs) > 4

# The networks that stand at the same field, whatever the lists around it are.
places[place] contains found[1] if {
	some found in networks
	place := where(found[0])
}

where(path) := concat("/", [step | some step in path; is_string(step)])

# A hundred networks, or a wide one among some.
could_cover_everything if count(in_text) > 100

could_cover_everything if {
	some cidr in in_text
	regex.match(`/(0*[0-7]|9[6-9]|10[0-3])$|:/0*([89]|1[0-2])$`, cidr)
}

whole_alone(cidrs) if {
	some cidr in cidrs
	everything(cidr)
}

covers_everything(cidrs) if {
	v4 := {as_v4(cidr) | some cidr in cidrs}
	count(v4) > 1
	"0.0.0.0/0" in net.cidr_merge(v4 | not_routed_v4)
}

covers_everything(cidrs) if {
	v6 := {cidr | some cidr in cidrs; contains(cidr, ":"); not as_v4(cidr)}
	count(v6) > 1
	"::/0" in net.cidr_merge(v6 | {"::/3", "4000::/2", "8000::/1"})
}

as_v4(cidr) := cidr if not contains(cidr, ":")

as_v4(cidr) := sprintf("%v/%v", [match[1], to_number(match[2]) - 96]) if {
	some match in regex.find_all_string_submatch_n(`^[0:]*:ffff:([0-9.]+)/(9[6-9]|1[0-9][0-9])$`, lower(cidr), 1)
}

as_v4(cidr) := sprintf("%v.%v/%v", [two_octets(match[1]), two_octets(match[2]), to_number(match[3]) - 96]) if {
	some match in regex.find_all_string_submatch_n(`^[0:]*:ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})/(9[6-9]|1[0-9][0-9])$`, lower(cidr), 1)
}

two_octets(group) := sprintf("%v.%v", [(digits[0] * 16) + digits[1], (digits[2] * 16) + digits[3]]) if {
	padded := substring(concat("", ["000", group]), count(group) - 1, 4)
	digits := [indexof("0123456789abcdef", digit) | some digit in split(padded, "")]
}

# Addresses that nobody on the Internet has: a list that leaves only these out still is the whole Internet.
not_routed_v4 := {
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
}

# A route says where packets go, an exception and a refusal say who is kept out.
lets_nobody_in(_) if input.kind in {"Route", "RouteTable"}

lets_nobody_in(path) if values.key(path) in {"destinationCidrBlock", "destinationIpv6CidrBlock", "destRange"}

lets_nobody_in(path) if {
	some step in path
	step in {"except", "ingressDeny", "egressDeny"}
}

lets_nobody_in(path) if {
	some above in entries_above(path)
	some name in ["action", "access", "ruleAction"]
	lower(types.text(above[name])) in {"deny", "block", "drop"}
}

lets_nobody_in(path) if {
	some above in entries_above(path)
	count(types.list(above.deny)) > 0
	object.get(above, "allow", []) == []
}

outbound(path) if {
	some above in entries_above(path)
	lower(types.text(above.direction)) == "outbound"
}

# The objects that the value stands in. In Helm values anything may stand above it; there only the nearest counts.
entries_above(path) := [above |
	some length in numbers.range(nearest(path), count(path) - 1)
	above := object.get(input, array.slice(path, 0, length), null)
	is_object(above)
]

nearest(path) := max([length |
	some length in numbers.range(0, count(path) - 1)
	is_object(object.get(input, array.slice(path, 0, length), null))
]) if {
	some step in path
	step in {"values", "valuesObject"}
} else := 0
