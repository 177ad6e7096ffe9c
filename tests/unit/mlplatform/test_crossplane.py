"""Crossplane's packages, the rights of its providers, and how they sign in."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from crossgate.errors import SynthError
from crossgate.model import Document
from crossgate.schema import Schemas
from mlplatform.core import Api, Composition, Manifest, Model, Platform
from mlplatform.crossplane import CLOUDS, Packages, credentials, provider_config, secret_store
from mlplatform.crossplane.packages import package, resource_name


class Spec(Model):
    """Wanted."""

    name: str


class Status(Model):
    pass


API = Api(group="example.org", kind="XThing", claim_kind="Thing", spec_model=Spec, status_model=Status)


@pytest.fixture
def platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Platform:
    monkeypatch.setenv("CDK8S_OUTDIR", str(tmp_path / "dist"))
    return Platform()


def made(folder: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return {(m.body["kind"], m.body["metadata"]["name"]): m.body for m in folder.manifests}


def needed(platform: Platform) -> Packages:
    composition = Composition(platform.folder("20-c"), "thing", API, provider="x", named_by=API.spec.name)
    composition.add("a", {"apiVersion": "s3.aws.upbound.io/v1beta2", "kind": "Bucket"})
    composition.add("b", {"apiVersion": "azure.upbound.io/v1beta1", "kind": "ResourceGroup"})
    wrapped = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}
    wrapping = {"forProvider": {"manifest": wrapped}}
    composition.add("c", {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": wrapping})
    Manifest(platform.folder("16-n"), "n", {"apiVersion": "compute.gcp.upbound.io/v1beta1", "kind": "Network", "metadata": {"name": "n"}})
    return Packages.of(platform.folders)


def test_the_packages_are_those_that_are_used(platform: Platform) -> None:
    """A provider that nobody uses brings hundreds of CRDs; one that is missing stops every claim."""
    packages = needed(platform)
    assert packages.providers() == {
        "provider-aws-s3": "aws",
        "provider-family-aws": "aws",
        "provider-family-azure": "azure",
        "provider-family-gcp": "gcp",
        "provider-gcp-compute": "gcp",
        "provider-kubernetes": "provider-kubernetes",
    }
    assert packages.functions == {"function-auto-ready", "function-patch-and-transform"}
    assert packages.clouds() == ["aws", "azure", "gcp"]


def test_every_package_is_pinned_in_full(platform_documents: tuple[Document, ...]) -> None:
    """Crossplane has no default registry, and a version must not move."""
    bodies: list[Any] = [d.body for d in platform_documents]
    packages = [body["spec"]["package"] for body in bodies if body["apiVersion"] == "pkg.crossplane.io/v1"]
    assert len(packages) > 10
    for name in packages:
        assert re.fullmatch(r"[a-z.]+/[a-z-]+/[a-z0-9-]+:v\d+\.\d+\.\d+", name)


def test_a_package_without_a_pin_is_refused() -> None:
    with pytest.raises(SynthError, match="no version of function-sequencer is pinned"):
        package("function-sequencer")


def test_pods_get_an_identity_in_their_own_cloud_only(platform: Platform) -> None:
    packages, folder = needed(platform), platform.folder("4-r")
    packages.add_runtimes(folder, [CLOUDS[name] for name in packages.clouds()], identities={"aws": "arn:x", "azure": "id"})
    runtimes = {name: body["spec"] for (_, name), body in made(folder).items()}
    assert runtimes["aws"]["serviceAccountTemplate"]["metadata"] == {"annotations": {"eks.amazonaws.com/role-arn": "arn:x"}}
    assert runtimes["azure"]["serviceAccountTemplate"]["metadata"] == {"annotations": {"azure.workload.identity/client-id": "id"}}
    labels = {name: spec["deploymentTemplate"]["spec"]["template"].get("metadata", {}).get("labels") for name, spec in runtimes.items()}
    assert labels == {"aws": None, "azure": {"azure.workload.identity/use": "true"}, "gcp": None, "provider-kubernetes": None}
    assert "serviceAccountTemplate" not in runtimes["gcp"]


def test_provider_kubernetes_may_do_what_the_catalogue_needs_and_no_more(platform: Platform) -> None:
    packages, folder = needed(platform), platform.folder("4-r")
    packages.add_roles(folder)
    bodies = made(folder)
    [rule] = bodies["ClusterRole", "provider-kubernetes-objects"]["rules"]
    assert (rule["apiGroups"], rule["resources"]) == (["networking.k8s.io"], ["networkpolicies"])
    assert "*" not in rule["verbs"]
    assert bodies["ClusterRoleBinding", "provider-kubernetes"]["roleRef"]["name"] == "provider-kubernetes-objects"


def test_the_account_that_the_roles_are_bound_to_is_the_providers(platform_documents: tuple[Document, ...]) -> None:
    """Crossplane would give the account a new name with each version; then the binding would lead nowhere."""
    bodies: dict[tuple[str, str], Any] = {(d.body["kind"], d.body["metadata"]["name"]): d.body for d in platform_documents}  # type: ignore[index]
    bindings = [body for (kind, _), body in bodies.items() if kind == "ClusterRoleBinding"]
    assert bindings
    for binding in bindings:
        [subject] = binding["subjects"]
        runtime = bodies["Provider", binding["metadata"]["name"]]["spec"]["runtimeConfigRef"]["name"]
        account = bodies["DeploymentRuntimeConfig", runtime]["spec"]["serviceAccountTemplate"]["metadata"]["name"]
        assert subject == {"kind": "ServiceAccount", "name": account, "namespace": "crossplane-system"}


def test_guessed_resource_names_are_those_of_the_schemas(platform_documents: tuple[Document, ...], root: Path) -> None:
    """The rule is a guess in Kubernetes too: each kind of the catalogue must be one that it gets right."""
    roles: Any = next(d.body for d in platform_documents if d.body["metadata"]["name"] == "provider-kubernetes-objects")  # type: ignore[index]
    known: dict[str, str] = {}
    for file in (root / "schemas").rglob("*.json"):
        text = file.read_text()
        plural = re.search(r'"plural": "([a-z]+)"', text[:400])
        if plural:
            known[file.stem] = plural[1]
    for kind, plural in {**known, "Ingress": "ingresses", "NetworkPolicy": "networkpolicies", "Endpoint": "endpoints"}.items():
        if kind in ("ExternalSecret", "KongPlugin", "KongConsumer", "ServiceMonitor", "Ingress", "NetworkPolicy"):
            assert resource_name(kind) == plural
    assert all(name.islower() for rule in roles["rules"] for name in rule["resources"])


@pytest.mark.parametrize("cloud", CLOUDS.values(), ids=CLOUDS)
@pytest.mark.parametrize("injected", [True, False])
def test_each_cloud_signs_in_with_an_identity_or_with_a_key(
    platform: Platform, platform_schemas: Schemas, cloud: Any, injected: bool
) -> None:
    folder = platform.folder("8-p")
    settings = {"projectID": "p"} if cloud.name == "gcp" else {}
    config = provider_config(folder, cloud, injected=injected, settings=settings).body
    assert platform_schemas.validate(dict(config)) == []
    secret = credentials(folder, cloud, store="s", key="k").body
    assert platform_schemas.validate(dict(secret)) == []
    if not injected:
        reference = config["spec"]["credentials"]["secretRef"]
        assert (reference["name"], reference["namespace"]) == (secret["spec"]["target"]["name"], secret["metadata"]["namespace"])
        assert reference["key"] == secret["spec"]["data"][0]["secretKey"]


def test_keys_of_the_clouds_are_out_of_the_teams_reach(platform_documents: tuple[Document, ...]) -> None:
    """Whoever can write an ExternalSecret reads what its store can: the store of the clouds' keys answers one namespace only."""
    bodies: list[Any] = [d.body for d in platform_documents]
    store = next(b for b in bodies if b["kind"] == "ClusterSecretStore" and b["metadata"]["name"] == "crossplane")
    assert store["spec"]["conditions"] == [{"namespaces": ["crossplane-system"]}]
    keys = [b for b in bodies if b["kind"] == "ExternalSecret"]
    assert keys
    assert all(b["spec"]["secretStoreRef"]["name"] == "crossplane" for b in keys)
    roles = {b["spec"]["provider"]["aws"]["role"] for b in bodies if b["kind"] == "ClusterSecretStore"}
    assert len(roles) == 2, "and the other store is read as somebody else"


def test_a_store_for_everybody_has_no_conditions(platform: Platform, platform_schemas: Schemas) -> None:
    body = secret_store(platform.folder("6-s"), "s", provider={"aws": {"service": "SecretsManager", "region": "r"}}).body
    assert platform_schemas.validate(dict(body)) == []
    assert "conditions" not in body["spec"]


def test_the_bootstrap_page_names_the_pinned_version_and_real_folders(root: Path) -> None:
    """Two commands that do not work are worse than none."""
    from mlplatform.crossplane.versions import ARGO_CD  # noqa: PLC0415

    page = (root / "docs/bootstrap.md").read_text()
    block = re.search(r"```sh\n(.*?)```", page, re.DOTALL)
    assert block
    commands = [line for line in block[1].replace("\\\n", " ").splitlines() if line.strip()]
    assert len(commands) == 2
    assert f"--version {ARGO_CD}" in commands[0]
    folders = re.findall(r"-f (\S+)", commands[1])
    kinds = [yaml.safe_load(path.read_text())["kind"] for folder in folders for path in sorted((root / folder).glob("*.yaml"))]
    assert sorted(kinds) == ["AppProject", "Application", "ConfigMap"]
