"""The slow, exact reading of a refused JSON body: which fault, where, what was wanted."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

import msgspec

from modelserver.errors import Problem, pointer, shown
from modelserver.model.manifest import Column

REQUEST_ID = r"^[\x21-\x7e]{1,128}$"
# Python's $ also matches before a last line break, which must never get into a header.
RequestId = Annotated[str, msgspec.Meta(pattern=REQUEST_ID + r"(?!\n)")]
# float64 holds every integer up to here exactly.
INTEGER_LIMIT = 2**53
# The largest float32; a float64 beyond it becomes infinite.
FLOAT32_LIMIT = 3.4028234663852886e38
_JSON_NAMES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}


def parse(body: bytes) -> Any:
    """JSON as Python values, NaN and infinity kept so that the caller can point at them.

    Raises:
        Problem: empty, malformed_json or too_deep.
    """
    if not body.strip():
        raise Problem("empty", "the body is empty", "")
    try:
        return json.loads(body.decode("utf-8"))
    except RecursionError:
        raise Problem("too_deep", "the JSON is nested too deeply", "") from None
    except json.JSONDecodeError as error:
        raise Problem("malformed_json", f"{error.msg} at line {error.lineno}, column {error.colno}", "") from None
    except UnicodeDecodeError as error:
        raise Problem("malformed_json", f"byte {error.start} is not UTF-8", "") from None
    except ValueError:  # an integer of more digits than Python converts
        raise Problem("malformed_json", "a number has too many digits", "") from None


def fields(value: Any, allowed: tuple[str, ...], at: str = "") -> dict[str, Any]:
    """The value as an object with only allowed members.

    Raises:
        Problem: wrong_type or unknown_field.
    """
    if not isinstance(value, dict):
        raise wrong_type(value, "an object", at)
    for name in value:
        if name not in allowed:
            raise Problem("unknown_field", f"field {name[:64]!r} is unknown; known are {', '.join(allowed)}", at + pointer(name))
    return value


def check_request_id(body: dict[str, Any], name: str = "request_id") -> None:
    """Raises the Problem of a request id that is there but not a printable text of at most 128 ASCII characters."""
    if name not in body:
        return
    if not isinstance(body[name], str):
        raise wrong_type(body[name], "a text", pointer(name))
    if not re.fullmatch(REQUEST_ID.strip("^$"), body[name]):
        raise Problem("invalid_value", f"{name} must be 1 to 128 printable ASCII characters without spaces", pointer(name))


def wrong_type(value: Any, wanted: str, at: str) -> Problem:
    """The Problem of a value of another type."""
    if value is None:
        return Problem("null_value", f"the value is null, wanted {wanted}", at)
    return Problem("wrong_type", f"the value is of type {_JSON_NAMES.get(type(value), 'unknown')}, wanted {wanted}", at)


class TableExplainer:
    """Finds the first fault of a table request, in the order of the document."""

    def __init__(self, columns: list[Column], max_rows: int) -> None:
        self._columns = {column.name: column for column in columns}
        self._max_rows = max_rows

    def explain(self, body: bytes, otherwise: str) -> Problem:
        """The fault of a body that the fast reading refused; `otherwise` is that reading's own words."""
        try:
            value = fields(parse(body), ("request_id", "rows"))
            check_request_id(value)
            if "rows" not in value:
                raise Problem("missing_field", "field 'rows' is missing: a list of objects, one per row", "/rows")
            self.check_rows(value["rows"])
        except Problem as problem:
            return problem
        return Problem("invalid_value", otherwise, "")

    def check_rows(self, rows: Any) -> None:
        """Raises the Problem of the first fault in a list of rows."""
        if not isinstance(rows, list):
            raise wrong_type(rows, "an array of objects", "/rows")
        if not rows:
            raise Problem("empty", "there are no rows", "/rows")
        if len(rows) > self._max_rows:
            raise Problem("too_many_rows", f"there are {len(rows)} rows, at most {self._max_rows} are taken", "/rows")
        for index, row in enumerate(rows):
            self._check_row(row, pointer("rows", index))

    def _check_row(self, row: Any, at: str) -> None:
        if not isinstance(row, dict):
            raise wrong_type(row, "an object", at)
        unknown = [name for name in row if name not in self._columns]
        if unknown:
            raise Problem("unknown_column", f"column {shown(unknown)} is not one of the model", at + pointer(unknown[0]))
        for name, column in self._columns.items():
            if name not in row:
                if column.missing is None:
                    raise Problem("missing_column", f"column {name[:64]!r} is missing", at + pointer(name))
            else:
                check_value(column, row[name], at + pointer(name))


def check_value(column: Column, value: Any, at: str) -> None:
    """Raises the Problem of one value under its column's contract."""
    if value is None and column.missing is not None:
        return
    if column.type == "boolean":
        if not isinstance(value, bool):
            raise wrong_type(value, "true or false", at)
        return
    if column.type == "category":
        if not isinstance(value, str):
            raise wrong_type(value, "a text", at)
        if value not in column.categories:
            raise Problem("unknown_category", f"the value is none of {shown(column.categories)}", at)
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong_type(value, "a number", at)
    if not -FLOAT32_LIMIT <= value <= FLOAT32_LIMIT:  # false for NaN too
        raise Problem("not_finite", "the number is NaN, infinite, or too large for float32", at)
    if column.type == "integer":
        if value != int(value):
            raise Problem("wrong_type", "the number has a fraction, wanted an integer", at)
        if abs(value) > INTEGER_LIMIT:
            raise Problem("out_of_range", "the integer is beyond ±2^53", at)
    if column.minimum is not None and value < column.minimum:
        raise Problem("out_of_range", f"the number is under {column.minimum:g}", at)
    if column.maximum is not None and value > column.maximum:
        raise Problem("out_of_range", f"the number is over {column.maximum:g}", at)
