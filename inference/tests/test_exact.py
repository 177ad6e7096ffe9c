"""The bits of a prediction do not depend on who else is in the batch."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

import made_models
from modelserver.model import loaded
from modelserver.model.exact import Floats, Forward, prepare
from modelserver.model.manifest import ArchitectureRef, Manifest
from modelserver.settings import Settings


def direct(manifest: Manifest, module: torch.nn.Module, rows: Floats) -> Floats:
    """Each row alone through the network as PyTorch calls it: no code of the server but the weights' names."""
    shape = (-1, 1, 1) if manifest.input.image else (-1,)
    mean, std = (
        torch.tensor(values, dtype=torch.float32).reshape(shape) for values in (manifest.preprocessing.mean, manifest.preprocessing.std)
    )
    with torch.inference_mode():
        return np.stack([torch.softmax(module(((torch.from_numpy(row) - mean) / std)[None]), dim=1)[0].numpy() for row in rows])


def inputs(manifest: Manifest, count: int) -> Floats:
    return np.random.default_rng(1).standard_normal((count, *manifest.shape)).astype(np.float32)


def same_bits(left: Floats, right: Floats) -> bool:
    return left.shape == right.shape and bool((left.view(np.uint32) == right.view(np.uint32)).all())


def test_the_server_computes_with_one_thread() -> None:
    prepare(Settings().threads)
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize(
    "manifest", [made_models.numbers(30), made_models.numbers(13, (33,)), made_models.image(), made_models.image("mlp", 8, "L")], ids=str
)
@pytest.mark.parametrize("kind", ["folder", "program"])
def test_a_thousand_inputs_alone_and_in_batches_have_the_bits_of_a_direct_call(tmp_path: Path, manifest: Manifest, kind: str) -> None:
    if manifest.architecture.name == "mlp" and manifest.input.image:
        manifest = msgspec.structs.replace(manifest, architecture=ArchitectureRef("mlp", {"hidden": [24]}))
    path = (
        made_models.write(manifest, tmp_path / "model") if kind == "folder" else made_models.write_program(manifest, tmp_path / "model.pt2")
    )
    model = loaded.load(path)
    rows = inputs(manifest, 1000)
    wanted = direct(manifest, made_models.network(manifest), rows)
    assert same_bits(np.concatenate([model.predict(row[None]) for row in rows]), wanted)
    sizes = np.random.default_rng(2).integers(1, 90, 40)
    cuts = np.cumsum(sizes)[np.cumsum(sizes) < 1000]
    assert same_bits(np.concatenate([model.predict(part) for part in np.split(rows, cuts)]), wanted)
    assert same_bits(model.predict(rows), wanted)


def test_a_table_model_really_runs_in_batches(table_model: Path) -> None:
    """With MKL's strict mode the products do not depend on the batch, so the exactness costs no batching."""
    sizes = [size for size, _ in loaded.load(table_model).forward.sizes]
    processor = Path("/proc/cpuinfo").read_text()
    if "avx2" not in processor or "GenuineIntel" not in processor:
        pytest.skip("MKL's strict mode needs AVX2 and holds on Intel's processors alone: on AMD's Zen 2 four rows differ from single ones")
    assert sizes == [1, 2, 4, 8, 16, 32, 64]


def test_a_size_whose_rows_differ_in_the_last_bit_is_never_run() -> None:
    seen: set[int] = set()

    def score(batch: torch.Tensor) -> torch.Tensor:
        seen.add(len(batch))
        return batch * (1 + 2**-23) if len(batch) >= 8 else batch

    forward = Forward(score)
    forward.calibrate(inputs(made_models.numbers(3), 11), 64)
    assert [size for size, _ in forward.sizes] == [1, 2, 4]
    seen.clear()
    rows = inputs(made_models.numbers(3), 29)
    assert same_bits(forward.run(rows), rows)
    assert seen <= {1, 2, 4}


def test_a_program_of_one_batch_size_is_filled_up_to_it(tmp_path: Path) -> None:
    manifest = made_models.numbers(5)
    model = loaded.load(made_models.write_program(manifest, tmp_path / "m.pt2", batch=4))
    rows = inputs(manifest, 11)
    assert model.forward.base == 4
    assert same_bits(model.predict(rows), np.concatenate([model.predict(row[None]) for row in rows]))
    assert np.allclose(model.predict(rows), direct(manifest, made_models.network(manifest), rows), atol=1e-6)


def test_resnet_through_torchvision(tmp_path: Path) -> None:
    pytest.importorskip("torchvision", reason="the extra modelserver[vision] is not installed")
    manifest = made_models.image("resnet18", 32)
    model = loaded.load(made_models.write(manifest, tmp_path / "model"))
    rows = inputs(manifest, 20)
    assert same_bits(model.predict(rows), direct(manifest, made_models.network(manifest), rows))


def test_the_memory_order_of_an_input_does_not_matter(image_model: Path) -> None:
    """oneDNN takes another kernel for channels-last memory: the server always gives it the plain order."""
    model = loaded.load(image_model)
    rows = inputs(model.manifest, 5)
    other = np.ascontiguousarray(rows.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    assert not other.flags.c_contiguous
    assert same_bits(model.predict(other), model.predict(rows))
