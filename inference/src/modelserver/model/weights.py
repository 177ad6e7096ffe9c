"""Weights in safetensors: plain numbers, nothing that could run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modelserver.errors import ArtifactError, shown

if TYPE_CHECKING:
    import torch


def metadata(path: Path) -> dict[str, str]:
    """The free texts in the file's header.

    Raises:
        ArtifactError: broken_weights.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            return dict(file.metadata() or {})
    except (SafetensorError, OSError) as error:
        raise ArtifactError("broken_weights", f"{path.name}: {error}") from None


def fill(module: torch.nn.Module, path: Path) -> torch.nn.Module:
    """Give the weights of the file to a module built on the meta device; names, shapes and types must be the module's own.

    Raises:
        ArtifactError: broken_weights, wrong_weights (which names differ), non_finite_weights.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise ArtifactError("broken_weights", f"{path.name}: {error}") from None
    expected = module.state_dict()
    missing, unknown = expected.keys() - tensors.keys(), tensors.keys() - expected.keys()
    if missing or unknown:
        raise ArtifactError(
            "wrong_weights", f"{path.name}: missing {shown(sorted(missing)) or 'none'}; unknown {shown(sorted(unknown)) or 'none'}"
        )
    for name, tensor in tensors.items():
        wanted = expected[name]
        if tensor.shape != wanted.shape or tensor.dtype != wanted.dtype:
            raise ArtifactError(
                "wrong_weights",
                f"{path.name}: {name!r} is {tensor.dtype} {list(tensor.shape)}, the architecture has {wanted.dtype} {list(wanted.shape)}",
            )
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise ArtifactError("non_finite_weights", f"{path.name}: {name!r} has NaN or infinity")
    module.load_state_dict(tensors, strict=True, assign=True)
    return module.requires_grad_(requires_grad=False)
