"""Ask the embedded engine in a process that may be lost, and find out which rule it was that broke it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, Protocol

from crossgate.policy.engine import Answer, Question, Trouble
from crossgate.policy.isolate import Death, Limits, isolated
from crossgate.policy.rules import Rule
from crossgate.processes import results

LARGE = 1 << 18
"""Characters of a question beyond which evaluating it takes far longer than starting a process."""


class EngineError(Exception):
    """The engine could not evaluate: the cause, and the place in the policy when it names one."""

    def __init__(self, cause: str, place: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.place = place


class Evaluator(Protocol):
    """What is asked within the process: it may raise ``EngineError``, never end, or crash."""

    rules: tuple[Rule, ...]

    def evaluate(self, document: str, rules: Sequence[int]) -> Answer:
        """Evaluate rules with ``document`` (JSON) as input."""
        ...


def ask(evaluator: Evaluator, questions: Sequence[Question], limits: Limits) -> Iterator[Answer]:
    """Answer each question, in order. A rule that breaks the engine is left out from then on."""
    broken: frozenset[int] = frozenset()
    start = 0
    while start < len(questions):
        left_out = tuple((index, _left_out(evaluator.rules[index])) for index in sorted(broken))
        fresh: frozenset[int] = frozenset()
        for index, outcome in isolated(
            lambda index, start=start, broken=broken: _task(evaluator, questions[start + index], broken),  # type: ignore[misc] # bound early
            len(questions) - start,
            limits,
        ):
            question = questions[start + index]
            said = tuple(trouble for rule, trouble in left_out if rule in question.rules)
            if isinstance(outcome, bytes):
                yield _answer(evaluator, outcome, said)
                continue
            answer, fresh = _blame(evaluator, question, broken, outcome, limits)
            yield Answer(answer.values, answer.exempted, (*said, *answer.troubles))
            if fresh:
                start += index + 1
                broken |= fresh
                break
        if not fresh:
            return


def ask_at_once(evaluator: Evaluator, questions: Sequence[Question], limits: Limits) -> Iterator[Answer]:
    """Answer each question, in order, in as many processes as there are processors. A rule that breaks the engine may do so in each."""
    longest_first = sorted(range(len(questions)), key=lambda place: -len(questions[place].text))
    answers = results(lambda some: list(ask(evaluator, some, limits)), [questions[place] for place in longest_first], alone=True)
    return iter([answer for _, answer in sorted(zip(longest_first, answers, strict=True), key=itemgetter(0))])


def _left_out(rule: Rule) -> Trouble:
    return Trouble(f"rule {rule.id} was left out after it broke the engine", f"{rule.file}:{rule.line}")


def _blame(evaluator: Evaluator, question: Question, broken: frozenset[int], death: Death, limits: Limits) -> tuple[Answer, frozenset[int]]:
    """Find which rules break the engine on this input, and judge it by the others."""
    asked = [rule for rule in question.rules if rule not in broken]
    answers: list[Answer] = []
    found: set[int] = set()
    for number, outcome in isolated(lambda number: _task(evaluator, Question(question.text, (asked[number],)), broken), len(asked), limits):
        rule = evaluator.rules[asked[number]]
        if isinstance(outcome, Death):
            found.add(asked[number])
            answers.append(Answer(troubles=(Trouble(f"rule {rule.id}: evaluation {outcome.reason}", f"{rule.file}:{rule.line}"),)))
        else:
            answers.append(_answer(evaluator, outcome, ()))
    if not found:
        answers.append(Answer(troubles=(Trouble(f"the rules together: evaluation {death.reason}"),)))
    return _sum(answers), frozenset(found)


def _sum(answers: Sequence[Answer]) -> Answer:
    return Answer(
        tuple(value for answer in answers for value in answer.values),
        tuple(dict.fromkeys(name for answer in answers for name in answer.exempted)),
        tuple(dict.fromkeys(trouble for answer in answers for trouble in answer.troubles)),
    )


def _task(evaluator: Evaluator, question: Question, broken: frozenset[int]) -> bytes:
    """Be the task of the child: everything that can happen becomes bytes, and nothing to say none at all."""
    rules = [rule for rule in question.rules if rule not in broken] if broken else question.rules
    if not rules:
        return b""
    try:
        answer = evaluator.evaluate(question.text, rules)
    except BaseException:  # a panic in the engine is no Exception
        return _one_by_one(evaluator, rules, question.text)
    if not answer.values and not answer.exempted:
        return b""
    return json.dumps({"values": answer.values, "exempted": answer.exempted}).encode()


def _one_by_one(evaluator: Evaluator, rules: Sequence[int], document: str) -> bytes:
    values: list[tuple[int, Any]] = []
    exempted: dict[tuple[tuple[str, ...], str], None] = {}
    errors: list[tuple[int, str, str]] = []
    for rule in rules:
        try:
            answer = evaluator.evaluate(document, (rule,))
            values += answer.values
            exempted.update(dict.fromkeys(answer.exempted))
        except EngineError as error:
            errors.append((rule, error.cause, error.place))
        except BaseException as error:
            errors.append((rule, f"{type(error).__name__}: {error}", ""))
    return json.dumps({"values": values, "errors": errors, "exempted": list(exempted)}).encode()


def _answer(evaluator: Evaluator, outcome: bytes, said: tuple[Trouble, ...]) -> Answer:
    if not outcome:
        return Answer(troubles=said)
    read = json.loads(outcome)
    troubles = list(said)
    for index, cause, place in read.get("errors", ()):
        rule = evaluator.rules[index]
        troubles.append(Trouble(f"rule {rule.id} cannot be evaluated: {cause}", place or f"{rule.file}:{rule.line}"))
    return Answer(
        tuple((index, value) for index, value in read["values"]),
        tuple((tuple(package), name) for package, name in read["exempted"]),
        tuple(troubles),
    )
