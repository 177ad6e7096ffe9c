"""The fast reading and the slow one that explains agree on what is good: else a fault would have no reason, or a good body be refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_models
from modelserver.errors import Problem
from modelserver.inputs.explain import FLOAT32_LIMIT, TableExplainer
from modelserver.inputs.table import Table
from modelserver.model.manifest import Column

COLUMNS = made_models.COLUMNS
TABLE = Table(COLUMNS, 3)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.sampled_from([0, 1, 120, 121, -1, 1.0, 2.5, 3.5e38, 2**53, 2**53 + 1, "red", "pink", "", [], {}]),
    st.text(max_size=3),
)
NUMBERS = st.floats(-FLOAT32_LIMIT, FLOAT32_LIMIT)
ROW = st.dictionaries(st.sampled_from([column.name for column in COLUMNS] + ["other"]), VALUES)
GOOD = st.fixed_dictionaries(
    {"age": st.integers(0, 120), "income": st.floats(0, 3e38), "member": st.booleans(), "colour": st.sampled_from(["red", "blue", None])},
    optional={"score": st.none() | st.floats(-1e6, 1e6)},
)


@settings(max_examples=400, deadline=None)
@given(st.lists(GOOD | ROW, max_size=4), st.none() | st.text(max_size=4), st.booleans())
def test_both_readings_agree(rows: list[dict[str, Any]], request_id: str | None, named: bool) -> None:
    body = json.dumps({"rows": rows} | ({"request_id": request_id} if named else {})).encode()
    explained = TableExplainer(COLUMNS, 3).explain(body, "the fast reading refused it")
    good = explained.detail == "the fast reading refused it"
    try:
        _, encoded = TABLE.decode(body)
    except Problem as problem:
        assert not good, body
        assert problem.pointer is not None
    else:
        assert good, (body, explained)
        assert encoded.dtype == np.float32
        assert encoded.shape == (len(rows), 7)
        assert np.isfinite(encoded).all()


WIDE = Table([Column("integer", "integer"), Column("number"), Column("low", minimum=-1e300), Column("flag", "boolean")], 5)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(-(2**53), 2**53), NUMBERS, NUMBERS, st.booleans()), min_size=1, max_size=5))
def test_numbers_become_float32_with_numpys_bits(rows: list[tuple[Any, ...]]) -> None:
    assert WIDE.encode(rows).tobytes() == np.array(rows, np.float32).tobytes()
    named = [dict(zip(("integer", "number", "low", "flag"), row, strict=True)) for row in rows]
    assert WIDE.decode(json.dumps({"rows": named}).encode())[1].tobytes() == np.array(rows, np.float32).tobytes()


def test_a_wide_range_does_not_let_an_infinite_float32_through() -> None:
    for value in (-3.5e38, -1e299):
        with pytest.raises(Problem, match="not_finite"):
            WIDE.decode(json.dumps({"rows": [{"integer": 1, "number": 1, "low": value, "flag": True}]}).encode())


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_bytes_raise_anything_but_a_problem(body: bytes) -> None:
    try:
        TABLE.decode(body)
    except Problem as problem:
        assert 400 <= problem.status < 500
