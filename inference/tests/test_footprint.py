"""Pages of CUDA libraries go back after the start, and nothing that was changed or is used is lost by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from modelserver.model import footprint

SIZES = "Rss:  {rss} kB\nPrivate_Dirty:  {dirty} kB\nAnonymous:  {anonymous} kB\nVmFlags: rd mr mw me sd \n"


def entry(head: str, *, rss: int = 64, dirty: int = 0, anonymous: int = 0) -> str:
    return f"{head}\n{SIZES.format(rss=rss, dirty=dirty, anonymous=anonymous)}"


CUBLAS = "7f0000001000-7f0000021000 r-xp 00001000 fe:00 12 /venv/site-packages/nvidia/cu13/lib/libcublasLt.so.13"


def test_only_unchanged_read_only_mappings_of_cuda_libraries_are_dropped() -> None:
    kept = [
        entry(CUBLAS.replace("r-xp", "rw-p")),
        entry(CUBLAS.replace("r-xp", "r-xs")),
        entry(CUBLAS, anonymous=4),
        entry(CUBLAS, dirty=4),
        entry(CUBLAS, rss=0),
        entry("7f0000001000-7f0000021000 r-xp 00001000 fe:00 12 /venv/site-packages/torch/lib/libtorch_cpu.so"),
        entry("7f0000001000-7f0000021000 rw-p 00000000 00:00 0 "),
    ]
    assert list(footprint.clean("".join(kept))) == []
    both = entry(CUBLAS) + "".join(kept) + entry(CUBLAS.replace("r-xp", "r--p").replace("7f0", "7e0"), rss=8)
    assert list(footprint.clean(both)) == [(0x7F0000001000, 0x20000, 65536), (0x7E0000001000, 0x20000, 8192)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has madvise with this meaning")
def test_torch_computes_the_same_bits_after_its_cuda_pages_went() -> None:
    """In a process of its own; with a CPU build nothing is dropped, with a GPU build much."""
    script = """
import torch
from modelserver.model import footprint
torch.manual_seed(0)
a, image, net = torch.randn(64, 64), torch.randn(1, 3, 16, 16), torch.nn.Conv2d(3, 4, 3)
before = [a @ a, torch.linalg.inv(a), torch.fft.fft(a).real, net(image)]
dropped = footprint.drop_cuda_pages()
assert all(torch.equal(x, y) for x, y in zip(before, [a @ a, torch.linalg.inv(a), torch.fft.fft(a).real, net(image)]))
assert torch.cuda.is_available() in (True, False)
assert (dropped > 50 * 2**20) == (torch.version.cuda is not None), dropped
"""
    source = str(Path(footprint.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONPATH": source}, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
