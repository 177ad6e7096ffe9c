"""ResNet as torchvision defines it, so that weights trained with torchvision fit; needs the extra ``modelserver[vision]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from modelserver.errors import ArtifactError

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from modelserver.model.manifest import Manifest


class Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ResNet has none: depth is in the name, classes are the labels."""


def builder(name: str) -> Callable[[Parameters, Manifest], torch.nn.Module]:
    """The builder of torchvision's network of that name: [n, 3, height, width] → [n, outputs]."""

    def build(_: Parameters, manifest: Manifest) -> torch.nn.Module:
        if manifest.input.image is None or manifest.input.image.mode != "RGB":
            raise ArtifactError("invalid_manifest", f"model.json: architecture {name} takes an RGB image")
        try:
            from torchvision import models
        except ImportError:
            raise ArtifactError("missing_extra", f"architecture {name} needs torchvision: install 'modelserver[vision]'") from None
        module: torch.nn.Module = models.get_model(name, weights=None, num_classes=manifest.outputs)
        return module

    return build
