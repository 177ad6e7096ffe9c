"""Judge inputs by an engine: put questions, and turn answers into results.

Nothing that goes wrong here passes: a rule that cannot be evaluated, for one document or at all, is "could not
check", and the other rules and documents are judged all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crossgate.policy.engine import Answer, Engine, Question, Trouble
from crossgate.policy.isolate import Limits
from crossgate.policy.results import Result, ResultError, results


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say about one input: results, and names of rules that the policy's ``exception`` exempts."""

    index: int
    results: tuple[Result, ...]
    exempted: frozenset[tuple[tuple[str, ...], str]] = frozenset()


def verdicts_of(engine: Engine, questions: Sequence[Question], limits: Limits) -> Iterator[tuple[Verdict, tuple[Trouble, ...]]]:
    """Put the questions to the engine, and yield for each what the rules say and what of them could not be evaluated."""
    for index, answer in enumerate(engine.ask(questions, limits)):
        yield verdict_of(engine, index, answer)


def verdict_of(engine: Engine, index: int, answer: Answer) -> tuple[Verdict, tuple[Trouble, ...]]:
    """Read an answer: what the rules say, and what of them could not be evaluated."""
    found: list[Result] = []
    troubles = list(answer.troubles)
    for number, value in answer.values:
        rule = engine.rules[number]
        try:
            found += results(rule, value)
        except ResultError as error:
            troubles.append(Trouble(f"rule {rule.id}: {error}", f"{rule.file}:{rule.line}"))
    return Verdict(index, tuple(found), frozenset(answer.exempted)), tuple(troubles)
