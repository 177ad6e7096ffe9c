"""Batches of rows as CSV or Arrow, read with pandas and checked column by column under the contract."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from modelserver.errors import Problem, pointer, shown
from modelserver.inputs import arrow_stream
from modelserver.inputs.explain import FLOAT32_LIMIT, INTEGER_LIMIT, check_value
from modelserver.inputs.table import Table
from modelserver.model.exact import Floats
from modelserver.model.manifest import Column

if TYPE_CHECKING:
    import pandas as pd

_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def from_csv(body: bytes, table: Table) -> Floats:
    """CSV in UTF-8 with a header line → [n, features] float32; an empty cell is a missing value, booleans are true, false, 1 or 0.

    Raises:
        Problem: malformed_csv, the column faults, and the faults of a value with pointer /rows/<index>/<column>.
    """
    import pandas as pd

    try:
        text = body.decode("utf-8-sig")
        if text.count("\n") > 4 * table.max_rows + 4:  # before memory is taken for them; some blank lines are allowed for
            raise Problem("too_many_rows", f"at most {table.max_rows} rows are taken", "")
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Problem("malformed_csv", f"the table cannot be read: {error}", "") from None
    if not lines:
        raise Problem("empty", "the table is empty", "")
    header, *rows = lines
    _check_columns(header, table)
    for index, row in enumerate(rows):  # pandas would drop what is too much and fill what is too little
        if len(row) != len(header):
            raise Problem("malformed_csv", f"a row has {len(row)} cells, the header {len(header)}", pointer("rows", index))
    frame = pd.DataFrame(rows, columns=header, dtype=str)
    return _encode(frame, table, _cells)


def from_arrow(body: bytes, table: Table) -> Floats:
    """An uncompressed Arrow IPC stream → [n, features] float32; null is a missing value.

    Raises:
        Problem: malformed_arrow, the column faults, and the faults of a value with pointer /rows/<index>/<column>.
    """
    frame = arrow_stream.read(body, table.max_rows, lambda names: _check_columns(names, table))
    return _encode(frame, table, _typed)


def _check_columns(names: list[str], table: Table) -> None:
    known = {column.name for column in table.columns}
    for name in names:
        if names.count(name) > 1:
            raise Problem("duplicate_column", f"column {name[:64]!r} is there twice", pointer("columns", name))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise Problem("unknown_column", f"column {shown(unknown)} is not one of the model", pointer("columns", unknown[0]))
    missing = [column.name for column in table.columns if column.name not in names and column.missing is None]
    if missing:
        raise Problem("missing_column", f"column {shown(missing)} is missing", pointer("columns", missing[0]))


def _encode(frame: pd.DataFrame, table: Table, read: Any) -> Floats:
    count = len(frame)
    if not count:
        raise Problem("empty", "there are no rows", "/rows")
    if count > table.max_rows:
        raise Problem("too_many_rows", f"there are {count} rows, at most {table.max_rows} are taken", "/rows")
    parts: list[Floats] = []
    for column in table.columns:
        values = read(frame[column.name], column) if column.name in frame else np.full(count, None, object)
        parts.append(_numbers(column, values))
    return np.concatenate(parts, axis=1)


def _numbers(column: Column, values: np.ndarray[Any, Any]) -> Floats:
    """One column's checked values → [n, width] float32. `values` is float64 with NaN only for NaN, or objects with None for missing."""
    if values.dtype == object:
        given = [column.missing if value is None else value for value in values]
    else:
        bad = ~(np.abs(values) <= FLOAT32_LIMIT)  # true for NaN too
        for limit, low in ((column.minimum, True), (column.maximum, False)):
            if limit is not None:
                bad |= values < limit if low else values > limit
        if column.type == "integer":
            bad |= (np.floor(values) != values) | (np.abs(values) > INTEGER_LIMIT)
        if bad.any():
            index = int(np.argmax(bad))
            check_value(column, float(values[index]), pointer("rows", index, column.name))
        return values.astype(np.float32)[:, None]
    for index, value in enumerate(given):
        check_value(column, value, pointer("rows", index, column.name))
    if column.type == "category":
        return np.array([[value == category for category in column.categories] for value in given], np.float32)
    return np.array(given, np.float32)[:, None]


def _cells(series: pd.Series[Any], column: Column) -> np.ndarray[Any, Any]:
    """Texts of CSV cells → numbers, or objects where a cell is empty or not what the column holds."""
    import pandas as pd

    if column.type in ("number", "integer"):
        numbers = pd.to_numeric(series.str.strip(), errors="coerce").to_numpy(np.float64)
        if not np.isnan(numbers).any():
            return numbers
        return np.array([_number(cell, float(number)) for cell, number in zip(series, numbers, strict=True)] + [None], object)[:-1]
    if column.type == "boolean":
        return np.array([None if cell == "" else _TRUTH.get(cell.strip().lower(), cell) for cell in series] + [None], object)[:-1]
    return np.array([None if cell == "" else cell for cell in series] + [None], object)[:-1]


def _number(cell: str, number: float) -> float | str | None:
    text = cell.strip().lower()
    if text == "":
        return None
    return cell if math.isnan(number) and text.lstrip("+-") != "nan" else number  # a text that is no number stays a text: wrong_type


def _typed(series: pd.Series[Any], column: Column) -> np.ndarray[Any, Any]:
    """A typed Arrow column → numbers, or objects where a value is null or of another type."""
    import pandas as pd

    if (
        column.type in ("number", "integer")
        and pd.api.types.is_numeric_dtype(series.dtype)
        and not pd.api.types.is_bool_dtype(series.dtype)
    ):
        return series.to_numpy(np.float64)
    values = [None if value is None or value is pd.NA else value.item() if isinstance(value, np.generic) else value for value in series]
    return np.array([*values, None], object)[:-1]
