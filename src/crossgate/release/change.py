"""What a change does to whom: the author's objects that are new, other or gone, or become something else, and what they pin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from crossgate.model import Document, Identity
from crossgate.paths import follow
from crossgate.release.freezes import Freeze
from crossgate.release.pins import Pin, pins
from crossgate.schema import Schemas
from crossgate.teams import team_of
from crossgate.units.states import State, differing

if TYPE_CHECKING:
    from crossgate.release.remade import Key, Thing

_SELECTORS = (("spec", "compositionSelector", "matchLabels"), ("spec", "crossplane", "compositionSelector", "matchLabels"))


@dataclass(frozen=True, slots=True)
class Changed:
    """One object. ``pins`` are those that it has now and did not have in the base; ``labels`` and ``folders`` say its environment.

    ``through`` names what of the platform makes something else of it, ``made`` are the things (kind and value) that what it becomes
    newly pins through that. An object that is told for nothing else was not touched by its author: ``remade``.
    """

    action: str
    identity: Identity
    team: str
    document: Document
    labels: Mapping[str, str]
    folders: tuple[str, ...]
    pins: tuple[Pin, ...] = ()
    through: tuple[str, ...] = ()
    made: tuple[Thing, ...] = ()
    remade: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """Something that the base pins already, and the environment in which it does."""

    what: str
    value: str
    labels: Mapping[str, str]
    folders: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """A change against ``base`` (a commit's id), judged at a moment. ``freezes`` are all that are known, in force or not."""

    base: str
    at: datetime
    objects: tuple[Changed, ...] = ()
    held: tuple[Held, ...] = ()
    freezes: tuple[Freeze, ...] = field(default=())

    @cached_property
    def in_force(self) -> tuple[Freeze, ...]:
        """Return the freezes that hold now."""
        return tuple(freeze for freeze in self.freezes if freeze.holds(self.at))


def change(
    before: State,
    after: State,
    *,
    base: str,
    at: datetime,
    freezes: Sequence[Freeze] = (),
    schemas: Schemas | None = None,
    functions: Mapping[str, str] | None = None,
) -> Change:
    """Compare two states object by object.

    Only files that differ are read; of the others those of the base that hold what a changed object pins, and those with namespaces.
    When the platform differs, everything is read and rendered.

    Args:
        before: the base.
        after: what would be merged.
        base: the base's commit.
        at: the moment that freezes are judged at.
        freezes: all that are known.
        schemas: the project's schemas, which rendering needs besides its XRDs.
        functions: the function behind a ``functionRef`` name that does not tell.

    Raises:
        CrossgateError: objects of the base are missing from this clone.
    """
    names = list(differing(before, after))
    was = _by_name(before, (name for name in names if name in before.ids))
    will = _by_name(after, (name for name in names if name in after.ids))
    spaces = _Spaces(after), _Spaces(before)
    from crossgate.release.remade import Remade, through_the_platform  # noqa: PLC0415 - a check without a base renders no second time

    through = through_the_platform(before, after, _all, schemas or Schemas.load(()), functions or {})
    objects = []
    for key in dict.fromkeys((*will, *was)):
        one, other = was.get(key), will.get(key)
        if one is not None and other is not None and one.body == other.body:
            continue  # its file moved, or another object in it changed
        action = "create" if one is None else "delete" if other is None else "update"
        shown = other or one
        assert shown is not None  # noqa: S101 - a pair has at least one side
        found = _changed(action, shown, spaces[0] if other is not None else spaces[1])
        by = through.objects.pop(key, Remade((), ()))
        objects.append(replace(found, pins=_new_pins(one, other), through=by.through, made=by.pins))
    untouched = _all(after) if through.objects else {}
    for key, by in through.objects.items():
        objects.append(replace(_changed("update", untouched[key], spaces[0]), through=by.through, made=by.pins, remade=True))
    held = [*_held(before, objects, spaces[1])]
    wanted = dict.fromkeys(thing for changed in objects for thing in changed.made)
    held += (Held(*thing, spaces[1].labels(each.body), _folders(each)) for thing in wanted for each in through.held.get(thing, ()))
    return Change(base, at, tuple(objects), tuple(held), tuple(freezes))


def _changed(action: str, document: Document, spaces: _Spaces) -> Changed:
    identity = Identity.of(document.body)
    return Changed(action, identity, team_of(document.body), document, spaces.labels(document.body), _folders(document))


def _all(state: State) -> Mapping[Key, Document]:
    return _by_name(state, (name for name in state.ids if not state.doubled(name)))


def _by_name(state: State, names: Iterable[str]) -> dict[Key, Document]:
    found: dict[Key, Document] = {}
    for document in state.documents(names):
        identity = Identity.of(document.body)
        found.setdefault((identity.group, identity.kind, identity.namespace, identity.name), document)
    return found


def _new_pins(before: Document | None, after: Document | None) -> tuple[Pin, ...]:
    if after is None:
        return ()
    known = {(pin.what, pin.value) for pin in pins(before.body)} if before is not None else set()
    return tuple(pin for pin in pins(after.body) if (pin.what, pin.value) not in known)


def _held(before: State, objects: Iterable[Changed], spaces: _Spaces) -> Iterator[Held]:
    """Yield where the base pins what the changed objects pin. A file is read only when it holds the text."""
    wanted = {thing for changed in objects for thing in (*((pin.what, pin.value) for pin in changed.pins), *changed.made)}
    if not wanted:
        return
    texts = [part.encode() for _, value in wanted for part in value.split("@")[:1]]
    for document in before.documents(before.holding(texts)):
        for found in dict.fromkeys((pin.what, pin.value) for pin in pins(document.body)):
            if found in wanted:
                yield Held(*found, spaces.labels(document.body), _folders(document))


def _folders(document: Document) -> tuple[str, ...]:
    return PurePosixPath(document.file).parts[:-1]


@dataclass(frozen=True)
class _Spaces:
    """The labels that say where an object belongs: its own, those of the Composition that it chooses, and those of its namespace."""

    state: State

    @cached_property
    def _namespaces(self) -> Mapping[str, Mapping[str, str]]:
        names = self.state.holding([b"Namespace"])
        return {
            document.body["metadata"]["name"]: _texts(follow(document.body, ("metadata", "labels")))
            for document in self.state.documents(names)
            if document.body.get("kind") == "Namespace" and Identity.of(document.body).name
        }

    def labels(self, body: Any) -> Mapping[str, str]:
        """Return the labels; of one name the object's own counts, then that of its choice."""
        found: dict[str, str] = dict(self._namespaces.get(Identity.of(body).namespace, {}))
        for selector in _SELECTORS:
            found |= _texts(follow(body, selector))
        return found | _texts(follow(body, ("metadata", "labels")))


def _texts(value: Any) -> dict[str, str]:
    return {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, Mapping) else {}
