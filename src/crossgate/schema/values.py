"""Value validation: types, enums, bounds, patterns, formats, required fields and the schema combinators.

A port, rule by rule, of kube-openapi's ``pkg/validation/validate`` as the API server 1.36 uses it on custom
resources, with its oddities: a list passes where a formatted string is wanted, a float passes an enum that
holds its integer part, a number within a relative 1e-9 of an integer has the type integer. Integers that
do not fit into 64 bits are floats there, so they are floats here.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from crossgate.paths import Path
from crossgate.schema.formats import TEXT, enforced, holds
from crossgate.schema.nearest import nearest
from crossgate.schema.patterns import found_in

Schema = dict[str, Any]

_INT64 = 2**63
_INT32 = 2**31
_EXACT = float(2**53 - 1)
_MAX_FLOAT32 = 3.4028235677973366e38
"""The first number that rounds beyond the largest float32."""


DECODED = "x-crossgate-decoded"
"""Marks values of Kubernetes' own kinds that are read while decoding (times, quantities, base64): their format is judged there."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One refusal. ``stops_rules`` says that the server does not run CEL rules after it."""

    at: Path
    message: str
    stops_rules: bool = False


def check_value(schema: Schema, value: Any, at: Path, faults: list[Fault]) -> int:
    """Append what is wrong with ``value``; return how many checks passed (the server shows the failing branch that passed most)."""
    if isinstance(value, int) and not isinstance(value, bool) and not -_INT64 <= value < _INT64:
        value = float(value)
    if value is None:
        return _check_null(schema, at, faults)
    if DECODED in schema:
        return 1
    passed = 1
    passed += _check_type(schema, value, at, faults)
    passed += _check_combinators(schema, value, at, faults)
    if isinstance(value, str):
        _check_string(schema, value, at, faults)
        passed += 1
        kind = enforced(schema)
        if kind in TEXT:
            passed += 1
            if not holds(kind, value):
                faults.append(Fault(at, f"found {shown(value)}, expected the format {schema['format']}", stops_rules=True))
    elif isinstance(value, bool):
        pass
    elif isinstance(value, (int, float)):
        before = len(faults)
        _check_number(schema, value, at, faults)
        passed += 1 + (before == len(faults))
    elif isinstance(value, list):
        passed += 2 + _check_list(schema, value, at, faults)
    _check_enum(schema, value, at, faults)
    passed += 1
    if isinstance(value, dict):
        passed += 1 + _check_object(schema, value, at, faults)
    return passed


def shown(value: Any) -> str:
    """Return a value for a message, cut to a readable length."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def type_name(value: Any) -> str:
    """Return the JSON type of a value in the words of a schema."""
    if isinstance(value, bool):
        return "boolean"
    for kind, name in ((str, "string"), (int, "integer"), (float, "number"), (list, "array"), (dict, "object")):
        if isinstance(value, kind):
            return name
    return "null"


def is_integral(value: float) -> bool:
    """Say whether a float is an integer in the server's eyes (within 2^53 and a relative error of 1e-9)."""
    if math.isnan(value) or math.isinf(value) or abs(value) > _EXACT:
        return False
    if value == math.trunc(value):
        return True
    nearest = math.trunc(value) if value > 0 else 0
    if nearest == 0:
        return False
    return abs(value - nearest) / (abs(value) + abs(nearest)) < 1e-9


def _check_null(schema: Schema, at: Path, faults: list[Fault]) -> int:
    expected = _types(schema)
    if expected and not schema.get("nullable"):
        faults.append(Fault(at, f"found null, expected {' or '.join(expected)}", stops_rules=True))
        return 0
    if schema.get("enum"):
        faults.append(Fault(at, f"found null, expected {_choices(schema['enum'])}", stops_rules=True))
    return 1


def _types(schema: Schema) -> tuple[str, ...]:
    if schema.get("x-kubernetes-int-or-string"):
        return ("integer", "string")
    kind = schema.get("type")
    return (kind,) if kind else ()


def _check_type(schema: Schema, value: Any, at: Path, faults: list[Fault]) -> int:
    expected = _types(schema)
    kind = enforced(schema)
    if not expected and not kind:
        return 0
    found = type_name(value)
    as_integer = found == "number" and "integer" in expected and is_integral(value)
    as_number = found == "integer" and "number" in expected
    if not isinstance(value, (str, list)) and kind:
        # The server compares the format with that of a Go int64 or float64 here.
        same = (found == "integer" and kind == "int64") or (found == "number" and kind == "float64")
        if not (found in expected or same or as_integer or as_number):
            faults.append(Fault(at, f"found {found} {shown(value)}, expected {schema['format']}", stops_rules=True))
            return 1
    if kind and isinstance(value, (str, list)) and "number" not in expected and "integer" not in expected:
        return 2
    if not (found in expected or as_integer or as_number):
        wanted = " or ".join(expected) or str(schema.get("format"))
        faults.append(Fault(at, f"found {found} {shown(value)}, expected {wanted}", stops_rules=True))
        return 1
    return 2


