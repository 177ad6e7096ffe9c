"""One kind in one version: what a CRD, an XRD or Kubernetes itself says about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crossgate.errors import SchemaError


@dataclass(frozen=True, slots=True, eq=False)
class KindSchema:
    """A kind in one version.

    ``scope`` is ``Namespaced`` or ``Cluster``. ``status`` says that the kind has a status subresource:
    the API server drops ``status`` from what a user creates before it validates. ``scale`` are the paths
    of the scale subresource. ``builtin`` marks Kubernetes' own kinds, which are decoded into Go types
    instead of being validated against a structural schema. ``deprecation`` is the server's warning, empty when there is none.
    ``made_by`` is the kind of document that defines it: ``crd``, ``xrd``, ``claim``, ``json-schema`` or ``kubernetes``.
    """

    group: str
    version: str
    kind: str
    plural: str
    scope: str
    schema: dict[str, Any]
    served: bool = True
    status: bool = False
    scale: dict[str, str] | None = None
    deprecation: str = ""
    made_by: str = "crd"
    source: str = ""

    @property
    def api_version(self) -> str:
        """Return group and version as a manifest writes them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def builtin(self) -> bool:
        """Say whether this is one of Kubernetes' own kinds."""
        return self.made_by == "kubernetes"

    def head(self) -> dict[str, Any]:
        """Return everything but the schema, without what is as usual."""
        head: dict[str, Any] = {"group": self.group, "version": self.version, "kind": self.kind, "plural": self.plural, "scope": self.scope}
        if not self.served:
            head["served"] = False
        if self.status:
            head["status"] = True
        if self.scale:
            head["scale"] = self.scale
        if self.deprecation:
            head["deprecation"] = self.deprecation
        if self.made_by != "crd":
            head["madeBy"] = self.made_by
        return head

    @classmethod
    def of(cls, head: dict[str, Any], schema: dict[str, Any], *, source: str) -> KindSchema:
        """Make a kind from what ``head`` gave."""
        return cls(
            group=head["group"],
            version=head["version"],
            kind=head["kind"],
            plural=head["plural"],
            scope=head["scope"],
            schema=schema,
            served=head.get("served", True),
            status=head.get("status", False),
            scale=head.get("scale"),
            deprecation=head.get("deprecation", ""),
            made_by=head.get("madeBy", "crd"),
            source=source,
        )


def group_of(api_version: str) -> tuple[str, str]:
    """Split ``group/version``; the core group is empty. Raises SchemaError for more than one slash."""
    group, slash, version = api_version.partition("/")
    if not slash:
        return "", group
    if "/" in version:
        raise SchemaError(f"apiVersion {api_version!r} has more than one slash", "apiVersion", "write it as group/version")
    return group, version
