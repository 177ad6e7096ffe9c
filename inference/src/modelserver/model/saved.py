"""Writing a model: a folder, or one .safetensors file with model.json inside."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modelserver.model import artifact
from modelserver.model.manifest import Manifest, parse, to_json

if TYPE_CHECKING:
    import torch


def save(manifest: Manifest, state: dict[str, torch.Tensor], out: Path) -> str:
    """Write the model so that `loaded.load` takes it, and give its digest.

    Args:
        manifest: checked again before anything is written.
        state: the network's state dict.
        out: a folder (made if absent), or a path that ends in .safetensors.
    """
    from safetensors.torch import save_file

    text = to_json(manifest)
    parse(text)
    tensors = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in state.items()}
    if out.suffix == ".safetensors":
        out.parent.mkdir(parents=True, exist_ok=True)
        save_file(tensors, out, metadata={artifact.MANIFEST: text.decode()})
    else:
        out.mkdir(parents=True, exist_ok=True)
        save_file(tensors, out / artifact.WEIGHTS[0])
        (out / artifact.MANIFEST).write_bytes(text)
    return artifact.find(out).sha256
