"""CEL rules of a definition: whether each compiles, and whether it and all of them cost less than the API server allows.

As ``ValidateCustomResourceDefinitionOpenAPISchema`` and ``cel_validation.go`` of apiextensions-apiserver (1.36).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.compiling import Checker, cardinality
from crossgate.schema.definition.costs import Value, times
from crossgate.schema.definition.declared import Type, declared
from crossgate.schema.definition.expression import ExpressionError, parse
from crossgate.schema.definition.fault import Family, Fault

Schema = dict[str, Any]

EACH = 10_000_000
"""The most that one rule may cost."""
TOGETHER = 100_000_000
"""The most that all rules of a version may cost together."""
_HINT = "make it simpler, or set maxItems, maxProperties and maxLength where lists, maps and strings are described"


@dataclass(slots=True)
class _Sum:
    total: int = 0
    costly: list[tuple[int, Path]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Where:
    root: bool
    times: int | None
    """How often a value of this part can be there; None when nothing bounds it."""
    uncorrelated: bool = False
    """Whether the part cannot be found again in an older version of the object."""


def rule_faults(schema: Schema, at: Path, unsound: Container[Path]) -> Iterator[Fault]:
    """Say which rules of a version do not compile or cost too much; parts in ``unsound`` have faults that come first."""
    total = _Sum()
    yield from _part(schema, at, _Where(root=True, times=1), unsound, total)
    if total.total > TOGETHER:
        said = f"all rules of this version together cost {_factor(total.total, TOGETHER)} times what the API server allows"
        for _, place in sorted(total.costly, reverse=True)[:4] or [(0, at)]:
            yield Fault(place, Family.COST, said, _HINT)


def _part(schema: Schema, at: Path, where: _Where, unsound: Container[Path], total: _Sum) -> Iterator[Fault]:
    if schema.get("x-kubernetes-validations") and at not in unsound:
        kind = declared(schema, root=where.root or bool(schema.get("x-kubernetes-embedded-resource")))
        here = (*at, "x-kubernetes-validations")
        for index, entry in enumerate(schema["x-kubernetes-validations"]):
            yield from _entry(entry or {}, kind, (*here, index), where, total)
    rest, items = schema.get("additionalProperties"), schema.get("items")
    below = replace(where, root=False, times=_more(where.times, schema))
    if isinstance(rest, dict):
        yield from _part(rest, (*at, "additionalProperties"), below, unsound, total)
    for name, inner in (schema.get("properties") or {}).items():
        yield from _part(inner or {}, (*at, "properties", name), below, unsound, total)
    if isinstance(items, dict):
        mapped = schema.get("x-kubernetes-list-type") == "map"
        yield from _part(items, (*at, "items"), replace(below, uncorrelated=where.uncorrelated or not mapped), unsound, total)


def _more(count: int | None, schema: Schema) -> int | None:
    """Return how often the parts of a part can be there."""
    if count is None:
        return None
    if schema.get("type") == "array":
        most = schema.get("maxItems")
    elif schema.get("type") == "object" and schema.get("additionalProperties") is not None:
        most = schema.get("maxProperties")
    else:
        return count
    return None if most is None else times(count, max(0, most))


def _entry(entry: Schema, kind: Type | None, at: Path, where: _Where, total: _Sum) -> Iterator[Fault]:
    rule = (entry.get("rule") or "").strip()
    if not rule:
        return
    if kind is None:
        yield Fault(
            (*at, "rule"), Family.RULE, "rules cannot see values of this part: it has no type", "move the rule to a part with a type"
        )
        return
    old = Type("optional", kind) if entry.get("optionalOldSelf") else kind
    checker = Checker(kind, {"@oldSelf": Value(old, 1)})
    try:
        found = checker.value(parse(rule))
        if found.type.name not in ("bool",):
            raise ExpressionError(f"a rule must give true or false, and this one gives {found.type}")
    except ExpressionError as error:
        yield Fault((*at, "rule"), Family.RULE, f"this rule does not compile: {error}: {rule}", "write it in CEL over the fields of self")
        return
    yield from _cost(found, kind, at, "rule", where, total)
    if checker.uses_old_self and where.uncorrelated:
        said = "oldSelf cannot be used here: values of this part cannot be found again in the older object"
        yield Fault((*at, "rule"), Family.RULE, said, "put the rule on the list or map, or give the list x-kubernetes-list-type: map")
    elif not checker.uses_old_self and entry.get("optionalOldSelf") is not None:
        yield Fault((*at, "optionalOldSelf"), Family.RULE, "is set, and the rule does not read oldSelf", "leave it out")
    yield from _message(entry.get("messageExpression") or "", kind, old, at, where, total)


def _message(text: str, kind: Type, old: Type, at: Path, where: _Where, total: _Sum) -> Iterator[Fault]:
    if not text.strip():
        return
    here = (*at, "messageExpression")
    try:
        found = Checker(kind, {"@oldSelf": Value(old, 1)}).value(parse(text))
        if found.type.name != "string":
            raise ExpressionError(f"it must give a string, and gives {found.type}")
    except ExpressionError as error:
        yield Fault(
            here, Family.RULE, f"this messageExpression does not compile: {error}: {text.strip()}", "write an expression of a string"
        )
        return
    yield from _cost(found, kind, at, "messageExpression", replace(where, times=1), total)


def _cost(found: Value, kind: Type, at: Path, key: str, where: _Where, total: _Sum) -> Iterator[Fault]:
    count = where.times if where.times is not None else cardinality(kind)
    cost = times(count, found.cost) if found.cost else 0
    total.total += cost
    if cost >= TOGETHER // 100:
        total.costly.append((cost, (*at, key)))
    if cost > EACH:
        yield Fault((*at, key), Family.COST, f"this {key} costs {_factor(cost, EACH)} times what the API server allows for one", _HINT)


def _factor(cost: int, allowed: int) -> str:
    return "more than 100" if cost > 100 * allowed else f"{cost / allowed:.1f}"
