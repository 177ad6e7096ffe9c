"""CustomResourceDefinitions: what they say about each of their versions."""

from __future__ import annotations

from typing import Any

from crossgate.errors import SchemaError
from crossgate.schema.compact import without_prose
from crossgate.schema.kinds import KindSchema

CRD_GROUP = "apiextensions.k8s.io"


def is_crd(body: Any) -> bool:
    """Say whether a document is a CustomResourceDefinition."""
    return (
        isinstance(body, dict)
        and body.get("kind") == "CustomResourceDefinition"
        and str(body.get("apiVersion", "")).startswith(f"{CRD_GROUP}/")
    )


def kinds_of_crd(body: dict[str, Any], source: str = "", made_by: str = "crd") -> list[KindSchema]:
    """Return the kinds of a CRD (``apiextensions.k8s.io/v1``), one a version, unserved ones too.

    Raises SchemaError when a part that is needed is missing or has the wrong type.
    """
    try:
        spec = body["spec"]
        names = spec["names"]
        kinds = []
        for version in spec["versions"]:
            subresources = version.get("subresources") or {}
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if schema is None:
                raise SchemaError(
                    f"version {version.get('name')!r} has no openAPIV3Schema", source, "every version of a CRD v1 needs a structural schema"
                )
            kinds.append(
                KindSchema(
                    group=spec["group"],
                    version=version["name"],
                    kind=names["kind"],
                    plural=names["plural"],
                    scope=spec.get("scope", "Cluster"),
                    schema=without_prose(schema),
                    served=bool(version.get("served", False)),
                    status=subresources.get("status") is not None,
                    scale=subresources.get("scale"),
                    deprecation=_deprecation(spec["group"], names["kind"], version),
                    made_by=made_by,
                    source=source,
                )
            )
        return kinds
    except (KeyError, TypeError, AttributeError) as error:
        raise SchemaError(
            f"this CustomResourceDefinition cannot be used: {type(error).__name__} {error}",
            source,
            "it needs spec.group, spec.names and spec.versions",
        ) from error


def _deprecation(group: str, kind: str, version: dict[str, Any]) -> str:
    """Return the warning of a deprecated version; the server's own text is ``<group>/<version> <kind> is deprecated``."""
    if not version.get("deprecated"):
        return ""
    return version.get("deprecationWarning") or f"{group}/{version['name']} {kind} is deprecated"
