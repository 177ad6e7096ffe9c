"""What an engine offers: it loads a bundle once, and is then asked which rules say what about which inputs.

The embedded engine and a server of OPA stand behind this one protocol. Which rules are asked about an input, and what
their values mean, is decided outside of it, so that two engines can only differ in how they evaluate Rego.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from crossgate.policy.isolate import Limits
from crossgate.policy.rules import Rule


@dataclass(frozen=True, slots=True)
class Question:
    """One input as JSON text, and the indexes, in ``Engine.rules``, of the rules that are asked about it (at least one)."""

    text: str
    rules: tuple[int, ...]

    @property
    def body(self) -> Any:
        """Return the input as a value."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that could not be evaluated, as a clause for people, and where it is at fault ("" for the input itself)."""

    what: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question.

    ``values`` are pairs of a rule's index and the raw value of ``data.<package>.<name>`` (sets as lists); rules that say
    nothing are left out. ``exempted`` are pairs of a package and a name in its ``exception``, as conftest has them (only packages
    with a rule that was asked). ``troubles`` name every rule that was asked and has no value because of an error, a limit or a crash.
    """

    values: tuple[tuple[int, Any], ...] = ()
    exempted: tuple[tuple[tuple[str, ...], str], ...] = ()
    troubles: tuple[Trouble, ...] = ()


class Engine(Protocol):
    """A loaded bundle."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that decide; questions name them by index."""
        ...

    def ask(self, questions: Sequence[Question], limits: Limits) -> Iterator[Answer]:
        """Answer each question, in order.

        What cannot be evaluated is a ``Trouble`` of its answer; nothing that a rule or an input does is raised. A rule that breaks
        the engine costs its limit once: it is left out from then on, which each later answer says.

        Raises:
            CrossgateError: the engine itself cannot be used (a server that cannot be reached, another bundle than the local one).
        """
        ...
