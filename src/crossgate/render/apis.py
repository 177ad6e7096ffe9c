"""The APIs that XRDs define: which kinds are claims, which are XRs, and how their Composition is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crossgate.model import Document, Identity
from crossgate.paths import MISSING, Path, follow

EXTENSIONS_GROUP = "apiextensions.crossplane.io"


@dataclass(frozen=True, slots=True, eq=False)
class Api:
    """One XRD, read.

    ``version`` is the referenceable one: controllers read every claim and XR in it, whatever version its author wrote.
    ``claim_kind`` is empty when the API cannot be claimed. ``legacy`` XRs (XRD v1, scope LegacyCluster) have Crossplane's own fields
    directly under ``spec``, the others under ``spec.crossplane``. ``enforced`` and ``default`` are names of Compositions or empty,
    ``update_policy`` is what an XR without one gets.
    """

    document: Document
    group: str
    kind: str
    claim_kind: str
    version: str
    served: tuple[str, ...]
    legacy: bool
    namespaced: bool
    enforced: str
    default: str
    default_revision_labels: Mapping[str, str] | None
    update_policy: str

    @property
    def api_version(self) -> str:
        """Return group and referenceable version, as Compositions must name them."""
        return f"{self.group}/{self.version}"

    @property
    def machinery(self) -> Path:
        """Return the path under which an XR holds Crossplane's own fields."""
        return ("spec",) if self.legacy else ("spec", "crossplane")


@dataclass(frozen=True, slots=True)
class Apis:
    """The known APIs by the kinds that they offer: keys are (group, kind)."""

    claims: Mapping[tuple[str, str], Api] = field(default_factory=dict)
    composites: Mapping[tuple[str, str], Api] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Apis:
        """Read the XRDs among ``documents``; of two that offer one kind the first counts, malformed ones offer nothing."""
        claims: dict[tuple[str, str], Api] = {}
        composites: dict[tuple[str, str], Api] = {}
        for document in documents:
            if not is_extension(document.body, "CompositeResourceDefinition"):
                continue
            api = read_api(document)
            if api is None:
                continue
            composites.setdefault((api.group, api.kind), api)
            if api.claim_kind:
                claims.setdefault((api.group, api.claim_kind), api)
        return cls(claims, composites)

    def claimed(self, body: Any) -> Api | None:
        """Return the API that ``body`` claims, if its kind is a claim's."""
        identity = Identity.of(body)
        return self.claims.get((identity.group, identity.kind))

    def composed(self, body: Any) -> Api | None:
        """Return the API that ``body`` is an XR of, if its kind is an XR's."""
        identity = Identity.of(body)
        return self.composites.get((identity.group, identity.kind))

    @property
    def groups(self) -> frozenset[str]:
        """Return the API groups that XRDs define."""
        return frozenset(group for group, _ in self.composites)


def is_extension(body: Any, kind: str) -> bool:
    """Say whether ``body`` is an object of that kind of Crossplane's own API group, in any version."""
    identity = Identity.of(body)
    return identity.kind == kind and identity.group == EXTENSIONS_GROUP


def read_api(document: Document) -> Api | None:
    """Read an XRD; ``None`` when it lacks a group, a kind or a referenceable version (its schema says so)."""
    body = document.body
    group, kind = _text(body, "spec", "group"), _text(body, "spec", "names", "kind")
    versions = follow(body, ("spec", "versions"))
    versions = [version for version in versions if isinstance(version, dict)] if isinstance(versions, list) else []
    # GetCompositeGroupVersionKind lets the last referenceable version win
    referenceable = [_text(version, "name") for version in versions if version.get("referenceable") is True]
    if not group or not kind or not referenceable or not referenceable[-1]:
        return None
    # v1 defaults to LegacyCluster, v2 (which has no claims) to Namespaced
    scope = _text(body, "spec", "scope") or ("Namespaced" if body["apiVersion"].endswith("/v2") else "LegacyCluster")
    revision_labels = follow(body, ("spec", "defaultCompositionRevisionSelector", "matchLabels"))
    return Api(
        document=document,
        group=group,
        kind=kind,
        claim_kind=_text(body, "spec", "claimNames", "kind") if scope == "LegacyCluster" else "",
        version=referenceable[-1],
        served=tuple(_text(version, "name") for version in versions if version.get("served") is True),
        legacy=scope == "LegacyCluster",
        namespaced=scope == "Namespaced",
        enforced=_text(body, "spec", "enforcedCompositionRef", "name"),
        default=_text(body, "spec", "defaultCompositionRef", "name"),
        default_revision_labels=_labels(revision_labels),
        update_policy=_text(body, "spec", "defaultCompositionUpdatePolicy") or "Automatic",
    )


def _text(body: Any, *path: str) -> str:
    value = follow(body, path)
    return value if isinstance(value, str) else ""


def _labels(value: Any) -> dict[str, str] | None:
    if value is MISSING or not isinstance(value, dict):
        return None
    return {key: text for key, text in value.items() if isinstance(key, str) and isinstance(text, str)}
