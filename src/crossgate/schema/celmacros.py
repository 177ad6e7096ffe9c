"""Macros that the API server has and the engine has not, written with those that it has.

Of two variables (cel-go's ``ext/comprehensions.go``, Kubernetes 1.32 on): ``all``, ``exists``, ``existsOne``, ``transformList``,
``transformMap`` and ``transformMapEntry`` go over entries (index or key, and value), of which the variables are the parts. ``sortBy``
(``ext/lists.go``, Kubernetes 1.34 on) sorts pairs of a key and a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Token = tuple[str, str]

_QUANTIFIERS = {"all": "all", "exists": "exists", "existsOne": "exists_one", "exists_one": "exists_one"}
_TRANSFORMS = {"transformList": "", "transformMap": ".k8sMap()", "transformMapEntry": ".k8sMerged()"}
_OF_ONE = ("all", "exists", "exists_one", "existsOne", "map", "filter", "optMap", "optFlatMap")
NAMES = frozenset(("sortBy", *_QUANTIFIERS, *_TRANSFORMS))
"""Names that make a rule worth rewriting."""


def rewritten(tokens: Sequence[Token], variables: Mapping[str, str] | None = None) -> str:
    """Return a rule (kind and text of each token) without these macros; ``variables`` are written as the parts of entries."""
    variables = variables or {}
    written: list[str] = []
    before, place = "", 0
    while place < len(tokens):
        kind, word = tokens[place]
        follower = _solid(tokens, place + 1)
        called = follower < len(tokens) and tokens[follower][1] == "("
        if kind == "name" and called and before == ".":
            arguments, place = _arguments(tokens, follower)
            written.append(_call(word, arguments, variables))
            before = ")"
            continue
        written.append(variables[word] if kind == "name" and not called and before != "." and word in variables else word)
        before = word if kind != "space" else before
        place += 1
    return "".join(written)


def _call(name: str, arguments: list[list[Token]], variables: Mapping[str, str]) -> str:
    first, second = (_name(arguments[place]) if place < len(arguments) else "" for place in (0, 1))
    of_two = (name in _QUANTIFIERS and len(arguments) == 3) or (name in _TRANSFORMS and len(arguments) in (3, 4))
    if of_two and first and second:
        entry = f"k8sEntry{len(variables)}"
        inner = {**variables, first: f"{entry}[0]", second: f"{entry}[1]"}
        *conditions, body = (rewritten(argument, inner) for argument in arguments[2:])
        if name in _QUANTIFIERS:
            return f"k8sEntries().{_QUANTIFIERS[name]}({entry}, {body})"
        body = f"[{entry}[0], {body}]" if name == "transformMap" else body
        return f"k8sEntries().map({', '.join([entry, *conditions, body])}){_TRANSFORMS[name]}"
    hidden = {key: value for key, value in variables.items() if key != first}
    if name == "sortBy" and len(arguments) == 2 and first:
        return f"map({first}, [{rewritten(arguments[1], hidden)}, {first}]).k8sSortBy()"
    if name in _OF_ONE and first:
        return f"{name}({', '.join([first, *(rewritten(argument, hidden) for argument in arguments[1:])])})"
    return f"{name}({', '.join(rewritten(argument, variables) for argument in arguments)})"


def _name(argument: list[Token]) -> str:
    solid = [token for token in argument if token[0] != "space"]
    return solid[0][1] if len(solid) == 1 and solid[0][0] == "name" else ""


def _solid(tokens: Sequence[Token], place: int) -> int:
    while place < len(tokens) and tokens[place][0] == "space":
        place += 1
    return place


def _arguments(tokens: Sequence[Token], opening: int) -> tuple[list[list[Token]], int]:
    """Return the arguments behind a bracket, and the place behind the one that closes it (the end, if none does)."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for place in range(opening, len(tokens)):
        kind, word = tokens[place]
        if kind == "other" and word in "([{":
            depth += 1
            if depth == 1:
                continue
        elif kind == "other" and word in ")]}":
            depth -= 1
            if depth == 0:
                empty = len(arguments) == 1 and not any(kind != "space" for kind, _ in arguments[0])
                return ([] if empty else arguments), place + 1
        elif depth == 1 and word == ",":
            arguments.append([])
            continue
        arguments[-1].append(tokens[place])
    return arguments, len(tokens)


def entries(values: Any) -> list[list[Any]]:
    """Return the entries of a list (index and value) or a map (key and value)."""
    return [list(entry) for entry in (values.items() if isinstance(values, dict) else enumerate(values))]


def merged(maps: list[dict[Any, Any]]) -> dict[Any, Any]:
    """Return one map of many. Raises ValueError when two have the same key."""
    made: dict[Any, Any] = {}
    for entry in maps:
        for key, value in entry.items():
            if key in made:
                raise ValueError(f"insert failed: key {key} already exists")
            made[key] = value
    return made


def sorted_by(pairs: list[list[Any]]) -> list[Any]:
    """Return the values of pairs (key, value) in the order of their keys; equal ones stay as they are."""
    return [value for _, value in sorted(pairs, key=lambda pair: pair[0])]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "k8sEntries": entries,
    "k8sMap": dict,
    "k8sMerged": merged,
    "k8sSortBy": sorted_by,
}
"""What rewritten rules call."""
