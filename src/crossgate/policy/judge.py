"""Judge resources by a loaded engine: run the rules in isolation, and turn results into findings.

Nothing that goes wrong here passes: a rule that cannot be evaluated, for one document or at all, is "could not
check", and the other rules and documents are judged all the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crossgate.model import CouldNotCheck
from crossgate.policy.embedded import Embedded, EngineError
from crossgate.policy.isolate import Death, Limits, isolated
from crossgate.policy.results import Result, ResultError, results
from crossgate.policy.rules import Rule


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say about one input: results, and names of rules that the policy's ``exception`` exempts."""

    index: int
    results: tuple[Result, ...]
    exempted: frozenset[tuple[tuple[str, ...], str]] = frozenset()


@dataclass(slots=True)
class _Troubles:
    """Gather what could not be checked, one entry for each rule and cause however many inputs it meets."""

    seen: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, what: str, where: str, label: str) -> None:
        self.seen.setdefault((what, where), []).append(label)

    def entries(self) -> tuple[CouldNotCheck, ...]:
        found = []
        for (what, where), labels in self.seen.items():
            more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
            found.append(CouldNotCheck(what, where or labels[0], f"not judged by it: {labels[0]}{more}"))
        return tuple(found)


def run(
    engine: Embedded, bodies: Sequence[Any], labels: Sequence[str], *, estate: bool, limits: Limits
) -> tuple[list[Verdict], tuple[CouldNotCheck, ...]]:
    """Evaluate the engine's rules for documents (or for the estate) on each of ``bodies`` (JSON values); ``labels`` name them.

    A rule that breaks the engine is left out from then on: it costs its limit once and not once for every document.
    """
    troubles = _Troubles()
    verdicts: list[Verdict] = []
    start = 0
    while start < len(bodies) and any(rule.estate == estate for rule in engine.rules):
        start, broken = _run_until_broken(engine, bodies, labels, start, estate, limits, verdicts, troubles)
        for rule in broken:
            for label in labels[start:]:
                troubles.add(f"rule {rule.id} was left out after it broke the engine", f"{rule.file}:{rule.line}", label)
        if broken and start < len(bodies):
            engine = engine.without(broken)
    return verdicts, troubles.entries()


def _run_until_broken(
    engine: Embedded,
    bodies: Sequence[Any],
    labels: Sequence[str],
    start: int,
    estate: bool,
    limits: Limits,
    verdicts: list[Verdict],
    troubles: _Troubles,
) -> tuple[int, list[Rule]]:
    """Return where to go on, and the rules that broke the engine just before."""
    for index, outcome in isolated(lambda index: _evaluate(engine, bodies[start + index], estate), len(bodies) - start, limits):
        at = start + index
        if isinstance(outcome, bytes):
            _read(engine, outcome, at, labels[at], verdicts, troubles)
            continue
        broken = _blame(engine, bodies[at], at, labels[at], estate, limits, verdicts, troubles)
        if broken:
            return at + 1, broken
        troubles.add(f"the rules together: evaluation {outcome.reason}", "", labels[at])
    return len(bodies), []


def _blame(
    engine: Embedded,
    body: Any,
    at: int,
    label: str,
    estate: bool,
    limits: Limits,
    verdicts: list[Verdict],
    troubles: _Troubles,
) -> list[Rule]:
    """Find which rules break the engine on this input, and judge it by the others."""
    indexes = [index for index, rule in enumerate(engine.rules) if rule.estate == estate]
    document = json.dumps(body)
    broken = []
    for number, outcome in isolated(lambda number: _one_by_one(engine, [indexes[number]], document), len(indexes), limits):
        rule = engine.rules[indexes[number]]
        if isinstance(outcome, Death):
            broken.append(rule)
            troubles.add(f"rule {rule.id}: evaluation {outcome.reason}", f"{rule.file}:{rule.line}", label)
        else:
            _read(engine, outcome, at, label, verdicts, troubles)
    return broken


def _evaluate(engine: Embedded, body: Any, estate: bool) -> bytes:
    """Be the task of the child: everything that can happen becomes bytes."""
    try:
        document = json.dumps(body, allow_nan=False)
        kind = body.get("kind") if isinstance(body, dict) else None
        evaluation = engine.evaluate(document, kind if isinstance(kind, str) else "", estate=estate)
        if not evaluation.values:
            return b""
        return json.dumps({"values": evaluation.values, "exempted": evaluation.exempted}).encode()
    except EngineError:
        return _one_by_one(engine, [index for index, rule in enumerate(engine.rules) if rule.estate == estate], document)
    except BaseException as error:
        return json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode()


def _one_by_one(engine: Embedded, indexes: Sequence[int], document: str) -> bytes:
    values: list[tuple[int, Any]] = []
    errors: list[tuple[int, str, str]] = []
    for index in indexes:
        try:
            values += engine.evaluate_rule(document, index).values
        except EngineError as error:
            errors.append((index, error.cause, error.place))
        except BaseException as error:
            errors.append((index, f"{type(error).__name__}: {error}", ""))
    return json.dumps({"values": values, "errors": errors, "exempted": []}).encode()


def _read(engine: Embedded, outcome: bytes, at: int, label: str, verdicts: list[Verdict], troubles: _Troubles) -> None:
    if not outcome:
        return
    answer = json.loads(outcome)
    if "failed" in answer:
        troubles.add(f"the document cannot be handed to the rules: {answer['failed']}", "", label)
        return
    for index, cause, place in answer.get("errors", ()):
        rule = engine.rules[index]
        troubles.add(f"rule {rule.id} cannot be evaluated: {cause}", place or f"{rule.file}:{rule.line}", label)
    found: list[Result] = []
    for index, value in answer["values"]:
        rule = engine.rules[index]
        try:
            found += results(rule, value)
        except ResultError as error:
            troubles.add(f"rule {rule.id}: {error}", f"{rule.file}:{rule.line}", label)
    verdicts.append(Verdict(at, tuple(found), frozenset((tuple(package), name) for package, name in answer["exempted"])))