def _check_string(schema: Schema, value: str, at: Path, faults: list[Fault]) -> None:
    longest, shortest, pattern = schema.get("maxLength"), schema.get("minLength"), schema.get("pattern")
    if longest is not None and len(value) > longest:
        faults.append(Fault(at, f"found {len(value)} characters, expected at most {longest}", stops_rules=True))
    elif shortest is not None and len(value) < shortest:
        faults.append(Fault(at, f"found {shown(value)} with {len(value)} characters, expected at least {shortest}"))
    elif pattern:
        problem = _mismatch(pattern, value)
        if problem:
            faults.append(Fault(at, f"found {shown(value)}, expected {problem}"))


def _mismatch(pattern: str, value: str) -> str:
    try:
        return "" if found_in(pattern, value) else f"a match of {pattern}"
    except ValueError as error:
        return f"a match of {pattern}, which is not a pattern: {error}"


def _check_enum(schema: Schema, value: Any, at: Path, faults: list[Fault]) -> None:
    choices = schema.get("enum")
    if choices and not any(_equals_choice(value, choice) for choice in choices):
        texts = [choice for choice in choices if isinstance(choice, str)]
        near = nearest(value, texts) if isinstance(value, str) and value else ""
        meant = f"; did you mean {shown(near)}?" if near else ""
        faults.append(Fault(at, f"found {shown(value)}, expected {_choices(choices)}{meant}", stops_rules=True))


def _choices(choices: list[Any]) -> str:
    listed = ", ".join(shown(choice) for choice in choices[:20])
    return f"one of {listed}{', …' if len(choices) > 20 else ''}"


def _equals_choice(value: Any, choice: Any) -> bool:
    """Compare as Go does after converting the value to the choice's type."""
    if isinstance(value, bool) or isinstance(choice, bool):
        return value is choice
    if isinstance(value, (int, float)) and isinstance(choice, (int, float)):
        if isinstance(value, float) and isinstance(choice, int) and -_INT64 <= choice < _INT64:
            return math.isfinite(value) and math.trunc(value) == choice
        return value == choice
    if isinstance(value, int) and isinstance(choice, str):
        return len(choice) == 1 and 0 <= value < 0x110000 and chr(value) == choice
    return type(value) is type(choice) and bool(value == choice)


def _check_number(schema: Schema, value: float, at: Path, faults: list[Fault]) -> None:
    kind = schema.get("type")
    if kind == "integer":
        low, high, name = (-_INT32, _INT32, "int32") if schema.get("format") == "int32" else (-_INT64, _INT64, "int64")
        if isinstance(value, float) and value != math.trunc(value):
            faults.append(Fault(at, f"found {shown(value)}, expected an integer"))
        elif not low <= value < high:
            faults.append(Fault(at, f"found {shown(value)}, expected a number that fits into {name}"))
    elif kind == "number" and schema.get("format") == "float" and abs(value) >= _MAX_FLOAT32:
        faults.append(Fault(at, f"found {shown(value)}, expected a number that fits into a 32-bit float"))
    multiple, highest, lowest = schema.get("multipleOf"), schema.get("maximum"), schema.get("minimum")
    if multiple is not None and not _is_multiple(value, multiple, kind):
        faults.append(Fault(at, f"found {shown(value)}, expected a multiple of {shown(multiple)}"))
    if highest is not None:
        bound = _bound(value, highest, kind)
        if value > bound or (schema.get("exclusiveMaximum") and value == bound):
            faults.append(
                Fault(at, f"found {shown(value)}, expected {'less than' if schema.get('exclusiveMaximum') else 'at most'} {shown(highest)}")
            )
    if lowest is not None:
        bound = _bound(value, lowest, kind)
        if value < bound or (schema.get("exclusiveMinimum") and value == bound):
            faults.append(
                Fault(at, f"found {shown(value)}, expected {'more than' if schema.get('exclusiveMinimum') else 'at least'} {shown(lowest)}")
            )


def _bound(value: float, bound: float, kind: Any) -> float:
    """Return the bound in the value's Go type: against an integer a fractional bound is cut, unless the schema's type is integer."""
    if isinstance(value, int) and bound != math.trunc(bound) and kind != "integer":
        return math.trunc(bound)
    return bound


