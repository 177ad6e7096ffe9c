package crossgate.secret.placeholder_test

import rego.v1

import data.crossgate.secret.placeholder

paths(document) := {finding.path | some finding in placeholder.deny with input as document}

values(value) := {"kind": "Release", "spec": {"forProvider": {"values": {"adminPassword": value}}}}

place := ["spec", "forProvider", "values", "adminPassword"]

test_bypass_by_every_spelling if {
	every value in [
		"CHANGE_ME", "change_me", "Change-Me", "changeme", "changeMe123", "CHANGE.ME", "CHANGE__ME", "change me", "my-CHANGE_ME-password",
		"REPLACE_ME", "replaceThis", "changeit", "TODO_PASSWORD", "your-password-here", "<password>", "<your token>", "CHANGE%5FME",
	] {
		paths(values(value)) == {place}
	}
}

test_lets_other_values_pass if {
	every value in [
		"exchange messages", "interchange.me", "s3cr3t", "grafana-admin", "{{ .password }}", "$(DB_PASSWORD)", "${PASSWORD}",
		"change management", "Replace measured values", "replacement", "<none>",
	] {
		paths(values(value)) == set()
	}
}

test_refuses_base64 if {
	every value in [
		"Q0hBTkdFX01F", "Y2hhbmdlLW1l", "Y2hhbmdlbWU=", "Y2hhbmdlbWU", base64.encode("1CHANGE_ME"), base64.encode("11change_me"),
		base64.encode("user: a\npassword: CHANGE_ME\n"), base64url.encode("??>CHANGE_ME"), base64.encode("replace-me"),
	] {
		paths({"kind": "Secret", "data": {"password": value}}) == {["data", "password"]}
	}
}

test_bypass_by_base64_that_is_long_or_broken if {
	long := base64.encode(concat("", ["# ", sprintf("%0300d", [0]), "\npassword: CHANGE_ME\n"]))
	every one in [long, "Q0hBTkdF\nX01F\n", "Q0hBTkdF\r\nX01F"] {
		paths({"kind": "Secret", "data": {"password": one}}) == {["data", "password"]}
	}
}

test_tells_the_word_and_not_the_file if {
	messages := {finding.msg | some finding in placeholder.deny with input as {"kind": "Secret", "data": {"a": base64.encode(sprintf("# %0300d\npassword: CHANGE_ME\n", [0]))}}}
	messages == {"IyAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw… is a placeholder (CHANGE_ME in Base64)"}
	count(paths({"kind": "Secret", "data": {"a": base64.encode(sprintf("# %0300d\npassword: change me\n", [0]))}})) == 1
}

test_bypass_by_words_around_and_escapes if {
	every value in ["PleaseChangeMe", "changemenow", "please_change-me", "{\"a\": \"CHANGE\\u005FME\"}", "CHANGE&#95;ME"] {
		paths(values(value)) == {place}
	}
}

test_lets_other_base64_pass if {
	every value in [base64.encode("s3cr3t"), base64.encode("exchange messages"), "c2hhbmdlbWU"] {
		paths({"kind": "Secret", "data": {"password": value}}) == set()
	}
}

test_refuses_in_every_place if {
	every document in [
		{"kind": "Secret", "stringData": {"password": "CHANGE_ME"}},
		{"kind": "Pod", "spec": {"initContainers": [{"env": [{"name": "PASSWORD", "value": "CHANGE_ME"}]}]}},
		{"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"args": ["--password=CHANGE_ME"]}]}}}}}},
		{"kind": "Release", "spec": {"forProvider": {"set": [{"name": "adminPassword", "value": "CHANGE_ME"}]}}},
		{"kind": "Application", "spec": {"source": {"helm": {"values": "grafana:\n  adminPassword: CHANGE_ME\n"}}}},
		{"kind": "Object", "spec": {"forProvider": {"manifest": {"kind": "Secret", "data": {"a": "Q0hBTkdFX01F"}}}}},
		{"kind": "ConfigMap", "data": {"config.json": "{\"password\": \"change-me\"}"}},
		{"kind": "ConfigMap", "data": {"config.yaml": "password: change me\n"}},
	] {
		count(paths(document)) == 1
	}
}

test_lets_explanations_pass if {
	paths({"kind": "CompositeResourceDefinition", "spec": {"schema": {"properties": {"password": {"description": "never CHANGE_ME"}}}}}) == set()
}

# A template may hold a placeholder that a patch always writes over.
test_a_template_is_judged_where_no_patch_writes if {
	paths({"kind": "Composition", "spec": {"pipeline": [{"input": {"resources": [{
		"base": {"spec": {"a": "CHANGE_ME", "b": {"c": "CHANGE_ME"}, "d": "CHANGE_ME"}},
		"patches": [{"toFieldPath": "spec.a"}, {"type": "CombineFromComposite", "toFieldPath": "spec.b"}],
	}]}}]}}) == {["spec", "pipeline", 0, "input", "resources", 0, "base", "spec", "d"]}
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": values("CHANGE_ME")}]) == set()
