"""Which objects rules over more than one object see together.

Rules over the estate see all objects of the kinds they declare. Rules over related objects see units (an author's object with all
that it makes) that hang together: what no object refers to from one unit into the other is judged apart, so that judging grows with
the estate and not with its square, and a verdict changes only when one of its objects does. Handing a rule the whole estate instead
gives the same verdict; that is what ``conftest --combine`` does.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from crossgate.model import Resource, Role
from crossgate.paths import MISSING, follow
from crossgate.policy.rules import Rule, Scope

_COMPOSITE = "crossplane.io/composite"
_EXTERNAL_NAME = "crossplane.io/external-name"

Tie = TypeVar("Tie", bound=Hashable)
Unit = TypeVar("Unit", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Ties:
    """What may lead a rule from one unit to another: what it could find there (``offers``), and what it could look for (``follows``)."""

    offers: frozenset[str] = frozenset()
    follows: frozenset[str] = frozenset()


def ties_of(rules: Sequence[Rule], resources: Sequence[Resource]) -> Ties:
    """Return the ties of a unit's resources.

    A reference is a text anywhere in ``spec`` that is another's name (in the cluster or in its cloud), or a selector with a label that
    another has; besides, rules look at an object's namespace, and at what its labels say it is composed for. That is more than any rule
    follows; what is judged together without need is judged the same. Claims and XRs refer to nothing themselves: what is made of
    them does.
    """
    over = [rule for rule in rules if rule.scope is Scope.RELATED]
    if not over:
        return Ties()
    bodies = [resource.body for resource in resources]
    names = {name for body in bodies if isinstance(name := follow(body, ("metadata", "name")), str)}
    offers = {f"object {name}" for name in names}
    offers |= {
        f"namespace {follow(body, ('metadata', 'name'))}"
        for resource, body in zip(resources, bodies, strict=True)
        if _kind(body) == "Namespace" and resource.role is not Role.DOCUMENT
    }
    follows: set[str] = set()
    for place in members(over, bodies):
        body = bodies[place]
        own = {f"name {name}" for name in _names(body)}
        labels = {_label(key, value) for key, value in _labels(follow(body, ("metadata", "labels")))}
        composites = set(_composites(body))
        if resources[place].role not in (Role.CLAIM, Role.XR):
            offers |= own | labels
            follows |= own | {f"name {found}" if isinstance(found, str) else _label(*found) for found in _references(body.get("spec"))}
        follows |= {_label(_COMPOSITE, name) for name in composites} | {f"object {name}" for name in composites - names}
        namespace = follow(body, ("metadata", "namespace"))
        follows |= {f"namespace {namespace}"} if isinstance(namespace, str) else set()
    return Ties(frozenset(offers), frozenset(follows))


def linked(ties: Mapping[Unit, tuple[Iterable[Tie], Iterable[Tie]]]) -> list[list[Unit]]:
    """Divide the units of which one may lead to another into groups, in order; those that stand alone are in none.

    Args:
        ties: what each unit offers and follows.
    """
    offering: dict[Tie, list[Unit]] = {}
    for unit, (offers, _) in ties.items():
        for tie in offers:
            offering.setdefault(tie, []).append(unit)
    above: dict[Unit, Unit] = {}

    def find(unit: Unit) -> Unit:
        while (up := above.setdefault(unit, unit)) != unit:
            above[unit] = above[up]
            unit = up
        return unit

    for unit, (_, follows) in ties.items():
        for tie in follows:
            for other in offering.get(tie, ()):
                if other != unit:
                    above[find(other)] = find(unit)
    groups: dict[Unit, list[Unit]] = {}
    for unit in ties:
        if unit in above:
            groups.setdefault(find(unit), []).append(unit)
    return list(groups.values())


def rendered(resource: Resource) -> bool:
    """Say whether Crossplane makes the object, so that it does not stand in Git."""
    while resource.role is Role.WRAPPED and resource.parent is not None:
        resource = resource.parent
    return resource.role is Role.COMPOSED or (resource.role is Role.XR and resource.parent is not None)


def members(rules: Sequence[Rule], bodies: Sequence[dict[str, Any]]) -> list[int]:
    """Return the places of the objects that the rules declare to speak about; all of them where one declares nothing."""
    if any(rule.kinds is None for rule in rules):
        return list(range(len(bodies)))
    kinds = frozenset[str]().union(*(rule.kinds or () for rule in rules))
    fields = {path for rule in rules for path in rule.fields_of_any_kind}
    return [place for place, body in enumerate(bodies) if speaks_about(body, kinds, fields)]


def speaks_about(body: dict[str, Any], kinds: frozenset[str] | None, fields: Iterable[tuple[str, ...]]) -> bool:
    """Say whether a rule of these kinds, or of these fields of any kind, speaks about an object; about every one without kinds."""
    return kinds is None or _kind(body) in kinds or any(follow(body, path) is not MISSING for path in fields)


def seen_beside(judged: Sequence[Resource], among: Iterable[Resource]) -> list[Resource]:
    """Return the namespaces of what is judged, and the objects that its labels say it is composed for."""
    own = {id(resource) for resource in judged}
    namespaces = {name for resource in judged if isinstance(name := follow(resource.body, ("metadata", "namespace")), str)}
    composites = {name for resource in judged for name in _composites(resource.body)}
    found = []
    for resource in among:
        name = follow(resource.body, ("metadata", "name"))
        if id(resource) in own or not isinstance(name, str):
            continue
        if name in composites or (_kind(resource.body) == "Namespace" and name in namespaces):
            found.append(resource)
    return found


def _kind(body: dict[str, Any]) -> str:
    kind = body.get("kind")
    return kind if isinstance(kind, str) else ""


def _label(key: str, value: str) -> str:
    return f"label {key}={value}"


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
