"""A change of a CRD or an XRD: what the API server refuses, and what breaks objects that are stored.

Refused is by ``ValidateCustomResourceDefinitionUpdate`` of apiextensions-apiserver (``pkg/apis/apiextensions/validation``) another group,
plural, kind or scope, and the version of the storage going: ``status.storedVersions``, where it stands, must stay in ``spec.versions``.
Of an XRD the schema of CompositeResourceDefinition refuses other names (``self == oldSelf``); the rest Crossplane hands on to the CRDs that
it makes, so that such a change is accepted and never takes effect.

What is tightened breaks nobody at once: the server lets unchanged values pass when an object is updated (ratcheting, Kubernetes 1.30 on).
Applied anew, or with the field changed, the object is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from crossgate.model import Document, Identity, Judgement, Severity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.schema.definition.fault import Family, Fault
from crossgate.schema.definition.judge import finding_of, is_shaped
from crossgate.schema.definition.tightening import tightened
from crossgate.schema.values import shown
from crossgate.schema.xrd import is_definition, is_xrd, scope_of

Body = dict[str, Any]


def judge_updates(before: Iterable[Document], after: Iterable[Document]) -> Judgement:
    """Judge the definitions among documents as changes of those of the same name, at the lines of their authors."""
    old = {_key(document.body): document.body for document in before if is_definition(document.body)}
    return Judgement(
        findings=tuple(
            finding_of(document, fault)
            for document in after
            if is_definition(document.body) and (was := old.get(_key(document.body))) is not None
            for fault in update_faults(was, document.body)
        )
    )


def update_faults(before: Body, after: Body) -> list[Fault]:
    """Return what a changed definition is refused for (errors), and what breaks objects that are stored (warnings).

    Nothing is said of one whose shape is wrong on either side, which its own schema says.
    """
    if before == after or not (is_shaped(before) and is_shaped(after)):
        return []
    try:
        return list(dict.fromkeys(_faults(before, after)))
    except (AttributeError, KeyError, TypeError, ValueError):
        return []  # a part of the wrong type, which the definition's own schema names


def _key(body: Body) -> tuple[str, str]:
    identity = Identity.of(body)
    return identity.kind, identity.name


def _faults(before: Body, after: Body) -> Iterator[Fault]:
    kept = ("referenceable", "names") if is_xrd(after) else ("storage", "")
    for path in _immutable(after):
        was, will = _value(before, path), _value(after, path)
        if was is not MISSING and will is not MISSING and was != will:
            yield _refused(
                path,
                f"{format_path(path)} moves from {shown(was)} to {shown(will)}; it cannot be changed",
                "keep it, or write a new definition",
            )
    old, new = (_versions(body) for body in (before, after))
    for name, (_, version) in old.items():
        at: Path = ("spec", "versions", new[name][0]) if name in new else ("spec", "versions")
        if name not in new and version.get(kept[0]):
            yield _refused(
                at,
                f"{name} goes, in which objects are stored; the API server keeps it in status.storedVersions",
                f"keep {name} with served: false, store another version, and remove it when all objects are rewritten",
            )
        elif version.get("served") and not (name in new and new[name][1].get("served")):
            yield _breaking(at, f"{name} is served no longer: whoever reads or writes {name} is refused", "move everything off it first")
        elif name in new and version.get(kept[0]) and not new[name][1].get(kept[0]):
            yield _breaking(
                at, f"{name} is stored no longer: objects stay as they are until each is written again", "rewrite them before it goes"
            )
    for name, (index, version) in new.items():
        if name in old:
            schemas = [follow(each, ("schema", "openAPIV3Schema")) for each in (old[name][1], version)]
            if isinstance(schemas[0], dict) and isinstance(schemas[1], dict):
                for path, message in tightened(*schemas):
                    at = ("spec", "versions", index, "schema", "openAPIV3Schema", *path)
                    yield _breaking(at, message, "give the field a new name or the API a new version, or be sure that no object is touched")


def _immutable(body: Body) -> tuple[Path, ...]:
    if is_xrd(body):
        return ("spec", "group"), ("spec", "names"), ("spec", "scope"), ("spec", "claimNames"), ("spec", "enforcedCompositionRef")
    return ("spec", "group"), ("spec", "names", "plural"), ("spec", "names", "kind"), ("spec", "scope")


def _value(body: Body, path: Path) -> Any:
    if path == ("spec", "scope") and is_xrd(body):
        return scope_of(body)
    found = follow(body, path)
    return MISSING if found is None else found


def _versions(body: Body) -> dict[str, tuple[int, Body]]:
    return {version["name"]: (index, version) for index, version in enumerate(body["spec"]["versions"])}


def _refused(at: Path, message: str, hint: str) -> Fault:
    return Fault(at, Family.UPDATE, message, hint)


def _breaking(at: Path, message: str, hint: str) -> Fault:
    return Fault(at, Family.BREAKING, message, hint, Severity.WARNING)
