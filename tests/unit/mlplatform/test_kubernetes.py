"""Objects of provider-kubernetes: one for each manifest, in the claim's namespace, under the claim's name."""

from __future__ import annotations

import cdk8s_plus_33 as kplus
import pytest

from crossgate.errors import SynthError
from mlplatform.blocks.kubernetes import MANIFEST, kubernetes_object
from mlplatform.core import Composition, Platform, Template, manifests
from mlplatform.gpucluster import GPU_CLUSTER


@pytest.fixture
def composition() -> Composition:
    return Composition(Platform().folder("20-x"), "x", GPU_CLUSTER, provider="aws", named_by=GPU_CLUSTER.spec.parameters.name)


def written(template: Template) -> dict[str, object]:
    return {patch["toFieldPath"]: patch for patch in template.body()["patches"]}


def test_a_manifest_goes_to_the_namespace_of_the_claim_and_waits_for_it(composition: Composition) -> None:
    template = kubernetes_object(composition, "account", {"apiVersion": "v1", "kind": "ServiceAccount"})
    patches = written(template)
    for field in ("namespace", "name"):
        patch = patches[f"{MANIFEST}.metadata.{field}"]
        assert isinstance(patch, dict)
        assert patch["fromFieldPath"] == f"metadata.labels[crossplane.io/claim-{field}]"
        assert patch["policy"] == {"fromFieldPath": "Required"}
    assert template.base["spec"]["readiness"] == {"policy": "SuccessfulCreate"}


def test_a_manifest_with_a_name_keeps_it(composition: Composition) -> None:
    template = kubernetes_object(composition, "config", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "fixed"}})
    assert f"{MANIFEST}.metadata.name" not in written(template)


@pytest.mark.parametrize("kind", ["List", "Object"])
def test_what_the_provider_does_not_unpack_is_refused(composition: Composition, kind: str) -> None:
    with pytest.raises(SynthError, match=f"makes no {kind}") as raised:
        kubernetes_object(composition, "all", {"apiVersion": "v1", "kind": kind})
    assert raised.value.where.startswith("constructs/mlplatform/blocks/") or raised.value.where.startswith("tests/")


def test_two_templates_of_one_name_are_refused(composition: Composition) -> None:
    """The function would keep one of them without a word."""
    kubernetes_object(composition, "a", {"apiVersion": "v1", "kind": "ServiceAccount"})
    with pytest.raises(SynthError, match="two templates named 'a'"):
        composition.add("a", {})


def test_manifests_of_cdk8s_plus_are_plain_and_the_same_each_time() -> None:
    def make() -> list[dict[str, object]]:
        return manifests(lambda chart: kplus.Service(chart, "s", ports=[kplus.ServicePort(port=80, target_port=8000)]))

    first = make()
    assert first == make()
    assert [body["kind"] for body in first] == ["Service"]
