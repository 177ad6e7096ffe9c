"""Templates as a whole: names that meet, templates without a base, and fields that the CRD requires and nobody sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path, format_path
from crossgate.static.fault import Fault
from crossgate.static.reading import Template
from crossgate.static.sides import Made
from crossgate.static.subject import Subject
from crossgate.static.walk import Schema


def check(subject: Subject) -> Iterator[Fault]:
    """Yield templates that replace another, that have nothing to patch, or that lack a required field."""
    seen: dict[str, Template] = {}
    for made in subject.made:
        template = made.template
        earlier = seen.get(template.name) if template.name else None
        if earlier is not None and template.base is not None:
            yield _replaces(template, earlier)
        if template.base is None and made.base is None and template.name and not subject.foreign(before=template.step):
            yield _nothing_to_patch(template)
        seen[template.name] = template
        yield from _missing(subject, made)


def _replaces(template: Template, earlier: Template) -> Fault:
    same_step = template.step == earlier.step
    return Fault(
        at=(*template.at, "name"),
        rule="crossplane/duplicate-template",
        reason="SAME_STEP" if same_step else "REPLACES_EARLIER_STEP",
        severity=Severity.ERROR if same_step else Severity.WARNING,
        message=f"template {template.name} replaces the resource of an earlier template of that name: the earlier one is never composed",
        remediation="give each template a name of its own, or leave out the base to patch what the earlier one made",
    )


def _nothing_to_patch(template: Template) -> Fault:
    return Fault(
        at=(*template.at, "name"),
        rule="crossplane/invalid-base",
        reason="NO_BASE",
        severity=Severity.ERROR,
        message=f"template {template.name} has no base, and no earlier step makes a resource of that name: rendering fails",
        remediation="give it a base, or the name of a template of an earlier step",
    )


def _missing(subject: Subject, made: Made) -> Iterator[Fault]:
    """Yield required fields that neither base nor patch nor default sets; patches of later steps count too."""
    base = made.template.base
    if base is None:
        return
    written = [
        link.target.path
        for link in subject.links
        if link.made is not None
        and link.made.base_template is made.template
        and link.target
        and link.target.path
        and link.target.side == "resource"
    ]
    for kind, prefix, body in made.parts():
        if kind.schema is None:
            continue
        for path in _required(body, kind.schema, prefix, written):
            yield Fault(
                at=(*made.template.at, "base", *path[:-1]),
                rule="crossplane/required-field-missing",
                reason="NEVER_SET",
                severity=Severity.ERROR,
                message=f"template {made.template.name} never sets {format_path(path)}, which {kind} requires",
                remediation="set it in the base, or patch it",
            )


def _required(value: Mapping[str, Any], schema: Schema, at: Path, written: list[Path]) -> Iterator[Path]:
    """Follow the objects of the base; what a patch writes as a whole, and lists that patches fill, are not judged."""
    if any(path == at[: len(path)] for path in written if path):
        return
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        field = (*at, name)
        inner = properties.get(name)
        if name in value or (isinstance(inner, dict) and "default" in inner) or any(path[: len(field)] == field for path in written):
            continue
        yield field
    for name, inner in value.items():
        child = properties.get(name)
        if isinstance(inner, dict) and isinstance(child, dict) and child.get("type") == "object":
            yield from _required(inner, child, (*at, name), written)
