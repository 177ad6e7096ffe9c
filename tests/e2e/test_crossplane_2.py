"""The whole platform for Crossplane 2, by one switch: the same Python, the same gate."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.load import load_paths
from crossgate.model import Document, Resource, Role, Severity
from crossgate.render.estate import expand
from crossgate.schema import Schemas


@pytest.fixture(scope="module")
def project(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose dist-v2/ is the platform's, made with the switch on."""
    folder = tmp_path_factory.mktemp("v2")
    (folder / "crossgate.toml").write_text(f'dist = "dist-v2"\nschemas = ["{root / "schemas"}"]\npolicies = ["{root / "policies"}"]\n')
    environment = {**os.environ, "CROSSPLANE_APIS": "v2", "CDK8S_OUTDIR": str(folder / "dist-v2")}
    done = subprocess.run([sys.executable, "apps/main.py"], cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def documents(project: Path) -> tuple[Document, ...]:
    return load_paths([project / "dist-v2"], root=project).documents


@pytest.fixture(scope="module")
def resources(root: Path, documents: tuple[Document, ...]) -> tuple[Resource, ...]:
    estate = expand(documents, Schemas.load([root / "schemas"]).including(documents))
    assert estate.judgement.could_not_check == ()
    return estate.resources


def test_the_gate_passes(project: Path) -> None:
    report = check(config=Config.find(project))
    assert [finding for finding in report.findings if finding.severity is Severity.ERROR] == []
    assert report.could_not_check == ()
    assert report.exit_code == 0


def test_there_are_as_many_composite_resources_as_there_were_claims(root: Path, documents: tuple[Document, ...], resources: Any) -> None:
    claims = load_paths([root / "dist/40-claims"], root=root).documents
    modern = [document for document in documents if document.file.startswith("dist-v2/40-claims/")]
    assert len(claims) == len(modern) > 10
    assert not [resource for resource in resources if resource.role is Role.CLAIM]
    roots = {resource.document.file for resource in resources if resource.role is Role.XR}
    assert {document.file for document in modern} <= roots


def test_whatever_a_team_asks_for_stands_in_its_namespace(resources: tuple[Resource, ...]) -> None:
    """A namespaced composite resource cannot make anything outside of its namespace, but through provider-kubernetes and helm."""
    composed = [resource for resource in resources if resource.role is Role.COMPOSED]
    assert len(composed) > 200
    for resource in composed:
        owner: Any = resource.document.body
        assert resource.body["metadata"].get("namespace") in (None, owner["metadata"]["namespace"])
        group = resource.body["apiVersion"].partition("/")[0]
        assert ".m." in group or group in ("platform.acme.com", "ml.hinterbuild.com", "v1"), resource.body["apiVersion"]


def test_each_secret_that_is_referred_to_is_made_in_the_same_namespace(resources: tuple[Resource, ...]) -> None:
    """The schema says only that there is no namespace in the reference; whether the secret is there, only the whole estate does."""
    made, wanted = set(), set()
    for resource in resources:
        body = resource.body
        namespace, spec = body["metadata"].get("namespace", ""), body.get("spec")
        if body["kind"] == "ExternalSecret":
            made.add((namespace, body["spec"]["target"]["name"]))
        if resource.role is Role.COMPOSED and isinstance(spec, dict):
            wanted |= {(namespace, name) for path, name in references(spec) if "autoGenerateAuthToken" not in spec.get("forProvider", {})}
    assert len(wanted) >= 2
    assert wanted <= made


def references(value: Any, path: str = "spec") -> Iterator[tuple[str, str]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key in ("manifest", "values"):
            continue
        if str(key).endswith(("SecretRef", "secretKeyRef")):
            yield f"{path}.{key}", inner["name"]
        yield from references(inner, f"{path}.{key}")


def test_argo_cd_speaks_of_the_same_kinds(documents: tuple[Document, ...]) -> None:
    bodies: list[Any] = [document.body for document in documents]
    kinds = {body["spec"]["names"]["kind"] for body in bodies if body["kind"] == "CompositeResourceDefinition"}
    claimed = {body["kind"] for body, document in zip(bodies, documents, strict=True) if document.file.startswith("dist-v2/40-claims/")}
    assert claimed <= kinds
    for body in bodies:
        if body["kind"] == "AppProject" and body["metadata"]["name"].startswith("team-"):
            assert claimed <= {kind["kind"] for kind in body["spec"]["namespaceResourceWhitelist"]} <= kinds
    [applications] = [body for body in bodies if body["kind"] == "ApplicationSet"]
    ignored = applications["spec"]["template"]["spec"]["ignoreDifferences"]
    assert {each["kind"] for each in ignored} <= kinds
    settings = next(body for body in bodies if body["metadata"]["name"] == "argocd-cm")
    for kind in claimed:
        assert f"/{kind}:" in settings["data"]["resource.customizations"]
