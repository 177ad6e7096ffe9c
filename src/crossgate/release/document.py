"""The change as a document (``Change``), so that rules see it among the others, in every engine that runs them."""

from __future__ import annotations

from typing import Any

from crossgate.model import Document, Place, Resource, Role
from crossgate.paths import Path
from crossgate.release.change import Change, Changed
from crossgate.release.freezes import FILE, Freeze

API_VERSION = "crossgate.dev/v1alpha1"
KIND = "Change"


def report(change: Change) -> dict[str, Any]:
    """Return a change as a document. Objects have the names that ``name_of`` gives; only freezes that are in force are told.

    It does not say when it was made: two runs over the same input write the same bytes, and rules are not asked again for nothing.
    """
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": change.base[:12]},
        "spec": {
            "base": change.base,
            "freezes": [_freeze(freeze) for freeze in change.in_force],
            "objects": {name_of(changed): _object(changed) for changed in change.objects},
            "held": [
                {"what": held.what, "value": held.value, "labels": dict(held.labels), "folders": list(held.folders)} for held in change.held
            ],
        },
    }


def as_resource(change: Change) -> Resource:
    """Return the document as a resource that rules are asked about. A finding about an object stands at its author's line."""
    by_name = {name_of(changed): changed for changed in change.objects}

    def locate(path: Path) -> Place:
        changed = by_name.get(str(path[2])) if len(path) > 2 else None
        if changed is None:
            return Place("")
        pin = changed.pins[path[4]] if len(path) > 4 and path[3] == "pins" and isinstance(path[4], int) else None
        return changed.document.place(pin.path if pin is not None else ())

    return Resource(report(change), Role.DOCUMENT, Document(None, FILE, locate=locate))


def name_of(changed: Changed) -> str:
    """Return the name of an object in the document: kind, namespace and name, with slashes."""
    identity = changed.identity
    group = f".{identity.group}" if identity.group else ""
    return "/".join(part for part in (f"{identity.kind}{group}", identity.namespace, identity.name) if part)


def _object(changed: Changed) -> dict[str, Any]:
    return {
        "action": changed.action,
        "kind": changed.identity.kind,
        "namespace": changed.identity.namespace,
        "name": changed.identity.name,
        "team": changed.team,
        "file": changed.document.file,
        "labels": dict(changed.labels),
        "folders": list(changed.folders),
        "through": list(changed.through),
        "remade": changed.remade,
        "made": [{"what": what, "value": value} for what, value in changed.made],
        "pins": [{"what": pin.what, "value": pin.value} for pin in changed.pins],
    }


def _freeze(freeze: Freeze) -> dict[str, str]:
    return {
        "team": freeze.team,
        "reason": freeze.reason,
        "owner": freeze.owner,
        "starts": freeze.starts.isoformat(),
        "ends": freeze.ends.isoformat(),
    }
