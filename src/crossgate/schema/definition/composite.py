"""A CompositeResourceDefinition: its own names, and the CRDs that Crossplane makes of it.

Crossplane (2.x) has no webhook for it: it makes the CRDs, and what the API server says against those stands in events of the
XRD, which is never Established then. The parts of the author's schema stand in the made CRD where they stand in the XRD, so
a fault of the CRD is one at the author's line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.errors import SchemaError
from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.schema.definition.conversion import conversion_faults
from crossgate.schema.definition.fault import Family, Fault, definition
from crossgate.schema.definition.keywords import undecodable, unknown_keywords
from crossgate.schema.definition.lost import dropped_faults
from crossgate.schema.definition.names import full_name_faults, group_faults, names_faults
from crossgate.schema.definition.version import schema_faults
from crossgate.schema.definition.versions import column_faults, subresource_faults, version_faults
from crossgate.schema.values import shown
from crossgate.schema.xrd import claim_crd, composite_crd

Body = dict[str, Any]


def composite_faults(body: Body) -> Iterator[Fault]:
    """Say what is wrong with an XRD whose own shape is right."""
    spec = body["spec"]
    versions = spec["versions"]
    yield from full_name_faults(body.get("metadata") or {}, spec)
    yield from group_faults(spec.get("group") or "", ("spec", "group"))
    yield from names_faults(spec["names"], ("spec", "names"))
    yield from version_faults(versions, "referenceable")
    yield from conversion_faults(spec.get("conversion"))
    if spec.get("claimNames"):
        yield from names_faults(spec["claimNames"], ("spec", "claimNames"))
        yield from _same_names(spec)
    stopped = False
    for index, version in enumerate(versions):
        at: Path = ("spec", "versions", index)
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if not isinstance(schema, dict):
            yield definition((*at, "schema"), "missing; Crossplane makes no CRD without a schema", "write schema: {openAPIV3Schema: …}")
            stopped = True
            continue
        here = (*at, "schema", "openAPIV3Schema")
        yield from unknown_keywords(schema, here, strict=False)
        wrong = [*undecodable(schema, here)]
        yield from wrong
        stopped = stopped or bool(wrong)
        yield from subresource_faults(version.get("subresources") or {}, (*at, "subresources"))
    if not stopped:
        yield from _made(body, versions)


def _same_names(spec: Body) -> Iterator[Fault]:
    """One group cannot hold a name twice (``validateClaimNames`` of Crossplane's ``pkg/xcrd``)."""
    names, claim = spec["names"], spec["claimNames"]
    for key in ("kind", "plural", "singular", "listKind"):
        if claim.get(key) and claim.get(key) == names.get(key):
            said = f"the claim's {key} {shown(claim[key])} is the composite's too, and one API group cannot hold a name twice"
            yield definition(("spec", "claimNames", key), said, f"give the composite another {key}, such as X{claim['kind']}")


def _made(body: Body, versions: list[Body]) -> Iterator[Fault]:
    crds = [composite_crd(body)]
    try:
        crds += [claim_crd(body)] if body["spec"].get("claimNames") else []
    except SchemaError:
        # the names are the same, which was said above
        crds = crds[:1]
    for index, version in enumerate(versions):
        at: Path = ("spec", "versions", index)
        author = version["schema"]["openAPIV3Schema"]
        here = (*at, "schema", "openAPIV3Schema")
        yield from dropped_faults(author, here)
        made = [crd["spec"]["versions"][index]["schema"]["openAPIV3Schema"] for crd in crds]
        yield from _reserved(author, made, here)
        for schema in made:
            yield from schema_faults(schema, here, status=True)
        yield from column_faults(version.get("additionalPrinterColumns") or [], made[0], (*at, "additionalPrinterColumns"))


def _reserved(author: Body, made: list[Body], at: Path) -> Iterator[Fault]:
    """Say which fields Crossplane's machinery overwrites: the author's description of them is lost."""
    for part in ("spec", "status"):
        ours = [_fields(schema, part) for schema in made]
        for name, given in _fields(author, part).items():
            if any(fields.get(name) != given for fields in ours):
                yield Fault(
                    (*at, "properties", part, "properties", name),
                    Family.RESERVED,
                    f"{part}.{name} is a field of Crossplane's own: what is written here is replaced",
                    "give the field another name",
                    Severity.WARNING,
                )


def _fields(schema: Body, part: str) -> Body:
    described: Body = ((schema.get("properties") or {}).get(part) or {}).get("properties") or {}
    return described
