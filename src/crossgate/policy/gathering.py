"""Which objects rules over more than one object see together.

Rules over the estate see all objects of the kinds they declare. Rules over related objects see groups: what no object refers to
from one group into the other is judged apart, so that judging grows with the estate and not with its square, and a group's
verdict changes only when one of its objects does. Handing a rule the whole estate instead gives the same verdict; that is what
``conftest --combine`` does.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.model import Resource, Role
from crossgate.paths import MISSING, follow
from crossgate.policy.rules import Rule, Scope

_COMPOSITE = "crossplane.io/composite"
_EXTERNAL_NAME = "crossplane.io/external-name"


@dataclass(frozen=True, slots=True)
class Gathered:
    """Objects that some rules (indexes) see together: the places of all of them in order, and which of them are not judged here."""

    rules: tuple[int, ...]
    places: tuple[int, ...]
    beside: frozenset[int] = frozenset()


def gather(rules: Sequence[Rule], resources: Sequence[Resource]) -> list[Gathered]:
    """Return what rules over more than one object are to be asked about: for the estate first, then for related objects."""
    found = []
    for written in (False, True):
        known = [index for index, rule in enumerate(rules) if rule.scope is Scope.ESTATE and rule.written is written]
        for asked in (
            [index for index in known if rules[index].kinds is not None],
            [index for index in known if rules[index].kinds is None],
        ):
            places = _about([rules[index] for index in asked], resources)
            if asked:
                found.append(Gathered(tuple(asked), tuple(place for place in places if not (written and rendered(resources[place])))))
    related = tuple(index for index, rule in enumerate(rules) if rule.scope is Scope.RELATED)
    if related:
        members = _about([rules[index] for index in related], resources)
        groups = _groups(members, resources)
        beside = _beside(groups, resources)
        found += [Gathered(related, tuple(sorted((*group, *more))), frozenset(more)) for group, more in zip(groups, beside, strict=True)]
    return found


def rendered(resource: Resource) -> bool:
    """Say whether Crossplane makes the object, so that it does not stand in Git."""
    while resource.role is Role.WRAPPED and resource.parent is not None:
        resource = resource.parent
    return resource.role is Role.COMPOSED or (resource.role is Role.XR and resource.parent is not None)


def _about(rules: Sequence[Rule], resources: Sequence[Resource]) -> list[int]:
    """Return the places of the objects that the rules declare to speak about; all of them where one declares nothing."""
    if any(rule.kinds is None for rule in rules):
        return list(range(len(resources)))
    kinds = frozenset[str]().union(*(rule.kinds or () for rule in rules))
    fields = {path for rule in rules for path in rule.fields_of_any_kind}
    return [
        place
        for place, resource in enumerate(resources)
        if _kind(resource) in kinds or any(follow(resource.body, path) is not MISSING for path in fields)
    ]


class _Sets:
    """Sets that grow together (union-find), of things of any kind."""

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def find(self, thing: Hashable) -> Hashable:
        above = self._above.setdefault(thing, thing)
        while above != thing:
            self._above[thing] = self._above[above]
            thing, above = above, self._above[above]
        return thing

    def join(self, one: Hashable, other: Hashable) -> None:
        self._above[self.find(one)] = self.find(other)


def _groups(members: Sequence[int], resources: Sequence[Resource]) -> list[list[int]]:
    """Divide objects so that those stay together that come of one author's object, or of which one refers to the other.

    A reference is a text anywhere in ``spec`` that is another's name (in the cluster or in its cloud), or a selector with a label that
    another has. That is more than any rule follows; what is together without need is judged the same.
    """
    sets = _Sets()
    names: set[str] = set()
    labels: dict[tuple[str, str], list[int]] = {}
    for place in members:
        body = resources[place].body
        sets.join(place, ("author", id(_author(resources[place]))))
        for name in _names(body):
            names.add(name)
            sets.join(place, ("name", name))
        for label in _labels(follow(body, ("metadata", "labels"))):
            labels.setdefault(label, []).append(place)
            if label[0] == _COMPOSITE:
                sets.join(place, ("label", label))
    for place in members:
        for reference in _references(resources[place].body.get("spec")):
            if isinstance(reference, str):
                if reference in names:
                    sets.join(place, ("name", reference))
            else:
                for holder in labels.pop(reference, ()):
                    sets.join(holder, ("label", reference))
                sets.join(place, ("label", reference))
    groups: dict[Hashable, list[int]] = {}
    for place in members:
        groups.setdefault(sets.find(place), []).append(place)
    return list(groups.values())


def _beside(groups: Sequence[Sequence[int]], resources: Sequence[Resource]) -> Iterator[set[int]]:
    """Return for each group its namespaces, and the objects that its labels say it is composed for."""
    namespaces: dict[str, list[int]] = {}
    wanted = {name for group in groups for place in group for name in _composites(resources[place].body)}
    composites: dict[str, list[int]] = {}
    for place, resource in enumerate(resources):
        name = follow(resource.body, ("metadata", "name"))
        if not isinstance(name, str):
            continue
        if _kind(resource) == "Namespace":
            namespaces.setdefault(name, []).append(place)
        if name in wanted:
            composites.setdefault(name, []).append(place)
    for group in groups:
        found: set[int] = set()
        for place in group:
            namespace = follow(resources[place].body, ("metadata", "namespace"))
            found.update(namespaces.get(namespace, ()) if isinstance(namespace, str) else ())
            for name in _composites(resources[place].body):
                found.update(composites.get(name, ()))
        yield found.difference(group)


def _kind(resource: Resource) -> str:
    kind = resource.body.get("kind")
    return kind if isinstance(kind, str) else ""


def _author(resource: Resource) -> Any:
    while resource.parent is not None:
        resource = resource.parent
    return resource


def _names(body: dict[str, Any]) -> Iterator[str]:
    for path in (("metadata", "name"), ("metadata", "annotations", _EXTERNAL_NAME)):
        name = follow(body, path)
        if isinstance(name, str):
            yield name


def _composites(body: dict[str, Any]) -> Iterator[str]:
    name = follow(body, ("metadata", "labels", _COMPOSITE))
    if isinstance(name, str):
        yield name


def _labels(labels: Any) -> Iterator[tuple[str, str]]:
    if isinstance(labels, dict):
        yield from ((key, value) for key, value in labels.items() if isinstance(value, str))


def _references(value: Any) -> Iterator[str | tuple[str, str]]:
    """Return the texts in a value, and the labels of its selectors."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _labels(value.get("matchLabels"))
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def combined(files: Iterable[str], texts: Iterable[str]) -> str:
    """Write objects (JSON texts) as ``conftest --combine`` hands them over: an array of ``{"contents", "path"}``."""
    objects = [f'{{"contents":{text},"path":{json.dumps(file)}}}' for file, text in zip(files, texts, strict=True)]
    return f"[{','.join(objects)}]"
