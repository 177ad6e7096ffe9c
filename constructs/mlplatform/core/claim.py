"""Claims: typed in Python, or read from the YAML that a team wrote."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from crossgate.errors import SynthError
from crossgate.load import load_text
from crossgate.model import Document, Place

from .api import Api, SpecT
from .manifest import Folder, Manifest

CONFIRM = ("Prune=confirm", "Delete=confirm")
"""Argo CD's sync options for what holds data."""


class Claim(Manifest):
    """A claim written in Python: ``Claim(folder, GPU_CLUSTER, "nightly", namespace=…, spec=GPUClusterSpec(…))``.

    ``select`` chooses the Composition by its labels; ``details_to`` names the secret that the connection details go to.
    """

    def __init__(
        self,
        scope: Folder,
        api: Api[SpecT],
        name: str,
        *,
        namespace: str,
        spec: SpecT,
        labels: Mapping[str, str] | None = None,
        select: Mapping[str, str] | None = None,
        details_to: str = "",
    ) -> None:
        body = {
            "apiVersion": api.api_version,
            "kind": api.claim_kind,
            "metadata": {"name": name, "namespace": namespace, "labels": dict(labels or {})},
            "spec": {
                **spec.manifest(),
                **({"compositionSelector": {"matchLabels": dict(select)}} if select else {}),
                **({"writeConnectionSecretToRef": {"name": details_to}} if details_to else {}),
            },
        }
        super().__init__(scope, f"{api.claim_kind}-{name}", body, options=CONFIRM if api.stateful else ())


def written_claims(
    folder: Folder, files: FilePath, apis: Mapping[str, Api[Any]], *, namespace: str, labels: Mapping[str, str]
) -> list[Manifest]:
    """Read every YAML claim of a team.

    ``files`` is the team's folder; ``apis`` are the APIs by claim kind. A claim without namespace gets the team's, and the team's
    ``labels`` where it has none of its own.

    Raises:
        SynthError: a document is no claim of the platform, has no name, or names another team's namespace.
        LoadError: a file cannot be read.
    """
    claims = []
    for file in sorted(path for path in files.glob("*") if path.suffix in (".yaml", ".yml")):
        name = file.absolute().relative_to(FilePath.cwd()).as_posix()
        documents = load_text(file.read_bytes(), name)
        for number, document in enumerate(documents):
            claims.append(_written(folder, document, number, apis, namespace, labels))
    return claims


def _written(
    folder: Folder, document: Document, number: int, apis: Mapping[str, Api[Any]], namespace: str, labels: Mapping[str, str]
) -> Manifest:
    body = document.body
    if not isinstance(body, dict) or body.get("kind") not in apis or body.get("apiVersion") != apis[body["kind"]].api_version:
        known = ", ".join(f"{api.api_version} {kind}" for kind, api in apis.items())
        raise SynthError("this is no claim of the platform", str(document.place(("kind",))), f"claims are: {known}")
    metadata = body.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise SynthError(f"a {body['kind']} without metadata.name", str(document.place(("metadata",))), "name it")
    if metadata.get("namespace", namespace) != namespace:
        raise SynthError(
            f"the claim is for namespace {metadata['namespace']}",
            str(document.place(("metadata", "namespace"))),
            f"this team's namespace is {namespace}; leave the field out or move the file",
        )
    whole = {**body, "metadata": {**metadata, "namespace": namespace, "labels": {**labels, **(metadata.get("labels") or {})}}}
    return Manifest(
        folder,
        f"{body['kind']}-{metadata['name']}",
        whole,
        sources={(): Place(document.file, document.line)},
        written_in=(document.file, number),
        options=CONFIRM if apis[body["kind"]].stateful else (),
    )
