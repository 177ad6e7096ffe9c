"""Claims of the catalogue, rendered through the committed platform."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgate.load import load_paths, load_text
from crossgate.load.write import to_yaml
from crossgate.model import Document, Role
from crossgate.render import compile_composition
from crossgate.render.claims import composite_for
from crossgate.render.estate import expand
from crossgate.render.known import Known
from crossgate.schema import Schemas

SERVICE = """\
apiVersion: platform.acme.com/v1alpha1
kind: ModelService
metadata: {name: NAME, namespace: NAMESPACE, labels: {team: x, owner: Jane.Doe, cost-center: CC-1}}
spec:
  image: registry.acme.com/inference-server:1.0.0
  modelDataPath: folder/model.safetensors
  api: {path: /a/b}
"""

Composed = dict[str, dict[str, Any]]


@pytest.fixture(scope="session")
def platform_documents(root: Path) -> tuple[Document, ...]:
    """Everything in dist/."""
    return load_paths([root / "dist"], root=root).documents


@pytest.fixture(scope="session")
def platform_schemas(root: Path, platform_documents: tuple[Document, ...]) -> Schemas:
    """The schemas of the repository and of the platform's own APIs."""
    return Schemas.load([root / "schemas"]).including(platform_documents)


@pytest.fixture(scope="session")
def service_claim() -> Callable[..., Document]:
    """Make a ModelService claim; ``spec`` is laid over the smallest one, a section for a section."""

    def make(spec: dict[str, Any] | None = None, *, name: str = "scores", namespace: str = "ml-team-x") -> Document:
        [document] = load_text(SERVICE.replace("NAMESPACE", namespace).replace("NAME", name))
        body: Any = document.body
        body["spec"] = {**body["spec"], **(spec or {})}
        return document

    return make


@pytest.fixture(scope="session")
def rendered(platform_documents: tuple[Document, ...], platform_schemas: Schemas) -> Callable[..., Composed]:
    """Render a claim to the end: what it makes by template (``copy``), what is wrapped by kind and template (``Job copy-job``).

    Each resource is valid, with no field that its kind does not know.
    """

    def render(claim: Document | str) -> Composed:
        document = load_text(claim)[0] if isinstance(claim, str) else claim
        estate = expand([document], platform_schemas, platform=platform_documents)
        assert not estate.judgement.could_not_check
        assert not [found for found in estate.judgement.findings if found.severity == "error"]
        made = {}
        for resource in estate.resources:
            problems = platform_schemas.validate(resource.body) if resource.role is not Role.CLAIM else []
            assert problems == [], resource.body
            if resource.role is Role.COMPOSED and resource.template:
                made[resource.template] = resource.body
            elif resource.parent and resource.parent.template and resource.parent.body["kind"] == "Object":
                made[f"{resource.body['kind']} {resource.parent.template}"] = resource.body
        return made

    return render


@pytest.fixture(scope="session")
def service(service_claim: Callable[..., Document], rendered: Callable[..., Composed]) -> Callable[..., Composed]:
    """Render a ModelService to the end, see ``rendered``."""
    return lambda spec=None, **names: rendered(service_claim(spec, **names))


@pytest.fixture(scope="session")
def ml_claim() -> Callable[..., str]:
    """Write a claim of the group ml.hinterbuild.com: ``ml_claim("GPUCluster", {"name": "a"}, select={"provider": "aws"})``."""

    def make(
        api: str,
        parameters: dict[str, Any],
        *,
        name: str = "scores",
        namespace: str = "ml-team-x",
        select: dict[str, str] | None = None,
        labels: dict[str, str] | None = None,
    ) -> str:
        body = {
            "apiVersion": "ml.hinterbuild.com/v1alpha1",
            "kind": f"{api}Claim",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "labels": {"team": "x", "owner": "Jane.Doe", "cost-center": "CC-1", **(labels or {})},
            },
            "spec": {
                "parameters": parameters,
                **({"compositionSelector": {"matchLabels": select}} if select else {}),
            },
        }
        return to_yaml([body])

    return make


@pytest.fixture(scope="session")
def observed(platform_documents: tuple[Document, ...], platform_schemas: Schemas) -> Callable[..., Composed]:
    """Render a claim through a Composition as if its XR had a status already: what it makes, by template."""
    known = Known.of(platform_documents)
    bodies: list[Any] = [document.body for document in platform_documents]
    environments = [body for body in bodies if body["kind"] == "EnvironmentConfig"]

    def render(text: str, composition: str, status: dict[str, Any]) -> Composed:
        [document] = load_text(text)
        claim: Any = platform_schemas.defaulted(document.body)
        api = known.apis.claimed(claim)
        assert api
        xr = {**composite_for(claim, api, platform_schemas).body, "status": status}
        [found] = [body for body in bodies if (body["kind"], body["metadata"]["name"]) == ("Composition", composition)]
        made = compile_composition(found).render(xr, required=environments, legacy=True)
        return {resource.template: resource.body for resource in made.resources}

    return render


@pytest.fixture(scope="session")
def composite(
    service_claim: Callable[..., Document], platform_documents: tuple[Document, ...], platform_schemas: Schemas
) -> Callable[..., dict[str, Any]]:
    """Make the XR of a ModelService claim."""
    apis = Known.of(platform_documents).apis

    def make(spec: dict[str, Any] | None = None, **names: str) -> dict[str, Any]:
        claim: Any = platform_schemas.defaulted(service_claim(spec, **names).body)
        api = apis.claimed(claim)
        assert api
        body = composite_for(claim, api, platform_schemas).body
        body["spec"]["compositionRef"] = {"name": "modelservice.aws.platform.acme.com"}
        return body

    return make
