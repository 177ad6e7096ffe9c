package crossgate.secret.plain_value_test

import rego.v1

import data.crossgate.secret.plain_value

paths(document) := {finding.path | some finding in plain_value.deny with input as document}

values(given) := {"kind": "Release", "spec": {"forProvider": {"values": given}}}

test_refuses_fields_named_like_a_secret if {
	every key in [
		"adminPassword", "ADMIN_PASSWORD", "apiKey", "api_key", "authToken", "clientSecret", "secretAccessKey", "passphrase", "connectionString",
	] {
		paths(values({key: "hunter2"})) == {["spec", "forProvider", "values", key]}
	}
}

test_lets_references_pass if {
	every key in [
		"existingSecret", "passwordKey", "passwordSecretRef", "secretName", "tokenEndpoint", "passwordPolicy", "userKey", "secretKey",
		"fromConnectionSecretKey", "secret",
	] {
		paths(values({key: "grafana-admin"})) == set()
	}
}

# What a map of Secrets names is no secret; what could not be the name of one is.
test_lets_maps_of_secrets_pass if {
	every field in ["envSecrets", "extraEnvSecrets", "existingSecrets", "secretNames_secret_refs"] {
		paths(values({field: {"DB_PASSWORD": "fraud-database", "API_TOKEN": "tracking", "apiKey": "a.b-c"}})) == set()
	}
}

test_refuses_secrets_in_maps_of_secrets if {
	every value in ["hunter2", "Hunter-2", "correct horse", "s3cr3t!"] {
		count(paths(values({"envSecrets": {"DB_PASSWORD": value}}))) == 1
	}
	count(paths(values({"secrets": {"password": "fraud-database"}}))) == 1
}

test_refuses_dashes_in_names if {
	every key in ["api-key", "access-key", "private_key", "client-secret", "connection-string"] {
		count(paths(values({key: "hunter2"}))) == 1
		count(paths({"kind": "ConfigMap", "data": {"a.yaml": sprintf("%v: hunter2\n", [key])}})) == 1
	}
}

test_bypass_by_options_with_their_value_apart if {
	every list in ["command", "args"] {
		paths({"kind": "Pod", "spec": {"containers": [{list: ["serve", "--db-password", "hunter2", "--port", "80"]}]}}) == {["spec", "containers", 0, list, 2]}
	}
	paths({"kind": "Pod", "spec": {"containers": [{"args": ["--password", "--verbose", "--token", "$(TOKEN)", "password", "x"]}]}}) == set()
}

test_lets_values_pass_that_are_none if {
	every value in ["", "$(DB_PASSWORD)", "${PASSWORD}", "{{ .password }}", "/var/run/secrets/token", "https://login.example.org/token", "true", "random"] {
		paths(values({"password": value})) == set()
	}
	paths(values({"password": null, "token": true, "apiKey": {"valueFrom": {}}})) == set()
}

test_refuses_environment_and_options if {
	every document in [
		{"kind": "Pod", "spec": {"containers": [{"env": [{"name": "DB_PASSWORD", "value": "hunter2"}]}]}},
		{"kind": "Pod", "spec": {"initContainers": [{"args": ["--db-password=hunter2"]}]}},
		{"kind": "Release", "spec": {"forProvider": {"set": [{"name": "grafana.adminPassword", "value": "hunter2"}]}}},
		{"kind": "ConfigMap", "data": {"application.properties": "user=a\ndb.password=hunter2\n"}},
		{"kind": "ConfigMap", "data": {"config.json": "{\"user\": \"a\", \"apiKey\": \"hunter2\"}"}},
		{"kind": "Application", "spec": {"source": {"helm": {"values": "grafana:\n  adminPassword: hunter2\n"}}}},
		{"kind": "Object", "spec": {"forProvider": {"manifest": {"kind": "Pod", "spec": {"containers": [{"env": [{"name": "TOKEN", "value": "x1"}]}]}}}}},
	] {
		count(paths(document)) == 1
	}
}

