"""What each object becomes for Crossplane 2."""

from __future__ import annotations

from typing import Any

import pytest

from mlplatform.core.namespaced import Namespaced, modern_group

XRD: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xthings.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "XThing", "plural": "xthings"},
        "claimNames": {"kind": "Thing", "plural": "things", "shortNames": ["th"]},
        "connectionSecretKeys": ["url"],
        "defaultCompositionRef": {"name": "thing"},
        "versions": [{"name": "v1", "served": True, "referenceable": True}],
    },
}
CLUSTER: dict[str, Any] = {
    **XRD,
    "metadata": {"name": "clusters.example.org"},
    "spec": {
        **XRD["spec"],
        "names": {"kind": "Cluster", "plural": "clusters"},
        "claimNames": {"kind": "ClusterClaim", "plural": "clusterclaims"},
    },
}
INNER: dict[str, Any] = {
    **XRD,
    "metadata": {"name": "xparts.example.org"},
    "spec": {key: value for key, value in XRD["spec"].items() if key != "claimNames"} | {"names": {"kind": "XPart", "plural": "xparts"}},
}
MODERN = Namespaced([XRD, CLUSTER, INNER])


def composition(*resources: dict[str, Any], kind: str = "XThing", **given: Any) -> dict[str, Any]:
    step = {"step": "resources", "input": {"kind": "Resources", "resources": list(resources), **given}}
    spec = {
        "compositeTypeRef": {"apiVersion": "example.org/v1", "kind": kind},
        "writeConnectionSecretsToNamespace": "x",
        "pipeline": [step],
    }
    body = {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": "c"}, "spec": spec}
    return MODERN.turn(body)["spec"]  # type: ignore[no-any-return]


def template(base: dict[str, Any], *patches: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "it", "base": base, "patches": list(patches), **more}


def copy(source: str, to: str) -> dict[str, Any]:
    return {"type": "FromCompositeFieldPath", "fromFieldPath": source, "toFieldPath": to}


@pytest.mark.parametrize(
    ("body", "kind", "plural"), [(XRD, "Thing", "things"), (CLUSTER, "Cluster", "clusters"), (INNER, "XPart", "xparts")]
)
def test_an_api_keeps_the_word_that_teams_use(body: dict[str, Any], kind: str, plural: str) -> None:
    turned = MODERN.turn(body)
    assert turned["apiVersion"] == "apiextensions.crossplane.io/v2"
    assert turned["metadata"]["name"] == f"{plural}.example.org"
    assert (turned["spec"]["names"]["kind"], turned["spec"]["names"]["plural"]) == (kind, plural)
    assert turned["spec"]["scope"] == "Namespaced"
    assert not {"claimNames", "connectionSecretKeys"} & set(turned["spec"])


def test_crossplanes_fields_of_a_claim_have_a_section_of_their_own() -> None:
    spec = {"size": 1, "compositionSelector": {"matchLabels": {"a": "b"}}, "writeConnectionSecretToRef": {"name": "s"}}
    claim = {"apiVersion": "example.org/v1", "kind": "ClusterClaim", "metadata": {"name": "a", "namespace": "n"}, "spec": spec}
    turned = MODERN.turn(claim)
    assert turned["kind"] == "Cluster"
    assert turned["spec"] == {"size": 1, "crossplane": {"compositionSelector": {"matchLabels": {"a": "b"}}}}


def test_what_was_read_of_the_claim_is_read_of_the_composite() -> None:
    base = {
        "apiVersion": "s3.aws.upbound.io/v1beta2",
        "kind": "Bucket",
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "default"}},
    }
    labels = "metadata.labels[crossplane.io/claim-%s]"
    joined = {
        "type": "CombineFromComposite",
        "combine": {"variables": [{"fromFieldPath": labels % "name"}]},
        "toFieldPath": "metadata.name",
    }
    spec = composition(template(base, copy(labels % "namespace", "a"), joined), environment={"patches": [copy(labels % "name", "b")]})
    [made] = spec["pipeline"][0]["input"]["resources"]
    assert made["patches"][0]["fromFieldPath"] == "metadata.namespace"
    # a nested composite has a name of its own: the label has the outermost one's on both
    assert made["patches"][1]["combine"]["variables"] == [{"fromFieldPath": "metadata.labels[crossplane.io/composite]"}]
    assert spec["pipeline"][0]["input"]["environment"]["patches"][0]["fromFieldPath"] == "metadata.labels[crossplane.io/composite]"
    assert made["base"]["apiVersion"] == "s3.aws.m.upbound.io/v1beta1"
    assert made["base"]["spec"]["providerConfigRef"] == {"kind": "ClusterProviderConfig", "name": "default"}
    assert "writeConnectionSecretsToNamespace" not in spec
    assert spec["compositeTypeRef"]["kind"] == "Thing"


def test_a_nested_composite_moves_with_the_field_that_chooses_what_it_is() -> None:
    base = {"apiVersion": "example.org/v1", "kind": "XPart", "spec": {"compositionRef": {"name": "nothing"}}}
    [made] = composition(template(base, copy("spec.a", "spec.compositionRef.name")))["pipeline"][0]["input"]["resources"]
    assert made["base"] == {
        "apiVersion": "example.org/v1",
        "kind": "XPart",
        "spec": {"crossplane": {"compositionRef": {"name": "nothing"}}},
    }
    assert made["patches"][0]["toFieldPath"] == "spec.crossplane.compositionRef.name"


