"""Two small real models, trained here and now: scikit-learn's digits as images, its breast cancer table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from modelserver import architectures
from modelserver.errors import UsageError
from modelserver.model import exact, loaded, saved
from modelserver.model.exact import Floats
from modelserver.model.manifest import ArchitectureRef, Column, ImageInput, Input, Manifest, Preprocessing

if TYPE_CHECKING:
    import numpy.typing as npt

    Labels = npt.NDArray[np.int64]

NAMES = ("digits", "breast-cancer", "diabetes")


def train(name: str, out: Path) -> tuple[str, str]:
    """Train an example, write it, load it again and score it on the quarter of the data that it has not seen.

    Returns:
        The digest, and the score in words: accuracy, or the mean absolute error of the regression.

    Raises:
        UsageError: scikit-learn is not installed.
    """
    exact.prepare()
    try:
        from sklearn.model_selection import train_test_split
    except ImportError:
        raise UsageError("training needs scikit-learn: install 'modelserver[train]'") from None
    manifest, x, y = {"digits": _digits, "breast-cancer": _breast_cancer, "diabetes": _diabetes}[name]()
    seen_x, unseen_x, seen_y, unseen_y = train_test_split(x, y, test_size=0.25, random_state=0, stratify=y if manifest.classifies else None)
    manifest = _with_statistics(manifest, seen_x)
    network = _fit(manifest, seen_x, seen_y)
    sha256 = saved.save(manifest, network.state_dict(), out)
    answers = loaded.load(out, sha256=sha256).predict(unseen_x)
    if manifest.classifies:
        return sha256, f"accuracy {float((answers.argmax(axis=1) == unseen_y).mean()):.3f} on {len(unseen_y)} unseen"
    error = float(np.abs(answers[:, 0] - unseen_y).mean())
    plain = float(np.abs(seen_y.mean() - unseen_y).mean())
    return sha256, f"mean absolute error {error:.1f} on {len(unseen_y)} unseen (the mean as answer: {plain:.1f})"


def _fit(manifest: Manifest, x: Floats, y: Any) -> Any:
    import torch

    torch.manual_seed(0)
    network: Any = architectures.build(manifest).to_empty(device="cpu").train()
    for module in network.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    steps = manifest.preprocessing
    shape = (-1, 1, 1) if manifest.input.image else (-1,)
    mean, std = (np.array(values, np.float32).reshape(shape) for values in (steps.mean, steps.std))
    inputs = torch.from_numpy((x - mean) / std)
    centre, scale = (0.0, 1.0) if manifest.classifies else (float(y.mean()), float(y.std()))
    targets = torch.from_numpy(y if manifest.classifies else ((y - centre) / scale).astype(np.float32)[:, None])
    loss = torch.nn.CrossEntropyLoss() if manifest.classifies else torch.nn.SmoothL1Loss()
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=5e-2)
    for _ in range(30):
        for chosen in torch.split(torch.randperm(len(inputs)), 64):
            optimizer.zero_grad()
            loss(network(inputs[chosen]), targets[chosen]).backward()
            optimizer.step()
    if not manifest.classifies:  # the network answers in the target's own unit
        with torch.no_grad():
            network[-1].weight.mul_(scale)
            network[-1].bias.mul_(scale).add_(centre)
    return network.eval()


def _with_statistics(manifest: Manifest, x: Floats) -> Manifest:
    import msgspec

    axes = (0, 2, 3) if manifest.input.image else (0,)
    mean, std = x.mean(axis=axes, dtype=np.float64), x.std(axis=axes, dtype=np.float64)
    statistics = Preprocessing(mean=[float(np.float32(v)) for v in mean], std=[float(np.float32(v)) for v in std])
    return msgspec.structs.replace(manifest, preprocessing=statistics)


def digit_image(pixels: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """[8, 8] of scikit-learn's 0–16 as the 8-bit grey image that the server is sent."""
    return np.round(pixels * (255 / 16)).astype(np.uint8)


def _digits() -> tuple[Manifest, Floats, Labels]:
    from sklearn.datasets import load_digits

    data = load_digits()
    manifest = Manifest(
        format=1,
        name="digits",
        version="1",
        task="image-classification",
        architecture=ArchitectureRef("cnn", {"channels": [16, 32]}),
        input=Input(image=ImageInput(width=8, height=8, mode="L")),
        labels=[str(digit) for digit in range(10)],
    )
    return manifest, (digit_image(data.images)[:, None].astype(np.float32) / np.float32(255)), data.target.astype(np.int64)


def _breast_cancer() -> tuple[Manifest, Floats, Labels]:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    manifest = Manifest(
        format=1,
        name="breast-cancer",
        version="1",
        task="tabular-classification",
        architecture=ArchitectureRef("mlp", {"hidden": [64, 32]}),
        input=Input(columns=[Column(str(name).replace(" ", "_"), minimum=0.0, maximum=10_000.0) for name in data.feature_names]),
        labels=[str(name) for name in data.target_names],
    )
    return manifest, data.data.astype(np.float32), data.target.astype(np.int64)


def _diabetes() -> tuple[Manifest, Floats, Any]:
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    manifest = Manifest(
        format=1,
        name="diabetes",
        version="1",
        task="tabular-regression",
        architecture=ArchitectureRef("mlp", {"hidden": [32]}),
        input=Input(columns=[Column(str(name)) for name in data.feature_names]),
    )
    return manifest, data.data.astype(np.float32), data.target.astype(np.float64)
