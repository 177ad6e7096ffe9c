"""The command line as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import made_models
from modelserver.cli import main
from modelserver.model import loaded


def test_train_example_trains_a_real_model_that_the_server_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (extra 'train')")
    for name, least in (("digits", 0.95), ("breast-cancer", 0.92)):
        assert main(["train-example", name, "-o", str(tmp_path / name)]) == 0
        out = capsys.readouterr().out
        assert float(out.split("accuracy ")[1].split()[0]) >= least
        assert main(["digest", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out.strip() == out.split("sha256 ")[1].strip()


def test_a_regression_beats_the_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed (extra 'train')")
    assert main(["train-example", "diabetes", "-o", str(tmp_path / "diabetes.safetensors")]) == 0
    words = capsys.readouterr().out.split()
    assert float(words[words.index("error") + 1]) < 0.9 * float(words[words.index("answer:") + 1].rstrip(")"))


@pytest.mark.parametrize("out", ["model", "model.safetensors"])
def test_convert_a_resnet_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str) -> None:
    models = pytest.importorskip("torchvision", reason="the extra modelserver[vision] is not installed").models
    network = models.resnet18(num_classes=3)
    torch.save({"state_dict": {f"module.{name}": tensor for name, tensor in network.state_dict().items()}}, tmp_path / "model.pth")
    (tmp_path / "labels.txt").write_text("cat\ndog\nowl\n")
    arguments = ["convert", str(tmp_path / "model.pth"), "--arch", "resnet18", "--side", "64", "--labels", str(tmp_path / "labels.txt")]
    assert main([*arguments, "-o", str(tmp_path / out)]) == 0
    model = loaded.load(tmp_path / out, sha256=capsys.readouterr().out.split()[-1])
    assert model.manifest.labels == ["cat", "dog", "owl"]
    assert model.manifest.shape == (3, 64, 64)


def test_convert_by_a_manifest(tmp_path: Path) -> None:
    manifest = made_models.table()
    folder = made_models.write(manifest, tmp_path / "described")
    torch.save(made_models.network(manifest).state_dict(), tmp_path / "model.pth")
    assert main(["convert", str(tmp_path / "model.pth"), "--manifest", str(folder / "model.json"), "-o", str(tmp_path / "out")]) == 0
    assert loaded.load(tmp_path / "out").sha256 == loaded.load(folder).sha256


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["run"], 2, "S3_BUCKET_NAME"),
        (["convert", "absent.pth", "--arch", "resnet18"], 1, "absent.pth"),
        (["convert", "absent.pth"], 1, "absent.pth"),
        (["digest", "absent"], 1, "missing_file"),
    ],
)
def test_a_mistake_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("S3_BUCKET_NAME", "MODEL_PATH"):
        monkeypatch.delenv(name, raising=False)
    assert main(arguments) == code
    error = capsys.readouterr().err
    assert text in error
    assert "Traceback" not in error


def test_a_whole_module_is_refused_with_the_way_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save(torch.nn.Linear(2, 2), tmp_path / "model.pth")
    assert main(["convert", str(tmp_path / "model.pth"), "--arch", "resnet18", "-o", str(tmp_path / "out")]) == 1
    assert "refused_format" in capsys.readouterr().err


def test_importing_the_command_line_does_not_import_torch() -> None:
    """--help and a wrong argument must not take seconds."""
    script = "import sys, modelserver.cli; print([name for name in ('torch', 'pandas', 'boto3', 'fastapi') if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[1] / "src")},
    )
    assert json.loads(done.stdout.replace("'", '"')) == []
