"""What only all units together can say: objects that get in each other's way, and rules about more than one author's objects."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from crossgate.model import CouldNotCheck, Finding, Judgement, Resource
from crossgate.policy import Policies
from crossgate.policy.estate import Shared, View
from crossgate.policy.gathering import linked
from crossgate.render.clashes import clashes
from crossgate.units.cache import Entry
from crossgate.units.codec import packed_answer, unpacked_answer
from crossgate.units.judge import stage
from crossgate.units.stamp import digest_of
from crossgate.units.state import Judged
from crossgate.units.sums import concerned, mark_of
from crossgate.units.verdict import Unit, Verdict


@dataclass(frozen=True, slots=True)
class Together:
    """What is said of units together, and of which units it replaces what was said of related objects."""

    findings: tuple[Finding, ...]
    could_not_check: tuple[CouldNotCheck, ...]
    replaced: frozenset[Unit] = frozenset()


def judge_together(judged: Judged, policies: Policies | None, facts: Sequence[Resource] = ()) -> Together:
    """Judge units together.

    Args:
        judged: every file of the estate.
        policies: the rules.
        facts: further objects for rules over the estate, which stand in no file.
    """
    some = _concerned(judged)
    near = _near(judged, policies, some) if some else Together((), ())
    if policies is None:
        return near
    beside = judged.beside
    told, missing = stage("judging by policies", lambda: _over_the_estate(judged, policies, (*facts, *beside)))
    aside = {resource.identity for resource in beside}
    findings = (*near.findings, *(finding for finding in (told.findings if told else ()) if finding.resource not in aside))
    return Together(findings, (*near.could_not_check, *(told.could_not_check if told else missing)), near.replaced)


def _concerned(judged: Judged) -> set[str]:
    """Return the parts in which a unit has to do with another; that there is none is kept for the same parts."""
    cache = judged.cache if not judged.given else None
    name = digest_of(("apart", judged.stamp, *judged.sums)) if cache is not None else ""
    if cache is not None and cache.read([name]):
        return set()
    some = concerned(judged.sums)
    if cache is not None and not some:
        cache.write({name: Entry(b"{}")})
    return some


def _over_the_estate(judged: Judged, policies: Policies, facts: Sequence[Resource]) -> Judgement:
    """Judge everything by the rules over the estate; where nothing that they look at is another, they say what they said before."""
    views = policies.views()
    names = _names(judged, views, facts)
    kept = judged.cache.read(names) if judged.cache is not None else {}
    known = {view.rules: unpacked_answer(kept[name]) for name, view in zip(names, views, strict=False) if name in kept}
    seen = {view.rules: _Seen(judged, view, number, facts) for number, view in enumerate(views)}
    unknown = [view for view in views if view.rules not in known]
    answers = policies.ask(unknown, lambda view: seen[view.rules]) if unknown else ()
    fresh = dict(zip([view.rules for view in unknown], answers, strict=True))
    if judged.cache is not None:
        judged.cache.write(
            {
                name: packed_answer(fresh[view.rules])
                for name, view in zip(names, views, strict=True)
                if view.rules in fresh and not fresh[view.rules].troubles
            }
        )
    return policies.tell(views, [{**known, **fresh}[view.rules] for view in views], lambda view: seen[view.rules])


def _names(judged: Judged, views: Sequence[View], facts: Sequence[Resource]) -> list[str]:
    """Return for each view a digest of everything that the answer of its rules depends on."""
    if judged.cache is None:
        return []
    beside = [mark_of((each.file, each.text) for each in _shown(view, facts)) for view in views]
    return [
        digest_of((judged.stamp, repr(view.rules), *(part.marks[number] for part in judged.sums.values()), beside[number]))
        for number, view in enumerate(views)
    ]


def _shown(view: View, facts: Sequence[Resource]) -> list[Shared]:
    return [
        Shared(fact.document.file, view.text(fact.body), partial(_itself, fact)) for fact in facts if view.holds(fact.body, written=True)
    ]


class _Seen(Sequence[Shared]):
    """What a view holds of everything. Only those parts are read that what is asked for lies in."""

    def __init__(self, judged: Judged, view: View, number: int, facts: Sequence[Resource]) -> None:
        self._judged = judged
        self._number = number
        self._parts = list(judged.sums.values())
        self._starts = list(accumulate((part.seen[number] for part in self._parts), initial=0))
        self._facts = _shown(view, facts)
        self._read: dict[int, list[Shared]] = {}

    def __len__(self) -> int:
        return self._starts[-1] + len(self._facts)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # an overload for slices would say no more
        if index >= self._starts[-1]:
            return self._facts[index - self._starts[-1]]
        part = bisect_right(self._starts, index) - 1
        return self._part(part)[index - self._starts[part]]

    def __iter__(self) -> Iterator[Shared]:
        for part in range(len(self._parts)):
            yield from self._part(part)
        yield from self._facts

    def _part(self, part: int) -> list[Shared]:
        if part not in self._read:
            self._read[part] = [
                Shared(each.file, each.text, partial(_resource, self._judged, (each.file, each.number), each.at))
                for each in self._parts[part].shared[self._number]
            ]
        return self._read[part]


def _near(judged: Judged, policies: Policies | None, some: set[str]) -> Together:
    """Judge the units that get in each other's way or refer to one another; they are in ``some`` of the parts."""
    files = judged.files_of(some)
    units = {(file.name, number): unit for file in files for number, unit in enumerate(file.units)}
    findings: list[Finding] = []
    could_not_check: tuple[CouldNotCheck, ...] = ()
    doubtful = _clashing(units)
    if doubtful:
        remote = frozenset(name for part in judged.sums.values() for name in part.remotes)
        resources = [resource for unit in doubtful for resource in judged.made(unit)]
        clashing, could_not_check = stage("looking for clashes", lambda: list(clashes(resources, remote)))
        findings += clashing or ()
    if policies is None:
        return Together(tuple(findings), could_not_check)
    groups = linked({unit: (verdict.ties.offers, verdict.ties.follows) for unit, verdict in units.items()})
    for group in groups:
        members = [resource for unit in group for resource in judged.made(unit)]
        told, missing = stage("judging by policies", lambda members=members: policies.related(members, judged.by.namespaces))  # type: ignore[misc] # bound early
        findings += told.findings if told else ()
        could_not_check += told.could_not_check if told else missing
    return Together(tuple(findings), could_not_check, frozenset(unit for group in groups for unit in group))


def _resource(judged: Judged, unit: Unit, at: int) -> Resource:
    return judged.made(unit)[at]


def _itself(resource: Resource) -> Resource:
    return resource


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
