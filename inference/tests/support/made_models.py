"""Real models with random weights, made in milliseconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from modelserver import architectures
from modelserver.model import saved
from modelserver.model.manifest import ArchitectureRef, Column, ImageInput, Input, Manifest, Preprocessing, to_json

COLUMNS = [
    Column("age", "integer", minimum=0.0, maximum=120.0),
    Column("income", minimum=0.0),
    Column("member", "boolean"),
    Column("colour", "category", categories=["red", "green", "blue"], missing="red"),
    Column("score", missing=0.5),
]


def table(*, task: str = "tabular-classification", columns: list[Column] | None = None, hidden: tuple[int, ...] = (32, 16)) -> Manifest:
    columns = COLUMNS if columns is None else columns
    width = sum(column.width for column in columns)
    return Manifest(
        format=1,
        name="people",
        version="7",
        task=task,  # type: ignore[arg-type]
        architecture=ArchitectureRef("mlp", {"hidden": list(hidden)}),
        input=Input(columns=columns),
        labels=["no", "yes", "maybe"] if task != "tabular-regression" else [],
        preprocessing=Preprocessing(mean=[1.5] * width, std=[3.0] * width),
    )


def numbers(count: int, hidden: tuple[int, ...] = (64, 32)) -> Manifest:
    return table(columns=[Column(f"x{index}") for index in range(count)], hidden=hidden)


def image(name: str = "cnn", side: int = 16, mode: str = "RGB", labels: int = 10) -> Manifest:
    return Manifest(
        format=1,
        name="pictures",
        version="3",
        task="image-classification",
        architecture=ArchitectureRef(name, {"channels": [8, 16]} if name == "cnn" else {}),
        input=Input(image=ImageInput(width=side, height=side, mode=mode)),  # type: ignore[arg-type]
        labels=[f"label {index}" for index in range(labels)],
        preprocessing=Preprocessing(mean=[0.5] * (1 if mode == "L" else 3), std=[0.25] * (1 if mode == "L" else 3)),
    )


def network(manifest: Manifest, seed: int = 0) -> torch.nn.Module:
    torch.manual_seed(seed)
    module: Any = architectures.build(manifest).to_empty(device="cpu")
    for part in module.modules():
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()
    built: torch.nn.Module = module.eval()
    return built


def write(manifest: Manifest, out: Path) -> Path:
    saved.save(manifest, network(manifest).state_dict(), out)
    return out


def write_program(manifest: Manifest, out: Path, *, batch: int | None = None, module: torch.nn.Module | None = None) -> Path:
    """A .pt2 of torch.export with model.json inside, for any batch size or for one."""
    module = network(manifest) if module is None else module
    example = torch.randn(batch or 2, *manifest.shape)
    shapes = None if batch else ({0: torch.export.Dim("batch", min=1, max=4096)},)
    program = torch.export.export(module, (example,), dynamic_shapes=shapes)
    import msgspec

    described = msgspec.structs.replace(manifest, architecture=ArchitectureRef("program"))
    torch.export.save(program, out, extra_files={"model.json": to_json(described).decode()})
    return out
