"""The engine behind ``--engine opa``: a server of OPA that has the same bundle as the one that stands here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from crossgate.errors import PolicyError
from crossgate.policy.bundle import Bundle
from crossgate.policy.engine import Answer, Question, Trouble
from crossgate.policy.isolate import Limits
from crossgate.policy.opa.archive import file_in_archive
from crossgate.policy.opa.entry import entry_of
from crossgate.policy.opa.server import EvaluationError, Server, SlowError
from crossgate.policy.rules import DECLARED, Rule

BATCH_BYTES = 1 << 17
BATCH_COUNT = 100
SECONDS_OF_A_BATCH = 30.0
"""The time for a batch: what a server has to do besides counts here, so it is no measure of a rule."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Questions that go to the server together: the index of each, its body, and the rules to ask about it (indexes of the engine)."""

    asked: tuple[tuple[int, Any, tuple[int, ...]], ...]

    def rules(self) -> tuple[int, ...]:
        return tuple(sorted({rule for _, _, rules in self.asked for rule in rules}))

    def only(self, rules: frozenset[int]) -> _Part:
        kept = ((index, body, tuple(rule for rule in asked if rule in rules)) for index, body, asked in self.asked)
        return _Part(tuple(part for part in kept if part[2]))


@dataclass(slots=True)
class _Said:
    """What has come of one question so far."""

    values: list[tuple[int, Any]] = field(default_factory=list)
    exempted: dict[tuple[tuple[str, ...], str], None] = field(default_factory=dict)
    troubles: dict[Trouble, None] = field(default_factory=dict)

    def answer(self) -> Answer:
        return Answer(tuple(sorted(self.values, key=lambda value: value[0])), tuple(self.exempted), tuple(self.troubles))


class OpaServer:
    """A server of OPA as an engine. It is asked once for many documents; what cannot be evaluated is narrowed down to one rule."""

    def __init__(self, bundle: Bundle, rules: tuple[Rule, ...], server: Server, *, rego_v0: bool = False) -> None:
        """Compare the server's bundle with ``bundle``.

        Raises:
            PolicyError: the server cannot be asked, or has another bundle.
        """
        self._server = server
        self._entry = entry_of(bundle, rego_v0=rego_v0)
        self._numbers = [self._entry.rules[(rule.package, rule.name)] for rule in rules]
        self._indexes = {number: index for index, number in enumerate(self._numbers)}
        self._files = {file_in_archive(index): module.name for index, module in enumerate(bundle.modules)}
        self._broken: dict[int, Trouble] = {}
        declared: dict[int, dict[str, Any]] = {}
        try:
            for number, name, value in self._state().get("declared", ()):
                if name not in DECLARED:
                    raise ValueError
                if number in self._indexes:
                    declared.setdefault(self._indexes[number], {})[name] = value
        except (ValueError, TypeError):
            raise PolicyError("the OPA server's state is not in form", server.url, "ask an OPA server, not what stands before it") from None
        self.rules = tuple(rule.declaring(declared.get(index, {})) for index, rule in enumerate(rules))

    def ask(self, questions: Sequence[Question], limits: Limits) -> Iterator[Answer]:
        """Answer each question, in order: see ``engine.Engine``. ``limits.seconds`` are the time of one rule and one document."""
        for start, part, said in _batches(questions):
            self._judge(part, said, limits)
            for index in range(start, start + len(said)):
                yield said[index].answer()

    def _judge(self, part: _Part, said: dict[int, _Said], limits: Limits) -> None:
        """Ask the server about a part, and about smaller ones where it cannot answer."""
        for index, _, rules in part.asked:
            for rule in rules:
                if rule in self._broken:
                    said[index].troubles[self._broken[rule]] = None
        part = part.only(frozenset(part.rules()) - self._broken.keys())
        if not part.asked:
            return
        single = len(part.asked) == 1 and len(part.rules()) == 1
        try:
            answers = self._answers(part, limits.seconds if single else max(limits.seconds, SECONDS_OF_A_BATCH))
        except EvaluationError as error:
            if not single:
                for smaller in self._smaller(part, error):
                    self._judge(smaller, said, limits)
                return
            index, _, (rule,) = part.asked[0]
            said[index].troubles[self._trouble(rule, error)] = None
            return
        except SlowError:
            self._state()  # a server that does not even answer this is no engine
            if not single:
                for smaller in _alone(part):
                    self._judge(smaller, said, limits)
                return
            index, _, (rule,) = part.asked[0]
            found = self.rules[rule]
            where = f"{found.file}:{found.line}"
            said[index].troubles[Trouble(f"rule {found.id}: evaluation did not end within {limits.seconds:g} s", where)] = None
            self._broken[rule] = Trouble(f"rule {found.id} was left out after it broke the engine", where)
            return
        for (index, _, _), (values, exempted) in zip(part.asked, answers, strict=True):
            said[index].values += values
            said[index].exempted.update(dict.fromkeys(exempted))

    def _answers(self, part: _Part, seconds: float) -> list[tuple[list[tuple[int, Any]], list[tuple[tuple[str, ...], str]]]]:
        questions = [{"body": body, "rules": [self._numbers[rule] for rule in rules]} for _, body, rules in part.asked]
        answer = self._server.query("answer", {"questions": questions}, seconds=seconds)
        self._same_bundle(answer)
        answers = answer.get("answers")
        try:
            if len(answers) != len(questions):
                raise ValueError
            return [self._read(one, rules) for one, (_, _, rules) in zip(answers, part.asked, strict=True)]
        except (ValueError, TypeError, KeyError, IndexError):
            raise PolicyError(
                f"the OPA server's answer is not about the {len(questions)} documents that it was asked about",
                self._server.url,
                "ask an OPA server, not what stands before it",
            ) from None

    def _read(self, one: Any, rules: tuple[int, ...]) -> tuple[list[tuple[int, Any]], list[tuple[tuple[str, ...], str]]]:
        values = [(self._indexes[number], value) for number, value in one["values"]]
        if not {index for index, _ in values} <= set(rules):
            raise ValueError
        names = [(self._entry.packages[number], name) for number, name in one["exempted"] if isinstance(name, str)]
        return values, names

    def _state(self) -> dict[str, Any]:
        try:
            state = self._server.query("state", None, seconds=SECONDS_OF_A_BATCH)
        except SlowError:
            raise PolicyError(
                f"the OPA server does not answer within {SECONDS_OF_A_BATCH:g} s", self._server.url, "look why; its log names each request"
            ) from None
        except EvaluationError as error:
            raise PolicyError(
                f"the policies cannot be evaluated: {self._told(error.cause)}", self._place(error), "mend the policy"
            ) from None
        self._same_bundle(state)
        return dict(state)

    def _same_bundle(self, answer: Any) -> None:
        there = answer.get("bundle") if isinstance(answer, dict) else None
        if there != self._entry.digest:
            raise PolicyError(
                f"the OPA server has another bundle ({str(there)[:12]}) than the one here ({self._entry.digest[:12]})",
                self._server.url,
                "give it this one: crossgate policy bundle -o bundle.tar.gz",
            )

    def _smaller(self, part: _Part, error: EvaluationError) -> list[_Part]:
        """Divide a part so that what the error blames is alone: the rules of the file where it happened, where those are rules."""
        name = self._files.get(error.file)
        blamed = frozenset(rule for rule in part.rules() if self.rules[rule].file == name)
        others = frozenset(part.rules()) - blamed
        if blamed and others:
            return [part.only(others), part.only(blamed)]
        return _divided(part)

    def _trouble(self, rule: int, error: EvaluationError) -> Trouble:
        found = self.rules[rule]
        return Trouble(
            f"rule {found.id} cannot be evaluated: {self._told(error.cause)}", self._place(error) or f"{found.file}:{found.line}"
        )

    def _told(self, cause: str) -> str:
        """Return a cause in one line, with the names that files have here."""
        return re.sub(r"policies/\d+\.rego", lambda found: self._files.get(found[0], found[0]), " ".join(cause.split()))

    def _place(self, error: EvaluationError) -> str:
        name = self._files.get(error.file, "")
        return f"{name}:{error.line}" if name else ""


