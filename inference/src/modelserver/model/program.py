"""Runs the graph of a scanned .pt2: a straight line of allow-listed operators; nothing is evaluated or imported by name from the file."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelserver.errors import ArtifactError
from modelserver.model import operators
from modelserver.model.archive import Archive

if TYPE_CHECKING:
    import torch

# torch/_export/serde/schema.py: ScalarType and MemoryFormat.
_DTYPES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64", 12: "bool", 13: "bfloat16"}
_FORMATS = {1: "contiguous_format", 2: "channels_last", 4: "preserve_format"}
_PLAIN = {"as_int", "as_float", "as_bool", "as_ints", "as_floats", "as_bools", "as_string"}

Value = Any  # a tensor, a tuple of tensors, or an integer
Reader = Callable[[dict[str, Value]], Value]


@dataclass(frozen=True)
class Step:
    """One operator, how to get its arguments from the values so far, and the names of its results."""

    call: Callable[..., Value]
    positional: tuple[Reader, ...]
    keyword: tuple[tuple[str, Reader], ...]
    results: tuple[str, ...]
    single: bool


@dataclass(frozen=True)
class Program:
    """A program of one input and one output; `batch` is the batch size it was exported for, None when it takes any."""

    constants: dict[str, torch.Tensor]
    steps: tuple[Step, ...]
    input: str
    output: str
    batch: int | None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """[n, …] float32 → [n, outputs]."""
        values: dict[str, Value] = {**self.constants, self.input: x}
        for step in self.steps:
            result = step.call(*(read(values) for read in step.positional), **{name: read(values) for name, read in step.keyword})
            if step.single:
                values[step.results[0]] = result
            else:
                values.update(zip(step.results, result, strict=False))
        output: torch.Tensor = values[self.output]
        return output


def load(path: Path) -> Program:
    """Read a .pt2.

    Raises:
        ArtifactError: what Archive refuses; refused_operator; unsupported_program (more than one input or output, mutation);
        broken_archive.
    """
    with Archive(path) as archive:
        try:
            return _program(archive)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise ArtifactError(
                "broken_archive", f"{path.name}: the program is not as torch.export writes it ({type(error).__name__}: {error})"
            ) from None


def _program(archive: Archive) -> Program:
    module = archive.graph()["graph_module"]
    graph, signature = module["graph"], module["signature"]
    stored = {"parameter": archive.weights(), "buffer": archive.weights(), "tensor_constant": archive.constants()}
    constants: dict[str, torch.Tensor] = {}
    inputs: list[str] = []
    for spec in signature["input_specs"]:
        ((kind, body),) = spec.items()
        if kind == "user_input":
            inputs.append(body["arg"]["as_tensor"]["name"])
            continue
        if kind not in stored:
            raise ArtifactError("unsupported_program", f"{archive.name}: an input of kind {kind[:40]!r} is not supported")
        name = body[f"{kind}_name"]
        source = stored[kind] if name in stored[kind] else archive.constants()  # a buffer that is not persistent lies with the constants
        constants[body["arg"]["name"]] = _tensor(archive, name, source[name])
    outputs = [spec["user_output"]["arg"]["as_tensor"]["name"] for spec in signature["output_specs"] if "user_output" in spec]
    if len(inputs) != 1 or len(outputs) != 1 or len(signature["output_specs"]) != 1:
        raise ArtifactError("unsupported_program", f"{archive.name}: a program must have one input and one output and change nothing")
    size = graph["tensor_values"][inputs[0]]["sizes"][0]
    fresh: set[str] = set()
    steps = tuple(_step(archive.name, node, fresh) for node in graph["nodes"])
    return Program(constants, steps, inputs[0], outputs[0], int(size["as_int"]) if "as_int" in size else None)


def _tensor(archive: Archive, name: str, payload: dict[str, Any]) -> torch.Tensor:
    import torch

    meta = payload["tensor_meta"]
    dtype = getattr(torch, _DTYPES[meta["dtype"]])
    sizes, strides = ([int(number["as_int"]) for number in meta[key]] for key in ("sizes", "strides"))
    offset = int(meta["storage_offset"]["as_int"])
    folder = "weights" if payload["path_name"].startswith("weight_") else "constants"
    data = bytearray(archive.read(f"data/{folder}/{payload['path_name']}"))
    flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    if min([offset, *sizes, *strides]) < 0 or (0 not in sizes and last >= flat.numel()):
        raise ArtifactError("broken_archive", f"{archive.name}: {name[:80]!r} lies outside its bytes")
    tensor = flat.as_strided(sizes, strides, offset)
    if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
        raise ArtifactError("non_finite_weights", f"{archive.name}: {name[:80]!r} has NaN or infinity")
    return tensor


def _step(archive: str, node: dict[str, Any], fresh: set[str]) -> Step:
    target = node["target"]
    if target not in operators.ALLOWED:
        raise ArtifactError("refused_operator", f"{archive}: operator {str(target)[:120]!r} is not on the list of allowed operators")
    positional: list[Reader] = []
    keyword: list[tuple[str, Reader]] = []
    for argument in node["inputs"]:
        ((kind, value),) = argument["arg"].items()
        if argument["name"] in operators.TRAINING_FLAGS and value is not False:
            raise ArtifactError("refused_operator", f"{archive}: {target} runs in training mode: call eval() before torch.export")
        reader = _reader(archive, kind, value)
        if argument.get("kind") == 2:  # ArgumentKind.KEYWORD
            keyword.append((argument["name"], reader))
        else:
            positional.append(reader)
    if target in operators.IN_PLACE and node["inputs"][0]["arg"].get("as_tensor", {}).get("name") not in fresh:
        raise ArtifactError("refused_operator", f"{archive}: {target} would change a weight, the input or a view of them")
    ((kind, value),) = node["outputs"][0].items()
    if kind == "as_tensors":
        results, single = tuple(item["name"] for item in value), False
    else:
        results = tuple(_name(output) for output in node["outputs"])
        single = len(results) == 1
    if target not in operators.VIEWS:
        fresh.update(results)
    return Step(_callable(target), tuple(positional), tuple(keyword), results, single)


def _name(output: dict[str, Any]) -> str:
    ((kind, value),) = output.items()
    name = value["name"] if kind == "as_tensor" else value["as_name"] if kind == "as_sym_int" else None
    return str(name) if name else ""


def _callable(target: str) -> Callable[..., Value]:
    import torch

    space, _, name = target.rpartition("torch.ops.aten.")[2].partition(".") if target.startswith("torch.ops.") else (target, "", "")
    if space.startswith("_operator."):
        return getattr(operator, space.removeprefix("_operator."))  # type: ignore[no-any-return] # one of five names of operators.ALLOWED
    return getattr(getattr(torch.ops.aten, space), name)  # type: ignore[no-any-return] # an operator of operators.ALLOWED


def _reader(archive: str, kind: str, value: Any) -> Reader:
    import torch

    if kind in _PLAIN:
        return lambda _: value
    if kind == "as_none":
        return lambda _: None
    if kind in ("as_tensor", "as_sym_int"):
        if kind == "as_sym_int" and "as_int" in value:
            return lambda _, number=int(value["as_int"]): number  # type: ignore[misc] # mypy has no type for a lambda's default
        return operator.itemgetter(value["name"] if kind == "as_tensor" else value["as_name"])
    if kind in ("as_tensors", "as_sym_ints"):
        return _each([_reader(archive, kind[:-1], item) for item in value])
    if kind == "as_optional_tensors":
        return _each([_reader(archive, *next(iter(item.items()))) for item in value])
    if kind == "as_scalar_type":
        dtype = getattr(torch, _DTYPES[value])
        return lambda _: dtype
    if kind == "as_memory_format":
        memory = getattr(torch, _FORMATS[value])
        return lambda _: memory
    raise ArtifactError("refused_operator", f"{archive}: an argument of kind {kind[:40]!r} is not allowed")


def _each(readers: Iterable[Reader]) -> Reader:
    readers = tuple(readers)
    return lambda values: [read(values) for read in readers]
