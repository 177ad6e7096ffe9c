"""The text of a CEL rule: which fields of ``self`` it reads, and the form in which the engine runs it.

Only tokens are looked at. A rule that reads ``self`` as a whole (``self.all(…)``, ``'x' in self``) gets
the whole value; one that reads named fields gets only those, so that a rule about one field of a large
resource costs what that field costs. ``size``, ``matches`` and ``duration`` are renamed, because the engine counts
bytes, has another regular expression engine than the API server and takes other durations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from crossgate.schema.celmacros import NAMES, rewritten

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
    |(?P<string>(?:[rR][bB]?|[bB][rR]?)?(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<raw>[rR](?:"[^"\n]*"|'[^'\n]*'))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>[0-9][0-9A-Za-z_.]*)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)

OWN_NAMES = {"size": "k8sSize", "matches": "k8sMatches", "duration": "k8sDuration"}
"""Functions that are run here instead of by the engine, and the names that they get."""

Fields = dict[str, Any]

_FIELD = r"self((?:\.[A-Za-z]\w*)+)"
_HAS = rf"has\({_FIELD}\)"
_HAS_BOTH = rf"\(\s*{_HAS}\s*&&\s*{_HAS}\s*\)"
_HOLDS_NONE = rf"!\(\s*'[^'\\]*'\s+in\s+{_FIELD}(?:\s*\|\|\s*'[^'\\]*'\s+in\s+{_FIELD})*\s*\)"
_ALTERNATIVE = re.compile(rf"\s*(?:{_HAS}|{_HAS_BOTH}|{_HOLDS_NONE})\s*(?:\|\||$)")


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule ready to run.

    ``fields`` is a tree of the fields that it reads, or None for the whole value. ``enough`` are paths of which each makes the rule hold
    if only something stands there.
    """

    source: str
    fields: Fields | None
    reads_old_self: bool
    names: frozenset[str] = field(default_factory=frozenset)
    enough: tuple[tuple[str, ...], ...] = ()


@lru_cache(maxsize=4096)
def read_rule(source: str) -> RuleText:
    """Read a rule's text."""
    tokens = [(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(source)]
    solid = [index for index, (kind, _) in enumerate(tokens) if kind != "space"]
    names: set[str] = set()
    whole = False
    fields: Fields = {}
    text = [token for _, token in tokens]
    for place, index in enumerate(solid):
        kind, word = tokens[index]
        if kind != "name":
            continue
        follower = tokens[solid[place + 1]][1] if place + 1 < len(solid) else ""
        before = tokens[solid[place - 1]][1] if place else ""
        if follower == "(" and word in OWN_NAMES:
            text[index] = OWN_NAMES[word]
        names.add(word)
        if word == "self" and before != ".":
            chain = _chain(tokens, solid, place + 1)
            if chain:
                _add(fields, chain)
            else:
                whole = True
    source_text = "".join(text)
    if not NAMES.isdisjoint(names):
        source_text = rewritten([(kind, word) for (kind, _), word in zip(tokens, text, strict=True)])
    return RuleText(source_text, None if whole else fields, "oldSelf" in names, frozenset(names), () if whole else _enough(source))


def _enough(source: str) -> tuple[tuple[str, ...], ...]:
    """Return the paths whose presence is one of a rule's alternatives, where the rule is nothing but simple ones.

    Most rules are of this form: providers generate them for each field that a managed resource needs unless it only observes. In CEL one
    true alternative makes the whole true, even if another is an error.
    """
    found: list[tuple[str, ...]] = []
    end = 0
    while match := _ALTERNATIVE.match(source, end):
        if match[1]:
            found.append(tuple(match[1][1:].split(".")))
        end = match.end()
        if not match[0].endswith("||"):
            return tuple(found) if end == len(source) else ()
    return ()


def _chain(tokens: list[tuple[str, str]], solid: list[int], place: int) -> list[str]:
    """Return the names in ``.a.b.c`` from ``place`` on; a name that is called ends it."""
    chain: list[str] = []
    while place + 1 < len(solid) and tokens[solid[place]][1] == "." and tokens[solid[place + 1]][0] == "name":
        called = place + 2 < len(solid) and tokens[solid[place + 2]][1] == "("
        if called:
            break
        chain.append(tokens[solid[place + 1]][1])
        place += 2
    return chain


_ALL: Fields = {"*": None}


def _add(fields: Fields, chain: list[str]) -> None:
    here = fields
    for name in chain[:-1]:
        below = here.setdefault(name, {})
        if below is _ALL:
            return
        here = below
    here[chain[-1]] = _ALL


def is_whole(fields: Fields) -> bool:
    """Say whether everything below this field is read."""
    return fields is _ALL
