"""The APIs that a team can claim, from the XRDs and Compositions in ``dist/``."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgate.errors import UsageError
from crossgate.load.platform import platform_inventory
from crossgate.model import Document


@dataclass(frozen=True, slots=True)
class ClaimApi:
    """An API that can be claimed.

    ``names`` are the words that it may be called by. ``schema`` is the openAPIV3Schema of its spec. ``labels`` are those that its
    Compositions can be chosen by, each with the values that there are, and ``usual`` those of the Composition that makes a claim which
    chooses none. ``secret`` says whether it has connection details to give.
    """

    api_version: str
    kind: str
    names: tuple[str, ...]
    schema: Mapping[str, Any]
    labels: Mapping[str, tuple[str, ...]]
    usual: Mapping[str, str]
    secret: bool

    @property
    def description(self) -> str:
        """Return what the API says about itself."""
        return str(self.schema.get("description", ""))


def find_apis(dist: Path, *, root: Path) -> tuple[ClaimApi, ...]:
    """Read the APIs that can be claimed from ``dist``; ``root`` is the project.

    Raises:
        UsageError: there are none.
    """
    documents = platform_inventory(dist, root=root).documents
    bodies = [body for body in map(_body, documents) if body]
    found = [api for body in bodies if body.get("kind") == "CompositeResourceDefinition" and (api := _api(body, bodies))]
    if not found:
        raise UsageError("there is no API that can be claimed", str(dist), "call crossgate synth first")
    return tuple(sorted(found, key=lambda api: api.kind))


def find_api(apis: Iterable[ClaimApi], word: str) -> ClaimApi:
    """Return the API that ``word`` names: its kind, plural or short name, with or without "Claim", in any case.

    Raises:
        UsageError: none is called so, or several are.
    """
    known = tuple(apis)
    found = [api for api in known if word.lower() in api.names]
    if len(found) == 1:
        return found[0]
    kinds = [api.kind for api in known]
    if found:
        raise UsageError(f"{word!r} is the name of several APIs", "", f"write the whole kind: {', '.join(api.kind for api in found)}")
    near = difflib.get_close_matches(word.lower(), [name for api in known for name in api.names], n=1)
    meant = next((api.kind for api in known if near and near[0] in api.names), "")
    hint = f"did you mean {meant}?" if meant else f"APIs are: {', '.join(kinds)}"
    raise UsageError(f"there is no API {word!r}", "", hint)


def _body(document: Document) -> dict[str, Any]:
    return document.body if isinstance(document.body, dict) else {}


def _api(body: dict[str, Any], bodies: Iterable[dict[str, Any]]) -> ClaimApi | None:
    spec = body["spec"]
    composite = spec["names"]
    if "claimNames" in spec:
        names = spec["claimNames"]
    elif spec.get("scope") == "Namespaced" or (body["apiVersion"].endswith("/v2") and "scope" not in spec):
        names = composite  # Crossplane 2: the composite resource itself stands in the team's namespace
    else:
        return None
    version = next((version for version in spec["versions"] if version.get("referenceable")), spec["versions"][0])
    schema = version.get("schema", {}).get("openAPIV3Schema", {}).get("properties", {}).get("spec", {})
    words = {names["kind"], composite["kind"], names["plural"], *names.get("shortNames", ())}
    words |= {word.removesuffix("Claim") for word in words}
    made_by = _compositions(f"{spec['group']}/{version['name']}", composite["kind"], bodies)
    usual = made_by.get(spec.get("defaultCompositionRef", {}).get("name", ""), {})
    return ClaimApi(
        api_version=f"{spec['group']}/{version['name']}",
        kind=names["kind"],
        names=tuple(sorted({word.lower() for word in words})),
        schema=schema,
        labels=_choices(made_by.values()),
        usual=usual,
        secret=bool(spec.get("connectionSecretKeys")) and "claimNames" in spec,
    )


def _compositions(api_version: str, kind: str, bodies: Iterable[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the labels of each Composition of an API, by its name."""
    return {
        body["metadata"]["name"]: body["metadata"].get("labels", {})
        for body in bodies
        if body.get("kind") == "Composition" and body["spec"]["compositeTypeRef"] == {"apiVersion": api_version, "kind": kind}
    }


def _choices(labels: Iterable[Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for each in labels:
        for key, value in each.items():
            found.setdefault(key, set()).add(value)
    return {key: tuple(sorted(values)) for key, values in sorted(found.items())}
