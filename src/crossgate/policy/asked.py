"""Which rules are asked about which object. A rule that is not asked about one has nothing to say about it.

That is what the rule declares: its package may define ``kinds``, a set of the kinds that it speaks about, and
``first_look``, a regular expression that the JSON text of an object must hold, and which the rule itself looks for first
(``regex.match(first_look, values.text)``), so that it says the same wherever nobody reads the declaration.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from crossgate.errors import PolicyError
from crossgate.policy.rules import Rule, Scope

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def json_text(body: Any) -> str:
    """Write a body as engines do: compact, keys in order.

    Raises:
        TypeError, ValueError, RecursionError: it is no JSON value.
    """
    return _JSON.encode(body)


class Asked:
    """What to ask of rules that see one object each. Rules are named by their index."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = [(index, rule) for index, rule in enumerate(rules) if rule.scope is Scope.DOCUMENT]
        self._by_kinds: dict[frozenset[str], tuple[int, ...]] = {}
        self._looking = [index for index, rule in self._rules if rule.first_look]
        self._looks = _compiled([rule for _, rule in self._rules if rule.first_look])

    def about(self, body: Any, text: str) -> tuple[int, ...]:
        """Return the rules to ask about an object, in order. ``text`` is what ``json_text`` says of it."""
        kinds = frozenset(_kinds(body))
        asked = self._by_kinds.get(kinds)
        if asked is None:
            asked = tuple(index for index, rule in self._rules if rule.kinds is None or not kinds.isdisjoint(rule.kinds))
            self._by_kinds[kinds] = asked
        if not self._looking or not text.isascii():
            return asked  # engines disagree about the case of other letters
        # As lib/values.rego writes it: what stands on lines of their own is on lines of their own.
        found = self._looks.Match(text.replace("\\n", "\n").replace("\\t", "\t")) or ()
        missing = set(self._looking).difference(self._looking[number] for number in found)
        return tuple(index for index in asked if index not in missing) if missing else asked


def _kinds(body: Any) -> Iterator[str]:
    """Return the kinds of the objects in a document, as lib/objects.rego finds them.

    A List (of any kind that ends so) holds items, an Object of provider-kubernetes its manifest.
    """
    if not isinstance(body, dict):
        return
    kind = body.get("kind")
    written = [body]
    if isinstance(kind, str) and kind.endswith("List") and isinstance(items := body.get("items"), list):
        written += [item for item in items if isinstance(item, dict)]
    for found in written:
        kind = found.get("kind")
        if not isinstance(kind, str):
            continue
        yield kind
        if kind == "Object":
            manifest: Any = found
            for key in ("spec", "forProvider", "manifest"):
                manifest = manifest.get(key) if isinstance(manifest, dict) else None
            if isinstance(manifest, dict) and isinstance(inner := manifest.get("kind"), str):
                yield inner


def _compiled(rules: Sequence[Rule]) -> Any:
    """Return one automaton for the first looks of all rules: a text is read once, however many there are."""
    import re2  # type: ignore[import-untyped]  # it has no stubs  # noqa: PLC0415 - some ms that a pack without them does not pay

    looks = re2.Set.SearchSet()
    for rule in rules:
        try:
            looks.Add(rule.first_look)
        except re2.error as error:
            raise PolicyError(
                f"first_look is no regular expression: {error}", f"{rule.file}:{rule.line}", "write it as RE2 reads it"
            ) from error
    looks.Compile()
    return looks
