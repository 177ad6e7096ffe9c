"""Saying that a field path leads nowhere, and which field was probably meant."""

from __future__ import annotations

from crossgate.paths import Path, format_path
from crossgate.schema.nearest import nearest
from crossgate.static.sides import Kind
from crossgate.static.walk import Found, Lost, Schema, paths_to, walk


def said(kind: Kind, path: Path, lost: Lost) -> str:
    """Say why ``path`` cannot be followed in ``kind``; ``lost`` counts from the start of ``path``."""
    above = format_path(path[: lost.index])
    step = path[lost.index]
    match lost.reason:
        case "NOT_AN_OBJECT":
            return f"{above} of {kind} is of type {lost.kind} and has no field {step}"
        case "NOT_A_LIST":
            return f"{above} of {kind} is of type {lost.kind}, in which {format_path((step,))} cannot stand"
    where = f"under {above}" if above else "at its top level"
    return f"{kind} declares no field {step} {where}"


def meant(kind: Kind, path: Path, lost: Lost) -> str:
    """Return the path that was probably meant, or the empty string."""
    if kind.schema is None:
        return ""
    above, step, rest = path[: lost.index], path[lost.index], path[lost.index + 1 :]
    if lost.reason == "NOT_AN_OBJECT":
        # metadata.labels.crossplane.io/claim-name: the dots of a key need brackets
        key = ".".join(str(part) for part in path[lost.index - 1 :])
        bracketed = (*path[: lost.index - 1], key)
        return format_path(bracketed) if isinstance(walk(kind.schema, bracketed), Found) else ""
    if lost.reason == "NOT_A_LIST":
        return ""
    near = nearest(str(step), lost.candidates)
    for rest_ in (rest, ()):
        if near and isinstance(walk(kind.schema, (*above, near, *rest_)), Found):
            return format_path((*above, near, *rest_))
    return _elsewhere(kind.schema, path, lost)


def _elsewhere(schema: Schema, path: Path, lost: Lost) -> str:
    """Look for the field at another place of the same half (``spec``, ``status``) of the object."""
    leaf = next((step for step in reversed(path) if isinstance(step, str)), "")
    for found in paths_to(schema, leaf):
        if found[0] == path[0] or lost.index == 0:
            return format_path(found)
    return ""


def advice(kind: Kind, path: Path, lost: Lost, *, declared_in: str) -> str:
    """Return the way out: the field that was meant, or declaring it (``declared_in`` names the document that declares)."""
    near = meant(kind, path, lost)
    if near:
        return f"did you mean {near}?"
    if lost.reason == "UNKNOWN_FIELD" and declared_in == "XRD" and path[:1] == ("status",):
        return "declare the field under status in the XRD; Crossplane keeps no x-kubernetes-preserve-unknown-fields there"
    if lost.reason == "UNKNOWN_FIELD":
        known = ", ".join(sorted(lost.candidates)[:12]) or "nothing"
        return f"known there: {known}; take one of these or declare the field in the {declared_in}"
    return f"take a field that the {declared_in} declares"
