"""Judge inputs by an engine: put questions, and turn answers into results.

Nothing that goes wrong here passes: a rule that cannot be evaluated, for one document or at all, is "could not
check", and the other rules and documents are judged all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from crossgate.model import CouldNotCheck
from crossgate.policy.engine import Answer, Engine, Question, Trouble
from crossgate.policy.isolate import Limits
from crossgate.policy.results import Result, ResultError, results


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say about one input: results, and names of rules that the policy's ``exception`` exempts."""

    index: int
    results: tuple[Result, ...]
    exempted: frozenset[tuple[tuple[str, ...], str]] = frozenset()


@dataclass(slots=True)
class _Troubles:
    """Gather what could not be checked, one entry for each rule and cause however many inputs it meets."""

    seen: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def add(self, what: str, where: str, index: int) -> None:
        self.seen.setdefault((what, where), []).append(index)

    def entries(self, label: Callable[[int], str]) -> tuple[CouldNotCheck, ...]:
        found = []
        for (what, where), indexes in self.seen.items():
            first = label(indexes[0])
            more = f" and {len(indexes) - 1} more" if len(indexes) > 1 else ""
            found.append(CouldNotCheck(what, where or first, f"not judged by it: {first}{more}"))
        return tuple(found)


def run(
    engine: Engine, questions: Sequence[Question], label: Callable[[int], str], limits: Limits
) -> tuple[list[Verdict], tuple[CouldNotCheck, ...]]:
    """Put the questions to the engine. ``label`` names a question by its index, for people; it is asked for troubles only.

    Returns:
        The verdicts, in order and only those that say something; and what could not be checked.
    """
    troubles = _Troubles()
    verdicts: list[Verdict] = []
    for verdict, missing in verdicts_of(engine, questions, limits):
        for trouble in missing:
            troubles.add(trouble.what, trouble.where, verdict.index)
        if verdict.results or verdict.exempted:
            verdicts.append(verdict)
    return verdicts, troubles.entries(label)


def verdicts_of(engine: Engine, questions: Sequence[Question], limits: Limits) -> Iterator[tuple[Verdict, tuple[Trouble, ...]]]:
    """Put the questions to the engine, and yield for each what the rules say and what of them could not be evaluated."""
    for index, answer in enumerate(engine.ask(questions, limits)):
        yield _verdict(engine, index, answer)


def _verdict(engine: Engine, index: int, answer: Answer) -> tuple[Verdict, tuple[Trouble, ...]]:
    found: list[Result] = []
    troubles = list(answer.troubles)
    for number, value in answer.values:
        rule = engine.rules[number]
        try:
            found += results(rule, value)
        except ResultError as error:
            troubles.append(Trouble(f"rule {rule.id}: {error}", f"{rule.file}:{rule.line}"))
    return Verdict(index, tuple(found), frozenset(answer.exempted)), tuple(troubles)
