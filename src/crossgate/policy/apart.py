"""Judge units (one author's object with all that it makes) each by itself, then those that hang together, then everything.

What rules say of one object, and of objects that belong together, depends on nothing but the unit as long as no other unit
refers to it or is referred to by it. What may lead from unit to unit is said (``Ties``), so that those that hang together are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crossgate.model import CouldNotCheck, Finding, Judgement, Resource
from crossgate.policy.asked import Asked
from crossgate.policy.engine import Engine, Question
from crossgate.policy.estate import Sharing, views_of
from crossgate.policy.gathering import About, Ties, combined, rendered, seen_beside, ties_of
from crossgate.policy.isolate import Limits
from crossgate.policy.judge import Verdict, verdicts_of
from crossgate.policy.rules import Rule, Scope
from crossgate.policy.said import Said, Spot, covered, excepted, label_of, missing, once, texts_of, told, told_of_the_rule


@dataclass(frozen=True, slots=True)
class Apart:
    """What the rules say of one unit.

    ``said`` is about its objects one by one, ``related`` about those that belong together. ``covers`` are the values in templates of
    Compositions that ``said`` speaks about. ``shared`` is what rules over the estate see of its objects (place, number of
    the view, text). ``ties`` are what may lead from unit to unit.
    """

    said: tuple[Finding, ...] = ()
    related: tuple[Finding, ...] = ()
    covers: tuple[Spot, ...] = ()
    could_not_check: tuple[CouldNotCheck, ...] = ()
    shared: tuple[tuple[int, int, str], ...] = ()
    ties: Ties = field(default_factory=Ties)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A question about one object of a unit, or (``seen``) about objects of it that belong together."""

    unit: int
    question: Question
    about: Resource
    seen: tuple[Resource, ...] = ()


def by_author(resources: Iterable[Resource]) -> list[list[Resource]]:
    """Divide resources into units: each author's object before what it makes."""
    units: dict[int, list[Resource]] = {}
    for resource in resources:
        head = resource
        while head.parent is not None:
            head = head.parent
        units.setdefault(id(head), []).append(resource)
    return list(units.values())


