"""Compare what was expected with what became of a case, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.model import Document, Identity
from crossgate.paths import MISSING, Path, follow, format_path

TEMPLATE_ANNOTATION = ("metadata", "annotations", "crossplane.io/composition-resource-name")
_CONDITIONS: Path = ("status", "conditions")


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that is not as expected; ``where`` is the line in expected.yaml, empty for what is not in there at all."""

    resource: str
    path: str
    expected: Any
    actual: Any
    where: str

    def __str__(self) -> str:
        at = f" at {self.where}" if self.where else ""
        if not self.path:
            return f"{self.resource}: {'is missing' if self.actual is MISSING else 'was not expected'}{at}"
        return f"{self.resource} {self.path}: expected {_shown(self.expected)}, got {_shown(self.actual)}{at}"


def compare(expected: Sequence[Document], xr: dict[str, Any], composed: Sequence[dict[str, Any]], *, exact: bool) -> list[Difference]:
    """Return the differences between ``expected`` and an outcome.

    A composed resource is found by its template (annotation crossplane.io/composition-resource-name), else by kind and name; a document
    of the XR's kind is compared with the XR, whose conditions count only when they are expected. With ``exact`` every composed resource
    and every field must be expected.
    """
    found: list[Difference] = []
    left = list(composed)
    for document in expected:
        actual = pick(document.body, xr, left)
        if actual is None:
            found.append(Difference(label(document.body), "", document.body, MISSING, str(document.place())))
            continue
        if actual is xr:
            if follow(document.body, _CONDITIONS) is MISSING:
                actual = without_conditions(xr)
        else:
            left = [body for body in left if body is not actual]
        found += _differences(document, actual, exact=exact)
    if exact:
        found += [Difference(label(body), "", MISSING, body, "") for body in left]
    return found


def pick(wanted: Any, xr: dict[str, Any], composed: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the body of the outcome that an expected one is about."""
    template = follow(wanted, TEMPLATE_ANNOTATION)
    identity = Identity.of(wanted)
    own = Identity.of(xr)
    if template is MISSING and (identity.api_version, identity.kind) == (own.api_version, own.kind):
        return xr
    for body in composed:
        if template is not MISSING:
            if follow(body, TEMPLATE_ANNOTATION) == template:
                return body
            continue
        other = Identity.of(body)
        if (identity.api_version, identity.kind) != (other.api_version, other.kind):
            continue
        if identity.name in ("", other.name) and identity.namespace in ("", other.namespace):
            return body
    return None


def without_conditions(xr: dict[str, Any]) -> dict[str, Any]:
    """Return an XR without ``status.conditions``, and without a status that held nothing else."""
    status = xr.get("status")
    if not isinstance(status, dict):
        return xr
    kept = {key: value for key, value in status.items() if key != "conditions"}
    rest = {key: value for key, value in xr.items() if key != "status"}
    return {**rest, "status": kept} if kept else rest


def label(body: Any) -> str:
    """Name a resource as a reader of the case knows it: kind, and template or name."""
    template = follow(body, TEMPLATE_ANNOTATION)
    identity = Identity.of(body)
    return f"{identity.kind or '?'} {template if isinstance(template, str) else identity.name or '(no name)'}"


def _differences(document: Document, actual: dict[str, Any], *, exact: bool) -> Iterator[Difference]:
    for path, wanted, got in _walk(document.body, actual, (), exact=exact):
        yield Difference(label(document.body), format_path(path), wanted, got, str(document.place(path)))


def _walk(wanted: Any, got: Any, path: Path, *, exact: bool) -> Iterator[tuple[Path, Any, Any]]:
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key, value in wanted.items():
            yield from _walk(value, got.get(key, MISSING), (*path, key), exact=exact)
        if exact:
            for key, value in got.items():
                if key not in wanted:
                    yield (*path, key), MISSING, value
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (value, other) in enumerate(zip(wanted, got, strict=True)):
            yield from _walk(value, other, (*path, index), exact=exact)
    elif not same(wanted, got):
        yield path, wanted, got


def same(one: Any, other: Any) -> bool:
    """Say whether two JSON values are equal; true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(value, against) for value, against in zip(one, other, strict=True))
    return bool(one == other)


def _shown(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    text = repr(value) if isinstance(value, str) else _plain(value)
    return text if len(text) <= 120 else f"{text[:119]}…"


def _plain(value: Any) -> str:
    return {None: "null", True: "true", False: "false"}.get(value, str(value)) if value is None or isinstance(value, bool) else str(value)