def _is_multiple(value: float, factor: float, kind: Any) -> bool:
    if factor <= 0:
        return False
    if isinstance(value, int) and (kind != "integer" or factor == math.trunc(factor)):
        whole = math.trunc(factor)
        return whole > 0 and value % whole == 0
    return is_integral(1 / factor * value if factor < 1 else value / factor)


def _check_list(schema: Schema, value: list[Any], at: Path, faults: list[Fault]) -> int:
    passed = 0
    items = schema.get("items")
    if items is not None:
        for index, child in enumerate(value):
            passed += check_value(items, child, (*at, index), faults)
    fewest, most = schema.get("minItems"), schema.get("maxItems")
    if fewest is not None and len(value) < fewest:
        faults.append(Fault(at, f"found {len(value)} items, expected at least {fewest}"))
    if most is not None and len(value) > most:
        faults.append(Fault(at, f"found {len(value)} items, expected at most {most}", stops_rules=True))
    if schema.get("uniqueItems"):
        seen: set[str] = set()
        for index, child in enumerate(value):
            text = json.dumps(child, sort_keys=True)
            if text in seen:
                faults.append(Fault((*at, index), f"found {shown(child)} twice, expected different items"))
            seen.add(text)
    return passed


def _check_object(schema: Schema, value: dict[str, Any], at: Path, faults: list[Fault]) -> int:
    passed = 0
    fewest, most = schema.get("minProperties"), schema.get("maxProperties")
    if fewest is not None and len(value) < fewest:
        faults.append(Fault(at, f"found {len(value)} fields, expected at least {fewest}"))
    if most is not None and len(value) > most:
        faults.append(Fault(at, f"found {len(value)} fields, expected at most {most}", stops_rules=True))
    properties = schema.get("properties") or {}
    rest = schema.get("additionalProperties")
    for key, child in value.items():
        if key in properties:
            passed += check_value(properties[key], child, (*at, key), faults)
        elif isinstance(rest, dict):
            passed += check_value(rest, child, (*at, key), faults)
    for key in schema.get("required") or ():
        if key not in value:
            expected = _types(properties.get(key) or {})
            faults.append(Fault((*at, key), f"missing; this field is required{f' ({expected[0]})' if expected else ''}", stops_rules=True))
    return passed


def _check_combinators(schema: Schema, value: Any, at: Path, faults: list[Fault]) -> int:
    passed = 2
    if schema.get("anyOf"):
        passed += _check_any(schema["anyOf"], value, at, faults)
    if schema.get("oneOf"):
        passed += _check_one(schema["oneOf"], value, at, faults)
    for branch in schema.get("allOf") or ():
        before = len(faults)
        passed += check_value(branch, value, at, faults)
        if len(faults) > before:
            faults.append(Fault(at, "must match every schema of allOf"))
    if schema.get("not") is not None:
        inside: list[Fault] = []
        check_value(schema["not"], value, at, inside)
        if not inside:
            faults.append(Fault(at, f"found {shown(value)}, which the schema excludes (not {shown(schema['not'])})"))
    return passed


def _check_any(branches: list[Schema], value: Any, at: Path, faults: list[Fault]) -> int:
    best: tuple[int, list[Fault]] | None = None
    for branch in branches:
        inside: list[Fault] = []
        passed = check_value(branch, value, at, inside)
        if not inside:
            return passed
        if best is None or passed > best[0]:
            best = passed, inside
    assert best is not None  # noqa: S101 (there is at least one branch)
    faults.append(Fault(at, f"must match at least one of {len(branches)} schemas (anyOf)"))
    faults.extend(best[1])
    return best[0]


def _check_one(branches: list[Schema], value: Any, at: Path, faults: list[Fault]) -> int:
    best: tuple[int, list[Fault]] | None = None
    valid: list[int] = []
    for branch in branches:
        inside: list[Fault] = []
        passed = check_value(branch, value, at, inside)
        if not inside:
            valid.append(passed)
        elif best is None or passed > best[0]:
            best = passed, inside
    if len(valid) == 1:
        return valid[0]
    found = f"{len(valid)} of them match" if valid else "none of them matches"
    faults.append(Fault(at, f"must match exactly one of {len(branches)} schemas (oneOf); {found}{_wanted(branches)}"))
    if not valid and best is not None:
        faults.extend(best[1])
        return best[0]
    return 0


def _wanted(branches: list[Schema]) -> str:
    """Name the fields of which one is wanted, when that is all that the branches say."""
    if all(list(branch) == ["required"] for branch in branches):
        return f": give exactly one of {', '.join(' + '.join(branch['required']) for branch in branches)}"
    return ""