class Questions:
    """What the rules are asked of units, worked out once for all of them. ``rules`` are those of an engine, in its order."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self.views = views_of(rules)
        self.alone = Asked(rules)
        self.together = Asked(rules, Scope.RELATED)
        self.over = tuple(index for index, rule in enumerate(rules) if rule.scope is Scope.RELATED)
        self.sharing = Sharing(self.views)
        self._written = frozenset(index for index, rule in enumerate(rules) if rule.written)
        self._about = About.of([rules[index] for index in self.over])
        self._abouts: dict[tuple[int, ...], About] = {}

    def about(self, resource: Resource, text: str) -> tuple[int, ...]:
        """Return the rules to ask about an object by itself (``text`` is its JSON): of what is rendered none about what stands in Git."""
        asked = self.alone.about(resource.body, text)
        if self._written.isdisjoint(asked) or not rendered(resource):
            return asked
        return tuple(index for index in asked if index not in self._written)

    def about_all(self, rules: tuple[int, ...]) -> About:
        """Return what some rules over related objects speak about."""
        if rules not in self._abouts:
            self._abouts[rules] = About.of([self.rules[index] for index in rules])
        return self._abouts[rules]

    def belonging(self, resources: Sequence[Resource]) -> list[int]:
        """Return the places of the resources that rules over related objects speak about."""
        return [place for place, resource in enumerate(resources) if self._about.holds(resource.body)] if self.over else []


def apart(
    engine: Engine, limits: Limits, questions: Questions, units: Sequence[Sequence[Resource]], namespaces: Sequence[Resource]
) -> list[Apart]:
    """Judge units, each by itself.

    Args:
        engine: the rules.
        limits: time and memory for each question.
        questions: what the rules are asked.
        units: the resources of each, the author's object first.
        namespaces: the Namespaces of the estate that stand in Git, which rules over related objects may look at.
    """
    asking: list[_Asking] = []
    beside = dict(zip(map(id, namespaces), texts_of(namespaces)[0], strict=True))
    unchecked: list[list[CouldNotCheck]] = []
    shared: list[tuple[tuple[int, int, str], ...]] = []
    places: list[list[int]] = []
    for number, resources in enumerate(units):
        texts, unwritten = texts_of(resources)
        unchecked.append(unwritten)
        shared.append(tuple(_shared(questions.sharing, resources, texts)))
        places.append(questions.belonging(resources))
        asking += [
            _Asking(number, Question(text, about), resource)
            for resource, text in zip(resources, texts, strict=True)
            if text and (about := questions.about(resource, text))
        ]
        if judged := [resources[place] for place in places[number]]:
            every_text = {**beside, **dict(zip(map(id, resources), texts, strict=True))}
            if together := _related(questions, judged, (*resources, *namespaces), every_text):
                asking.append(_Asking(number, together[0], resources[0], together[1]))
    said: list[list[Said]] = [[] for _ in units]
    let_pass: list[list[Finding]] = [[] for _ in units]
    together_said: list[list[Finding]] = [[] for _ in units]
    for one, (verdict, troubles) in zip(asking, verdicts_of(engine, [each.question for each in asking], limits), strict=True):
        unchecked[one.unit] += [missing(trouble, label_of(one.about)) for trouble in troubles]
        if one.seen:
            together_said[one.unit] += _told_together(verdict, one.seen, units[one.unit])
            continue
        for result in verdict.results:
            spoken = Said(one.about, result.path, result)
            if excepted(verdict, result):
                let_pass[one.unit].append(told(spoken, exempted=True))
            else:
                said[one.unit].append(spoken)
    return [
        Apart(
            (*let_pass[number], *map(told, once(said[number]))),
            tuple(together_said[number]),
            tuple(covered(said[number])),
            tuple(unchecked[number]),
            shared[number],
            ties_of(resources, places[number]) if questions.over else Ties(),
        )
        for number, resources in enumerate(units)
    ]


def related(
    engine: Engine, limits: Limits, questions: Questions, resources: Sequence[Resource], namespaces: Sequence[Resource]
) -> Judgement:
    """Judge the resources of units that hang together by the rules over related objects."""
    everything = (*resources, *namespaces)
    texts = dict(zip(map(id, everything), texts_of(everything)[0], strict=True))
    judged = [resources[place] for place in questions.belonging(resources)]
    together = _related(questions, judged, everything, texts) if judged else None
    if together is None:
        return Judgement()
    question, seen = together
    ((verdict, troubles),) = verdicts_of(engine, [question], limits)
    label = f"what belongs to {label_of(seen[0])}"
    return Judgement(tuple(_told_together(verdict, seen, resources)), tuple(missing(trouble, label) for trouble in troubles))


def _related(
    questions: Questions, judged: Sequence[Resource], among: Sequence[Resource], texts: Mapping[int, str]
) -> tuple[Question, tuple[Resource, ...]] | None:
    """Return the question about objects that belong together, and the objects in the order in which it holds them.

    Args:
        questions: what the rules are asked.
        judged: the objects that the rules speak about, at least one.
        among: those among which they look for what stands beside, themselves too.
        texts: the JSON of all of them by their ``id``.
    """
    rules, over = questions.rules, questions.over
    kinds = {each.identity.kind for each in judged}
    asked = tuple(index for index in over if rules[index].fields_of_any_kind or not kinds.isdisjoint(rules[index].kinds or kinds))
    handed, text = _handed(judged, among, texts)
    shown = questions.together.shown(asked, text)
    if not shown:
        return None
    about = questions.about_all(shown)
    own = [resource for resource in judged if about.holds(resource.body)]
    if len(own) < len(judged):  # what no rule that is asked speaks about would only be read by the engine
        handed, text = _handed(own, among, texts)
    return Question(text, shown), handed


def _handed(judged: Sequence[Resource], among: Sequence[Resource], texts: Mapping[int, str]) -> tuple[tuple[Resource, ...], str]:
    """Return the objects that are handed over with those that are judged, and the text that holds them."""
    seen = [*judged, *seen_beside(judged, among)]
    handed = [(resource, text) for resource in seen if (text := texts[id(resource)])]
    text = combined((each.document.file, text, 1) for each, text in handed)
    return tuple(each for each, _ in handed), text


def _told_together(verdict: Verdict, seen: Sequence[Resource], judged: Sequence[Resource]) -> Iterator[Finding]:
    """Make findings of what is said about objects together; of what is only looked at beside them another question speaks."""
    own = {id(resource) for resource in judged}
    for result in verdict.results:
        at = result.path[0] if result.path else None
        if not isinstance(at, int) or not 0 <= at < len(seen):
            yield told_of_the_rule(result)
        elif id(seen[at]) in own:
            yield told(Said(seen[at], result.path[2:], result))


def _shared(sharing: Sharing, resources: Sequence[Resource], texts: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    if not sharing.views:
        return
    for place, resource in enumerate(resources):
        if texts[place]:
            for view, text in sharing.of(resource.body, written=not rendered(resource)):
                yield place, view, text
