"""CEL rules (``x-kubernetes-validations``), run where the API server runs them on a create.

As apiextensions-apiserver's ``pkg/apiserver/schema/cel/validation.go`` (1.36): rules stand on any part of
the schema and are run for every value there that is not null; transition rules, which read ``oldSelf``,
are skipped unless they take an optional one; the problem stands at the rule's ``fieldPath`` below the
value. A rule that the engine cannot run is "could not check", named, and never a pass.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.schema.celtext import Fields, RuleText, is_whole, read_rule
from crossgate.schema.celvalues import escape, to_cel
from crossgate.schema.problem import Problem, ProblemKind

Schema = dict[str, Any]

_NOTHING = (None, MISSING)
_REMEMBERED = 4096
"""Answers kept for each rule; most documents of a kind look alike to a rule."""


@dataclass(slots=True, eq=False)
class Rule:
    """One rule of a schema, and the answers that it gave."""

    schema: Schema
    root: bool
    source: str
    message: str = ""
    message_expression: str = ""
    field_path: str = ""
    optional_old_self: bool = False
    text: RuleText | None = None
    enough: tuple[Path, ...] = ()
    answers: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Schema, rule: dict[str, Any], *, root: bool) -> Rule:
        """Make a rule from its entry in ``x-kubernetes-validations``."""
        return cls(
            schema,
            root,
            (rule.get("rule") or "").strip(),
            (rule.get("message") or "").strip(),
            (rule.get("messageExpression") or "").strip(),
            rule.get("fieldPath") or "",
            bool(rule.get("optionalOldSelf")),
        )

    @property
    def label(self) -> str:
        """Return the rule's message, or the rule itself."""
        return self.message or f"failed rule: {self.source}"


@dataclass(slots=True, eq=False)
class RuleTree:
    """Where rules stand in a schema; parts without any are left out."""

    rules: list[Rule]
    properties: dict[str, RuleTree]
    rest: RuleTree | None = None
    items: RuleTree | None = None

    @classmethod
    def of(cls, schema: Schema) -> RuleTree | None:
        """Find the rules of a kind's schema; None when it has none."""
        return _tree(schema, {}, root=True)


def _tree(schema: Schema, known: dict[int, RuleTree | None], *, root: bool) -> RuleTree | None:
    if not root and id(schema) in known:
        return known[id(schema)]
    embedded = root or bool(schema.get("x-kubernetes-embedded-resource"))
    rules = [
        Rule.of(schema, rule, root=embedded)
        for source in (schema, *(schema.get("allOf") or ()))
        for rule in source.get("x-kubernetes-validations") or ()
    ]
    properties = {name: tree for name, inner in (schema.get("properties") or {}).items() if (tree := _tree(inner, known, root=False))}
    rest, items = schema.get("additionalProperties"), schema.get("items")
    tree = RuleTree(
        rules,
        properties,
        _tree(rest, known, root=False) if isinstance(rest, dict) else None,
        _tree(items, known, root=False) if items else None,
    )
    found = tree if rules or properties or tree.rest or tree.items else None
    if not root:
        known[id(schema)] = found
    return found


def check_rules(tree: RuleTree, value: Any, at: Path = ()) -> list[Problem]:
    """Return a problem for every rule that does not hold for ``value`` or a value below it."""
    problems: list[Problem] = []
    _walk(tree, value, at, problems)
    return problems


def _walk(tree: RuleTree, value: Any, at: Path, problems: list[Problem]) -> None:
    if value is None:
        return
    for rule in tree.rules:
        problem = _run(rule, value, at)
        if problem is not None:
            problems.append(problem)
    if isinstance(value, dict):
        for key, child in value.items():
            inner = tree.properties.get(key) or (tree.rest if key not in tree.properties else None)
            if inner is not None:
                _walk(inner, child, (*at, key), problems)
    elif isinstance(value, list) and tree.items is not None:
        for index, child in enumerate(value):
            _walk(tree.items, child, (*at, index), problems)


def _run(rule: Rule, value: Any, at: Path) -> Problem | None:
    if not rule.source:
        return None
    if rule.text is None:
        rule.text = read_rule(rule.source)
        if rule.text.enough and _are_declared(rule.schema, rule.text.fields):
            rule.enough = rule.text.enough
    if rule.text.reads_old_self and not rule.optional_old_self:
        return None
    for path in rule.enough:
        if follow(value, path) not in _NOTHING:
            return None
    try:
        seen = to_cel(value, rule.schema, rule.text.fields, root=rule.root)
    except ValueError as error:
        return Problem(format_path(at), at, ProblemKind.CEL, f"{error}, evaluating rule: {rule.message or rule.source}")
    key = json.dumps(seen, default=repr)
    if key not in rule.answers:
        if len(rule.answers) >= _REMEMBERED:
            rule.answers.clear()
        rule.answers[key] = _answer(rule, seen)
    answer = rule.answers[key]
    if answer is None:
        return None
    kind, message, hint = answer
    where = (*at, *rule_path(rule.field_path))
    return Problem(format_path(where), where, kind, message, hint)


def _are_declared(schema: Schema, fields: Fields | None) -> bool:
    """Say whether the schema has the fields that a rule names: one that names others does not compile, whatever stands there."""
    if fields is None or is_whole(fields):
        return True
    properties = schema.get("properties") or {}
    return all(name in properties and escape(name) == name and _are_declared(properties[name], inner) for name, inner in fields.items())


def _answer(rule: Rule, seen: Any) -> tuple[ProblemKind, str, str] | None:
    """Evaluate a rule; None when it holds."""
    from crossgate.schema.celengine import Unsupported, evaluate  # noqa: PLC0415 (the engine costs 30 ms, most checks need none)

    assert rule.text is not None  # noqa: S101 (set by the caller)
    variables = {"self": seen}
    try:
        result = evaluate(rule.text.source, variables, old_self=rule.text.reads_old_self)
    except Unsupported as error:
        return (
            ProblemKind.COULD_NOT_CHECK,
            f"this CEL rule cannot be run here: {error}: {rule.source}",
            "judge the rule by hand, or on a cluster with a dry run",
        )
    except ValueError as error:
        return ProblemKind.CEL, f"{error}, evaluating rule: {rule.message or rule.source}", ""
    if result is True:
        return None
    message = rule.label
    if rule.message_expression:
        try:
            made = evaluate(read_rule(rule.message_expression).source, variables, old_self=False)
            if isinstance(made, str) and made.strip() and "\n" not in made.strip():
                message = made.strip()
        except (Unsupported, ValueError):
            # The server falls back to the message as well.
            pass
    return ProblemKind.CEL, message, f"rule: {rule.source}"


def rule_path(text: str) -> Path:
    """Read a rule's ``fieldPath`` (``.spec.a['b.c']``)."""
    steps: list[str] = []
    rest = text
    while rest:
        if rest.startswith("['"):
            name, _, rest = rest[2:].partition("']")
            steps.append(name.replace("\\'", "'"))
        else:
            rest = rest.removeprefix(".")
            end = min((place for place in (rest.find("."), rest.find("[")) if place >= 0), default=len(rest))
            steps.append(rest[:end])
            rest = rest[end:]
    return tuple(steps)
