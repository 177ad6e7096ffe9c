"""Rules over the estate: what each of them sees, and what they say of it.

Rules with the same declarations look at the same objects, and at the same fields of them: they share a ``View``. What stands in no
view changes no verdict, so that an answer holds as long as its view stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.model import CouldNotCheck, Finding, Judgement, Resource
from crossgate.policy.asked import json_text
from crossgate.policy.engine import Answer, Engine, Question
from crossgate.policy.gathering import combined, speaks_about
from crossgate.policy.isolate import Limits
from crossgate.policy.judge import verdict_of
from crossgate.policy.rules import Rule, Scope
from crossgate.policy.said import Said, missing, told, told_of_the_rule

_IDENTITY: tuple[tuple[str, ...], ...] = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
"""What every rule is shown of an object."""

Fields = dict[str, Any]
"""Fields by key: each holds the fields within it that are shown, and none where it is shown as a whole."""


@dataclass(frozen=True, slots=True)
class Shared:
    """An object that rules over the estate see: its file, what is shown of it, whether it stands in Git, and the resource itself."""

    file: str
    body: dict[str, Any]
    written: bool
    resource: Callable[[], Resource]


@dataclass(frozen=True, slots=True)
class View:
    """What some rules (by their index) see. ``fields`` are those of each object that they look at, None: all of it."""

    rules: tuple[int, ...]
    written: bool
    kinds: frozenset[str] | None
    fields_of_any_kind: frozenset[tuple[str, ...]]
    fields: Fields | None

    def holds(self, body: dict[str, Any], *, written: bool) -> bool:
        """Say whether an object is in it."""
        return (written or not self.written) and speaks_about(body, self.kinds, self.fields_of_any_kind)

    def text(self, body: dict[str, Any]) -> str:
        """Write what it shows of an object that it holds."""
        return json_text(body if self.fields is None else shown(body, self.fields))


def views_of(rules: Sequence[Rule]) -> list[View]:
    """Return the views of the rules over the estate.

    Rules that declare ``looks_at`` share a view with those of the same declarations, the others with those that declare kinds, or none.
    """
    found: dict[object, list[int]] = {}
    for index, rule in enumerate(rules):
        if rule.scope is Scope.ESTATE:
            alike = (rule.kinds, rule.fields_of_any_kind, rule.looks_at) if rule.looks_at is not None else rule.kinds is not None
            found.setdefault((rule.written, alike), []).append(index)
    return [_view(tuple(group), [rules[index] for index in group]) for group in found.values()]


def share(views: Sequence[View], body: dict[str, Any], *, written: bool) -> dict[str, Any] | None:
    """Return what views show of an object, all of them together; None when no view holds it."""
    holding = [view.fields for view in views if view.holds(body, written=written)]
    if not holding:
        return None
    wanted: Fields = {}
    for fields in holding:
        if fields is None:
            return body
        _merge(wanted, fields)
    return shown(body, wanted)


def shown(body: dict[str, Any], fields: Fields) -> dict[str, Any]:
    """Return those fields of a body that are shown. What is no map where one is expected is shown as it is."""
    found = {}
    for key, inner in fields.items():
        if key in body:
            value = body[key]
            found[key] = shown(value, inner) if inner and isinstance(value, dict) else value
    return found


def ask(engine: Engine, limits: Limits, views: Sequence[View], shared: Sequence[Shared]) -> list[Answer]:
    """Ask the rules of each view."""
    questions: dict[int, Question] = {}
    for number, view in enumerate(views):
        seen = _seen(view, shared)
        if seen or view.kinds is None:
            questions[number] = Question(combined([each.file for each in seen], [view.text(each.body) for each in seen]), view.rules)
    answers = dict(zip(questions, engine.ask(list(questions.values()), limits), strict=True))
    return [answers.get(number, Answer()) for number in range(len(views))]


def tell(engine: Engine, views: Sequence[View], answers: Sequence[Answer], shared: Callable[[], Sequence[Shared]]) -> Judgement:
    """Say what came of asking; ``shared`` are the objects that were shown, asked for only when there is something to say of one."""
    findings: list[Finding] = []
    unchecked: list[CouldNotCheck] = []
    for number, (view, answer) in enumerate(zip(views, answers, strict=True)):
        verdict, troubles = verdict_of(engine, number, answer)
        unchecked += [missing(trouble, "the estate") for trouble in troubles]
        seen = _seen(view, shared()) if verdict.results else []
        for result in verdict.results:
            at = result.path[0] if result.path else None
            if isinstance(at, int) and 0 <= at < len(seen):
                findings.append(told(Said(seen[at].resource(), result.path[2:], result)))
            else:
                findings.append(told_of_the_rule(result))
    return Judgement(tuple(findings), tuple(unchecked))


def _view(indexes: tuple[int, ...], rules: Sequence[Rule]) -> View:
    kinds = [rule.kinds for rule in rules if rule.kinds is not None]
    fields: Fields | None = None
    if (looks_at := rules[0].looks_at) is not None:
        fields = {}
        for path in (*_IDENTITY, *looks_at):
            _merge(fields, _nested(path))
    return View(
        indexes,
        rules[0].written,
        frozenset[str]().union(*kinds) if len(kinds) == len(rules) else None,
        frozenset(path for rule in rules for path in rule.fields_of_any_kind),
        fields,
    )


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


def _seen(view: View, shared: Sequence[Shared]) -> list[Shared]:
    return [each for each in shared if view.holds(each.body, written=each.written)]


def texts(view: View, objects: Sequence[tuple[str, bool, dict[str, Any]]]) -> Iterator[str]:
    """Yield what a view holds of some objects (file, whether written, body): what its rules see of them depends on nothing else."""
    for file, written, body in objects:
        if view.holds(body, written=written):
            yield file
            yield view.text(body)
