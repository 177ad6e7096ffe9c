"""Which rules are asked about which object. A rule that is not asked about one has nothing to say about it.

That is what the rule declares: its package may define ``kinds``, a set of the kinds that it speaks about, ``first_look``, a regular
expression that the JSON text of an object must hold for the rule to say anything, and ``known_good``, one of what in the text is as the
rule wants it: a rule is not asked where nothing but this shows at a first look. Where no declaration is read the rule says the same:
it looks for these things itself, or what it looks for cannot be there without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from crossgate.errors import PolicyError
from crossgate.policy.rules import Rule, Scope

_AS_ENGINES_DO = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))


def json_text(body: Any) -> str:
    """Write a body as engines do: compact, keys in order.

    Raises:
        TypeError, ValueError, RecursionError: it is no JSON value.
    """
    try:
        text = orjson.dumps(body, option=_AS_ENGINES_DO).decode()
    except TypeError:  # whole numbers of more than 64 bits, keys that are no texts: Python's own writer says what they are
        return _JSON.encode(body)
    return _JSON.encode(body) if "null" in text else text  # it writes what is no number as null


class Asked:
    """What to ask of rules that see one object each, or (another ``scope``) several. Rules are named by their index."""

    def __init__(self, rules: Sequence[Rule], scope: Scope = Scope.DOCUMENT) -> None:
        self._rules = [(index, rule) for index, rule in enumerate(rules) if rule.scope is scope]
        self._by_kind: dict[str, tuple[int, ...]] = {}
        self._by_kinds: dict[frozenset[str], tuple[int, ...]] = {}
        self._found: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]] = {}
        looking = [(index, rule) for index, rule in self._rules if rule.first_look]
        self._looking = [index for index, _ in looking]
        self._looks = _set_of([rule for _, rule in looking])
        self._good = {
            index: (_compiled(rule, "first_look", rule.first_look), _compiled(rule, "known_good", rule.known_good))
            for index, rule in looking
            if rule.known_good
        }

    def about(self, body: Any, text: str) -> tuple[int, ...]:
        """Return the rules to ask about an object, in order. ``text`` is what ``json_text`` says of it."""
        kind = body.get("kind") if isinstance(body, dict) else None
        asked = self._by_kind.get(kind) if isinstance(kind, str) else None
        if asked is None:
            asked = self._of_kinds(frozenset(_kinds(body)))
            if isinstance(kind, str) and not _holds_others(kind):
                self._by_kind[kind] = asked
        return self.shown(asked, text)

    def _of_kinds(self, kinds: frozenset[str]) -> tuple[int, ...]:
        if kinds not in self._by_kinds:
            rules = (index for index, rule in self._rules if rule.kinds is None or not kinds.isdisjoint(rule.kinds))
            self._by_kinds[kinds] = tuple(rules)
        return self._by_kinds[kinds]

    def shown(self, asked: tuple[int, ...], text: str) -> tuple[int, ...]:
        """Return those of the rules that find in the text what they look for first."""
        if not self._looking or not text.isascii():
            return asked  # engines disagree about the case of other letters
        # As lib/values.rego writes it: what stands on lines of their own is on lines of their own.
        text = text.replace("\\n", "\n").replace("\\t", "\t") if "\\" in text else text
        found = tuple(self._looks.Match(text))
        if not found:
            return asked  # the last of them is found everywhere: the automaton has given up
        if (asked, found) not in self._found:
            seen = {self._looking[number] for number in found if number < len(self._looking)}
            kept = tuple(index for index in asked if index in seen or index not in self._looking)
            self._found[asked, found] = kept, tuple(index for index in kept if index in self._good)
        kept, doubtful = self._found[asked, found]
        if not doubtful:
            return kept
        encoded = text.encode()
        plain = {index for index in doubtful if not self._good[index][0].search(_without(self._good[index][1], encoded))}
        return tuple(index for index in kept if index not in plain) if plain else kept


def _without(expression: Any, text: bytes) -> bytes:
    """Return a text with NUL in place of what an expression matches."""
    kept, end = [], 0
    for found in expression.finditer(text):
        kept.append(text[end : found.start()])
        end = found.end()
    return b"\0".join((*kept, text[end:]))


def _holds_others(kind: str) -> bool:
    """Say whether an object of a kind may hold others."""
    return kind == "Object" or kind.endswith("List")


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


def _set_of(rules: Sequence[Rule]) -> Any:
    """Return one automaton for the first looks of all rules, and an empty one: a text is read once, however many there are."""
    import re2  # type: ignore[import-untyped]  # it has no stubs  # noqa: PLC0415 - some ms that a pack without them does not pay

    looks = re2.Set.SearchSet()
    for rule in rules:
        try:
            looks.Add(rule.first_look)
        except re2.error as error:
            raise _no_expression(rule, "first_look", error) from error
    looks.Add("")
    looks.Compile()
    return looks


def _compiled(rule: Rule, name: str, expression: str) -> Any:
    import re2  # noqa: PLC0415 - as above

    try:
        options = re2.Options()
        options.never_capture = True  # groups are only brackets here, and noting where they match is slow
        return re2.compile(expression.encode(), options)  # what is matched is ASCII, and bytes spare the counting of characters
    except re2.error as error:
        raise _no_expression(rule, name, error) from error


def _no_expression(rule: Rule, name: str, error: Exception) -> PolicyError:
    return PolicyError(f"{name} is no regular expression: {error}", f"{rule.file}:{rule.line}", "write it as RE2 reads it")
