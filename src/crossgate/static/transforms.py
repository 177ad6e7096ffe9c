"""What a patch's transforms make of a value, told before any claim exists.

The rules are function-patch-and-transform's (transforms.go, August 2026): which Go types a transform takes, and what it gives.
Where a schema lists all that a field can be, every one of these values is run through the real transforms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.render.decode import decode
from crossgate.render.faults import Fault as Refusal
from crossgate.render.faults import InputFault
from crossgate.render.inputs import TRANSFORM
from crossgate.render.regexps import compile_regexp
from crossgate.schema.values import shown
from crossgate.static.assign import said
from crossgate.static.evaluate import RefusedError, evaluator
from crossgate.static.fault import Fault
from crossgate.static.formats import format_fault
from crossgate.static.maps import map_faults
from crossgate.static.values import KINDS, NUMBERS, UNKNOWN, Value, kind_of, of_constants

MOST_CHOICES = 256
"""A field that lists more values than this is judged by its type alone."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of the value after the transforms, and what is wrong with them. ``stops`` when no value passes."""

    value: Value
    faults: tuple[Fault, ...] = ()
    stops: bool = False


def through(value: Value, transforms: Iterable[tuple[dict[str, Any], Path]]) -> Outcome:
    """Run what is known of a value through a patch's transforms, up to the first that takes no such value."""
    faults: list[Fault] = []
    for written, at in transforms:
        try:
            transform = decode(TRANSFORM, written)
        except InputFault:
            return Outcome(UNKNOWN, tuple(faults), stops=True)
        kind = transform.get("type")
        config = transform.get(kind) if isinstance(kind, str) else None
        if not isinstance(kind, str) or kind not in _TAKES or not isinstance(config, dict):
            # the function refuses such an input as a whole, which is another finding
            return Outcome(UNKNOWN, tuple(faults), stops=True)
        takes = _TAKES[kind](config)
        if value.known and not value.kinds & takes:
            faults.append(_wrong_input(kind, config, value, takes, at))
            return Outcome(UNKNOWN, tuple(faults), stops=True)
        faults += _format_faults(kind, config, value, at)
        faults += map_faults(kind, config, value, at)
        faults += _group_faults(kind, config, at)
        value, failing = _apply(transform, kind, config, value, at)
        faults += failing
    return Outcome(value, tuple(faults))


def combined(fmt: Any, values: list[Value], at: Path) -> Outcome:
    """Return what a Combine makes of its variables: a string, with each choice when all variables list theirs."""
    fault = format_fault(fmt, values) if isinstance(fmt, str) else None
    faults = (_format_fault(fault, at),) if fault else ()
    return Outcome(Value(kinds=frozenset({"string"})), faults)


def _apply(transform: dict[str, Any], kind: str, config: Mapping[str, Any], value: Value, at: Path) -> tuple[Value, list[Fault]]:
    if value.choices is None or len(value.choices) > MOST_CHOICES:
        return _GIVES[kind](config, value), []
    given: list[Any] = []
    refused: dict[str, list[Any]] = {}
    evaluate = evaluator(transform)
    for choice in value.choices:
        if kind == "map" and choice not in config:
            # a key that is missing is a fault of its own
            continue
        try:
            result = evaluate(choice)
        except RefusedError as error:
            refused.setdefault(str(error), []).append(choice)
            continue
        if not any(kind_of(result) == kind_of(other) and result == other for other in given):
            given.append(result)
    faults = [_refusal(kind, message, values, at) for message, values in refused.items()]
    if not given:
        return UNKNOWN, faults
    return Value(kinds=frozenset(kind_of(result) for result in given), choices=tuple(given)), faults


def _refusal(kind: str, message: str, values: list[Any], at: Path) -> Fault:
    listed = ", ".join(shown(value) for value in values[:5])
    return Fault(
        at=at,
        rule="crossplane/type-mismatch",
        reason="TRANSFORM_FAILS",
        severity=Severity.ERROR,
        message=f"the {kind} transform fails for {listed}: {message}",
        remediation="change the transform, or take these values out of the XRD's enum",
    )


def _wrong_input(kind: str, config: Mapping[str, Any], value: Value, takes: frozenset[str], at: Path) -> Fault:
    if kind == "convert":
        into = f"to {config.get('toType')}" + (f" with format {config['format']}" if config.get("format") else "")
        message = f"the convert transform cannot turn {said(value.kinds)} {into}"
    else:
        message = f"the {kind} transform takes only {said(takes - {'null'})}, and reads {said(value.kinds)}"
    advice = "put a convert transform with toType: string in front of it" if takes == {"string"} else "change the transform or its source"
    return Fault(at, "crossplane/type-mismatch", "TRANSFORM_INPUT", Severity.ERROR, message, advice)


def _format_faults(kind: str, config: Mapping[str, Any], value: Value, at: Path) -> Iterator[Fault]:
    if kind == "string" and config.get("type") == "Format" and isinstance(config.get("fmt"), str):
        fault = format_fault(config["fmt"], [value])
        if fault:
            yield _format_fault(fault, (*at, "string", "fmt"))


def _format_fault(fault: tuple[str, str], at: Path) -> Fault:
    reason, sample = fault
    return Fault(
        at=at,
        rule="crossplane/format-verb",
        reason=reason,
        severity=Severity.ERROR,
        message=f"the format writes Go's error text into the value, such as {sample}",
        remediation="use %v for numbers and booleans (every number of an XR is a float64 there), %s for strings, and one verb per variable",
    )


