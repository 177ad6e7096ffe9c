"""A model file that could run code is refused before it is loaded; each hostile file here does run code in torch's own loader."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch

import made_models
from modelserver.convert import convert
from modelserver.errors import ArtifactError
from modelserver.model import loaded

Change = Callable[[dict[str, bytes]], None]


class Bomb:
    """Unpickling it makes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.mark,))


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "code-ran"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return made_models.write_program(made_models.numbers(4), tmp_path / "model.pt2")


def rewrite(path: Path, change: Change, compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path) as archive:
        root = archive.namelist()[0].partition("/")[0]
        entries = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    change(entries)
    out = path.with_name("hostile.pt2")
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(f"{root}/{name}", data)
    return out


def saved(value: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def edit(entry: str, change: Callable[[Any], None]) -> Change:
    def apply(entries: dict[str, bytes]) -> None:
        value = json.loads(entries[entry])
        change(value)
        entries[entry] = json.dumps(value).encode()

    return apply


def refused(path: Path, reason: str = "refused_entry") -> str:
    with pytest.raises(ArtifactError) as caught:
        loaded.load(path)
    assert caught.value.reason == reason
    return caught.value.detail


def runs_in_torch(path: Path, mark: Path) -> None:
    """Proof that the file is hostile: torch.export.load runs its code."""
    with suppress(Exception):
        torch.export.load(path)
    assert mark.exists(), "the file is not hostile, so the test would prove nothing"
    mark.unlink()


def test_an_honest_program_is_taken(program: Path) -> None:
    assert loaded.load(program).manifest.name == "people"


def test_sample_inputs_with_a_pickle(program: Path, mark: Path) -> None:
    path = rewrite(program, lambda entries: entries.update({"data/sample_inputs/model.pt": saved(((Bomb(mark),), {}))}))
    runs_in_torch(path, mark)
    assert "sample inputs" in refused(path)
    assert not mark.exists()


def test_weights_with_use_pickle(program: Path, mark: Path) -> None:
    def change(entries: dict[str, bytes]) -> None:
        config = json.loads(entries["data/weights/model_weights_config.json"])
        first = next(iter(config["config"].values()))
        first["use_pickle"] = True
        entries["data/weights/model_weights_config.json"] = json.dumps(config).encode()
        entries[f"data/weights/{first['path_name']}"] = saved(Bomb(mark))

    path = rewrite(program, change)
    runs_in_torch(path, mark)
    assert "use_pickle" in refused(path)
    assert not mark.exists()


def test_opaque_obj_constants(program: Path, mark: Path) -> None:
    def change(entries: dict[str, bytes]) -> None:
        payload = {"path_name": "opaque_obj_0", "is_param": False, "use_pickle": True, "tensor_meta": None}
        entries["data/constants/model_constants_config.json"] = json.dumps({"config": {"c": payload}}).encode()
        entries["data/constants/opaque_obj_0"] = pickle.dumps(Bomb(mark))

    path = rewrite(program, change)
    runs_in_torch(path, mark)
    assert "opaque object" in refused(path)
    assert not mark.exists()


def test_a_size_expression_that_is_code_is_never_evaluated(program: Path, mark: Path) -> None:
    """torch reads sizes with sympify, which evaluates Python; here they stay text."""

    def change(value: Any) -> None:
        for tensor in value["graph_module"]["graph"]["tensor_values"].values():
            for size in tensor["sizes"]:
                if "as_expr" in size:
                    size["as_expr"]["expr_str"] = f"__import__('pathlib').Path({str(mark)!r}).touch()"

    path = rewrite(program, edit("models/model.json", change))
    runs_in_torch(path, mark)
    loaded.load(path)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("data/aotinductor/model/model.so", "compiled code"),
        ("data/constants/custom_obj_0", "custom class object"),
        ("data/weights/model.pt", "pickled weights"),
        ("data.pkl", "TorchScript"),
        ("code/__torch__.py", "TorchScript"),
        ("data/unknown/thing", "no entry that this server knows"),
        ("extra/../../x", "no entry that this server knows"),
        ("models/second.json", "no entry that this server knows"),
    ],
)
def test_an_entry_that_is_not_on_the_list_is_refused(program: Path, entry: str, why: str) -> None:
    assert why in refused(rewrite(program, lambda entries: entries.update({entry: b"x"})))


def test_a_compressed_archive_is_refused_so_that_it_cannot_unpack_to_gigabytes(program: Path) -> None:
    assert "compressed" in refused(rewrite(program, lambda _: None, zipfile.ZIP_DEFLATED))


@pytest.mark.parametrize(
    "target",
    ["torch.ops.aten.bernoulli.default", "torch.ops.aten.from_file.default", "os.system", "torch.ops.higher_order.cond", "builtins.eval"],
)
def test_an_operator_that_is_not_on_the_list_is_refused_by_name(program: Path, target: str) -> None:
    path = rewrite(program, edit("models/model.json", lambda value: value["graph_module"]["graph"]["nodes"][0].update(target=target)))
    assert target in refused(path, "refused_operator")


def test_a_weight_that_points_outside_its_bytes_is_refused(program: Path) -> None:
    def change(value: Any) -> None:
        next(iter(value["config"].values()))["tensor_meta"]["storage_offset"]["as_int"] = 10**6

    assert "outside" in refused(rewrite(program, edit("data/weights/model_weights_config.json", change)), "broken_archive")


def test_training_mode_and_in_place_changes_of_weights_are_refused(tmp_path: Path) -> None:
    manifest = made_models.image()

    class InPlace(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", torch.zeros(10))
            self.layer = torch.nn.Linear(768, 10)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            out: torch.Tensor = self.layer(x.flatten(1).relu_())
            return out

    path = made_models.write_program(manifest, tmp_path / "a.pt2", module=InPlace().eval())
    assert "relu_" in refused(path, "refused_operator")
    drop = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(768, 10), torch.nn.Dropout(0.5)).train()
    assert "training" in refused(made_models.write_program(manifest, tmp_path / "b.pt2", module=drop), "refused_operator")


@pytest.mark.parametrize("ending", [".pth", ".pt", ".pkl", ".joblib", ".onnx", ".h5", ".so"])
def test_other_formats_are_refused_by_name_with_the_way_out(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"model{ending}"
    path.write_bytes(b"x")
    assert "modelserver convert" in refused(path, "refused_format")


@pytest.mark.parametrize("kind", ["torchscript", "checkpoint"])
def test_a_refused_format_with_an_allowed_ending_is_refused_by_its_content(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "model.pt2"
    if kind == "torchscript":
        trace: Any = torch.jit.trace
        trace(torch.nn.Linear(2, 2), torch.zeros(1, 2)).save(str(path))
    else:
        torch.save({"w": torch.zeros(2)}, path)
    refused(path)


def test_a_folder_with_only_a_pickle_says_so(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("{}")
    (tmp_path / "model.pth").write_bytes(b"x")
    assert "pickle" in refused(tmp_path, "refused_format")


def test_convert_does_not_run_a_hostile_checkpoint(tmp_path: Path, mark: Path) -> None:
    path = tmp_path / "model.pth"
    torch.save({"fc.weight": Bomb(mark)}, path)
    with pytest.raises(ArtifactError) as caught:
        convert(path, tmp_path / "out", arch="resnet18", manifest=None, labels=None, side=32, name="m", version="1")
    assert caught.value.reason == "refused_format"
    assert not mark.exists()
    assert not (tmp_path / "out").exists()
