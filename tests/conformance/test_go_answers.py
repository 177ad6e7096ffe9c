"""Answers of Go 1.26 and of the libraries that function-patch-and-transform is made of, for inputs of ours.

Recorded: fmt.Sprintf, strconv.ParseFloat, encoding/json, regexp, Kubernetes' quantities, crossplane-runtime's
field paths and merging (mergo), and whole chains of transforms. A value is written as ``[type, value]``, so that
an int64 differs from a float64 and a string may hold any bytes: i, f (the bits in hexadecimal), s (base64), b,
l, m; nl and nm are Go's nil list and map.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgate.render import fieldpath, inputs, merge, validate
from crossgate.render.decode import decode
from crossgate.render.faults import Fault
from crossgate.render.gofloat import parse_float
from crossgate.render.gofmt import sprintf
from crossgate.render.gojson import NilArray, NilObject, clone, objects, wire
from crossgate.render.jsontext import marshal
from crossgate.render.quantity import parse_quantity
from crossgate.render.regexps import compile_regexp
from crossgate.render.transforms import compile_chain

LINES = gzip.decompress((Path(__file__).parent / "go.jsonl.gz").read_bytes()).splitlines()
CASES = [json.loads(line) for line in LINES]


def _text(encoded: str) -> str:
    return base64.b64decode(encoded).decode("utf-8", "surrogateescape")


def _value(coded: Any) -> Any:
    if coded is None:
        return None
    kind, *rest = coded
    if kind in ("nl", "nm"):
        return NilArray() if kind == "nl" else NilObject()
    (value,) = rest
    match kind:
        case "i":
            return int(value)
        case "f":
            return struct.unpack(">d", bytes.fromhex(value))[0]
        case "s":
            return _text(value)
        case "l":
            return [_value(item) for item in value]
        case "m":
            pairs = value.items() if isinstance(value, dict) else value
            return {_text(key): _value(item) for key, item in pairs}
    return value


def _shape(value: Any) -> Any:
    """Make values comparable with their Go types: Python takes 1, 1.0 and True for equal, and NaN for nothing."""
    if isinstance(value, dict):
        return type(value).__name__, {key: _shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return type(value).__name__, [_shape(item) for item in value]
    if isinstance(value, float):
        return "float", "nan" if math.isnan(value) else struct.pack(">d", value)
    return type(value).__name__, value


def _transforms(given: str, value: Any) -> tuple[Any, Any]:
    shape = inputs.RESOURCES["resources"][0]["patches"][0]["transforms"][0]
    decoded = [decode(shape, transform) for transform in objects(wire(json.loads(given), []))]
    patch = {"fromFieldPath": "a", "transforms": decoded}
    validate.resources({"resources": [{"name": "r", "patches": [patch]}]})
    chain = compile_chain(decoded)
    assert chain is not None
    made = chain(value)
    return made, objects(made)


def _merge(given: Any, path: str, value: Any, policy: str) -> Any:
    target = clone(given)
    merging = merge.policy(policy)
    fieldpath.merge(target, fieldpath.parse(path), value if merging else objects(value), merging)
    return target


def _path(source: str) -> list[str | float]:
    return [float(step) if isinstance(step, int) else step for step in fieldpath.parse(source)]


def _expand(given: Any, path: str) -> list[str]:
    found = fieldpath.wildcards(given, fieldpath.parse(path))
    return sorted(map(fieldpath.write, found), key=lambda written: written.encode("utf-8", "surrogateescape"))


ASK: dict[str, Callable[[Callable[[str], Any]], Any]] = {
    "sprintf": lambda ask: sprintf(ask("f"), ask("args")),
    "parsefloat": lambda ask: parse_float(ask("s")),
    "quantity": lambda ask: parse_quantity(ask("s")),
    "marshal": lambda ask: marshal(ask("v")),
    "regexp": lambda ask: compile_regexp(ask("r")).groups(ask("s")),
    "path": lambda ask: _path(ask("s")),
    "get": lambda ask: fieldpath.get(ask("o"), fieldpath.parse(ask("path"))),
    "expand": lambda ask: _expand(ask("o"), ask("path")),
    "merge": lambda ask: _merge(ask("o"), ask("path"), ask("v"), ask("p")),
    "transforms": lambda ask: _transforms(ask("t"), ask("v")),
}


@pytest.mark.parametrize("operation", sorted(ASK))
def test_answers_as_go_does(operation: str) -> None:
    checked = 0
    for case in CASES:
        asked, answer = case["ask"], case["answer"]
        if asked["op"] != operation:
            continue
        checked += 1
        described = {name: _value(coded) for name, coded in asked.items() if name != "op"}
        try:
            found = ASK[operation](described.__getitem__)
        except Fault as fault:
            assert answer.get("error"), (described, fault.what, answer)
            continue
        assert not answer.get("error"), (described, found)
        if operation == "transforms":
            found, as_json = found
            assert _shape(as_json) == _shape(_value(answer["json"])), described
        assert _shape(found) == _shape(_value(answer["ok"])), described
    assert checked > 100
