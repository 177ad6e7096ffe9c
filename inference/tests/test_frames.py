"""CSV and Arrow batches under the column contract: the same answers as JSON rows, and each fault with its place."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from starlette.testclient import TestClient

import made_models
from modelserver.errors import Problem
from modelserver.inputs.frames import from_arrow, from_csv
from modelserver.inputs.table import Table

TABLE = Table(made_models.COLUMNS, 50)
ROWS: list[dict[str, Any]] = [
    {"age": 40, "income": 1000.5, "member": True, "colour": "blue", "score": 0.1},
    {"age": 0, "income": 1e-3, "member": False, "colour": None, "score": None},
]
CSV = "age,income,member,colour,score\n40,1000.5,true,blue,0.1\n0,1e-3,0,,\n"
ARROW = "application/vnd.apache.arrow.stream"


def arrow(columns: dict[str, Any], compression: str | None = None) -> bytes:
    sink = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def columns(**changes: Any) -> dict[str, Any]:
    return {name: [row[name] for row in ROWS] for name in ROWS[0]} | changes


def test_the_three_ways_to_send_rows_give_one_answer(table_client: TestClient) -> None:
    by_json = table_client.post("/predict", json={"rows": ROWS}).json()["predictions"]
    by_csv = table_client.post("/predict", content=CSV, headers={"content-type": "text/csv"})
    by_arrow = table_client.post("/predict", content=arrow(columns()), headers={"content-type": ARROW})
    assert by_csv.json()["predictions"] == by_arrow.json()["predictions"] == by_json
    assert len(by_json) == 2


@pytest.mark.parametrize(
    ("body", "reason", "at"),
    [
        ("", "empty", ""),
        ("age,income,member,colour,score\n", "empty", "/rows"),
        ('"age', "malformed_csv", ""),
        ("age,income,member\n1,2,true,4\n", "malformed_csv", "/rows/0"),
        ("age,income,member\n1,2,true\n1,2\n", "malformed_csv", "/rows/1"),
        ('age,income,member\n1,"2,true\n', "malformed_csv", ""),
        ("age,income,member,age\n1,2,true,3\n", "duplicate_column", "/columns/age"),
        ("age,income,member,other\n1,2,true,3\n", "unknown_column", "/columns/other"),
        ("age,income\n1,2\n", "missing_column", "/columns/member"),
        ("age,income,member\n1,2,true\n1,much,true\n", "wrong_type", "/rows/1/income"),
        ("age,income,member\n1,2,true\n1,,true\n", "null_value", "/rows/1/income"),
        ("age,income,member\n1,nan,true\n", "not_finite", "/rows/0/income"),
        ("age,income,member\n1,inf,true\n", "not_finite", "/rows/0/income"),
        ("age,income,member\n1,1e39,true\n", "not_finite", "/rows/0/income"),
        ("age,income,member\n1.5,2,true\n", "wrong_type", "/rows/0/age"),
        ("age,income,member\n121,2,true\n", "out_of_range", "/rows/0/age"),
        ("age,income,member\n1,2,yes\n", "wrong_type", "/rows/0/member"),
        ("age,income,member,colour\n1,2,true,pink\n", "unknown_category", "/rows/0/colour"),
        ("age,income,member\n" + "1,2,true\n" * 51, "too_many_rows", "/rows"),
        ("age,income,member\n" + "\n" * 300, "too_many_rows", ""),
    ],
)
def test_csv_faults(body: str, reason: str, at: str) -> None:
    with pytest.raises(Problem) as caught:
        from_csv(body.encode(), TABLE)
    assert (caught.value.reason, caught.value.pointer) == (reason, at)


def test_a_csv_that_is_not_utf8_is_malformed() -> None:
    with pytest.raises(Problem) as caught:
        from_csv(b"age\xff\n", TABLE)
    assert caught.value.reason == "malformed_csv"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "malformed_arrow"),
        (b"not arrow at all", "malformed_arrow"),
        (arrow(columns())[:200], "malformed_arrow"),
        (arrow(columns())[:-40], "malformed_arrow"),
        (arrow(columns(age=["a", "b"])), "wrong_type"),
        (arrow(columns(age=[1.5, 2.0])), "wrong_type"),
        (arrow(columns(income=[float("nan"), 1.0])), "not_finite"),
        (arrow(columns(income=[float("inf"), None])), "not_finite"),
        (arrow(columns(income=[1e39, 1.0])), "not_finite"),
        (arrow(columns(income=[1.0, None])), "null_value"),
        (arrow(columns(age=[1, 121])), "out_of_range"),
        (arrow(columns(member=[1, 0])), "wrong_type"),
        (arrow(columns(colour=["pink", "red"])), "unknown_category"),
        (arrow(columns(colour=[[1], [2]])), "wrong_type"),
        (arrow(columns(age=pa.nulls(2))), "wrong_type"),
        (arrow(columns(other=[1, 2])), "unknown_column"),
        (arrow({name: values for name, values in columns().items() if name != "age"}), "missing_column"),
        (arrow({name: values * 30 for name, values in columns().items()}), "too_many_rows"),
        (arrow({name: pa.array(values).slice(0, 0) for name, values in columns().items()}), "empty"),
        (arrow({name: values * 20 for name, values in columns().items()}, "zstd"), "malformed_arrow"),
        (arrow({name: values * 20 for name, values in columns().items()}, "lz4"), "malformed_arrow"),
    ],
)
def test_arrow_faults(body: bytes, reason: str) -> None:
    with pytest.raises(Problem) as caught:
        from_arrow(body, TABLE)
    assert caught.value.reason == reason


def test_an_arrow_stream_with_flipped_bytes_never_raises_anything_but_a_problem() -> None:
    good = arrow(columns())
    random = np.random.default_rng(0)
    for _ in range(300):
        broken = bytearray(good)
        for index in random.integers(0, len(good), 3):
            broken[index] = int(random.integers(0, 256))
        try:
            from_arrow(bytes(broken), TABLE)
        except Problem as problem:
            assert 400 <= problem.status < 500
