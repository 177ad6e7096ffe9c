"""Rules over the estate: what each of them sees, and what they say of it.

Rules with the same declarations look at the same objects, and at the same fields of them: they share a ``View``. What stands in no
view changes no verdict, so that an answer holds as long as its view stays as it is. Where the rules say so, objects that show the same are
shown once: most claims of a platform differ in their names. What is said of one is told of each (``alike_once``), or they are shown with
their number, and it is told of the first (``count_alike``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol

from crossgate.model import CouldNotCheck, Finding, Judgement, Resource
from crossgate.policy.asked import Asked, json_text
from crossgate.policy.engine import Answer, Engine, Question
from crossgate.policy.gathering import About, combined, kind_of
from crossgate.policy.isolate import Limits
from crossgate.policy.judge import verdict_of
from crossgate.policy.results import Result
from crossgate.policy.rules import EVERY, Rule, Scope
from crossgate.policy.said import Said, missing, told, told_of_the_rule

_IDENTITY: tuple[tuple[str, ...], ...] = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
"""What every rule is shown of an object; the first two where those that are alike are shown once."""

Fields = dict[str, Any]
"""Fields by key: each holds the fields within it that are shown, and none where it is shown as a whole."""


@dataclass(frozen=True, slots=True)
class Shared:
    """An object that rules over the estate see: its file, the text of what a view shows of it, and the resource itself.

    ``mark`` is a digest of all that the resource and its places depend on, where there is one. ``number`` says which of the file's
    objects makes it: resources with the same are cheapest asked for in a row.
    """

    file: str
    text: str
    resource: Callable[[], Resource]
    mark: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """What some rules (by their index) see: objects, and which ``fields`` of each (None: all of it).

    ``looks`` is what their first look is known by. Of objects of the kinds ``alike`` the fields are those ``without_names``, and
    what shows the same is shown once where there are such kinds, with its number where it is ``counted``.
    """

    rules: tuple[int, ...]
    written: bool
    about: About
    fields: Fields | None
    looks: Asked | None = None
    alike: frozenset[str] = frozenset()
    counted: bool = False
    without_names: Fields | None = None

    def holds(self, body: dict[str, Any], *, written: bool) -> bool:
        """Say whether an object is in it."""
        return (written or not self.written) and self.about.holds(body)

    def text(self, body: dict[str, Any]) -> str:
        """Write what it shows of an object that it holds; "" when nothing in it is what the rules look for first."""
        nameless = bool(self.alike) and (kind_of(body) in self.alike or EVERY in self.alike)
        fields = self.without_names if nameless else self.fields
        text = json_text(body if fields is None else shown(body, fields))
        return text if self.looks is None or self.looks.shown(self.rules, text) else ""


def views_of(rules: Sequence[Rule]) -> list[View]:
    """Return the views of the rules over the estate.

    Rules that declare ``looks_at`` share a view with those of the same declarations, the others with those that declare kinds, or none.
    """
    found: dict[object, list[int]] = {}
    for index, rule in enumerate(rules):
        if rule.scope is Scope.ESTATE:
            own = (rule.kinds, rule.fields_of_any_kind, rule.looks_at, rule.alike_once, rule.count_alike)
            fields = own if rule.looks_at is not None else rule.kinds is not None
            found.setdefault((rule.written, fields, rule.first_look, rule.known_good), []).append(index)
    looks = Asked(rules, Scope.ESTATE)
    return [_view(tuple(group), [rules[index] for index in group], looks) for group in found.values()]


class Sharing:
    """What views show of objects. Which views hold the objects of a kind is kept."""

    def __init__(self, views: Sequence[View]) -> None:
        self.views = views
        self._holding: dict[tuple[str, bool], tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def of(self, body: dict[str, Any], *, written: bool) -> Iterator[tuple[int, str]]:
        """Yield what is shown of an object: the views that show something of it, by their number, and the text."""
        surely, perhaps = self._views((kind_of(body), written))
        for number in (*surely, *(number for number in perhaps if self.views[number].about.holds(body))):
            if text := self.views[number].text(body):
                yield number, text

    def _views(self, kind: tuple[str, bool]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the views that hold every object of a kind (and whether written), and those that hold some."""
        if kind not in self._holding:
            open_to = [number for number, view in enumerate(self.views) if kind[1] or not view.written]
            surely = tuple(number for number in open_to if self.views[number].about.of_kind(kind[0]))
            perhaps = tuple(number for number in open_to if number not in surely and self.views[number].about.fields)
            self._holding[kind] = surely, perhaps
        return self._holding[kind]


