"""What must not be shown is not shown, wherever it stands; what is only about secrets stays readable."""

from __future__ import annotations

import base64
import time
from typing import Any

import pytest

from crossgate.model import Identity
from crossgate.paths import MISSING
from crossgate.plan.fields import Look, changed_fields
from crossgate.schema import Schemas
from crossgate.sensitive import MASK, is_secret_key, looks_secret, redacted, secret_values

IDENTITY = Identity("v1", "ConfigMap", "n", "x")


def shown(before: Any, after: Any) -> str:
    """Everything that a plan would hold of a change."""
    return repr(changed_fields(IDENTITY, before, after, Look(Schemas.load(()))).changes)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "password",
            "adminPassword",
            "DB_PASSWORD",
            "DB_PW",
            "api-token",
            "apiKey",
            "clientSecret",
            "secret",
            "privateKey",
            "connectionString",
        ),
        *(
            "accessKeyId",
            "kubeconfig",
            "passphrase",
            "SLACK_WEBHOOK_URL",
            "dsn",
            "auth",
            "credentials",
            "dbpassword",
            "authtoken",
            "tls.key",
        ),
    ],
)
def test_keys_that_name_a_secret(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "secretName",
            "secretKeyRef",
            "passwordSecretRef",
            "writeConnectionSecretToRef",
            "imagePullSecrets",
            "existingSecret",
            "tokenRef",
        ),
        *("maxTokens", "tokenizer", "secretStoreRef", "passwordPolicy", "author", "passThrough", "keys", "automountServiceAccountToken"),
        *("bypass", "compass", "author", "oauth", "passes"),
    ],
)
def test_keys_that_only_point_to_one(key: str) -> None:
    """A reference says which secret is used: a reviewer must see that it changes, and to what."""
    assert not is_secret_key(key)


PLACES: list[Any] = [
    {"password": "hunter22"},
    {"spec": {"auth": {"user": "u", "deep": [{"x": "hunter22"}]}}},
    {"apiVersion": "v1", "kind": "Secret", "data": {"any": "hunter22"}, "stringData": {"b": "hunter22"}},
    {"manifest": {"apiVersion": "v1", "kind": "Secret", "stringData": {"any": "hunter22"}}},
    {"env": [{"name": "DB_PASSWORD", "value": "hunter22"}]},
    {"set": [{"name": "auth.postgresPassword", "value": "hunter22"}]},
    {"args": ["--password", "hunter22"]},
    {"args": ["--password=hunter22"]},
    {"command": "run --api-token hunter22 now"},
    {"command": ["mysqldump", "-uroot", "-phunter22"]},
    {"command": ["redis-cli"], "args": ["-h", "cache", "-a", "hunter22"]},
    {"command": ["sh", "-c", "mysql -u root -phunter22 shop < /dump.sql"]},
    {"command": ["curl", "-u", "me:hunter22", "https://db.internal"]},
    {"command": ["curl", "-su", "me:hunter22", "https://db.internal"]},
    {"command": ["sh", "-c", "mysql \\\n  -u root \\\n  -phunter22 shop"]},
    {"env": [{"name": "PGPASS", "value": "hunter22"}]},
    {"env": [{"name": "DB_PASS", "value": "hunter22"}]},
    {"env": [{"name": "REDIS_AUTH", "value": "hunter22"}]},
    {"script": "DB_PASS=hunter22 ./run"},
    {"args": ["--pass", "hunter22"]},
    {"set": [{"name": "auth.password", "valueFrom": "hunter22"}]},
    {"kind": "Secret", "stringData": {"a": "hunter22"}},
    {"apiVersion": "v1", "kind": "secret", "stringDat": {"a": "hunter22"}},
    {"script": "curl -fsS -u me:hunter22 https://db.internal"},
    {"url": "postgres://user:hunter22@db/x"},
    {"any": "Server=db;User=u;Password=hunter22;"},
    {"data": {"values.yaml": "auth:\n  password: hunter22\nother: 1\n"}},
    {"data": {"values.yaml": "env:\n- name: API_TOKEN\n  value: hunter22\n"}},
    {"data": {"config.json": '{"auth": {"password": "hunter22"}}'}},
    {"data": {".env": "A=1\nDB_PASSWORD=hunter22\n"}},
    {"data": {"broken.yaml": "a: [\npassword: hunter22\n"}},
    {"data": {"secret.yaml": "apiVersion: v1\nkind: Secret\nstringData:\n  a: hunter22\n"}},
    {"data": {"two.yaml": "a: 1\n---\npassword: hunter22\n"}},
    {"userData": base64.b64encode(b"#!/bin/sh\nexport DB_PASSWORD=hunter22\n").decode()},
    {"values": {"grafana": {"adminPassword": "hunter22"}}},
    {"pem": "-----BEGIN RSA PRIVATE KEY-----\nhunter22\n-----END RSA PRIVATE KEY-----\n"},
    {"header": "Authorization: Bearer hunter22hunter22"},
    {"nested": {"text": "outer: |\n  inner:\n    password: hunter22\n"}},
]


