package crossgate.network.open_cidr_test

import rego.v1

import data.crossgate.network.open_cidr

paths(document) := {finding.path | some finding in open_cidr.deny with input as document}

reasons(document) := {object.get(finding, "reason", "OPEN_CIDR") | some finding in open_cidr.deny with input as document}

rule(cidr) := {"kind": "SecurityGroupRule", "spec": {"forProvider": {"cidrBlocks": [cidr]}}}

test_bypass_by_every_spelling_of_everywhere if {
	every cidr in [
		"0.0.0.0/0", "0.0.0.0/00", "10.0.0.1/0", "::/0", "::0/0", "0:0:0:0:0:0:0:0/0", "2001:db8::1/0",
		"::ffff:0.0.0.0/96", "2000::/3", "::/1",
	] {
		paths(rule(cidr)) == {["spec", "forProvider", "cidrBlocks", 0]}
		reasons(rule(cidr)) == {"OPEN_CIDR"}
	}
}

test_lets_networks_pass if {
	every cidr in ["10.0.0.0/8", "203.0.113.7/32", "0.0.0.0/1", "2001:db8::/32", "fd00::/8", "::ffff:10.0.0.0/104"] {
		paths(rule(cidr)) == set()
	}
}

test_malformed_networks_are_no_pass if {
	every cidr in ["0/0", "000.000.000.000/0", " 0.0.0.0/0", "10.0.0.0/33", "0.0.0.0", "0.0.0.0/ 0", "::/129", "10.0.0.0/8,0.0.0.0"] {
		reasons(rule(cidr)) == {"MALFORMED_CIDR"}
	}
}

test_what_is_left_open_is_not_malformed if {
	every cidr in ["", "/14", "{{ .Values.cidr }}", "${CIDR}", "10.0.0.0/8,fd00::/48"] {
		paths(rule(cidr)) == set()
	}
}

# Two halves, four quarters, or everything but the private networks are the whole Internet in other clothes.
test_refuses_networks_that_together_are_everywhere if {
	every cidrs in [
		["0.0.0.0/1", "128.0.0.0/1"],
		["0.0.0.0/2", "64.0.0.0/2", "128.0.0.0/2", "192.0.0.0/2"],
		["2000::/4", "3000::/4"],
		["::ffff:0.0.0.0/97", "128.0.0.0/1"],
		[
			"0.0.0.0/5", "8.0.0.0/7", "11.0.0.0/8", "12.0.0.0/6", "16.0.0.0/4", "32.0.0.0/3", "64.0.0.0/2", "128.0.0.0/3",
			"160.0.0.0/5", "168.0.0.0/6", "172.0.0.0/12", "172.32.0.0/11", "172.64.0.0/10", "172.128.0.0/9", "173.0.0.0/8",
			"174.0.0.0/7", "176.0.0.0/4", "192.0.0.0/9", "192.128.0.0/11", "192.160.0.0/13", "192.169.0.0/16",
			"192.170.0.0/15", "192.172.0.0/14", "192.176.0.0/12", "192.192.0.0/10", "193.0.0.0/8", "194.0.0.0/7",
			"196.0.0.0/6", "200.0.0.0/5", "208.0.0.0/4",
		],
	] {
		paths({"spec": {"sourceRanges": cidrs}}) == {["spec", "sourceRanges", 0]}
	}
	count(paths({"spec": {"rules": [{"cidrBlock": "0.0.0.0/1"}, {"cidrBlock": "128.0.0.0/1"}]}})) == 1
}

test_lets_networks_pass_that_are_not_everywhere_together if {
	every cidrs in [["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"], ["0.0.0.0/1"], ["10.0.0.0/9", "10.128.0.0/9"], ["2000::/4", "fd00::/8"]] {
		paths({"spec": {"sourceRanges": cidrs}}) == set()
	}
}

test_bypass_by_many_networks_that_are_not_wide if {
	eighths := [sprintf("%v%v00::/8", [first, second]) | some first in ["2", "3"]; some second in split("0123456789abcdef", "")]
	paths({"spec": {"sourceRanges": eighths}}) == {["spec", "sourceRanges", 0]}
	paths({"spec": {"sourceRanges": array.slice(eighths, 1, 32)}}) == set()
}