def shown(body: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """Return those fields of a body that are shown. What is no map where one is expected is shown as it is."""
    found = {}
    for key, inner in fields.items():
        if key in body:
            value = body[key]
            found[key] = shown(value, inner) if inner and isinstance(value, dict) else value
    return found


class Seen(Protocol):
    """What a view holds of everything."""

    def shown(self) -> Sequence[tuple[str, str, int]]:
        """Return what the rules are told: files, texts and how many are counted as one, in order."""
        ...

    def at(self, index: int) -> Sequence[Shared]:
        """Return the objects of which is told what is said of a place, none where there is no such place."""
        ...


@dataclass(frozen=True, slots=True)
class Held:
    """Objects that a view holds, those together of which it shows the same once."""

    groups: Sequence[Sequence[Shared]]
    counted: bool = False

    @classmethod
    def of(cls, view: View, objects: Iterable[Shared]) -> Held:
        """Put objects together as a view shows them, without those of which it shows nothing."""
        held = [each for each in objects if each.text]
        if not view.alike:
            return cls([[each] for each in held])
        groups = groupby(sorted(held, key=attrgetter("text")), key=attrgetter("text"))
        return cls([list(group) for _, group in groups], view.counted)

    def shown(self) -> Sequence[tuple[str, str, int]]:
        """Return what the rules are told."""
        return [(group[0].file, group[0].text, len(group) if self.counted else 1) for group in self.groups]

    def at(self, index: int) -> Sequence[Shared]:
        """Return the objects of which is told what is said of a place."""
        group = self.groups[index] if 0 <= index < len(self.groups) else ()
        return group[:1] if self.counted else group


SeenOf = Callable[[View], Seen]
Saying = tuple[Shared, Result]
"""An object, and what a rule over the estate says of it: the first two keys of its path are the object's place and ``contents``."""


def told_of(resource: Resource, result: Result) -> Finding:
    """Make a finding of what is said of an object."""
    return told(Said(resource, result.path[2:], result))


def ask(engine: Engine, limits: Limits, views: Sequence[View], seen_of: SeenOf) -> list[Answer]:
    """Ask the rules of each view."""
    questions: dict[int, Question] = {}
    for number, view in enumerate(views):
        shown = seen_of(view).shown()
        if shown or view.about.kinds is None:
            questions[number] = Question(combined(shown), view.rules)
    answers = dict(zip(questions, engine.ask(list(questions.values()), limits), strict=True))
    return [answers.get(number, Answer()) for number in range(len(views))]


def tell(
    engine: Engine,
    views: Sequence[View],
    answers: Sequence[Answer],
    seen_of: SeenOf,
    telling: Callable[[Sequence[Saying]], Iterable[Finding]],
) -> Judgement:
    """Say what came of asking; the objects that were shown are asked for only when there is something to say of one.

    Args:
        engine: the rules.
        views: what they see.
        answers: what those of each view have said.
        seen_of: returns what a view holds.
        telling: makes findings of what is said (``told_of``), in order.
    """
    findings: list[Finding] = []
    sayings: list[Saying] = []
    unchecked: list[CouldNotCheck] = []
    for number, (view, answer) in enumerate(zip(views, answers, strict=True)):
        verdict, troubles = verdict_of(engine, number, answer)
        unchecked += [missing(trouble, "the estate") for trouble in troubles]
        seen = seen_of(view)
        for result in verdict.results:
            at = result.path[0] if result.path else None
            about = seen.at(at) if isinstance(at, int) else ()
            sayings += [(each, result) for each in about]
            findings += () if about else [told_of_the_rule(result)]
    return Judgement((*findings, *telling(sayings)), tuple(unchecked))


def _view(indexes: tuple[int, ...], rules: Sequence[Rule], looks: Asked) -> View:
    first = rules[0]
    view = View(indexes, first.written, About.of(rules), None, looks if first.first_look else None)
    if first.looks_at is None:
        return view
    fields = _fields((*_IDENTITY, *first.looks_at))
    without_names = _fields((*_IDENTITY[:2], *first.looks_at))
    alike = first.alike_once or first.count_alike
    return replace(view, fields=fields, alike=alike, counted=bool(first.count_alike), without_names=without_names)


def _fields(paths: Iterable[tuple[str, ...]]) -> Fields:
    fields: Fields = {}
    for path in paths:
        _merge(fields, _nested(path))
    return fields


def _nested(path: Sequence[str]) -> Fields:
    return {path[0]: _nested(path[1:])} if path else {}


def _merge(into: Fields, fields: Fields) -> None:
    """Add fields to others; a field that one of them shows as a whole stays whole."""
    for key, inner in fields.items():
        if key not in into:
            into[key] = _copied(inner)
        elif not inner:
            into[key] = {}
        elif into[key]:
            _merge(into[key], inner)


def _copied(fields: Fields) -> Fields:
    return {key: _copied(inner) for key, inner in fields.items()}
