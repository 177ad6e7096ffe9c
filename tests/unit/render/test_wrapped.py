from __future__ import annotations

from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.model import Document, Resource, Role
from crossgate.render.wrapped import opened, with_value_trees, writes


def wrapping(manifest: Any, version: str = "kubernetes.crossplane.io/v1alpha2", **spec: Any) -> Resource:
    body = {"apiVersion": version, "kind": "Object", "spec": {"forProvider": {"manifest": manifest}, **spec}}
    return Resource(body, Role.DOCUMENT, Document(body, "o.yaml"))


CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}


@pytest.mark.parametrize(
    "version", ["kubernetes.crossplane.io/v1alpha1", "kubernetes.crossplane.io/v1alpha2", "kubernetes.m.crossplane.io/v1alpha1"]
)
def test_the_manifest_of_an_object_is_a_resource_of_its_own(version: str) -> None:
    parent = wrapping(CONFIG_MAP, version)
    (inner,) = opened(parent)
    assert inner.body == CONFIG_MAP
    assert (inner.role, inner.parent, inner.inside) == (Role.WRAPPED, parent, ("spec", "forProvider", "manifest"))


def test_a_list_hides_nothing() -> None:
    inner = list(opened(wrapping({"apiVersion": "v1", "kind": "List", "items": [CONFIG_MAP, 3, CONFIG_MAP]})))
    assert [resource.inside[-2:] for resource in inner] == [("items", 0), ("items", 2)]


@pytest.mark.parametrize("manifest", [None, "text", [], 3])
def test_what_is_no_manifest_opens_to_nothing(manifest: Any) -> None:
    assert list(opened(wrapping(manifest))) == []


def test_objects_of_other_groups_are_not_opened() -> None:
    assert list(opened(wrapping(CONFIG_MAP, "pkg.crossplane.io/v1"))) == []


@pytest.mark.parametrize(
    ("spec", "does"),
    [
        ({}, True),
        ({"managementPolicies": ["*"]}, True),
        ({"managementPolicies": ["Observe", "Create"]}, True),
        ({"managementPolicies": ["Observe"]}, False),
        ({"managementPolicies": ["Observe", "Delete"]}, False),
        ({"managementPolicies": []}, True),
        ({"managementPolicy": "Default"}, True),
        ({"managementPolicy": "Observe"}, False),
        ({"managementPolicy": "ObserveDelete"}, False),
    ],
)
def test_an_object_that_only_observes_writes_nothing(spec: dict[str, Any], does: bool) -> None:
    assert writes(wrapping(CONFIG_MAP, **spec).body) is does


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a}
spec:
  source:
    chart: grafana
    helm:
      values: |
        adminPassword: CHANGE_ME
        replicas: 2
  sources:
  - helm: {values: "a: {b: c}"}
  - path: x
"""


def test_values_that_an_application_holds_as_text_become_a_tree() -> None:
    (document,) = load_text(APPLICATION, "a.yaml")
    changed = with_value_trees(document)
    spec = changed.body["spec"]
    assert spec["source"]["helm"] == {"valuesObject": {"adminPassword": "CHANGE_ME", "replicas": 2}}
    assert spec["sources"] == [{"helm": {"valuesObject": {"a": {"b": "c"}}}}, {"path": "x"}]
    assert document.body["spec"]["source"]["helm"]["values"], "the document itself is left alone"
    assert changed.place(("spec", "source", "helm", "valuesObject", "adminPassword")).line == 8, "the author wrote values"
    assert changed.place(("spec", "source", "chart")).line == 6


@pytest.mark.parametrize("values", ["just text", "[1, 2]", "a: [", "", "{{ if }}"])
def test_values_that_are_no_mapping_stay_text(values: str) -> None:
    body = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": {"helm": {"values": values}}}}
    document = Document(body, "a.yaml")
    assert with_value_trees(document) is document


def test_the_values_object_wins_over_the_text_as_argo_cd_has_it() -> None:
    helm = {"values": "a: 1", "valuesObject": {"a": 2}}
    document = Document({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "spec": {"source": {"helm": helm}}}, "a.yaml")
    assert with_value_trees(document) is document


def test_the_template_of_an_application_set_is_opened_too() -> None:
    spec = {"template": {"spec": {"source": {"helm": {"values": "a: 1"}}}}}
    changed = with_value_trees(Document({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": spec}, "a.yaml"))
    assert changed.body["spec"]["template"]["spec"]["source"]["helm"] == {"valuesObject": {"a": 1}}
