"""Whatever type stands at a place of a Composition, the check says what is wrong there; it never breaks."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.model import Document
from crossgate.paths import Path
from crossgate.schema import Schemas
from crossgate.static import check_composition

PATCH = """\
type: FromCompositeFieldPath
fromFieldPath: spec.location
toFieldPath: spec.forProvider.location
policy: {fromFieldPath: Required, toFieldPath: Replace}
transforms:
  - {type: string, string: {type: Format, fmt: "x-%s"}}
  - {type: string, string: {type: Convert, convert: ToUpper}}
  - {type: string, string: {type: TrimPrefix, trim: a}}
  - {type: string, string: {type: Regexp, regexp: {match: "(.*)", group: 1}}}
  - {type: string, string: {type: Join, join: {separator: ","}}}
  - {type: string, string: {type: Replace, replace: {search: a, replace: b}}}
  - {type: map, map: {a: b}}
  - {type: match, match: {patterns: [{type: literal, literal: b, result: c}, {type: regexp}], fallbackValue: d, fallbackTo: Value}}
  - {type: convert, convert: {toType: string, format: none}}
  - {type: math, math: {type: Multiply, multiply: 2}}
  - {type: math, math: {type: ClampMin, clampMin: 2}}
"""
WRONG = [5, [], {}, "x", None, True, 1.5, [5], [None], {"a": 5}, "9" * 5000, "%d%!(", "a[", -1]


def places(value: Any, at: Path = ()) -> Iterator[Path]:
    yield at
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(child, (*at, key))


def put(value: Any, at: Path, wrong: Any) -> Any:
    if not at:
        return wrong
    value = copy.copy(value)
    value[at[0]] = put(value[at[0]], at[1:], wrong)
    return value


@pytest.mark.parametrize("alone", [True, False], ids=["each transform alone", "in a chain"])
def test_a_part_of_a_patch_of_any_type(schemas: Schemas, composition: Any, alone: bool) -> None:
    """The function's own reader refuses wrong types; the checks that run constants through transforms must not get them."""
    whole = load_text(PATCH)[0].body
    patches = [{**whole, "transforms": [transform]} for transform in whole["transforms"]] if alone else [whole]
    tried = 0
    for patch in patches:
        for at in places(patch):
            for wrong in WRONG:
                document = composition(patches=[put(patch, at, wrong)])
                assert isinstance(document, Document)
                check_composition(document, schemas)
                tried += 1
    assert tried > 700


def test_a_format_that_is_a_number_is_said_at_its_place(judge: Any) -> None:
    fmt = {"type": "string", "string": {"type": "Format", "fmt": 5}}
    found = judge([{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.location", "toFieldPath": "a", "transforms": [fmt]}]).findings
    assert [finding.path for finding in found if finding.rule == "crossplane/invalid-input"] == [
        "spec.pipeline[0].input.resources[0].patches[0].transforms[0].string.fmt"
    ]
