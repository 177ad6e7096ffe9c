"""Multi-layer perceptron: linear layers with ReLU between; an image is flattened first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import msgspec

if TYPE_CHECKING:
    import torch

    from modelserver.model.manifest import Manifest

Width = Annotated[int, msgspec.Meta(ge=1, le=8192)]


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Widths of the hidden layers; none makes a linear model."""

    hidden: Annotated[list[Width], msgspec.Meta(max_length=16)]


def build(parameters: Parameters, manifest: Manifest) -> torch.nn.Module:
    """[n, …] float32 → [n, outputs] float32."""
    from torch import nn

    layers: list[nn.Module] = [nn.Flatten()] if len(manifest.shape) > 1 else []
    width = math.prod(manifest.shape)
    for hidden in parameters.hidden:
        layers += [nn.Linear(width, hidden), nn.ReLU()]
        width = hidden
    layers.append(nn.Linear(width, manifest.outputs))
    return nn.Sequential(*layers)
