"""The allow-list of architectures: a name in model.json builds one of these and nothing else.

An architecture is a function from (manifest, parameters) to a module. Its parameters are a msgspec Struct with limits, so that a manifest
cannot ask for an absurd network. To add one: a file here and a line in ARCHITECTURES.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from modelserver.architectures import cnn, mlp, resnet
from modelserver.errors import ArtifactError

if TYPE_CHECKING:
    import torch

    from modelserver.model.manifest import Manifest

Builder = Callable[[Any, "Manifest"], "torch.nn.Module"]

ARCHITECTURES: dict[str, tuple[type[msgspec.Struct], Builder]] = {
    "mlp": (mlp.Parameters, mlp.build),
    "cnn": (cnn.Parameters, cnn.build),
    "resnet18": (resnet.Parameters, resnet.builder("resnet18")),
    "resnet34": (resnet.Parameters, resnet.builder("resnet34")),
    "resnet50": (resnet.Parameters, resnet.builder("resnet50")),
    "resnet101": (resnet.Parameters, resnet.builder("resnet101")),
}


def build(manifest: Manifest) -> torch.nn.Module:
    """The module that the manifest names, with unset weights on torch's meta device, so that no memory is taken yet.

    Raises:
        ArtifactError: unknown_architecture, invalid_manifest (its parameters) or missing_extra (torchvision).
    """
    import torch

    name = manifest.architecture.name
    if name not in ARCHITECTURES:
        raise ArtifactError(
            "unknown_architecture", f"architecture {name!r} is none of {', '.join(ARCHITECTURES)} (a model.pt2 is 'program')"
        )
    kind, builder = ARCHITECTURES[name]
    try:
        parameters = msgspec.convert(manifest.architecture.parameters, kind)
    except msgspec.ValidationError as error:
        raise ArtifactError("invalid_manifest", f"model.json: architecture.parameters of {name}: {error}") from None
    with torch.device("meta"):
        return builder(parameters, manifest).eval()