def opa_at(url: str, *, rego_v0: bool = False) -> Callable[[Bundle, tuple[Rule, ...]], OpaServer]:
    """Return what makes the engine for ``Policies.load``: the server at ``url`` (``http://host:port``).

    Raises:
        UsageError: ``url`` is no address of a server.
        PolicyError: the package opa-python-client is not installed.
    """
    server = Server(url)
    return lambda bundle, rules: OpaServer(bundle, rules, server, rego_v0=rego_v0)


def _divided(part: _Part) -> list[_Part]:
    """Divide a part in two: its questions, and for a single one its rules."""
    if len(part.asked) > 1:
        middle = len(part.asked) // 2
        return [_Part(part.asked[:middle]), _Part(part.asked[middle:])]
    rules = part.rules()
    middle = len(rules) // 2
    return [part.only(frozenset(rules[:middle])), part.only(frozenset(rules[middle:]))]


def _alone(part: _Part) -> list[_Part]:
    """Divide a part into its questions, a single one into its rules: halves of what takes its time would take it again and again."""
    if len(part.asked) > 1:
        return [_Part((one,)) for one in part.asked]
    return [part.only(frozenset((rule,))) for rule in part.rules()]


def _batches(questions: Sequence[Question]) -> Iterator[tuple[int, _Part, dict[int, _Said]]]:
    """Yield what goes to the server together: the index of the first question, the questions, and where to gather what comes of each."""
    start = size = 0
    asked: list[tuple[int, Any, tuple[int, ...]]] = []
    for index, question in enumerate(questions):
        asked.append((index, question.body, question.rules))
        size += len(question.text)
        if size >= BATCH_BYTES or len(asked) >= BATCH_COUNT or index + 1 == len(questions):
            yield start, _Part(tuple(asked)), {number: _Said() for number in range(start, index + 1)}
            start, size, asked = index + 1, 0, []
