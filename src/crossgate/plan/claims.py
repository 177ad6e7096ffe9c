"""What changes of one author's object, and of everything that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crossgate.load.platform import KINDS
from crossgate.model import Identity, Place, Resource, Role, Severity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.plan.causes import Causes
from crossgate.plan.fields import Fields, Look, changed_fields
from crossgate.plan.immutable import kept_in_cloud, provider_group
from crossgate.plan.match import resources, template_key, template_name
from crossgate.plan.model import Action, ClaimChange, Danger, Mark, ResourceChange
from crossgate.render.estate import Made
from crossgate.render.wrapped import MANIFEST
from crossgate.schema import Schemas
from crossgate.schema.definition import update_faults
from crossgate.sensitive import redacted, secret_values

Namer = Callable[[Resource | None, Resource | None, Path, Path], tuple[str, ...]]

STATEFUL = frozenset(
    (
        *("Account", "Bucket", "Cluster", "Container", "Database", "DatabaseInstance", "Disk", "Instance", "Namespace"),
        *("PersistentVolume", "PersistentVolumeClaim", "ReplicationGroup", "ServerlessCache", "StatefulSet"),
    )
)
"""Kinds whose content is gone with them."""


_NAMED = 5
"""How many resources a sentence names."""

_STOPPING = frozenset(
    ("render/failed", *(f"crossplane/{name}" for name in ("composition-cycle", "no-composition", "no-name", "unknown-api")))
)
"""Rules about what keeps an object from becoming anything."""


@dataclass(frozen=True, slots=True)
class Side:
    """One state of an object (``None`` where it is not there), and the schemas of that state."""

    made: Made | None
    schemas: Schemas

    @property
    def head(self) -> Resource | None:
        """Return the object itself."""
        return self.made.resources[0] if self.made else None


def claim_change(before: Side, after: Side, causes: Causes, patterns: Sequence[str]) -> ClaimChange | None:
    """Compare two states of one object; ``None`` when there is neither."""
    was, will = before.head, after.head
    shown = will or was
    if shown is None:
        return None
    name: Namer = causes.of(before.made, after.made) if before.made and after.made else lambda _was, _will, _path, _inside: ()
    head = _compared(was, will, after.schemas, patterns, name)
    opened = _opened(before.made, after.made)
    told = [
        _resource(one, other, after.schemas, patterns, name, MANIFEST if {id(one), id(other)} & opened else ())
        for one, other in resources(before.made, after.made)
    ]
    kept = tuple(change for change, _ in told if change is not None)
    action = _action(was, will)
    problems = _problems(before.made, after.made)
    marks = [*_claim_marks(action, before.made, after.made, kept), *(Mark(Danger.NO_LONGER_RENDERS, problem) for problem in problems)]
    if was and will:
        marks += _switches(before.made, after.made)
        marks += _definition(was.body, will.body)
    return ClaimChange(
        action=action,
        before=was.identity if was else None,
        after=will.identity if will else None,
        role=shown.role,
        place=_place(shown),
        fields=head.changes,
        resources=kept,
        marks=tuple(marks),
        problems=problems,
        ignored=head.ignored + sum(count for _, count in told),
    )


def _action(before: Resource | None, after: Resource | None) -> Action:
    if before is None:
        return Action.CREATE
    if after is None:
        return Action.DELETE
    one, other = before.identity, after.identity
    same = (one.group, one.kind, one.namespace, one.name) == (other.group, other.kind, other.namespace, other.name)
    return Action.UPDATE if same else Action.REPLACE


def _compared(
    before: Resource | None, after: Resource | None, schemas: Schemas, patterns: Sequence[str], name: Namer, skipped: Path = ()
) -> Fields:
    shown = after or before
    assert shown is not None  # noqa: S101 - a pair has at least one side
    look = Look(
        schemas,
        patterns,
        anew=_action(before, after) is Action.REPLACE,
        effects=shown.role not in (Role.CLAIM, Role.XR) and shown.identity.kind not in KINDS,
        skipped=skipped,
    )
    found = changed_fields(shown.identity, before.body if before else MISSING, after.body if after else MISSING, look)
    changes = tuple(replace(change, causes=name(before, after, change.path, change.inside)) for change in found.changes)
    return Fields(changes, found.ignored)


def _resource(
    before: Resource | None, after: Resource | None, schemas: Schemas, patterns: Sequence[str], name: Namer, skipped: Path
) -> tuple[ResourceChange | None, int]:
    shown = after or before
    assert shown is not None  # noqa: S101 - a pair has at least one side
    action = _action(before, after)
    found = _compared(before, after, schemas, patterns, name, skipped)
    if action is Action.UPDATE and any(mark.danger is Danger.REPLACES for change in found.changes for mark in change.marks):
        action = Action.REPLACE
    if action is Action.UPDATE and not found.changes and before and after and before.identity == after.identity:
        return None, found.ignored
    made = ResourceChange(
        action=action,
        before=before.identity if before else None,
        after=after.identity if after else None,
        role=shown.role,
        template=template_name(shown),
        composition=Identity.of(shown.composition.body).name if shown.composition else "",
        fields=found.changes,
        marks=tuple(_resource_marks(action, before, after)),
    )
    return made, found.ignored


def _opened(*states: Made | None) -> set[int]:
    """Return the resources whose manifest is told as a resource of its own."""
    return {id(resource.parent) for made in states if made for resource in made.resources if resource.role is Role.WRAPPED}


def _resource_marks(action: Action, before: Resource | None, after: Resource | None) -> Iterator[Mark]:
    if before is None:
        return
    if action is Action.DELETE:
        if before.identity.kind == "NetworkPolicy":
            yield Mark(Danger.WIDER_NETWORK, f"{before.identity} goes: what it kept out is let in")
        if kept_in_cloud(before.body):
            yield Mark(Danger.DESTROYS, f"{before.identity} goes, but stays in the cloud without an owner")
        else:
            yield Mark(Danger.DESTROYS, f"{before.identity} is destroyed{_content(before)}")
    if action is Action.REPLACE and after is not None and _action(before, after) is Action.REPLACE:
        yield Mark(Danger.REPLACES, f"{before.identity} is destroyed{_content(before)}, and {after.identity} made in its place")


def _content(resource: Resource) -> str:
    return ", with everything in it" if _lost(resource) else ""


def _lost(resource: Resource) -> bool:
    return resource.identity.kind in STATEFUL and not kept_in_cloud(resource.body)


def _lost_with(made: Made | None) -> str:
    """Name what loses its content with an object."""
    lost = [str(resource.identity) for resource in (made.resources[1:] if made else ()) if resource.role is not Role.XR and _lost(resource)]
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    return f", with everything in {', '.join(lost[:_NAMED])}{more}" if lost else ""


def _claim_marks(action: Action, before: Made | None, after: Made | None, made: Sequence[ResourceChange]) -> Iterator[Mark]:
    if before is None:
        return
    was = before.resources[0]
    if action is Action.DELETE:
        count = len(made)
        what = f" and the {count} resource{'' if count == 1 else 's'} that it makes" if count else ""
        yield Mark(Danger.DESTROYS, f"{was.identity} is deleted{what}{_content(was)}{_lost_with(before)}")
        yield from (mark for mark in _resource_marks(action, was, None) if mark.danger is Danger.WIDER_NETWORK)
    if action is Action.REPLACE and after is not None:
        becomes = f"{was.identity} becomes {after.resources[0].identity}"
        yield Mark(Danger.REPLACES, f"{becomes}: everything that it makes is destroyed and made anew{_lost_with(before)}")


def _definition(before: Any, after: Any) -> Iterator[Mark]:
    """Say what the API server refuses of a changed CRD or XRD, and which objects that are stored it breaks."""
    kind = Identity.of(after).kind
    if kind not in ("CompositeResourceDefinition", "CustomResourceDefinition"):
        return
    for fault in update_faults(before, after):
        where = format_path(fault.at)
        if kind == "CompositeResourceDefinition" and fault.at[1] in ("group", "names", "claimNames", "enforcedCompositionRef"):
            continue  # its own schema says so, and the field is marked for it
        if fault.severity is Severity.ERROR:
            yield Mark(Danger.REPLACES, f"the API server refuses this change: {fault.message}")
        else:
            yield Mark(Danger.BREAKS_OBJECTS, f"{where}: {fault.message}")


def _switches(before: Made | None, after: Made | None) -> Iterator[Mark]:
    """Say when another Composition makes the resources, or another cloud or account holds them."""
    was, will = (_compositions(made) for made in (before, after))
    if was and will and was != will:
        yield Mark(Danger.COMPOSITION_SWITCH, f"Composition {', '.join(was)} → {', '.join(will)}")
    clouds_was, clouds_will = (_clouds(made) for made in (before, after))
    if clouds_was and clouds_will - clouds_was:
        yield Mark(Danger.PROVIDER_SWITCH, f"provider {', '.join(sorted(clouds_was))} → {', '.join(sorted(clouds_will))}")
    elif clouds_was and clouds_will:
        for one, other in resources(before, after):
            old, new = (follow(side.body, ("spec", "providerConfigRef", "name")) if side else MISSING for side in (one, other))
            if isinstance(old, str) and isinstance(new, str) and old != new:
                yield Mark(Danger.PROVIDER_SWITCH, f"providerConfigRef {old} → {new}: another account")
                return


def _compositions(made: Made | None) -> list[str]:
    found = (Identity.of(link.composition.body).name for link in (made.resources if made else ()) if link.composition and _first(link))
    return sorted(set(found))


def _first(resource: Resource) -> bool:
    """Say whether a resource is composed by the object's own Composition, not by that of a nested XR."""
    return len([part for part in template_key(resource) if part]) == 1


def _clouds(made: Made | None) -> set[str]:
    groups = (provider_group(resource.identity.group) for resource in (made.resources if made else ()))
    return {group.rpartition(".")[2] for group in groups if group}


def _problems(before: Made | None, after: Made | None) -> tuple[str, ...]:
    """Return why an object does not render that did, or that is new."""
    if after is None:
        return ()
    old, new = _said(before), _said(after)
    secrets = secret_values(after.document.body) | (secret_values(before.document.body) if before else frozenset())
    return tuple(redacted(message, secrets) for message in dict.fromkeys(new) if message not in old)


def _said(made: Made | None) -> list[str]:
    if made is None:
        return []
    return [*(finding.message for finding in made.findings if finding.rule in _STOPPING), *(item.what for item in made.could_not_check)]


def _place(resource: Resource) -> Place:
    return resource.document.place()