# What IPv4 is in IPv6 has many spellings.
test_bypass_by_halves_mapped_into_ipv6 if {
	every cidrs in [
		["::ffff:0:0/97", "::ffff:8000:0/97"], ["0:0:0:0:0:ffff:0.0.0.0/97", "0::ffff:128.0.0.0/97"], ["0.0.0.0/1", "::FfFf:128.0.0.0/97"],
		["::ffff:0:0/98", "::ffff:4000:0/98", "128.0.0.0/1"],
	] {
		paths({"spec": {"sourceRanges": cidrs}}) == {["spec", "sourceRanges", 0]}
	}
	every cidrs in [["::ffff:0:0/97", "::ffff:a00:1/128"], ["::ffff:c0a8:0/112", "128.0.0.0/1"]] {
		paths({"spec": {"sourceRanges": cidrs}}) == set()
	}
}

test_bypass_by_the_first_and_the_last_address if {
	paths({"spec": {"forProvider": {"startIpAddress": "0.0.0.0", "endIpAddress": "255.255.255.255"}}}) == {["spec", "forProvider", "startIpAddress"]}
	paths({"spec": {"forProvider": {"startIp": "1.0.0.0", "endIp": "223.255.255.255"}}}) == {["spec", "forProvider", "startIp"]}
	paths({"spec": {"allow": ["0.0.0.0 - 127.255.255.255", "128.0.0.0-255.255.255.255"]}}) == {["spec", "allow", 0], ["spec", "allow", 1]}
	paths({"spec": {"allow": "0.0.0.0/0.0.0.0"}}) == {["spec", "allow"]}
	every spec in [
		{"startIpAddress": "10.0.0.0", "endIpAddress": "10.255.255.255"}, {"startIpAddress": "0.0.0.0", "endIpAddress": "0.0.0.0"},
		{"allow": "10.0.0.1-10.0.0.9"}, {"allow": "10.0.0.0/255.0.0.0"}, {"startIpAddress": "x", "endIpAddress": 7}, {"startIp": "1.0.0.0"},
	] {
		paths({"spec": spec}) == set()
	}
}

test_bypass_by_a_line_that_is_run if {
	every command in ["serve --allow 0.0.0.0/0 --port 80", "serve --x --allow=0.0.0.0/0 --y", "iptables -s '::/0' -j ACCEPT"] {
		paths({"kind": "Pod", "spec": {"containers": [{"command": ["sh", "-c", command]}]}}) == {["spec", "containers", 0, "command", 2]}
	}
}

# A word far above in values that nobody reads refuses nothing.
test_bypass_by_a_refusal_that_is_none if {
	document := {"kind": "Release", "spec": {"forProvider": {"values": {"access": "Deny", "service": {"loadBalancerSourceRanges": ["0.0.0.0/0"]}}}}}
	count(paths(document)) == 1
	paths({"kind": "Release", "spec": {"forProvider": {"values": {"rules": [{"action": "deny", "cidr": "0.0.0.0/0"}]}}}}) == set()
}

# Wherever networks stand.
test_refuses_in_every_place if {
	every document in [
		{"kind": "Cluster", "spec": {"forProvider": {"masterAuthorizedNetworksConfig": [{"cidrBlocks": [{"cidrBlock": "0.0.0.0/0"}]}]}}},
		{"kind": "DatabaseInstance", "spec": {"forProvider": {"settings": [{"ipConfiguration": [{"authorizedNetworks": [{"value": "0.0.0.0/0"}]}]}]}}},
		{"kind": "NetworkPolicy", "spec": {"ingress": [{"from": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}]}},
		{"kind": "Service", "spec": {"type": "LoadBalancer", "loadBalancerSourceRanges": ["::/0"]}},
		{"kind": "Service", "metadata": {"annotations": {"service.beta.kubernetes.io/load-balancer-source-ranges": "10.0.0.0/8, 0.0.0.0/0"}}},
		{"kind": "Ingress", "metadata": {"annotations": {"nginx.ingress.kubernetes.io/whitelist-source-range": "0.0.0.0/0"}}},
		{"kind": "ClusterAuth", "spec": {"forProvider": {"vpcConfig": [{"publicAccessCidrs": ["0.0.0.0/0"]}]}}},
		{"kind": "Object", "spec": {"forProvider": {"manifest": {"kind": "Service", "spec": {"loadBalancerSourceRanges": ["0.0.0.0/0"]}}}}},
		{"kind": "Release", "spec": {"forProvider": {"values": {"service": {"loadBalancerSourceRanges": ["0.0.0.0/0"]}}}}},
		{"kind": "SecurityRule", "spec": {"forProvider": {"access": "Allow", "direction": "Inbound", "sourceAddressPrefix": "*"}}},
		{"kind": "SecurityRule", "spec": {"forProvider": {"direction": "Inbound", "sourceAddressPrefixes": ["Internet"]}}},
		{"kind": "List", "items": [{"kind": "NetworkPolicy", "spec": {"ingress": [{"from": [{"ipBlock": {"cidr": "::/0"}}]}]}}]},
	] {
		count(paths(document)) == 1
	}
}

