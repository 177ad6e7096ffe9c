"""What only all units together can say: objects that get in each other's way, and rules about more than one author's objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from crossgate.model import CouldNotCheck, Finding, Resource
from crossgate.policy import Policies
from crossgate.policy.apart import Shared
from crossgate.policy.gathering import linked
from crossgate.render.clashes import clashes
from crossgate.units.judge import stage
from crossgate.units.verdict import FileVerdict, Verdict

Unit = tuple[str, int]
"""A file, and the number of the object in it."""


@dataclass(frozen=True, slots=True)
class Together:
    """What is said of units together, and of which units it replaces what was said of related objects."""

    findings: tuple[Finding, ...]
    could_not_check: tuple[CouldNotCheck, ...]
    replaced: frozenset[Unit]


def judge_together(
    files: Iterable[FileVerdict],
    policies: Policies | None,
    made: Callable[[Unit], Sequence[Resource]],
    *,
    namespaces: Sequence[Resource] = (),
    facts: Sequence[Resource] = (),
) -> Together:
    """Judge units together.

    Args:
        files: every file of the estate, in order.
        policies: the rules.
        made: renders a unit (again); asked for the few that something is to be said about.
        namespaces: the Namespaces that stand in Git.
        facts: further objects for rules over the estate, which stand in no file.
    """
    units = {(file.name, number): unit for file in files for number, unit in enumerate(file.units)}
    findings: list[Finding] = []
    could_not_check: tuple[CouldNotCheck, ...] = ()
    doubtful = _clashing(units)
    if doubtful:
        remote = frozenset(name for unit in units.values() for name in unit.ties.remotes)
        resources = [resource for unit in doubtful for resource in made(unit)]
        told, could_not_check = stage("looking for clashes", lambda: list(clashes(resources, remote)))
        findings += told or ()
    if policies is None:
        return Together(tuple(findings), could_not_check, frozenset())
    groups = linked({unit: (verdict.ties.offers, verdict.ties.follows) for unit, verdict in units.items()})
    for group in groups:
        judged = [resource for unit in group for resource in made(unit)]
        said, missing = stage("judging by policies", lambda judged=judged: policies.related(judged, namespaces))  # type: ignore[misc] # bound early
        findings += said.findings if said else ()
        could_not_check += said.could_not_check if said else missing
    shared = [
        Shared(unit[0], body, written, lambda unit=unit, at=at: made(unit)[at])  # type: ignore[misc] # bound early
        for unit, verdict in units.items()
        for at, written, body in verdict.shared
    ]
    shared += [Shared(fact.document.file, fact.body, True, lambda fact=fact: fact) for fact in facts]  # type: ignore[misc] # bound early
    said, missing = stage("judging by policies", lambda: policies.over_the_estate(shared))
    findings += said.findings if said else ()
    could_not_check += said.could_not_check if said else missing
    return Together(tuple(findings), could_not_check, frozenset(unit for group in groups for unit in group))


def _clashing(units: Mapping[Unit, Verdict]) -> list[Unit]:
    """Return the units of which an object may be another one's too, in order."""
    first: dict[int, Unit] = {}
    found: set[Unit] = set()
    for unit, verdict in units.items():
        if verdict.ties.clashing:
            found.add(unit)
        for identity in verdict.ties.identities:
            other = first.setdefault(identity, unit)
            if other != unit:
                found.update((other, unit))
    return [unit for unit in units if unit in found]