def test_a_secret_is_in_the_resources_own_namespace_and_a_wrapped_manifest_is_left_alone() -> None:
    given = {
        "authTokenSecretRef": {"key": "k", "namespace": "n"},
        "set": [{"valueFrom": {"secretKeyRef": {"namespace": "n", "key": "k"}}}],
        "manifest": {"spec": {"aSecretRef": {"namespace": "n"}}},
    }
    base = {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": given, "deletionPolicy": "Orphan"}}
    kept = "spec.forProvider.manifest.spec.aSecretRef.namespace"
    patches = (
        copy("x", "spec.writeConnectionSecretToRef.namespace"),
        copy("x", "spec.forProvider.authTokenSecretRef.namespace"),
        copy("x", "spec.forProvider.set[0].valueFrom.secretKeyRef.namespace"),
        copy("x", kept),
    )
    [made] = composition(template(base, *patches))["pipeline"][0]["input"]["resources"]
    assert made["base"]["apiVersion"] == "kubernetes.m.crossplane.io/v1alpha1"
    assert made["base"]["spec"]["forProvider"] == {
        "authTokenSecretRef": {"key": "k"},
        "set": [{"valueFrom": {"secretKeyRef": {"key": "k"}}}],
        "manifest": given["manifest"],
    }
    assert "deletionPolicy" not in made["base"]["spec"]
    assert [patch["toFieldPath"] for patch in made["patches"]] == [kept]


def test_connection_details_go_to_a_secret_that_the_function_makes() -> None:
    base = {"apiVersion": "s3.aws.upbound.io/v1beta2", "kind": "Bucket", "spec": {"forProvider": {}}}
    details = [{"name": "url", "type": "FromFieldPath", "fromFieldPath": "a"}]
    given = composition(template(base, connectionDetails=details))["pipeline"][0]["input"]
    [patch] = given["writeConnectionSecretToRef"]["patches"]
    assert (patch["fromFieldPath"], patch["toFieldPath"]) == ("metadata.name", "name")
    assert "writeConnectionSecretToRef" not in composition(template(base))["pipeline"][0]["input"]


def test_names_of_kinds_follow_wherever_they_stand() -> None:
    project = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "spec": {"w": [{"group": "example.org", "kind": "ClusterClaim"}]},
    }
    assert MODERN.turn(project)["spec"]["w"] == [{"group": "example.org", "kind": "Cluster"}]
    ignored = {"group": "example.org", "kind": "Thing", "jsonPointers": ["/spec/resourceRef"]}
    found = MODERN.turn({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "spec": {"i": [ignored]}})["spec"]["i"]
    assert found == [{"group": "example.org", "kind": "Thing", "jsonPointers": ["/spec/crossplane", "/status"]}]
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": {"count/clusterclaims.example.org": "2"}}}
    assert MODERN.turn(quota)["spec"]["hard"] == {"count/clusters.example.org": "2"}
    rules = [{"apiGroups": ["example.org"], "resources": ["clusterclaims"]}]
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": rules}
    assert MODERN.turn(role)["rules"][0]["resources"] == ["clusters"]


def test_a_secret_of_another_namespace_is_made_once_more_beside_who_reads_it() -> None:
    manifest = {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "spec": {"target": {"name": "db"}, "data": [{"key": "p"}]},
    }
    wrapping = {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": manifest}}}
    elsewhere = copy("spec.name", "spec.forProvider.manifest.metadata.namespace")
    told = {"type": "ToCompositeFieldPath", "fromFieldPath": "a", "toFieldPath": "status.a"}
    maker = {**template(wrapping, elsewhere, copy("spec.k", "spec.forProvider.manifest.spec.data[0].key"), told), "name": "secret"}
    reading = {"passwordSecretRef": {"name": "db", "key": "p"}}
    reader = template({"apiVersion": "sql.gcp.upbound.io/v1beta2", "kind": "User", "spec": {"forProvider": reading}})
    first, user, second = composition(maker, reader)["pipeline"][0]["input"]["resources"]
    assert first["patches"] == maker["patches"], "Pods read that one"
    [name] = user["patches"]
    assert name["toFieldPath"] == "spec.forProvider.passwordSecretRef.name"
    assert second["name"] == "secret-local"
    written = {patch["toFieldPath"]: patch for patch in second["patches"]}
    assert written["spec.forProvider.manifest.metadata.namespace"]["fromFieldPath"] == "metadata.namespace"
    assert written["spec.forProvider.manifest.spec.target.name"]["transforms"] == name["transforms"]
    assert "spec.forProvider.manifest.spec.data[0].key" in written, "from the same entry of the store"
    assert "status.a" not in written


@pytest.mark.parametrize(
    ("group", "modern"),
    [
        ("s3.aws.upbound.io", "s3.aws.m.upbound.io"),
        ("azure.upbound.io", "azure.m.upbound.io"),
        ("helm.crossplane.io", "helm.m.crossplane.io"),
        ("s3.aws.m.upbound.io", "s3.aws.m.upbound.io"),
        ("pkg.crossplane.io", "pkg.crossplane.io"),
        ("apps", "apps"),
    ],
)
def test_groups_and_their_namespaced_twins(group: str, modern: str) -> None:
    assert modern_group(group) == modern
