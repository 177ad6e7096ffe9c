"""Values of the wrong type or outside what the target allows, after the patch's transforms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from crossgate.paths import Path, format_path
from crossgate.static import lost
from crossgate.static.assign import Misfit, misfits
from crossgate.static.fault import Fault
from crossgate.static.links import End, Link
from crossgate.static.subject import Subject
from crossgate.static.walk import Found

_ADVICE: Mapping[str, str] = {
    "WRONG_TYPE": "put a convert transform into the patch, or declare the field with the target's type",
    "MAY_BE_FRACTIONAL": "declare the field as integer in the XRD, or convert with toType: int64",
    "UNKNOWN_FIELD": "declare the object with the target's fields, or patch its fields one by one",
}
_NARROW = "narrow the field in the XRD (enum, pattern, minimum, maximum), or map its values to allowed ones"


def check(subject: Subject) -> Iterator[Fault]:
    """Yield what transforms cannot take and what targets cannot hold."""
    for link in subject.links:
        for fault in link.outcome.faults:
            yield replace(fault, message=f"{_carry(link)}: {fault.message}")
        target = link.target
        if target is None or not isinstance(target.place, Found) or link.outcome.stops:
            continue
        for misfit in misfits(link.outcome.value, target.place.schema, builtin=target.owner is not None and target.owner.builtin):
            yield _fault(link, target, misfit)


def _carry(link: Link) -> str:
    """Name the patch and both fields: what every message of this check starts with."""
    sources = ", ".join(source.text for source in link.sources)
    return f"{link.label} ({sources or '?'} → {link.target.text if link.target else '?'})"


def _fault(link: Link, target: End, misfit: Misfit) -> Fault:
    rule = "crossplane/type-mismatch" if misfit.reason in ("WRONG_TYPE", "MAY_BE_FRACTIONAL") else "crossplane/value-not-allowed"
    reason = misfit.reason
    if reason == "UNKNOWN_FIELD":
        rule, reason = "crossplane/unknown-target-field", "NOT_IN_XRD" if target.side == "xr" else "NOT_IN_CRD"
    below = f" at {format_path(_plain(misfit.below))} inside" if misfit.below else ""
    advice = _ADVICE.get(misfit.reason, _NARROW)
    if misfit.lost is not None and target.owner is not None and target.path is not None:
        _, inner = target.kind.at(target.path) if target.kind else (None, ())
        near = lost.meant(target.owner, (*inner, *_plain(misfit.below)), replace(misfit.lost, index=len(inner) + len(misfit.below) - 1))
        advice = f"did you mean {near}?" if near else advice
    return Fault(target.at, rule, reason, misfit.severity, f"{_carry(link)}: {misfit.message}{below}", advice)


def _plain(path: Path) -> Path:
    return tuple(0 if step == "*" else step for step in path)
