"""Which rules are asked about which input. What a rule is not asked about, it has nothing to say about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crossgate.policy.engine import Question
from crossgate.policy.rules import Rule


class Asked:
    """What to ask of rules that see one object each."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = [(index, rule.kinds) for index, rule in enumerate(rules) if not rule.estate]
        self._by_kind: dict[str, tuple[int, ...]] = {}
        self._all = tuple(index for index, _ in self._rules)

    def about(self, bodies: Iterable[Any]) -> list[Question]:
        """Return one question for each body, in order; one that no rule is asked about has no rules."""
        return [Question(body, self._of(body)) for body in bodies]

    def _of(self, body: Any) -> tuple[int, ...]:
        """Return the rules about objects of this kind.

        A List (of any kind that ends so) and an Object of provider-kubernetes hold others, so every rule is asked about them.
        """
        kind = body.get("kind") if isinstance(body, dict) else None
        if not isinstance(kind, str):
            kind = ""
        if kind == "Object" or kind.endswith("List"):
            return self._all
        if kind not in self._by_kind:
            self._by_kind[kind] = tuple(index for index, kinds in self._rules if kinds is None or kind in kinds)
        return self._by_kind[kind]


def about_the_estate(rules: Sequence[Rule], documents: Sequence[tuple[str, Any]]) -> Question:
    """Return the question about all documents (file and body) at once, in the form of conftest's ``--combine``."""
    combined = [{"path": file, "contents": body} for file, body in documents]
    return Question(combined, tuple(index for index, rule in enumerate(rules) if rule.estate))
