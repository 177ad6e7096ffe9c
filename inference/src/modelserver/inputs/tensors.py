"""Open Inference Protocol v2: the request's tensors to rows, one tensor per column (or one of base64 images)."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from modelserver.errors import Problem, pointer, shown
from modelserver.inputs.explain import RequestId, check_request_id, check_value, fields, parse, wrong_type
from modelserver.inputs.table import Table
from modelserver.model.exact import Floats
from modelserver.model.manifest import Column, Manifest

_NUMBERS = {"FP64", "FP32", "FP16", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8"}
DATATYPES = {"number": "FP64", "integer": "INT64", "boolean": "BOOL", "category": "BYTES"}
OUTPUTS = {True: ("class_label", "confidence", "probabilities"), False: ("prediction",)}


class Tensor(msgspec.Struct, forbid_unknown_fields=True):
    """One input tensor; shape [n] or [n, 1]."""

    name: str
    shape: Annotated[list[Annotated[int, msgspec.Meta(ge=0)]], msgspec.Meta(max_length=8)]
    datatype: str
    data: list[Any]
    parameters: dict[str, Any] = {}


class Requested(msgspec.Struct, forbid_unknown_fields=True):
    """One output that the caller asks for."""

    name: str
    parameters: dict[str, Any] = {}


class InferRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The body of POST …/infer."""

    inputs: Annotated[list[Tensor], msgspec.Meta(min_length=1, max_length=10_000)]
    id: RequestId | msgspec.UnsetType = msgspec.UNSET
    parameters: dict[str, Any] = {}
    outputs: list[Requested] = []


_DECODER = msgspec.json.Decoder(InferRequest)


def decode(body: bytes, manifest: Manifest) -> InferRequest:
    """The request, with its outputs checked.

    Raises:
        Problem: as for tables, with pointers into the request.
    """
    try:
        request = _DECODER.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise _explain(body, str(error)) from None
    known = OUTPUTS[manifest.classifies]
    for index, output in enumerate(request.outputs):
        if output.name not in known:
            raise Problem("unknown_output", f"output {output.name[:64]!r} is none of {', '.join(known)}", pointer("outputs", index, "name"))
    return request


def table_rows(request: InferRequest, table: Table) -> Floats:
    """[n, features] float32 of a table model's tensors."""
    columns = {column.name: column for column in table.columns}
    given: dict[str, list[Any]] = {}
    count: int | None = None
    for index, tensor in enumerate(request.inputs):
        at = pointer("inputs", index)
        if tensor.name not in columns:
            raise Problem("unknown_column", f"input {tensor.name[:64]!r} is not a column of the model", at + "/name")
        if tensor.name in given:
            raise Problem("duplicate_column", f"input {tensor.name[:64]!r} is there twice", at + "/name")
        given[tensor.name] = _values(tensor, at, columns[tensor.name])
        count = len(tensor.data) if count is None else count
        if len(tensor.data) != count:
            raise Problem(
                "invalid_shape", f"input {tensor.name[:64]!r} has {len(tensor.data)} rows, the first input has {count}", at + "/shape"
            )
    missing = [column.name for column in table.columns if column.name not in given and column.missing is None]
    if missing:
        raise Problem("missing_column", f"input {shown(missing)} is missing", "/inputs")
    if not count:
        raise Problem("empty", "there are no rows", "/inputs/0/data")
    if count > table.max_rows:
        raise Problem("too_many_rows", f"there are {count} rows, at most {table.max_rows} are taken", "/inputs/0/shape")
    empty = [None] * count
    return table.encode(list(zip(*(given.get(column.name, empty) for column in table.columns), strict=True)))


def image_texts(request: InferRequest, max_images: int) -> list[str]:
    """The base64 texts of an image model's one tensor `image`."""
    if len(request.inputs) != 1 or request.inputs[0].name != "image":
        raise Problem("unknown_column", "the model takes one input named 'image'", "/inputs")
    tensor = request.inputs[0]
    values = _values(tensor, "/inputs/0", None)
    if not values:
        raise Problem("empty", "there are no images", "/inputs/0/data")
    if len(values) > max_images:
        raise Problem("too_many_rows", f"there are {len(values)} images, at most {max_images} are taken", "/inputs/0/shape")
    return values


def _values(tensor: Tensor, at: str, column: Column | None) -> list[Any]:
    wanted = _NUMBERS if column is not None and column.type in ("number", "integer") else {DATATYPES[column.type] if column else "BYTES"}
    if tensor.datatype not in wanted:
        raise Problem("unsupported_datatype", f"datatype {tensor.datatype[:16]!r} is none of {', '.join(sorted(wanted))}", at + "/datatype")
    data = tensor.data
    if tensor.shape[1:] not in ([], [1]) or not tensor.shape or tensor.shape[0] != len(data):
        raise Problem("invalid_shape", f"shape must be [{len(data)}] or [{len(data)}, 1] for {len(data)} values", at + "/shape")
    if tensor.shape[1:] and data and all(isinstance(value, list) and len(value) == 1 for value in data):
        data = [value[0] for value in data]
    for index, value in enumerate(data):
        place = at + pointer("data", index)
        if column is not None:
            check_value(column, value, place)
        elif not isinstance(value, str):
            raise wrong_type(value, "a base64 text", place)
    return data


def _explain(body: bytes, otherwise: str) -> Problem:
    try:
        value = fields(parse(body), ("id", "parameters", "inputs", "outputs"))
        check_request_id(value, "id")
        if "inputs" not in value:
            raise Problem("missing_field", "field 'inputs' is missing: a list of tensors", "/inputs")
        if not isinstance(value["inputs"], list):
            raise wrong_type(value["inputs"], "an array of tensors", "/inputs")
        if not value["inputs"]:
            raise Problem("empty", "there are no inputs", "/inputs")
        for index, tensor in enumerate(value["inputs"]):
            _explain_tensor(tensor, pointer("inputs", index))
    except Problem as problem:
        return problem
    path = otherwise.rpartition("$.")[2].rstrip("`") if "$." in otherwise else ""
    return Problem(
        "wrong_type" if "Expected" in otherwise else "invalid_value",
        otherwise[:200],
        "/" + path.replace("[", "/").replace("]", "").replace(".", "/"),
    )


def _explain_tensor(tensor: Any, at: str) -> None:
    members = fields(tensor, ("name", "shape", "datatype", "data", "parameters"), at)
    for name in ("name", "shape", "datatype", "data"):
        if name not in members:
            raise Problem("missing_field", f"field {name!r} is missing", at + pointer(name))
