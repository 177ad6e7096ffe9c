"""Pair what is there before with what is there after: objects by identity, what they make by template and not by generated name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from crossgate.model import Resource, Role
from crossgate.paths import format_path
from crossgate.render.estate import Made

T = TypeVar("T", Made, Resource)

Pair = tuple[T | None, T | None]


def paired(before: Iterable[T], after: Iterable[T], key: Callable[[T], Hashable]) -> Iterator[Pair[T]]:
    """Pair items of one key, in their order where several have it; what is left on one side has ``None`` on the other."""
    was: dict[Hashable, list[T]] = _grouped(before, key)
    will: dict[Hashable, list[T]] = _grouped(after, key)
    for name in dict.fromkeys((*will, *was)):
        old, new = was.get(name, []), will.get(name, [])
        for index in range(max(len(old), len(new))):
            yield old[index] if index < len(old) else None, new[index] if index < len(new) else None


def _grouped(items: Iterable[T], key: Callable[[T], Hashable]) -> dict[Hashable, list[T]]:
    groups: dict[Hashable, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def objects(before: Sequence[Made], after: Sequence[Made]) -> Iterator[Pair[Made]]:
    """Pair authors' objects by group, kind, namespace and name; a claim that is gone and one that came in its place are a rename."""
    pairs = list(paired(before, after, _identity))
    gone = [old for old, new in pairs if old is not None and new is None and _renders(old)]
    came = [new for old, new in pairs if old is None and new is not None and _renders(new)]
    renamed: dict[int, Made] = {}
    for old, new in paired(gone, came, _place_and_kind):
        if old is not None and new is not None and _alike(old, new):
            renamed[id(old)] = new
    taken = {id(new) for new in renamed.values()}
    for one, other in pairs:
        if one is not None and other is None and id(one) in renamed:
            yield one, renamed[id(one)]
        elif not (one is None and other is not None and id(other) in taken):
            yield one, other


def resources(before: Made | None, after: Made | None) -> Iterator[Pair[Resource]]:
    """Pair what two states of one object make; the XR of a claim and of a composed resource is not told: it repeats them."""
    return paired(_told(before), _told(after), template_key)


def _told(made: Made | None) -> list[Resource]:
    return [resource for resource in made.resources[1:] if resource.role is not Role.XR] if made else []


def template_name(resource: Resource) -> str:
    """Return the templates that lead to a resource, for people; a manifest inside of it has the name of what holds it."""
    return " / ".join(part for part in template_key(resource) if "." not in part.partition("/")[0])


def template_key(resource: Resource) -> tuple[str, ...]:
    """Name a resource below its author's object: the steps and templates that lead to it."""
    parts: list[str] = []
    link: Resource | None = resource
    while link is not None and link.parent is not None:
        if link.role is not Role.XR:
            parts.append(f"{link.step}/{link.template}" if link.template else format_path(link.inside))
        link = link.parent
    return tuple(reversed(parts))


def _identity(made: Made) -> Hashable:
    identity = made.resources[0].identity
    return identity.group, identity.kind, identity.namespace, identity.name


def _renders(made: Made) -> bool:
    return made.resources[0].role in (Role.CLAIM, Role.XR)


def _place_and_kind(made: Made) -> Hashable:
    identity = made.resources[0].identity
    return identity.group, identity.kind, identity.namespace


def _alike(old: Made, new: Made) -> bool:
    """Say whether two objects are one under another name: they stand in one file, or ask for the same."""
    return old.document.file == new.document.file or bool(old.document.body.get("spec") == new.document.body.get("spec"))