# A text hides nothing: Helm values, JSON, HCL, options.
test_refuses_inside_texts if {
	every value in [
		"service:\n  loadBalancerSourceRanges:\n  - 0.0.0.0/0\n",
		"service:\n  ranges: [10.0.0.0/8, \"0.0.0.0/0\"]\n",
		"{\"Condition\": {\"IpAddress\": {\"aws:SourceIp\": \"0.0.0.0/0\"}}}",
		"resource \"x\" \"y\" {\n  cidr_blocks = [\"0.0.0.0/0\"]\n}\n",
		"--allowed-networks=0.0.0.0/0",
		"10.0.0.0/8 0.0.0.0/0",
		" 0.0.0.0/0 ",
	] {
		paths({"spec": {"values": value}}) == {["spec", "values"]}
	}
}

test_lets_prose_pass if {
	every value in ["replaces 0.0.0.0/0 from last year", "first line\nno more 0.0.0.0/0 here\n", "# cidr: 0.0.0.0/0\nenabled: true\n"] {
		paths({"spec": {"note": value}}) == set()
	}
	paths({"spec": {"description": "0.0.0.0/0"}}) == set()
}

# What lets nobody in is no fault.
test_lets_routes_refusals_and_exceptions_pass if {
	every document in [
		{"kind": "Route", "spec": {"forProvider": {"destinationCidrBlock": "0.0.0.0/0"}}},
		{"kind": "RouteTable", "spec": {"forProvider": {"route": [{"cidrBlock": "0.0.0.0/0"}]}}},
		{"kind": "NetworkPolicy", "spec": {"ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["0.0.0.0/0"]}}]}]}},
		{"kind": "Firewall", "spec": {"forProvider": {"deny": [{"protocol": "all"}], "sourceRanges": ["0.0.0.0/0"]}}},
		{"kind": "SecurityRule", "spec": {"forProvider": {"access": "Deny", "direction": "Inbound", "sourceAddressPrefix": "*"}}},
		{"kind": "SecurityRule", "spec": {"forProvider": {"access": "Allow", "direction": "Outbound", "sourceAddressPrefix": "*"}}},
		{"kind": "NetworkACLRule", "spec": {"forProvider": {"ruleAction": "deny", "cidrBlock": "0.0.0.0/0"}}},
	] {
		paths(document) == set()
	}
}

test_a_refusal_beside_an_opening_does_not_hide_it if {
	paths({"kind": "Firewall", "spec": {"forProvider": {
		"allow": [{"protocol": "tcp"}],
		"deny": [{"protocol": "udp"}],
		"sourceRanges": ["0.0.0.0/0"],
	}}}) == {["spec", "forProvider", "sourceRanges", 0]}
}

# A template's field that a patch writes is judged when a claim is rendered; the rest of it is judged as it stands.
test_a_template_is_judged_where_no_patch_writes if {
	paths({"kind": "Composition", "spec": {"pipeline": [{"step": "patch", "input": {
		"patchSets": [{"name": "set", "patches": [{"fromFieldPath": "spec.x", "toFieldPath": "spec.third"}]}],
		"resources": [{
			"base": {"spec": {"first": ["0.0.0.0/0"], "second": "0.0.0.0/0", "third": "0.0.0.0/0", "fourth": "0.0.0.0/0"}},
			"patches": [
				{"fromFieldPath": "spec.x", "toFieldPath": "spec.first[0]"},
				{"type": "PatchSet", "patchSetName": "set"},
				{"type": "ToCompositeFieldPath", "fromFieldPath": "spec.fourth", "toFieldPath": "status.x"},
			],
		}],
	}}]}}) == {
		["spec", "pipeline", 0, "input", "resources", 0, "base", "spec", "second"],
		["spec", "pipeline", 0, "input", "resources", 0, "base", "spec", "fourth"],
	}
}

# Estate rules are given an array; a rule for documents says nothing about it.
test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": {"cidr": "0.0.0.0/0"}}]) == set()
