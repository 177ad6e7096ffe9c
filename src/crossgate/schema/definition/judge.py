"""A CRD or XRD as the API server judges it before it serves a single resource of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from crossgate.model import Document, Finding, Judgement
from crossgate.paths import Path
from crossgate.schema.definition.composite import composite_faults
from crossgate.schema.definition.conversion import conversion_faults
from crossgate.schema.definition.fault import Fault, definition
from crossgate.schema.definition.keywords import undecodable, unknown_keywords
from crossgate.schema.definition.names import name_faults
from crossgate.schema.definition.version import schema_faults
from crossgate.schema.definition.versions import column_faults, selectable_faults, subresource_faults, version_faults
from crossgate.schema.xrd import is_definition, is_xrd
from crossgate.trace import finding_in

if TYPE_CHECKING:
    from crossgate.schema.catalogue import Schemas

Body = dict[str, Any]


def judge_definitions(documents: Iterable[Document], schemas: Schemas) -> list[Judgement]:
    """Judge the CRDs and XRDs among documents as the API server and Crossplane would, at the lines of their authors.

    What their own schemas say against them (a missing group, a version that is no object) is not said again here.
    """
    definitions = [document for document in documents if is_definition(document.body)]
    taken: dict[tuple[str, str, str], Document] = {}
    said: list[Judgement] = []
    for document in definitions:
        faults = [*_faults(document.body, schemas), *_twice(document, taken)]
        said.append(Judgement(findings=tuple(finding_of(document, fault) for fault in faults)))
    return said


def definition_faults(body: Body) -> list[Fault]:
    """Return what is wrong with a CRD or an XRD; nothing of one whose shape is wrong, which its own schema says."""
    if not is_shaped(body):
        return []
    return list(dict.fromkeys(composite_faults(body) if is_xrd(body) else _crd(body)))


def _faults(body: Body, schemas: Schemas) -> list[Fault]:
    try:
        return definition_faults(body)
    except (AttributeError, KeyError, TypeError, ValueError):
        # a part of the wrong type, which the definition's own schema names
        if not schemas.validate(body):
            raise
        return []


def _twice(document: Document, taken: dict[tuple[str, str, str], Document]) -> Iterator[Fault]:
    """Say which kinds and plurals another definition has already: the API server serves the first, and the other never works."""
    if not is_shaped(document.body):
        return
    spec = document.body["spec"]
    for names, given in (("names", spec["names"]), ("claimNames", spec.get("claimNames") or {})):
        for key in ("kind", "plural"):
            name = (str(spec.get("group")), key, str(given.get(key) or ""))
            first = taken.setdefault(name, document) if name[2] else document
            if first is not document and first.body["metadata"].get("name") != document.body["metadata"].get("name"):
                said = (
                    f"the {key} {name[2]} of the group {name[0]} is defined by {first.body['metadata'].get('name')} ({first.place(())}) too"
                )
                yield definition(("spec", names, key), said, "give one of the two another name")


def finding_of(document: Document, fault: Fault) -> Finding:
    """Make a finding of a fault, at the line of its author."""
    rule, reason = fault.family.value
    return finding_in(document, fault.at, rule=rule, reason=reason, severity=fault.severity, message=fault.message, remediation=fault.hint)


def is_shaped(body: Body) -> bool:
    """Say whether the parts that everything else stands in have the types that their own schema wants."""
    spec = body.get("spec")
    if not isinstance(spec, dict) or not isinstance(body.get("metadata"), dict):
        return False
    maps = [spec.get("names"), *(value for key in ("claimNames", "conversion") if (value := spec.get(key)) is not None)]
    versions = spec.get("versions")
    if not all(isinstance(part, dict) for part in maps) or not isinstance(versions, list):
        return False
    texts = [spec.get("group") or "", *(maps[0].get(key) for key in ("kind", "plural"))]
    texts += [claim.get(key) for key in ("kind", "plural") if (claim := spec.get("claimNames"))]
    for version in versions:
        if not isinstance(version, dict) or not isinstance(version.get("schema") or {}, dict):
            return False
        texts.append(version.get("name"))
    return all(isinstance(text, str) for text in texts)


def _crd(body: Body) -> Iterator[Fault]:
    spec = body["spec"]
    versions = spec["versions"]
    yield from name_faults(body)
    yield from version_faults(versions, "storage")
    yield from conversion_faults(spec.get("conversion"))
    for index, version in enumerate(versions):
        at: Path = ("spec", "versions", index)
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        here = (*at, "schema", "openAPIV3Schema")
        subresources = version.get("subresources") or {}
        yield from subresource_faults(subresources, (*at, "subresources"))
        if not isinstance(schema, dict):
            yield definition(here, "missing; every version needs a schema", "write schema: {openAPIV3Schema: {type: object, …}}")
            continue
        # what stands at the root is judged by the schema of CustomResourceDefinition itself
        yield from (fault for fault in unknown_keywords(schema, here, strict=True) if len(fault.at) > len(here) + 1)
        wrong = [*undecodable(schema, here)]
        yield from (fault for fault in wrong if len(fault.at) > len(here) + 1)
        if not wrong:
            yield from schema_faults(schema, here, status=subresources.get("status") is not None)
            columns = version.get("additionalPrinterColumns") or []
            yield from column_faults(columns, schema, (*at, "additionalPrinterColumns"))
            yield from selectable_faults(version.get("selectableFields") or [], schema, (*at, "selectableFields"))
