"""Mistakes of the first sketches of ModelService: whoever makes one again is told so, and the gate does not pass."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.load.write import to_yaml
from crossgate.model import Document
from crossgate.schema import Schemas
from crossgate.static import check_composition

Resources = dict[str, dict[str, Any]]


@pytest.fixture
def changed(platform_documents: tuple[Document, ...]) -> Callable[[Callable[[Resources], object]], Document]:
    """Change the resources of the committed Composition, by template."""

    def make(change: Callable[[Resources], object]) -> Document:
        bodies: list[Any] = [document.body for document in platform_documents]
        [found] = [body for body in bodies if body["metadata"]["name"] == "modelservice.aws.platform.acme.com"]
        body = copy.deepcopy(found)
        change({resource["name"]: resource for resource in body["spec"]["pipeline"][1]["input"]["resources"]})
        [document] = load_text(to_yaml([body]))
        return document

    return make


def test_the_composition_itself_has_no_fault(changed: Callable[..., Document], platform_schemas: Schemas) -> None:
    judgement = check_composition(changed(lambda resources: None), platform_schemas)
    assert (judgement.findings, judgement.could_not_check) == ((), ())


@pytest.mark.parametrize(("field", "value"), [("acl", "private"), ("versioningConfiguration", [{"status": "Enabled"}])])
def test_what_is_no_field_of_a_bucket_any_more(
    changed: Callable[..., Document], platform_schemas: Schemas, field: str, value: object
) -> None:
    document = changed(lambda resources: resources["bucket"]["base"]["spec"]["forProvider"].update({field: value}))
    [finding] = check_composition(document, platform_schemas).findings
    assert (finding.rule, finding.severity) == ("crossplane/unknown-base-field", "error")
    assert field in finding.message


def test_a_match_transform_with_variables(changed: Callable[..., Document], platform_schemas: Schemas) -> None:
    match = {"vars": {"name": "metadata.name"}, "patterns": [{"type": "regexp", "regexp": ".*", "result": "x"}]}
    patch = {
        "type": "FromCompositeFieldPath",
        "fromFieldPath": "metadata.name",
        "toFieldPath": "spec.forProvider.description",
        "transforms": [{"type": "match", "match": match}],
    }
    document = changed(lambda resources: resources["role"]["patches"].append(patch))
    [finding] = check_composition(document, platform_schemas).findings
    assert (finding.rule, finding.severity) == ("crossplane/invalid-input", "error")
    assert '"vars"' in finding.message


def listed(resources: Resources) -> None:
    provider = resources["service"]["base"]["spec"]["forProvider"]
    provider["manifest"] = {"apiVersion": "v1", "kind": "List", "items": [provider["manifest"]]}


@pytest.mark.parametrize(
    ("change", "reason", "said"),
    [
        (
            lambda resources: resources["service"]["base"].update(apiVersion="pkg.crossplane.io/v1"),
            "NOT_IN_GROUP",
            "Object is a kind of kubernetes.crossplane.io",
        ),
        (listed, "LIST_IN_OBJECT", "an Object holds one object"),
    ],
    ids=["an Object of pkg.crossplane.io", "a List in an Object"],
)
def test_what_the_provider_would_not_take_is_a_finding(
    changed: Callable[..., Document], platform_schemas: Schemas, change: Callable[[Resources], object], reason: str, said: str
) -> None:
    """Both were "could not check" once, though there is no doubt about either."""
    judgement = check_composition(changed(change), platform_schemas)
    [finding] = [finding for finding in judgement.findings if finding.rule == "crossplane/unknown-kind"]
    assert (finding.reason, finding.severity) == (reason, "error")
    assert said in finding.message
    assert not judgement.could_not_check


@pytest.mark.parametrize(
    "spec",
    [
        {"compute": {"instanceType": "p5.48xlarge", "replicas": 1}},
        {"compute": {"instanceType": "c5.large", "replicas": 11}},
        {"compute": {"instanceType": "c5.large", "replicas": 0}},
        {"compute": {"instanceType": "c5.large", "replicas": 3, "maxReplicas": 2}},
        {"api": {"path": "no-slash"}},
        {"api": {"path": "/"}},
        {"api": {"path": "/a?b"}},
        {"api": {"path": "/a", "authentication": {"method": "basic"}}},
        {"api": {"path": "/a", "authentication": {"method": "none", "callers": ["b"]}}},
        {"api": {"path": "/a", "authentication": {"method": "key-auth", "callers": ["a", "b", "c", "d", "e"]}}},
        {"api": {"path": "/a", "rateLimit": {"requestsPerMinute": 0}}},
        {"modelSha256": "abc"},
        {"artifactSource": "https://example.org/model"},
        {"artifactSource": "s3://bucket/*"},
        {"artifactSource": "s3://bucket/${aws:username}"},
        {"cache": {"engine": "memcached"}},
        {"cache": {"nodes": 7}},
        {"image": ""},
        {"gpu": 1},
    ],
    ids=str,
)
def test_what_the_api_does_not_allow(service_claim: Callable[..., Document], platform_schemas: Schemas, spec: dict[str, Any]) -> None:
    assert platform_schemas.validate(service_claim(spec).body)


@pytest.mark.parametrize("name", ["default", "a" * 41, "1st", "a.b"])
def test_names_that_objects_of_the_service_could_not_have(
    service_claim: Callable[..., Document], platform_schemas: Schemas, name: str
) -> None:
    [problem] = platform_schemas.validate(service_claim(name=name).body)
    assert "ModelService" in problem.message


@pytest.mark.parametrize("missing", ["image", "modelDataPath", "api"])
def test_what_a_claim_must_say(service_claim: Callable[..., Document], platform_schemas: Schemas, missing: str) -> None:
    claim: Any = service_claim().body
    del claim["spec"][missing]
    assert [problem.path for problem in platform_schemas.validate(claim)] == [f"spec.{missing}"]
