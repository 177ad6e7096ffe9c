"""Reading an untrusted Arrow IPC stream: types are checked and sizes are bounded before anything is unpacked."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from modelserver.errors import Problem, pointer

if TYPE_CHECKING:
    import pandas as pd


def read(body: bytes, max_rows: int, check_names: Callable[[list[str]], None]) -> pd.DataFrame:
    """The stream as a frame of numbers, booleans and texts; nulls keep their place as None.

    Args:
        body: the stream's bytes.
        max_rows: the most rows taken.
        check_names: raises the Problem of a column that is unknown, missing or there twice.

    Raises:
        Problem: malformed_arrow (also for compressed bodies: their size could not be bounded), wrong_type, too_many_rows.
    """
    import pyarrow as pa

    try:
        _check_messages(pa, body)
        with pa.ipc.open_stream(body) as reader:
            check_names(reader.schema.names)
            for field in reader.schema:
                if not _is_plain(pa, field.type):
                    raise Problem(
                        "wrong_type",
                        f"Arrow type {str(field.type)[:60]} is not taken: use numbers, booleans or strings",
                        pointer("columns", field.name),
                    )
            batches, rows = [], 0
            for batch in reader:
                rows += batch.num_rows
                if rows > max_rows:
                    raise Problem("too_many_rows", f"at most {max_rows} rows are taken", "/rows")
                batch.validate(full=True)
                batches.append(batch)
            return _frame(pa.Table.from_batches(batches, reader.schema))
    except (pa.ArrowException, OSError, struct.error, UnicodeDecodeError, ValueError, OverflowError) as error:
        raise Problem(
            "malformed_arrow", f"the stream cannot be read: {str(error).splitlines()[0][:200] if str(error) else 'broken'}", ""
        ) from None


def _is_plain(pa: Any, kind: Any) -> bool:
    types = pa.types
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_string(kind) or types.is_large_string(kind)
    )


def _frame(table: Any) -> pd.DataFrame:
    """The table in pandas; a column with nulls becomes objects, so that a null stays apart from NaN."""
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Series(column.to_pylist(), dtype=object) if column.null_count else column.to_pandas()
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )


def _check_messages(pa: Any, body: bytes) -> None:
    """Refuse record batches with compression, from the messages' metadata alone (flatbuffers: format/Message.fbs)."""
    stream = pa.BufferReader(body)
    while stream.tell() < len(body):
        try:
            message = pa.ipc.read_message(stream)
        except EOFError:
            return
        if message.type == "record batch" and _has_field(message.metadata.to_pybytes(), 3):
            raise Problem("malformed_arrow", "the record batches are compressed; send them uncompressed", "")


def _has_field(metadata: bytes, slot: int) -> bool:
    """Whether the message's header table (field 2 of Message) has the field at that slot."""
    (root,) = struct.unpack_from("<I", metadata, 0)
    header = _field(metadata, root, 2)
    if header is None:
        return False
    (step,) = struct.unpack_from("<I", metadata, header)
    return _field(metadata, header + step, slot) is not None


def _field(data: bytes, table: int, slot: int) -> int | None:
    (back,) = struct.unpack_from("<i", data, table)
    vtable = table - back
    (size,) = struct.unpack_from("<H", data, vtable)
    at = 4 + 2 * slot
    if at + 2 > size:
        return None
    (offset,) = struct.unpack_from("<H", data, vtable + at)
    return table + offset if offset else None
