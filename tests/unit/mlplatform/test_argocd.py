"""What Argo CD is told: which objects are its own, what is healthy, who may write where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from crossgate.load import load_text
from crossgate.model import Document
from crossgate.schema import Schemas


@pytest.fixture(scope="module")
def by_name(platform_documents: tuple[Document, ...]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(d.body["kind"], d.body["metadata"]["name"]): d.body for d in platform_documents}  # type: ignore[index]


def test_argo_cds_own_crds_accept_every_object(platform_documents: tuple[Document, ...], platform_schemas: Schemas) -> None:
    """With no unknown field: a misspelt option would be dropped without a word."""
    kinds = set()
    for document in platform_documents:
        body: Any = document.body
        if body["apiVersion"].startswith("argoproj.io/"):
            kinds.add(body["kind"])
            assert platform_schemas.validate(body) == []
    assert kinds == {"Application", "ApplicationSet", "AppProject"}


def test_what_the_claims_applications_become_is_valid_too(by_name: dict[tuple[str, str], Any], platform_schemas: Schemas) -> None:
    """The schema says nothing about what a template becomes: fill it in as the generator does for one team."""
    template = by_name["ApplicationSet", "ml-claims"]["spec"]["template"]
    text = yaml.safe_dump({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", **template})
    [document] = load_text(text.replace("{{.path.basename}}", "fraud").replace("{{.path.path}}", "dist/40-claims/fraud"))
    body: Any = document.body
    assert platform_schemas.validate(body) == []
    assert body["metadata"]["name"] == "claims-fraud"
    assert body["spec"]["source"]["directory"] == {"recurse": True}, "Argo CD would guess the tool, and drops a directory of defaults"
    project = by_name["AppProject", body["spec"]["project"]]
    assert body["spec"]["source"]["repoURL"] in project["spec"]["sourceRepos"]
    assert body["spec"]["destination"] in project["spec"]["destinations"]


def test_objects_are_tracked_by_annotation(by_name: dict[tuple[str, str], Any]) -> None:
    """Crossplane copies a claim's labels to its XR: by label, Argo CD would take the XR for its own, and prune it."""
    settings = by_name["ConfigMap", "argocd-cm"]
    assert settings["data"]["application.resourceTrackingMethod"] == "annotation"
    assert settings["metadata"]["labels"] == {"app.kubernetes.io/part-of": "argocd"}, "without the label Argo CD does not read it"


def test_each_kind_has_a_health_check(by_name: dict[tuple[str, str], Any], platform_documents: tuple[Document, ...]) -> None:
    """A kind without one counts as healthy at once: the wave after it would not wait."""
    checks = yaml.safe_load(by_name["ConfigMap", "argocd-cm"]["data"]["resource.customizations"])
    definitions = [d.body for d in platform_documents if d.body["kind"] == "CompositeResourceDefinition"]  # type: ignore[index]
    specs: list[dict[str, Any]] = [definition["spec"] for definition in definitions]  # type: ignore[index]
    kinds = {f"{spec['group']}/{spec[names]['kind']}" for spec in specs for names in ("names", "claimNames") if names in spec}
    kinds |= {f"pkg.crossplane.io/{kind}" for kind in ("Provider", "Function", "Configuration")}
    kinds |= {"apiextensions.crossplane.io/CompositeResourceDefinition", "argoproj.io/Application"}
    assert set(checks) == kinds
    assert all(list(check) == ["health.lua"] and "return {" in check["health.lua"] for check in checks.values())


def test_lua_survives_the_way_into_the_settings(by_name: dict[tuple[str, str], Any], root: Path) -> None:
    """It is text in YAML in text in YAML."""
    checks = yaml.safe_load(by_name["ConfigMap", "argocd-cm"]["data"]["resource.customizations"])
    source = root / "constructs/mlplatform/argocd/health/definition.lua"
    assert checks["apiextensions.crossplane.io/CompositeResourceDefinition"]["health.lua"] == source.read_text()


def test_differences_that_crossplane_makes_are_ignored_for_each_claim_kind(by_name: dict[tuple[str, str], Any]) -> None:
    ignored = by_name["ApplicationSet", "ml-claims"]["spec"]["template"]["spec"]["ignoreDifferences"]
    kinds = {(each["group"], each["kind"]) for each in ignored}
    allowed = {(kind["group"], kind["kind"]) for kind in by_name["AppProject", "team-fraud"]["spec"]["namespaceResourceWhitelist"]}
    assert kinds == allowed
    for each in ignored:
        assert "/spec/resourceRef" in each["jsonPointers"]
        assert "/spec/compositionSelector" not in each["jsonPointers"], "what the author chose is not ignored"


@pytest.mark.parametrize("team", ["fraud", "vision"])
def test_a_teams_project_holds_it_to_its_claims(by_name: dict[tuple[str, str], Any], team: str) -> None:
    spec = by_name["AppProject", f"team-{team}"]["spec"]
    assert [destination["namespace"] for destination in spec["destinations"]] == [f"ml-team-{team}"]
    assert spec["clusterResourceWhitelist"] == []
    assert ("", "Secret") not in {(kind["group"], kind["kind"]) for kind in spec["namespaceResourceWhitelist"]}
    assert all(f"team-{team}/*" in policy for role in spec["roles"] for policy in role["policies"])


def test_the_platforms_project_covers_what_its_applications_use(by_name: dict[tuple[str, str], Any]) -> None:
    """Argo CD refuses an Application whose repository or namespace its project does not have."""
    project = by_name["AppProject", "ml-platform"]["spec"]
    applications = [body for (kind, _), body in by_name.items() if kind == "Application"]
    assert len(applications) == 4
    for body in applications:
        assert body["spec"]["project"] == "ml-platform"
        assert body["spec"]["source"]["repoURL"] in project["sourceRepos"]
        assert body["spec"]["destination"] in project["destinations"]
        assert body["spec"]["syncPolicy"]["automated"] == {"prune": True, "selfHeal": True}


def test_the_root_does_not_wait_for_itself(by_name: dict[tuple[str, str], Any]) -> None:
    """An Application that syncs itself in an early wave is never healthy there, and the later waves never come."""
    assert "01-root" not in by_name["Application", "root"]["spec"]["source"]["directory"]["include"]
