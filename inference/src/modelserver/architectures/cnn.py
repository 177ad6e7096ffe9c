"""A small convolutional network for images: blocks of 3×3 convolution, ReLU and 2×2 pooling, then one linear layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from modelserver.errors import ArtifactError

if TYPE_CHECKING:
    import torch

    from modelserver.model.manifest import Manifest

Channels = Annotated[int, msgspec.Meta(ge=1, le=1024)]


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Output channels of the blocks; each halves width and height."""

    channels: Annotated[list[Channels], msgspec.Meta(min_length=1, max_length=8)]


def build(parameters: Parameters, manifest: Manifest) -> torch.nn.Module:
    """[n, channels, height, width] float32 → [n, outputs] float32."""
    from torch import nn

    if manifest.input.image is None:
        raise ArtifactError("invalid_manifest", "model.json: architecture cnn takes an image, not columns (use mlp)")
    channels, height, width = manifest.shape
    layers: list[nn.Module] = []
    for out in parameters.channels:
        if min(height, width) < 2:
            raise ArtifactError("invalid_manifest", f"model.json: {len(parameters.channels)} blocks halve the image to nothing")
        layers += [nn.Conv2d(channels, out, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        channels, height, width = out, height // 2, width // 2
    layers += [nn.Flatten(), nn.Linear(channels * height * width, manifest.outputs)]
    return nn.Sequential(*layers)