@pytest.mark.parametrize("body", PLACES, ids=str)
def test_a_secret_is_never_in_a_plan(body: Any) -> None:
    secret = "hunter22"
    encoded = base64.b64encode(b"#!/bin/sh\nexport DB_PASSWORD=hunter22\n").decode()
    other = eval(
        repr(body).replace("hunter22", "other999").replace(encoded, base64.b64encode(b"#!/bin/sh\nexport DB_PASSWORD=other999\n").decode())
    )
    for before, after in ((MISSING, body), (body, MISSING), (body, other), (other, body), ({}, body), (body, {})):
        text = shown(before, after)
        assert secret not in text, text
        assert encoded not in text
        assert "other999" not in text
    assert MASK in shown(body, other), "a changed secret is shown as changed"


def test_what_stands_beside_a_secret_is_shown() -> None:
    """A mask over the whole text would hide the change that a reviewer looks for."""
    text = shown({"data": {"v.yaml": "password: a1\nreplicas: 1\n"}}, {"data": {"v.yaml": "password: a2\nreplicas: 2\n"}})
    assert "'replicas',)" in text
    assert "before=1, after=2" in text
    assert "a1" not in text


@pytest.mark.parametrize(
    "value",
    [
        *(
            "ghp_" + "a1" * 18,
            "AKIAIOSFODNN7EXAMPLE",
            "hf_" + "a" * 30,
            "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln",
            "https://u:p@h/",
            "xoxb-123456789012",
        ),
        *("password: x1", "token=abc", "sk-" + "a" * 24),
    ],
)
def test_values_that_look_like_a_secret(value: str) -> None:
    assert looks_secret(value)


@pytest.mark.parametrize(
    "value",
    [
        "https://example.org/a:b",
        "registry.example.org/app:1.2",
        "sha256:" + "a" * 64,
        "the secret name",
        "t4",
        "10.0.0.0/8",
        "server -port=8080",
        "ls -a /x",
    ],
)
def test_ordinary_values(value: str) -> None:
    assert not looks_secret(value)


def test_the_user_of_a_client_is_shown() -> None:
    """What is a secret is taken out of messages, too: nobody would be told any more what runs as root."""
    assert secret_values({"command": ["mysql", "-u", "root", "-phunter22"]}) == {"-phunter22"}


def test_switches_and_counts_under_a_secrets_name_are_shown() -> None:
    assert "after=False" in shown({"passwordAuthentication": True}, {"passwordAuthentication": False})
    assert "after=4096" in shown({"maxTokens": 2048}, {"maxTokens": 4096})
    assert "secretName" in shown(
        {"volumes": [{"name": "a", "secret": {"secretName": "one"}}]}, {"volumes": [{"name": "a", "secret": {"secretName": "two"}}]}
    )


def test_messages_that_quote_a_secret_are_mended() -> None:
    secrets = secret_values({"a": {"password": "hunter22"}, "t": 'x: 1\ntoken: "s3cr3t-thing"\n'})
    said = redacted("cannot use hunter22 with s3cr3t-thing or https://u:pw9@h", secrets)
    assert not any(word in said for word in ("hunter22", "s3cr3t-thing", "pw9"))


def test_a_long_text_takes_time_in_proportion_to_its_length() -> None:
    """The texts are somebody else's: a pattern that goes back over them could hold up the gate for hours."""
    start = time.process_time()
    for text in ("-" * 500_000, "a-" * 250_000 + "=", "password" * 60_000, "eyJ" * 150_000):
        shown({"a": "x"}, {"a": text})
    assert time.process_time() - start < 10


def test_what_is_too_deep_to_look_through_is_not_shown() -> None:
    body: Any = "hunter22"
    for _ in range(400):
        body = {"a": body}
    assert "hunter22" not in shown(MISSING, body)