test_lets_the_environment_pass_that_refers if {
	paths({"kind": "Pod", "spec": {"containers": [{
		"args": ["--token=$(TOKEN)", "--tokens=3"],
		"env": [
			{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
			{"name": "AWS_WEB_IDENTITY_TOKEN", "value": "/var/run/secrets/token"},
		],
	}]}}) == set()
}

# Written in parts, so that no scanner takes these for real.
test_refuses_forms_that_tell_without_a_name if {
	every value in [
		concat(" ", ["-----BEGIN RSA", "PRIVATE KEY-----"]),
		concat("", ["AKIA", "ABCDEFGHIJKLMNOP"]),
		concat("", ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"]),
		concat("", ["AIza", "abcdefghijklmnopqrstuvwxyz012345678"]),
		concat("", ["postgres://user:", "hunter2@db.example.org/x"]),
		concat(".", ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "abcdefghijklmnop"]),
	] {
		paths({"kind": "ConfigMap", "data": {"a": value}}) == {["data", "a"]}
	}
}

test_lets_addresses_pass if {
	every value in ["postgres://user@db.example.org/x", "postgres://user:$(PASSWORD)@db/x", "https://example.org:8080/a@b", "git@example.org:a/b.git"] {
		paths({"kind": "ConfigMap", "data": {"a": value}}) == set()
	}
}

# Secrets have a rule of their own; an ExternalSecret names keys and holds none.
test_lets_secrets_and_external_secrets_pass if {
	paths({"kind": "Secret", "stringData": {"password": "hunter2"}}) == set()
	paths({"kind": "Object", "spec": {"forProvider": {"manifest": {"kind": "Secret", "data": {"password": "aHVudGVyMg=="}}}}}) == set()
	paths({"kind": "ExternalSecret", "spec": {"data": [{"secretKey": "password", "remoteRef": {"key": "db", "property": "password"}}]}}) == set()
}

test_a_secret_does_not_hide_what_stands_beside_it if {
	paths({"kind": "Release", "data": {"password": "hunter2"}}) == {["data", "password"]}
}

test_bypass_by_addresses_without_a_user if {
	every value in ["redis://:hunter2@r:6379", "HTTPS://u:hunter2@r", "amqp://:hunter2@r/x"] {
		paths({"kind": "ConfigMap", "data": {"a": value}}) == {["data", "a"]}
	}
}

test_bypass_within_a_line if {
	every value in [
		"jdbc:postgresql://h/d?user=a&password=hunter2", "postgres://h/d?sslmode=require&password=hunter2",
		"mysql -u root --password=hunter2 db", "mysql -u root --password hunter2 db", "exec env DB_PASS=hunter2 serve",
		"<server><password>hunter2</password></server>",
	] {
		paths({"kind": "Pod", "spec": {"containers": [{"command": ["sh", "-c", value]}]}}) == {["spec", "containers", 0, "command", 2]}
	}
	every value in [
		"mysql --password=$DB_PASSWORD db", "mysql --password $(cat /run/p) db", "serve --password-file /run/p --token {{ .t }}",
		"curl https://example.org/x?token=${TOKEN}", "<password>$PASSWORD</password>",
	] {
		paths({"kind": "Pod", "spec": {"containers": [{"command": ["sh", "-c", value]}]}}) == set()
	}
}

test_bypass_by_a_number if {
	paths(values({"auth": {"password": 123456}})) == {["spec", "forProvider", "values", "auth", "password"]}
	paths(values({"auth": {"passwordLength": 123456, "token": 3600}})) == set()
}

test_bypass_by_other_names if {
	every name in ["DB_PASS", "db-pass", "dbPass", "JWT_SECRET", "SECRET_KEY_BASE", "APP_SESSION_KEY"] {
		paths({"kind": "Pod", "spec": {"containers": [{"env": [{"name": name, "value": "hunter2"}]}]}}) == {["spec", "containers", 0, "env", 0, "value"]}
	}
	paths({"kind": "Workspace", "spec": {"vars": [{"key": "db_password", "value": "hunter2"}]}}) == {["spec", "vars", 0, "value"]}
	paths({"kind": "Pod", "spec": {"containers": [{"env": [{"name": "TLS_SECRET", "value": "gateway-tls"}, {"name": "BYPASS", "value": "x1"}]}]}}) == set()
}

test_bypass_by_base64_of_a_key if {
	every kind in ["RSA PRIVATE", "EC PRIVATE", "PRIVATE", "OPENSSH PRIVATE"] {
		paths({"kind": "ConfigMap", "data": {"a": base64.encode(sprintf("-----BEGIN %v KEY-----\nMIIE", [kind]))}}) == {["data", "a"]}
	}
	paths({"kind": "ConfigMap", "data": {"a": base64.encode("-----BEGIN CERTIFICATE-----\nMIIE")}}) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": values({"password": "hunter2"})}]) == set()

test_lets_names_of_credentials_of_a_consumer_pass if {
	consumer := {"kind": "KongConsumer", "username": "shop", "credentials": ["shop-key"]}
	paths(consumer) == set()
	paths({"kind": "Object", "spec": {"forProvider": {"manifest": consumer}}}) == set()
	paths(values({"credentials": ["hunter2"]})) != set()
}
