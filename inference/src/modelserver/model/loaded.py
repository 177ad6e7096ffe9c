"""A model that is ready to be called: its manifest, its digest and its exact forward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from modelserver import architectures
from modelserver.errors import ArtifactError
from modelserver.model import artifact, program, straight, weights
from modelserver.model.exact import Floats, Forward
from modelserver.model.manifest import Manifest

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Model:
    """What a request is answered with."""

    manifest: Manifest
    sha256: str
    forward: Forward
    mean: Floats | None
    std: Floats | None

    def normalise(self, rows: Floats) -> Floats:
        """Apply the manifest's preprocessing to [n, …] float32."""
        return rows if self.mean is None or self.std is None else (rows - self.mean) / self.std

    def predict(self, rows: Floats) -> Floats:
        """[n, …] float32 of the contract's shape → [n, labels] probabilities, or [n, 1] values of a regression."""
        return self.forward.run(self.normalise(rows))


def load(path: Path, *, sha256: str = "", device: str = "cpu", max_batch: int = 64) -> Model:
    """Load, check and warm up the model at a path.

    Args:
        path: a model folder, a .safetensors or a .pt2.
        sha256: the digest it must have; empty accepts any.
        device: torch's name of the device.
        max_batch: the most rows in one forward.

    Raises:
        ArtifactError: the model is refused; nothing of it has run.
    """
    found = artifact.find(path)
    if sha256 and found.sha256 != sha256:
        raise ArtifactError("digest_mismatch", f"the model has sha256 {found.sha256}, wanted {sha256}")
    module, batch = _network(found, device)
    manifest = found.manifest
    model = Model(manifest, found.sha256, Forward(_score(module, manifest), device, batch or 1, exact=device == "cpu"), *_scaling(manifest))
    warm_up(model, max_batch)
    return model


def warm_up(model: Model, max_batch: int) -> None:
    """Run the model on made-up inputs: measures the exact batch sizes and checks shape and finiteness of its answers.

    Raises:
        ArtifactError: wrong_output.
    """
    probes = np.random.default_rng(0).standard_normal((11, *model.manifest.shape)).astype(np.float32)
    try:
        first = model.forward.alone(probes[0])
    except Exception as error:
        raise ArtifactError("wrong_output", f"the model fails on an input of shape {list(model.manifest.shape)}: {error}") from None
    if first.shape != (model.manifest.outputs,) or not np.isfinite(first).all():
        raise ArtifactError("wrong_output", f"the model gives shape {list(first.shape)}, wanted [{model.manifest.outputs}] finite numbers")
    model.forward.calibrate(probes, max_batch)


def _network(found: artifact.Artifact, device: str) -> tuple[Callable[[torch.Tensor], torch.Tensor], int | None]:
    is_program = found.weights.suffix == ".pt2"
    if is_program != (found.manifest.architecture.name == "program"):
        raise ArtifactError(
            "unknown_architecture", f"{found.weights.name} goes with architecture {'program' if is_program else 'of the list'}"
        )
    if is_program:
        loaded = program.load(found.weights)
        loaded.constants.update({name: tensor.to(device) for name, tensor in loaded.constants.items()})
        return loaded, loaded.batch
    return weights.fill(architectures.build(found.manifest), found.weights).to(device), None


def _score(module: Callable[[torch.Tensor], torch.Tensor], manifest: Manifest) -> Callable[[torch.Tensor], torch.Tensor]:
    import torch

    steps = straight.steps(module)

    def score(batch: torch.Tensor) -> torch.Tensor:
        for step in steps:
            batch = step(batch)
        if manifest.classifies:
            return torch.softmax(batch, 1)
        return batch.reshape(len(batch), -1)

    return score


def _scaling(manifest: Manifest) -> tuple[Floats | None, Floats | None]:
    steps = manifest.preprocessing
    if not steps.mean:
        return None, None
    shape = (-1, 1, 1) if manifest.input.image else (-1,)
    return np.array(steps.mean, np.float32).reshape(shape), np.array(steps.std, np.float32).reshape(shape)
