"""model.json: what the model is, what it takes and how its answers are named.

Format 1. An input is either a table of named columns or one image. The rules that no type can say are in `parse`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import msgspec

from modelserver.errors import ArtifactError, shown

Task = Literal["image-classification", "tabular-classification", "tabular-regression"]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
# It goes into headers and addresses; without the end of the pattern Python would let a last line break through.
Slug = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$(?!\n)", max_length=64)]
Side = Annotated[int, msgspec.Meta(ge=1, le=4096)]
ColumnType = Literal["number", "integer", "boolean", "category"]


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One column of a table.

    `missing` is the value that stands for an absent one; without it the column must be there and not null.
    `minimum` and `maximum` are inclusive; `categories` are the allowed texts of a category column, one-hot in this order.
    """

    name: Name
    type: ColumnType = "number"
    minimum: float | None = None
    maximum: float | None = None
    missing: float | bool | str | None = None
    categories: list[Name] = []

    @property
    def width(self) -> int:
        """How many numbers the column becomes."""
        return len(self.categories) if self.type == "category" else 1


class ImageInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One image: resized to width × height, as grey ("L") or RGB."""

    width: Side
    height: Side
    mode: Literal["L", "RGB"] = "RGB"

    @property
    def channels(self) -> int:
        """1 for grey, 3 for RGB."""
        return 1 if self.mode == "L" else 3


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The input contract: exactly one of the two."""

    columns: Annotated[list[Column], msgspec.Meta(max_length=10_000)] = []
    image: ImageInput | None = None


class Preprocessing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """(value − mean) ÷ std in float32: per encoded feature for tables, per channel (of pixels 0–1) for images; empty means none."""

    mean: list[float] = []
    std: list[float] = []


class ArchitectureRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An architecture of the package's allow-list and its parameters; "program" stands for a model.pt2."""

    name: Slug
    parameters: dict[str, Any] = {}


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The whole of model.json."""

    format: Literal[1]
    name: Slug
    version: Slug
    task: Task
    architecture: ArchitectureRef
    input: Input
    labels: list[Name] = []
    preprocessing: Preprocessing = Preprocessing()

    @property
    def classifies(self) -> bool:
        """Whether the answer is a label."""
        return self.task != "tabular-regression"

    @property
    def outputs(self) -> int:
        """How many numbers the model gives for one input."""
        return len(self.labels) if self.classifies else 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one input: (features,) or (channels, height, width)."""
        image = self.input.image
        if image is not None:
            return (image.channels, image.height, image.width)
        return (sum(column.width for column in self.input.columns),)


def parse(data: bytes) -> Manifest:
    """Read and check model.json.

    Raises:
        ArtifactError: reason invalid_manifest, with the place and the way out.
    """
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ArtifactError("invalid_manifest", f"model.json: {error}") from None
    fault = _fault(manifest)
    if fault:
        raise ArtifactError("invalid_manifest", f"model.json: {fault}")
    return manifest


def to_json(manifest: Manifest) -> bytes:
    """The text of model.json, indented."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def _fault(manifest: Manifest) -> str:
    if (manifest.task == "image-classification") != (manifest.input.image is not None) or bool(manifest.input.columns) == bool(
        manifest.input.image
    ):
        return f"task {manifest.task} needs input.{'image' if manifest.task == 'image-classification' else 'columns'} and nothing else"
    if manifest.classifies and len(manifest.labels) < 2:
        return "a classification needs at least two labels"
    if not manifest.classifies and manifest.labels:
        return "a regression has no labels"
    for what, names in (("labels", manifest.labels), ("columns", [column.name for column in manifest.input.columns])):
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) != len(names) else []
        if twice:
            return f"{what} repeat {shown(twice)}"
    for column in manifest.input.columns:
        fault = _column_fault(column)
        if fault:
            return f"column {column.name!r}: {fault}"
    steps = manifest.preprocessing
    if steps.mean or steps.std:
        expected = manifest.shape[0]
        if len(steps.mean) != expected or len(steps.std) != expected:
            return f"preprocessing has {len(steps.mean)} means and {len(steps.std)} deviations for {expected} features or channels"
        if not all(math.isfinite(value) for value in steps.mean) or not all(1e-30 < value < 1e30 for value in steps.std):
            return "preprocessing has a mean or deviation that is not finite, or a deviation that is not positive"
    return ""


def _column_fault(column: Column) -> str:
    numeric = column.type in ("number", "integer")
    if (column.type == "category") != bool(column.categories) or len(set(column.categories)) != len(column.categories):
        return "categories belong to a category column, which needs them, each once"
    if not numeric and (column.minimum is not None or column.maximum is not None):
        return f"a {column.type} column has no range"
    limits = [limit for limit in (column.minimum, column.maximum) if limit is not None]
    if limits != sorted(limits) or not all(abs(limit) < 3e38 for limit in limits):
        return "minimum is greater than maximum, or one of them is beyond float32"
    if column.type == "integer" and not all(abs(limit) <= 2**53 for limit in limits):
        return "the range of an integer column ends at ±2^53"
    missing = column.missing
    if missing is None:
        return ""
    if numeric:
        fits = isinstance(missing, (int, float)) and not isinstance(missing, bool) and abs(missing) < 3e38
        if fits and column.type == "integer":
            fits = float(missing) == int(missing)
    elif column.type == "boolean":
        fits = isinstance(missing, bool)
    else:
        fits = missing in column.categories
    return "" if fits else f"missing value {missing!r} is not a {column.type} of this column"