def _group_faults(kind: str, config: Mapping[str, Any], at: Path) -> Iterator[Fault]:
    """Yield a capture group that the expression does not have: it fails for every value."""
    regexp = config.get("regexp") if kind == "string" and config.get("type") == "Regexp" else None
    group, pattern = (regexp.get("group"), regexp.get("match")) if isinstance(regexp, dict) else (None, None)
    if not isinstance(group, int) or group <= 0 or not isinstance(pattern, str):
        return
    try:
        # with an alternative that matches everything, the empty text has all groups
        groups = len(compile_regexp(f"(?:{pattern})|").groups("")) - 1
    except Refusal:
        return
    if group > groups:
        yield Fault(
            at=(*at, "string", "regexp", "group"),
            rule="crossplane/type-mismatch",
            reason="TRANSFORM_FAILS",
            severity=Severity.ERROR,
            message=f"the expression {pattern} has {groups} groups, not {group}: rendering fails",
            remediation="put the wanted part in parentheses, or take group 0 for the whole match",
        )


def _takes_match(config: Mapping[str, Any]) -> frozenset[str]:
    """Patterns take strings alone; without patterns everything passes to the fallback."""
    return frozenset({"string"}) if config.get("patterns") else KINDS


def _takes_string(config: Mapping[str, Any]) -> frozenset[str]:
    return frozenset({"array"}) if config.get("type") == "Join" else KINDS


_CONVERSIONS: Mapping[tuple[str, str], frozenset[str]] = {
    ("string", "none"): frozenset({"string", "boolean", *NUMBERS}),
    ("int64", "none"): frozenset({"string", "boolean", *NUMBERS}),
    ("float64", "none"): frozenset({"string", "boolean", *NUMBERS}),
    ("bool", "none"): frozenset({"string", "boolean", *NUMBERS}),
    ("float64", "quantity"): frozenset({"string"}),
    ("object", "json"): frozenset({"string"}),
    ("array", "json"): frozenset({"string"}),
}
"""(toType, format) → what it takes, besides a value that already has the type (which passes whatever the format is)."""

_SAME: Mapping[str, frozenset[str]] = {
    "string": frozenset({"string"}),
    "int64": frozenset({"int64"}),
    "float64": frozenset({"whole", "number"}),
    "bool": frozenset({"boolean"}),
}
"""Go names lists and objects otherwise than ``array`` and ``object``: these never pass a convert transform."""


def _takes_convert(config: Mapping[str, Any]) -> frozenset[str]:
    into, form = _into(config), config.get("format") or "none"
    return _CONVERSIONS.get((into, form), frozenset()) | _SAME.get(into, frozenset())


def _into(config: Mapping[str, Any]) -> str:
    into = str(config.get("toType"))
    return "int64" if into == "int" else into


_TAKES: Mapping[str, Callable[[Mapping[str, Any]], frozenset[str]]] = {
    "map": lambda _config: frozenset({"string"}),
    "match": _takes_match,
    "math": lambda _config: NUMBERS,
    "string": _takes_string,
    "convert": _takes_convert,
}


def _gives_map(config: Mapping[str, Any], _value: Value) -> Value:
    return of_constants(tuple(config.values()))


def _gives_match(config: Mapping[str, Any], value: Value) -> Value:
    patterns = config.get("patterns")
    results = [pattern.get("result") for pattern in patterns if isinstance(pattern, dict)] if isinstance(patterns, list) else []
    if config.get("fallbackTo") == "Input":
        known = of_constants(tuple(results))
        return Value(kinds=known.kinds | value.kinds) if value.known else UNKNOWN
    return of_constants((*results, config.get("fallbackValue")))


def _gives_math(config: Mapping[str, Any], value: Value) -> Value:
    kinds = (value.kinds & NUMBERS) or frozenset({"number"})
    if config.get("type") == "Multiply":
        factor = config.get("multiply")
        if not isinstance(factor, int) or not value.known:
            return Value(kinds=kinds)
        bounds = sorted(bound * factor for bound in (value.low, value.high) if bound is not None)
        both = len(bounds) == 2
        return replace(value, kinds=kinds, low=bounds[0] if both else None, high=bounds[1] if both else None)
    least, most = (
        config.get(key) if config.get("type") == name else None for key, name in (("clampMin", "ClampMin"), ("clampMax", "ClampMax"))
    )
    low = value.low if least is None else max(value.low if value.low is not None else least, least)
    high = value.high if most is None else min(value.high if value.high is not None else most, most)
    return replace(value, kinds=kinds | {"int64"}, low=low, high=high) if value.known else Value(kinds=kinds, low=low, high=high)


def _gives_string(_config: Mapping[str, Any], _value: Value) -> Value:
    return Value(kinds=frozenset({"string"}))


def _gives_convert(config: Mapping[str, Any], value: Value) -> Value:
    into = _into(config)
    if value.kinds and value.kinds <= _SAME.get(into, frozenset()):
        return value
    kind = {"bool": "boolean", "float64": "number"}.get(into, into)
    return Value(kinds=frozenset({kind}) if kind in KINDS else frozenset())


_GIVES: Mapping[str, Callable[[Mapping[str, Any], Value], Value]] = {
    "map": _gives_map,
    "match": _gives_match,
    "math": _gives_math,
    "string": _gives_string,
    "convert": _gives_convert,
}
