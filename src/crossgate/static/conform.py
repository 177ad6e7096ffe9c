"""A constant against a schema: the base of a template, a result of a map, a value of an enum.

Values are judged by the code that validates resources; what only the finished resource can break is left out here: required fields
may still be patched in, and rules over whole objects (CEL, oneOf, numbers of fields) see what the patches made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossgate.paths import MISSING, Path, follow
from crossgate.schema.decoding import decode
from crossgate.schema.metadata import OBJECT_META
from crossgate.schema.problem import ProblemKind
from crossgate.schema.unknown import unknown_fields
from crossgate.schema.values import Fault, check_value, type_name
from crossgate.static.walk import Schema


@dataclass(frozen=True, slots=True)
class Breach:
    """Where a constant breaks its schema.

    ``reason`` is ``UNKNOWN_FIELD``, ``WRONG_TYPE`` or ``NOT_ALLOWED``; ``expected`` what the schema wants instead (empty for the first).
    """

    at: Path
    reason: str
    expected: str = ""


def breaches(value: Any, schema: Schema, *, builtin: bool = False) -> Iterator[Breach]:
    """Yield what a value breaks; ``builtin`` kinds are decoded into Go types instead of being validated."""
    if builtin:
        for problem in decode(schema, value, ()):
            reason = "UNKNOWN_FIELD" if problem.kind is ProblemKind.UNKNOWN_FIELD else "WRONG_TYPE"
            yield Breach(problem.at, reason, _expected(problem.message))
        return
    for problem in unknown_fields(value, schema, root=False):
        yield Breach(problem.at, "UNKNOWN_FIELD")
    faults: list[Fault] = []
    check_value(schema, value, (), faults)
    for fault in dict.fromkeys(faults):
        found = follow(value, fault.at)
        if found is None or found is MISSING:
            # the API server drops nulls, and a field that is missing may be patched in
            continue
        wrong_type = fault.message.startswith(f"found {type_name(found)} ")
        if wrong_type or not isinstance(found, (dict, list)):
            yield Breach(fault.at, "WRONG_TYPE" if wrong_type else "NOT_ALLOWED", _expected(fault.message))


def object_breaches(body: Mapping[str, Any], schema: Schema, *, builtin: bool = False) -> Iterator[Breach]:
    """Yield what a whole object breaks: the fields that every object has are read as the API server reads them."""
    rest = {name: value for name, value in body.items() if name not in ("apiVersion", "kind", "metadata")}
    yield from breaches(rest, schema, builtin=builtin)
    metadata = body.get("metadata")
    for breach in breaches(metadata, OBJECT_META, builtin=True):
        yield Breach(("metadata", *breach.at), breach.reason, breach.expected)


def _expected(message: str) -> str:
    return message.partition(", expected ")[2] or message
