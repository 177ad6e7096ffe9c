"""Which objects rules over more than one object see together.

Rules over the estate see all objects of the kinds they declare. Rules over related objects see units (an author's object with all
that it makes) that hang together: what no object refers to from one unit into the other is judged apart, so that judging grows with
the estate and not with its square, and a verdict changes only when one of its objects does. Handing a rule the whole estate instead
gives the same verdict; that is what ``conftest --combine`` does.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from crossgate.model import CLAIM, COMPOSED, DOCUMENT, WRAPPED, XR, Resource
from crossgate.paths import MISSING, follow
from crossgate.policy.rules import Rule

_NAME = ("metadata", "name")
_LABELS = ("metadata", "labels")
_COMPOSITE = (*_LABELS, "crossplane.io/composite")
_EXTERNAL_NAME = ("metadata", "annotations", "crossplane.io/external-name")
_POOLS = frozenset(("NodeGroup", "NodePool", "KubernetesClusterNodePool"))
"""Kinds whose names in a cloud are names within their cluster: each of many clusters has a pool called ``gpu``."""

Tie = TypeVar("Tie", bound=Hashable)
Unit = TypeVar("Unit", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Ties:
    """What may lead a rule from one unit to another: what it could find there (``offers``), and what it could look for (``follows``)."""

    offers: frozenset[str] = frozenset()
    follows: frozenset[str] = frozenset()


def ties_of(resources: Sequence[Resource], places: Sequence[int]) -> Ties:
    """Return the ties of a unit's resources, of which rules over related objects speak about those at ``places``.

    A reference is a text anywhere in ``spec`` that is another's name (in the cluster, or in its cloud except for ``_POOLS``), or a
    selector with a label that another has; besides, rules look at an object's namespace, and at what its labels say it is composed for.
    That is more than any rule follows; what is judged together without need is judged the same. Claims and XRs refer to nothing
    themselves: what is made of them does.
    """
    offers = {f"object {resource.identity.name}" for resource in resources}
    offers |= {
        f"namespace {resource.identity.name}"
        for resource in resources
        if resource.identity.kind == "Namespace" and resource.role is not DOCUMENT
    }
    follows: set[str] = set()
    for place in places:
        resource, body = resources[place], resources[place].body
        if resource.role not in (CLAIM, XR):
            paths = (_NAME,) if kind_of(body) in _POOLS else (_NAME, _EXTERNAL_NAME)
            own = {f"name {name}" for path in paths if isinstance(name := follow(body, path), str)}
            offers |= own | _labels(follow(body, _LABELS))
            follows |= own | _references(body.get("spec"))
        if isinstance(composite := follow(body, _COMPOSITE), str):
            follows.add(_label(_COMPOSITE[-1], composite))
            follows |= {f"object {composite}"} - offers
        if namespace := resource.identity.namespace:
            follows.add(f"namespace {namespace}")
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
    while resource.role is WRAPPED and resource.parent is not None:
        resource = resource.parent
    return resource.role is COMPOSED or (resource.role is XR and resource.parent is not None)


@dataclass(frozen=True, slots=True)
class About:
    """What some rules speak about: objects of these kinds (None: of every kind), and those of any kind with one of these fields."""

    kinds: frozenset[str] | None
    fields: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> About:
        """Return what all of the rules declare to speak about; everything where one declares nothing."""
        declared = [rule.kinds for rule in rules if rule.kinds is not None]
        return cls(
            frozenset[str]().union(*declared) if len(declared) == len(rules) else None,
            frozenset(path for rule in rules for path in rule.fields_of_any_kind),
        )

    def of_kind(self, kind: str) -> bool:
        """Say whether the rules speak about every object of a kind."""
        return self.kinds is None or kind in self.kinds

    def holds(self, body: dict[str, Any]) -> bool:
        """Say whether the rules speak about an object."""
        return self.of_kind(kind_of(body)) or (bool(self.fields) and any(follow(body, path) is not MISSING for path in self.fields))


def seen_beside(judged: Sequence[Resource], among: Iterable[Resource]) -> list[Resource]:
    """Return the namespaces of what is judged, and the objects that its labels say it is composed for."""
    own = {id(resource) for resource in judged}
    namespaces = {resource.identity.namespace for resource in judged} - {""}
    composites = {name for resource in judged if isinstance(name := follow(resource.body, _COMPOSITE), str)} - {""}
    found = []
    for resource in among:
        name = resource.identity.name
        if (name in composites or (name in namespaces and resource.identity.kind == "Namespace")) and id(resource) not in own:
            found.append(resource)
    return found


def kind_of(body: dict[str, Any]) -> str:
    """Return the kind of an object; "" when it has none."""
    kind = body.get("kind")
    return kind if isinstance(kind, str) else ""


def _label(key: str, value: str) -> str:
    return f"label {key}={value}"


def _labels(labels: Any) -> set[str]:
    return {_label(key, value) for key, value in labels.items() if isinstance(value, str)} if isinstance(labels, dict) else set()


def _references(spec: Any) -> set[str]:
    """Return what an object may refer to: the texts in its spec, and the labels of its selectors."""
    found: set[str] = set()
    left = [spec]
    while left:
        value = left.pop()
        if isinstance(value, str):
            found.add(f"name {value}")
        elif isinstance(value, dict):
            if "matchLabels" in value:
                found |= _labels(value["matchLabels"])
            left += value.values()
        elif isinstance(value, list):
            left += value
    return found


def combined(objects: Iterable[tuple[str, str, int]]) -> str:
    """Write objects (file, JSON text, how many) as ``conftest --combine`` hands them over: an array of ``{"contents", "path"}``.

    Of several that are alike and are counted there is one with their number as ``count``.
    """
    return f"[{','.join(_entry(*each) for each in objects)}]"


def _entry(file: str, text: str, count: int) -> str:
    counted = f'"count":{count},' if count > 1 else ""
    return f'{{"contents":{text},{counted}"path":{json.dumps(file)}}}'
