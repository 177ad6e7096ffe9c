"""JSON rows of a table: decoded and checked by a type that is made from the contract, in one pass of msgspec.

Only when that refuses is the body read a second time, slowly, to say exactly what is wrong (`explain`).
"""

from __future__ import annotations

import math
import struct
from typing import Annotated, Any, cast

import msgspec
import numpy as np

from modelserver.inputs.explain import FLOAT32_LIMIT, INTEGER_LIMIT, RequestId, TableExplainer
from modelserver.model.exact import Floats
from modelserver.model.manifest import Column


class Table:
    """Turns bodies and values into [n, features] float32 under the contract of the columns.

    Args:
        columns: the manifest's columns.
        max_rows: the most rows in one request.
    """

    def __init__(self, columns: list[Column], max_rows: int) -> None:
        self.columns = columns
        self.max_rows = max_rows
        self.features = [column.name for column in columns for _ in range(column.width)]
        self._plain = all(column.type != "category" and column.missing is None for column in columns)
        self._pack = struct.Struct(f"{len(self.features)}f").pack
        row = msgspec.defstruct(
            "Row",
            [_field(index, column) for index, column in enumerate(columns)],
            rename={f"c{index}": column.name for index, column in enumerate(columns)},
            forbid_unknown_fields=True,
            kw_only=True,
            gc=False,
        )
        rows = Annotated[list[row], msgspec.Meta(min_length=1, max_length=max_rows)]  # type: ignore[valid-type] # the type is made here
        body = msgspec.defstruct(
            "Body", [("rows", rows), ("request_id", RequestId | msgspec.UnsetType, msgspec.UNSET)], forbid_unknown_fields=True
        )
        self._decoder = msgspec.json.Decoder(body)
        self._explainer = TableExplainer(columns, max_rows)

    def decode(self, body: bytes) -> tuple[str | None, Floats]:
        """Request id and [n, features] float32 of ``{"request_id", "rows": [{column: value}]}``.

        Raises:
            Problem: with reason and JSON pointer.
        """
        try:
            value = cast("Any", self._decoder.decode(body))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise self._explainer.explain(body, str(error)) from None
        return value.request_id or None, self.encode([msgspec.structs.astuple(row) for row in value.rows])

    def encode(self, rows: list[tuple[Any, ...]]) -> Floats:
        """Checked values in the order of the columns → [n, features] float32; what was checked is finite as float32."""
        pack = self._pack  # rounds as numpy does, in half the time
        packed = bytearray().join([pack(*(row if self._plain else self._expand(row))) for row in rows])
        return np.frombuffer(packed, np.float32).reshape(len(rows), len(self.features))

    def _expand(self, row: tuple[Any, ...]) -> list[float]:
        out: list[float] = []
        for column, given in zip(self.columns, row, strict=True):
            value = column.missing if given is None else given
            if column.type == "category":
                out += [float(value == category) for category in column.categories]
            else:
                out.append(cast("float", value))
        return out


def _field(index: int, column: Column) -> tuple[str, Any] | tuple[str, Any, Any]:
    kind: Any
    if column.type == "boolean":
        kind = bool
    elif column.type == "category":
        from typing import Literal

        kind = Literal[tuple(column.categories)]
    elif column.type == "integer":
        least = -INTEGER_LIMIT if column.minimum is None else math.ceil(column.minimum)
        most = INTEGER_LIMIT if column.maximum is None else math.floor(column.maximum)
        kind = Annotated[int, msgspec.Meta(ge=least, le=most)]
    else:
        lowest = -FLOAT32_LIMIT if column.minimum is None else max(column.minimum, -FLOAT32_LIMIT)
        highest = FLOAT32_LIMIT if column.maximum is None else min(column.maximum, FLOAT32_LIMIT)
        kind = Annotated[float, msgspec.Meta(ge=lowest, le=highest)]
    return (f"c{index}", kind) if column.missing is None else (f"c{index}", kind | None, None)
