"""What lies at a path: a model folder or a single file, recognised by name, everything else refused.

A folder holds model.json and one of model.safetensors and model.pt2; other names are not read. A single file carries the text of model.json
inside: a .safetensors in its metadata under the key "model.json", a .pt2 in its extra file "model.json".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from modelserver.errors import ArtifactError
from modelserver.model import digest
from modelserver.model.manifest import Manifest, parse

MANIFEST = "model.json"
WEIGHTS = ("model.safetensors", "model.pt2")
MANIFEST_MAX_BYTES = 4 * 2**20

_REFUSED = {
    **dict.fromkeys((".pth", ".pt", ".ckpt", ".bin"), "a pickle (or TorchScript), which can run code when it is loaded"),
    **dict.fromkeys((".pkl", ".pickle", ".joblib", ".dill"), "a pickle, which runs code when it is loaded"),
    **dict.fromkeys((".npy", ".npz"), "an array that may hold a pickle"),
    **dict.fromkeys((".h5", ".keras", ".onnx", ".ts", ".torchscript", ".so", ".py"), "a format that this server does not load"),
}


@dataclass(frozen=True)
class Artifact:
    """The parts of a model on disk."""

    manifest: Manifest
    weights: Path
    sha256: str


def check_name(name: str) -> None:
    """Refuse a file name by its ending.

    Raises:
        ArtifactError: refused_format.
    """
    ending = Path(name).suffix.lower()
    if ending not in (".safetensors", ".pt2"):
        why = _REFUSED.get(ending, "not a format that this server loads")
        raise ArtifactError(
            "refused_format",
            f"{Path(name).name}: {ending or 'no ending'} is {why}; use a model folder (model.json + model.safetensors), made by "
            "'modelserver convert', or a .pt2 of torch.export",
        )


def find(path: Path) -> Artifact:
    """Look at a folder or file, read the manifest and take the digest; loads no weights.

    Raises:
        ArtifactError: missing_file, ambiguous_model, refused_format, invalid_manifest.
    """
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        raise ArtifactError("missing_file", f"{path}: no such file or folder")
    check_name(path.name)
    return Artifact(parse(_embedded(path)), path, digest.of_file(path))


def choose_weights(names: set[str], where: str) -> str:
    """Which file of a folder holds the weights.

    Raises:
        ArtifactError: missing_file, ambiguous_model, or refused_format when only a refused file is there.
    """
    if MANIFEST not in names:
        raise ArtifactError("missing_file", f"{where} has no {MANIFEST}; 'modelserver convert' makes a model folder")
    present = [name for name in WEIGHTS if name in names]
    if len(present) > 1:
        raise ArtifactError("ambiguous_model", f"{where} has {' and '.join(present)}: keep one")
    if not present:
        for name in sorted(names - {MANIFEST}):
            if Path(name).suffix.lower() in _REFUSED:
                check_name(name)
        raise ArtifactError("missing_file", f"{where} has neither {' nor '.join(WEIGHTS)}")
    return present[0]


def _folder(path: Path) -> Artifact:
    weights = choose_weights({entry.name for entry in path.iterdir() if entry.is_file()}, str(path))
    file = path / MANIFEST
    if file.stat().st_size > MANIFEST_MAX_BYTES:
        raise ArtifactError("invalid_manifest", f"{file} is larger than {MANIFEST_MAX_BYTES} bytes")
    parts = {name: digest.of_file(path / name) for name in (MANIFEST, weights)}
    return Artifact(parse(file.read_bytes()), path / weights, digest.of_parts(parts))


def _embedded(path: Path) -> bytes:
    if path.suffix == ".safetensors":
        from modelserver.model.weights import metadata

        text = metadata(path).get(MANIFEST)
        if text is None:
            raise ArtifactError(
                "missing_file", f"{path.name} has no {MANIFEST} in its metadata; 'modelserver convert -o x.safetensors' adds it"
            )
        return text.encode()
    from modelserver.model.archive import Archive

    with Archive(path) as archive:
        return archive.beside(MANIFEST)
