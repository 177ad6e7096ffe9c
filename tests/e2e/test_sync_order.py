"""The order in which Argo CD syncs dist/ is the order of the references in it; nothing is synced twice or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from crossgate.load import load_paths
from crossgate.model import Document

WAVE = "argocd.argoproj.io/sync-wave"
BOOTSTRAP = ("", "apps", "argoproj.io", "networking.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io")
"""Groups that are there before anything of dist/ is: Kubernetes' own, and Argo CD's."""

SAME_WAVE = {("Namespace", None), ("ClusterRole", "ClusterRoleBinding")}
"""What Argo CD applies first within one wave, by kind: Namespaces before all else, roles before their bindings."""


@pytest.fixture(scope="module")
def documents(root: Path) -> tuple[Document, ...]:
    return load_paths([root / "dist"], root=root).documents


@pytest.fixture(scope="module")
def dist(documents: tuple[Document, ...]) -> Dist:
    return Dist(documents)


def group(body: dict[str, Any]) -> str:
    return str(body["apiVersion"]).rpartition("/")[0]


def wave(body: dict[str, Any]) -> int:
    text = body["metadata"]["annotations"][WAVE]
    assert isinstance(text, str), "an annotation that is no string is ignored"
    return int(text)


def label(body: dict[str, Any]) -> str:
    return f"{body['kind']} {body['metadata']['name']} (wave {wave(body)})"


class Dist:
    """The objects of dist/, and which of them each one needs."""

    def __init__(self, documents: tuple[Document, ...]) -> None:
        self.files = {document.file.removeprefix("dist/"): document.body for document in documents}
        self.bodies: list[dict[str, Any]] = list(self.files.values())

    def find(self, kind: str, name: str, in_group: str = "") -> dict[str, Any]:
        found = [
            body
            for body in self.bodies
            if body["kind"] == kind and body["metadata"]["name"] == name and (not in_group or group(body) == in_group)
        ]
        assert len(found) == 1, f"{kind} {name} is in dist/ {len(found)} times"
        return found[0]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [body for body in self.bodies if body["kind"] == kind]

    def bringer(self, api_group: str) -> list[dict[str, Any]]:
        """What makes the kinds of a group known to the cluster."""
        if api_group in BOOTSTRAP:
            return []
        definitions = [body for body in self.of("CompositeResourceDefinition") if body["spec"]["group"] == api_group]
        if definitions:
            return definitions
        if api_group in ("pkg.crossplane.io", "apiextensions.crossplane.io"):
            return [self.find("Application", "crossplane")]
        if api_group == "external-secrets.io":
            return [self.find("Application", "external-secrets")]
        if api_group in ("helm.crossplane.io", "kubernetes.crossplane.io"):
            return [self.find("Provider", f"provider-{api_group.partition('.')[0]}")]
        service = re.fullmatch(r"(?:([a-z0-9]+)\.)?([a-z]+)\.upbound\.io", api_group)
        assert service, f"nothing in dist/ brings the kinds of {api_group}"
        return [self.find("Provider", f"provider-{service[2]}-{service[1]}" if service[1] else f"provider-family-{service[2]}")]

    def configured(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The ProviderConfig of a managed resource: that of its cloud, or of its own group."""
        name = body["spec"].get("providerConfigRef", {}).get("name")
        if name and body["kind"] != "ProviderConfig":
            own = ".".join(group(body).split(".")[-3:])
            yield self.find("ProviderConfig", name, own)

    def needs(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        kind, spec = body["kind"], body.get("spec", {})
        yield from self.bringer(group(body))
        namespace = body["metadata"].get("namespace", "")
        yield from (found for found in self.of("Namespace") if found["metadata"]["name"] == namespace)
        if "runtimeConfigRef" in spec:
            yield self.find("DeploymentRuntimeConfig", spec["runtimeConfigRef"]["name"])
        if kind == "ExternalSecret":
            yield self.find("ClusterSecretStore", spec["secretStoreRef"]["name"])
        if kind == "ProviderConfig" and spec["credentials"]["source"] == "Secret":
            wanted = spec["credentials"]["secretRef"]
            assert "key" in wanted
            yield next(
                found
                for found in self.of("ExternalSecret")
                if found["spec"]["target"]["name"] == wanted["name"]
                and found["metadata"]["namespace"] == wanted["namespace"]
                and wanted["key"] in [item["secretKey"] for item in found["spec"]["data"]]
            )
        if kind == "ClusterRoleBinding":
            yield from (found for found in self.of("ClusterRole") if found["metadata"]["name"] == body["roleRef"]["name"])
        if kind in ("Application", "ApplicationSet"):
            project = spec.get("template", {}).get("spec", spec)["project"]
            pattern = re.sub(r"\{\{.*?\}\}", ".*", project)
            projects = [found for found in self.of("AppProject") if re.fullmatch(pattern, found["metadata"]["name"])]
            assert projects
            yield from projects
        if "providerConfigRef" in spec:
            yield from self.configured(body)
        if kind == "Composition":
            yield from self.composition(spec)
        claimed = [d for d in self.of("CompositeResourceDefinition") if d["spec"].get("claimNames", {}).get("kind") == kind]
        for definition in claimed:
            yield from self.implementations(definition, spec)

    def composition(self, spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
        composite = spec["compositeTypeRef"]
        yield next(
            found
            for found in self.of("CompositeResourceDefinition")
            if found["spec"]["names"]["kind"] == composite["kind"] and composite["apiVersion"].startswith(found["spec"]["group"] + "/")
        )
        for step in spec["pipeline"]:
            yield self.find("Function", step["functionRef"]["name"])
            for config in step.get("input", {}).get("spec", {}).get("environmentConfigs", ()):
                yield self.find("EnvironmentConfig", config["ref"]["name"])
            for template in step.get("input", {}).get("resources", ()):
                yield from self.bringer(group(template["base"]))
                if "spec" in template["base"]:
                    yield from self.configured(template["base"])

    def implementations(self, definition: dict[str, Any], claim: dict[str, Any]) -> Iterator[dict[str, Any]]:
        wanted = claim.get("compositionSelector", {}).get("matchLabels")
        if wanted is None:
            yield self.find("Composition", definition["spec"]["defaultCompositionRef"]["name"])
            return
        found = [
            composition
            for composition in self.of("Composition")
            if composition["spec"]["compositeTypeRef"]["kind"] == definition["spec"]["names"]["kind"]
            and wanted.items() <= composition["metadata"]["labels"].items()
        ]
        assert found, f"no Composition has the labels {wanted}"
        yield from found


def late(dist: Dist) -> list[str]:
    """Return each object that is applied before, or together with, what it needs."""
    found = []
    for body in dist.bodies:
        for needed in dist.needs(body):
            first = {(needed["kind"], None), (needed["kind"], body["kind"])} & SAME_WAVE
            if wave(needed) > wave(body) or (wave(needed) == wave(body) and not first):
                found.append(f"{label(body)} needs {label(needed)}")
    return found


def test_each_object_comes_after_what_it_refers_to(dist: Dist) -> None:
    assert late(dist) == []


@pytest.mark.parametrize(
    ("kind", "name", "early", "missed"),
    [
        ("Composition", "gpu-cluster-gcp", "10", "CompositeResourceDefinition gpuclusters.ml.hinterbuild.com"),
        ("ModelService", "card-scoring", "20", "Composition modelservice.aws.platform.acme.com"),
        ("ProviderConfig", "default", "5", "Provider provider-family-"),
        ("ResourceQuota", "team", "29", "Namespace ml-team-"),
    ],
)
def test_a_wave_that_is_too_early_is_noticed(documents: tuple[Document, ...], kind: str, name: str, early: str, missed: str) -> None:
    """The test above must be able to fail."""
    dist = Dist(documents)
    dist.bodies = [
        {**body, "metadata": {**body["metadata"], "annotations": {**body["metadata"]["annotations"], WAVE: early}}}
        if (body["kind"], body["metadata"]["name"]) == (kind, name)
        else body
        for body in dist.bodies
    ]
    assert any(line.startswith(f"{kind} {name}") and missed in line for line in late(dist))


def test_the_stages_are_in_the_order_of_the_catalogue(dist: Dist) -> None:
    """core → packages → provider configs → XRDs → Compositions → teams → claims."""
    claims = [body for file, body in dist.files.items() if file.startswith("40-claims/")]
    stages = [
        [dist.find("Application", "crossplane")],
        dist.of("Provider") + dist.of("Function"),
        dist.of("ProviderConfig"),
        dist.of("CompositeResourceDefinition"),
        dist.of("Composition"),
        dist.of("Namespace"),
        claims,
    ]
    assert all(stages)
    for before, after in pairwise(stages):
        assert max(map(wave, before)) < min(map(wave, after))


def matches(pattern: str, file: str) -> bool:
    """Match as Argo CD does: alternatives in braces, and stars that pass over slashes."""
    alternatives = pattern[1:-1].split(",")
    return any(re.fullmatch(re.escape(one).replace(r"\*\*", ".*"), file) for one in alternatives)


def test_every_file_is_synced_by_one_application(dist: Dist) -> None:
    """Two owners of one object undo each other; none would leave it out. Only the root itself is applied by hand."""
    owners: dict[str, list[str]] = {file: [] for file in dist.files}
    for application in dist.of("Application"):
        directory = application["spec"]["source"].get("directory")
        if directory is None:
            continue
        assert application["spec"]["source"]["path"] == "dist"
        for file in dist.files:
            if matches(directory.get("include", "{**}"), file) and not matches(directory.get("exclude", "{}"), file):
                owners[file].append(application["metadata"]["name"])
    [claims] = dist.of("ApplicationSet")
    assert claims["spec"]["generators"][0]["git"]["directories"] == [{"path": "dist/40-claims/*"}]
    for file in dist.files:
        if file.startswith("40-claims/"):
            owners[file].append("ml-claims")
    assert {file: names for file, names in owners.items() if len(names) != 1} == {"01-root/application-root.yaml": []}


def test_an_application_comes_before_what_it_syncs(dist: Dist) -> None:
    infrastructure, claims = dist.find("Application", "ml-infrastructure"), dist.find("ApplicationSet", "ml-claims")
    exclude = infrastructure["spec"]["source"]["directory"]["exclude"]
    assert wave(infrastructure) < min(wave(body) for file, body in dist.files.items() if not matches(exclude, file))
    assert wave(claims) < min(wave(body) for file, body in dist.files.items() if file.startswith("40-claims/"))


def test_kinds_that_the_same_sync_brings_skip_the_dry_run(dist: Dist) -> None:
    """Argo CD tries every object of a sync before it applies the first; a kind that is not there yet would fail all of it."""
    for body in dist.bodies:
        if group(body) not in BOOTSTRAP:
            assert "SkipDryRunOnMissingResource=true" in body["metadata"]["annotations"]["argocd.argoproj.io/sync-options"], label(body)


def test_claims_that_hold_data_ask_before_they_go(dist: Dist) -> None:
    stateful = {"GPUClusterClaim", "ModelService"}
    seen = set()
    for file, body in dist.files.items():
        if file.startswith("40-claims/") and body["kind"] in stateful:
            seen.add(body["kind"])
            options = body["metadata"]["annotations"]["argocd.argoproj.io/sync-options"].split(",")
            assert {"Prune=confirm", "Delete=confirm"} <= set(options)
    assert seen == stateful


def test_a_teams_namespace_asks_before_it_takes_everything_with_it(dist: Dist) -> None:
    namespaces = dist.of("Namespace")
    assert namespaces
    for body in namespaces:
        options = body["metadata"]["annotations"]["argocd.argoproj.io/sync-options"].split(",")
        assert {"Prune=confirm", "Delete=confirm"} <= set(options)


def test_the_readme_has_every_folder(root: Path, dist: Dist) -> None:
    """It says what is synced when; a folder without a reason would be a folder that nobody thought about."""
    rows = [line.split("|") for line in (root / "dist/README.md").read_text().splitlines() if line.startswith("|")][2:]
    assert [row[2].strip(" `/") for row in rows] == sorted({file.partition("/")[0] for file in dist.files})
    assert all(row[5].strip() for row in rows)
    assert all(int(row[1]) == int(row[2].strip(" `").partition("-")[0]) for row in rows)
