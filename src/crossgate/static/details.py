"""Fields that connection details and readiness checks read from the composed resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.render.faults import Fault as Refusal
from crossgate.render.fieldpath import parse
from crossgate.static import lost
from crossgate.static.assign import said
from crossgate.static.fault import Fault
from crossgate.static.sides import Kind, Made
from crossgate.static.subject import Subject
from crossgate.static.values import of_schema
from crossgate.static.walk import Found, Lost

_COMPARES: Mapping[str, frozenset[str]] = {
    "MatchString": frozenset({"string"}),
    "MatchInteger": frozenset({"int64", "whole", "number"}),
    "MatchTrue": frozenset({"boolean"}),
    "MatchFalse": frozenset({"boolean"}),
}


def check(subject: Subject) -> Iterator[Fault]:
    """Yield fields that the CRD does not declare, and readiness checks that compare with another type than the field's."""
    for made in subject.made:
        if made.kind is None:
            continue
        for part, what in (("connectionDetails", "connection detail"), ("readinessChecks", "readiness check")):
            entries = made.template.body.get(part)
            for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(entry, dict):
                    label = f"{what} {index} of template {made.template.name}"
                    yield from _entry(made, made.kind, entry, label, (*made.template.at, part, index), what)


def _entry(made: Made, kind: Kind, entry: Mapping[str, Any], label: str, at: Path, what: str) -> Iterator[Fault]:
    key = "fromFieldPath" if what == "connection detail" else "fieldPath"
    text = entry.get(key)
    if not isinstance(text, str) or not text or entry.get("type") in ("FromValue", "FromConnectionSecretKey", "None", "MatchCondition"):
        return
    try:
        path = parse(text)
    except Refusal as error:
        message = f"{label} reads {text!r}, which is no field path: {error.what}"
        yield Fault((*at, key), "crossplane/invalid-path", "SYNTAX", Severity.ERROR, message, "write keys with dots between them")
        return
    place = kind.walk(path)
    if isinstance(place, Lost):
        owner, inner = kind.at(path)
        yield Fault(
            at=(*at, key),
            rule="crossplane/unknown-source-field",
            reason="NOT_IN_CRD",
            severity=Severity.ERROR,
            message=f"{label} reads {text}, but {lost.said(owner, inner, place)}",
            remediation=lost.advice(owner, inner, place, declared_in="CRD"),
        )
    elif isinstance(place, Found) and what == "readiness check":
        yield from _compared(entry, of_schema(place.schema).kinds, text, label, (*at, key))


def _compared(entry: Mapping[str, Any], kinds: frozenset[str], text: str, label: str, at: Path) -> Iterator[Fault]:
    wanted = _COMPARES.get(str(entry.get("type")))
    if wanted and kinds and not kinds & wanted:
        message = f"{label} compares {text}, {said(kinds)}, with {said(wanted)}: the resource never becomes ready"
        yield Fault(at, "crossplane/type-mismatch", "NEVER_READY", Severity.ERROR, message, "use the check for the field's type")
