"""Every claim becomes ready once all that it is made of is, tells so in plain words, and hands over what its API promises."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

import crossgate
from crossgate.load import load_text
from crossgate.model import Document
from crossgate.paths import MISSING, Path, follow
from crossgate.render.claims import composite_for
from crossgate.render.fieldpath import parse
from crossgate.render.known import Known
from crossgate.schema import Schemas

READY = {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "2026-01-01T00:00:00Z"}

CLOUD_ONLY = {"bucketKey": "azure", "kubeconfig": "*"}
"""Connection details that only some clouds have."""


def compositions(documents: tuple[Document, ...]) -> dict[str, Any]:
    bodies: list[Any] = [document.body for document in documents]
    return {
        body["metadata"]["name"]: body
        for body in bodies
        if body["kind"] == "Composition" and body["spec"]["compositeTypeRef"]["apiVersion"].startswith("ml.hinterbuild.com/")
    }


def templates(composition: Any) -> dict[str, Any]:
    [step] = [step for step in composition["spec"]["pipeline"] if step["step"] == "resources"]
    return {template["name"]: template for template in step["input"]["resources"]}


def written(body: Any, path: Path, value: Any) -> None:
    """Set a field, making what is above it."""
    for step, following in pairwise(path):
        if isinstance(step, int):
            while len(body) <= step:
                body.append([] if isinstance(following, int) else {})
            body = body[step]
        else:
            body = body.setdefault(step, [] if isinstance(following, int) else {})
    body[path[-1]] = value


def read_from(template: Any) -> Iterator[str]:
    """Yield the observed fields that a template reads."""
    for patch in template.get("patches", ()):
        if patch["type"] == "ToCompositeFieldPath":
            yield patch["fromFieldPath"]
    for detail in template.get("connectionDetails", ()):
        if detail["type"] == "FromFieldPath":
            yield detail["fromFieldPath"]


def made(body: dict[str, Any], template: Any) -> dict[str, Any]:
    """Return a resource as the cloud would show it: ready, with every field of the status that is read."""
    whole: dict[str, Any] = {**body, "status": {"conditions": [READY], "atProvider": {}}}
    for path in read_from(template):
        if path.startswith("status.") and follow(whole, parse(path)) is MISSING:
            written(whole, parse(path), "10.9.8.7" if "Ip" in path else "there")
    return whole


def secrets(bodies: list[dict[str, Any]], known: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the connection secrets that providers would write."""
    for body in bodies:
        reference = body["spec"].get("writeConnectionSecretToRef")
        template = known[body["metadata"]["annotations"]["crossplane.io/composition-resource-name"]]
        keys = [
            detail["fromConnectionSecretKey"] for detail in template.get("connectionDetails", ()) if "fromConnectionSecretKey" in detail
        ]
        if reference:
            data = {key: base64.b64encode(b"there").decode() for key in keys}
            yield {"apiVersion": "v1", "kind": "Secret", "metadata": {**reference}, "data": data}
        else:
            assert not keys, "a detail from a secret that nobody writes"


NAMES = (
    "gpu-cluster-aws",
    "gpu-cluster-azure",
    "gpu-cluster-gcp",
    "ml-env-dev",
    "ml-env-prod",
    "ml-observability",
    "ml-platform-aws",
    "ml-platform-azure",
    "ml-platform-gcp",
    "mlflow-platform",
    "weaviate-gcp",
)


def test_no_composition_is_left_out(platform_documents: tuple[Document, ...]) -> None:
    assert sorted(compositions(platform_documents)) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_claim_becomes_ready_says_so_and_hands_over_its_details(
    platform_documents: tuple[Document, ...], platform_schemas: Schemas, name: str
) -> None:
    composition = compositions(platform_documents)[name]
    kind = composition["spec"]["compositeTypeRef"]["kind"]
    parameters = "" if kind == "ObservabilityStack" else "name: a"
    claim = f"""\
apiVersion: ml.hinterbuild.com/v1alpha1
kind: {kind}Claim
metadata: {{name: scores, namespace: ml-team-x, labels: {{owner: o, cost-center: c}}}}
spec: {{parameters: {{{parameters}}}}}
"""
    known = Known.of(platform_documents)
    [document] = load_text(claim)
    body: Any = platform_schemas.defaulted(document.body)
    api = known.apis.claimed(body)
    assert api
    xr = composite_for(body, api, platform_schemas).body
    bodies: list[Any] = [one.body for one in platform_documents]
    environments = [one for one in bodies if one["kind"] == "EnvironmentConfig"]

    all_templates = templates(composition)
    observed: list[dict[str, Any]] = []
    status: dict[str, Any] = {}
    for _ in range(5):
        found = [*environments, *secrets(observed, all_templates)]
        rendering = crossgate.render({**xr, "status": status}, composition, observed=observed, required=found, legacy=True)
        observed = [made(resource.body, all_templates[resource.template]) for resource in rendering.resources]
        status = rendering.xr["status"]

    assert {resource.template for resource in rendering.resources} == set(all_templates), "nothing waits any more"
    [ready] = [condition["status"] for condition in status["conditions"] if condition["type"] == "Ready"]
    assert ready == "True"
    [definition] = [one for one in bodies if one["kind"] == "CompositeResourceDefinition" and one["spec"]["names"]["kind"] == kind]
    [version] = definition["spec"]["versions"]
    parts = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["parts"]["properties"]
    assert set(status["parts"]) == set(parts), "a sentence for each part"
    waiting = ("is being made", "wait", "start.", "starts:", "not in the secret store")
    assert [text for text in status["parts"].values() if any(word in text for word in waiting)] == []

    provider = composition["metadata"]["labels"]["provider"]
    promised = {key for key in definition["spec"]["connectionSecretKeys"] if CLOUD_ONLY.get(key, provider) in (provider, "*")}
    assert set(rendering.connection) == promised
    assert all(rendering.connection.values())
