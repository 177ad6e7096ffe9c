"""What only all units together can say: objects that get in each other's way, and rules about more than one author's objects."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from crossgate.model import CouldNotCheck, Finding, Judgement, Resource
from crossgate.policy import Policies
from crossgate.policy.estate import Saying, Shared, View, told_of
from crossgate.policy.gathering import linked
from crossgate.processes import results
from crossgate.render.clashes import clashes
from crossgate.units.cache import Entry
from crossgate.units.codec import packed_answer, packed_told, unpacked_answer, unpacked_told
from crossgate.units.concerned import concerned, concerned_since
from crossgate.units.hiding import Hiding
from crossgate.units.judge import stage
from crossgate.units.stamp import digest_of
from crossgate.units.state import Judged
from crossgate.units.sums import SharedObject, added_up, mark_of
from crossgate.units.verdict import Unit, Verdict


@dataclass(frozen=True, slots=True)
class Together:
    """What is said of units together, and of which units it replaces what was said of related objects."""

    findings: tuple[Finding, ...]
    could_not_check: tuple[CouldNotCheck, ...]
    replaced: frozenset[Unit] = frozenset()


def judge_together(judged: Judged, policies: Policies | None, facts: Sequence[Resource] = (), before: Judged | None = None) -> Together:
    """Judge units together.

    Args:
        judged: every file of the estate.
        policies: the rules.
        facts: further objects for rules over the estate, which stand in no file.
        before: another state that was judged, of which most may be the same.
    """
    some = _concerned(judged, before)
    near = _near(judged, policies, some) if some else Together((), ())
    if policies is None:
        return near
    beside = judged.beside
    told, missing = stage("judging by policies", lambda: _over_the_estate(judged, policies, (*facts, *beside)))
    aside = {resource.identity for resource in beside}
    findings = (*near.findings, *(finding for finding in (told.findings if told else ()) if finding.resource not in aside))
    return Together(findings, (*near.could_not_check, *(told.could_not_check if told else missing)), near.replaced)


def _concerned(judged: Judged, before: Judged | None) -> set[str]:
    """Return the parts in which a unit has to do with another; they are kept for the same parts, and worked out from what they were."""
    if (some := _kept(judged)) is not None:
        return some
    was = _kept(before) if before is not None else None
    some = concerned(judged.sums) if before is None or was is None else concerned_since(judged.sums, before.sums, was)
    if judged.cache is not None:
        places = [place for place, name in enumerate(judged.sums) if name in some]
        judged.cache.write({_name(judged): Entry(json.dumps(places).encode())})
    return some


def _kept(judged: Judged) -> set[str] | None:
    kept = judged.cache.read([_name(judged)]) if judged.cache is not None else {}
    names = [*judged.sums]
    return next(({names[place] for place in json.loads(entry.head)} for entry in kept.values()), None)


def _name(judged: Judged) -> str:
    return digest_of(("concerned", judged.stamp, *(part.tied for part in judged.sums.values())))


def _over_the_estate(judged: Judged, policies: Policies, facts: Sequence[Resource]) -> Judgement:
    """Judge everything by the rules over the estate; where nothing that they look at is another, they say what they said before."""
    views = policies.views()
    seen = {view.rules: _seen(judged, view, number, facts) for number, view in enumerate(views)}
    cache = judged.cache
    names = {view.rules: digest_of((judged.stamp, repr(view.rules), seen[view.rules].mark)) for view in views} if cache is not None else {}
    kept = cache.read(names.values()) if cache is not None else {}
    known = {rules: unpacked_answer(kept[name]) for rules, name in names.items() if name in kept}
    unknown = [view for view in views if view.rules not in known]
    answers = policies.ask(unknown, lambda view: seen[view.rules]) if unknown else ()
    fresh = dict(zip([view.rules for view in unknown], answers, strict=True))
    if cache is not None:
        cache.write({names[rules]: packed_answer(answer) for rules, answer in fresh.items() if not answer.troubles})
    return policies.tell(views, [{**known, **fresh}[view.rules] for view in views], lambda view: seen[view.rules], partial(_told, judged))


def _told(judged: Judged, sayings: Sequence[Saying]) -> list[Finding]:
    """Make findings, those of an earlier run where the object and the rule are the same: of its unit nothing need be rendered."""
    keys = [
        digest_of(("told", shared.mark, repr((result.rule.id, result.reason, result.severity, result.message, result.path[2:]))))
        for shared, result in sayings
    ]
    cache = judged.cache
    kept = cache.read(dict.fromkeys(keys)) if cache is not None else {}
    known = {key: unpacked_told(entry)[0].findings[0] for key, entry in kept.items()}
    unknown = sorted((at for at, key in enumerate(keys) if key not in known), key=lambda at: (sayings[at][0].file, sayings[at][0].number))
    told = dict(zip(unknown, results(lambda some: [_told_without_secrets(sayings[at]) for at in some], unknown), strict=True))
    found = [known[key] if key in known else told[at] for at, key in enumerate(keys)]
    if cache is not None:
        fresh = {key: each for key, (shared, _), each in zip(keys, sayings, found, strict=True) if shared.mark and key not in known}
        cache.write({key: packed_told([Judgement((each,))]) for key, each in fresh.items()})
    return found


def _told_without_secrets(saying: Saying) -> Finding:
    shared, result = saying
    resource = shared.resource()
    return Hiding([resource]).findings([told_of(resource, result)])[0]


def _seen(judged: Judged, view: View, number: int, facts: Sequence[Resource]) -> _Each | _Alike:
    held = [fact for fact in facts if view.holds(fact.body, written=True)]
    beside = [Shared(fact.document.file, text, partial(_itself, fact)) for fact in held if (text := view.text(fact.body))]
    return _Alike(judged, number, beside, counted=view.counted) if view.alike else _Each(judged, number, beside)


class _Each:
    """What a view (by its ``number``) holds of everything, each by itself. Only those parts are read that what is asked for lies in."""

    def __init__(self, judged: Judged, number: int, beside: Sequence[Shared]) -> None:
        self._judged = judged
        self._number = number
        self._parts = list(judged.sums.values())
        self._starts = list(accumulate((part.seen[number] for part in self._parts), initial=0))
        self._beside = beside

    @property
    def mark(self) -> str:
        """Return a digest of what is shown."""
        return digest_of((*(part.marks[self._number] for part in self._parts), mark_of((each.file, each.text) for each in self._beside)))

    def shown(self) -> Sequence[tuple[str, str, int]]:
        """Return what the rules are told."""
        inside = [(each.file, each.text, 1) for part in self._parts for each in part.shared[self._number]]
        return [*inside, *((each.file, each.text, 1) for each in self._beside)]

    def at(self, index: int) -> Sequence[Shared]:
        """Return the object that was shown at a place."""
        if not 0 <= index < self._starts[-1]:
            return self._beside[index - self._starts[-1] :][:1] if index >= 0 else ()
        part = bisect_right(self._starts, index) - 1
        return [_held(self._judged, self._parts[part].shared[self._number][index - self._starts[part]])]


class _Alike:
    """The same where objects that show the same are shown once. Which texts a part shows is known without reading what shows them."""

    def __init__(self, judged: Judged, number: int, beside: Sequence[Shared], *, counted: bool) -> None:
        self._judged = judged
        self._number = number
        self._beside = beside
        self._counted = counted
        self._alike = added_up(each for part in judged.sums.values() for each in part.alike[number].items())
        self._texts = sorted({*self._alike, *(each.text for each in beside)})

    @property
    def mark(self) -> str:
        """Return a digest of what is shown: another object that shows the same changes nothing, but where they are counted."""
        return digest_of(f"{count} {text}" for _, text, count in self.shown())

    def shown(self) -> Sequence[tuple[str, str, int]]:
        """Return what the rules are told."""
        beside = Counter(each.text for each in self._beside)
        return [("", text, self._count(text) + beside[text] if self._counted else 1) for text in self._texts]

    def _count(self, text: str) -> int:
        return self._alike[text].number if text in self._alike else 0

    def at(self, index: int) -> Sequence[Shared]:
        """Return the objects that show what was shown at a place; the first of them where they are counted."""
        if not 0 <= index < len(self._texts):
            return ()
        text, number = self._texts[index], self._number
        if self._counted and text in self._alike:
            return [_held(self._judged, self._alike[text].first)]
        showing = (part for part in self._judged.sums.values() if text in part.alike[number])
        inside = [_held(self._judged, each) for part in showing for each in part.shared[number] if each.text == text]
        found = [*inside, *(each for each in self._beside if each.text == text)]
        return found[:1] if self._counted else found


def _held(judged: Judged, shared: SharedObject) -> Shared:
    unit = (shared.file, shared.number)
    basis = judged.basis_of(shared.file)
    mark = digest_of((basis, f"{shared.number} {shared.at}")) if basis else ""
    return Shared(shared.file, shared.text, partial(judged.resource, unit, shared.at), mark, shared.number)


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
        findings += Hiding(members).findings(told.findings) if told else ()
        could_not_check += told.could_not_check if told else missing
    return Together(tuple(findings), could_not_check, frozenset(unit for group in groups for unit in group))


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
