"""From a training checkpoint to a model folder, without running what the checkpoint may hide."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelserver import architectures
from modelserver.errors import ArtifactError, UsageError, shown
from modelserver.model import exact, loaded, saved
from modelserver.model.manifest import ArchitectureRef, ImageInput, Input, Manifest, Preprocessing, parse

if TYPE_CHECKING:
    import torch

# Per-channel statistics that torchvision's pretrained networks expect.
IMAGENET = Preprocessing(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])


def convert(
    checkpoint: Path, out: Path, *, arch: str, manifest: Path | None, labels: Path | None, side: int, name: str, version: str
) -> str:
    """Write a model folder (or one .safetensors) from a state dict and give its digest.

    Args:
        checkpoint: a .pth or .pt of torch.save with a state dict, bare or under "state_dict" or "model"; read with weights_only.
        out: folder, or a path that ends in .safetensors.
        arch: a name of the allow-list, for a ResNet with torchvision's preprocessing; empty when a manifest is given.
        manifest: a model.json that says all; needed for mlp and cnn, whose parameters a checkpoint does not name.
        labels: a text file, one label a line; without it the labels are class_0, class_1, ….
        side: width and height of the network's input.
        name: the model's name.
        version: the model's version.

    Raises:
        ArtifactError: the checkpoint is refused or does not fit.
        UsageError: arguments that exclude or miss one another.
    """
    exact.prepare()
    state = _state(checkpoint)
    if manifest is not None:
        described = parse(manifest.read_bytes())
    elif arch.startswith("resnet"):
        described = _resnet(arch, state, labels=labels, side=side, name=name, version=version)
    else:
        raise UsageError(
            "give --manifest model.json (a checkpoint does not say an mlp's or cnn's columns and sizes), or --arch resnet18|34|50|101"
        )
    expected = architectures.build(described).state_dict()
    differ = sorted(
        key for key in expected.keys() | state.keys() if key not in expected or key not in state or expected[key].shape != state[key].shape
    )
    if differ:
        raise ArtifactError("wrong_weights", f"{checkpoint.name} does not fit {described.architecture.name}: {shown(differ)}")
    sha256 = saved.save(described, {key: state[key].to(expected[key].dtype) for key in expected}, out)
    loaded.load(out, sha256=sha256, max_batch=1)
    return sha256


def _state(checkpoint: Path) -> dict[str, torch.Tensor]:
    import torch

    try:
        value: Any = torch.load(checkpoint, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        first = str(error).splitlines()[0][:200]
        raise ArtifactError(
            "refused_format", f"{checkpoint.name} holds more than plain weights, loading it could run code: {first}"
        ) from None
    except (RuntimeError, EOFError, OSError, ValueError, KeyError, AttributeError) as error:
        raise ArtifactError(
            "broken_weights", f"{checkpoint.name}: {str(error).splitlines()[0][:200] if str(error) else type(error).__name__}"
        ) from None
    for key in ("state_dict", "model"):
        if isinstance(value, dict) and isinstance(value.get(key), dict):
            value = value[key]
    if not isinstance(value, dict) or not value or not all(isinstance(item, torch.Tensor) for item in value.values()):
        raise ArtifactError("wrong_weights", f"{checkpoint.name} is not a state dict: save model.state_dict(), not the model")
    return {str(key).removeprefix("module."): item for key, item in value.items()}  # DataParallel adds the prefix


def _resnet(arch: str, state: dict[str, torch.Tensor], *, labels: Path | None, side: int, name: str, version: str) -> Manifest:
    if "fc.weight" not in state:
        raise ArtifactError("wrong_weights", "the checkpoint has no fc.weight, so it is no torchvision ResNet")
    count = len(state["fc.weight"])
    names = labels.read_text(encoding="utf-8").split("\n") if labels else [f"class_{index}" for index in range(count)]
    names = [line.strip() for line in names if line.strip()]
    if len(names) != count:
        raise UsageError(f"the network has {count} classes, the labels file {len(names)} lines")
    return Manifest(
        format=1,
        name=name,
        version=version,
        task="image-classification",
        architecture=ArchitectureRef(arch),
        input=Input(image=ImageInput(width=side, height=side)),
        labels=names,
        preprocessing=IMAGENET,
    )
