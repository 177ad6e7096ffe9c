"""Batched forwards whose every row has the bits of that row computed alone.

A matrix product may add in another order for another batch size, so a row's last bit can depend on its neighbours. Two measures:

* MKL_CBWR=AVX512,STRICT (or AVX2) makes MKL's products independent of the batch size, on Intel's processors; `prepare` sets it before
  torch is first imported.
* `Forward.calibrate` measures which batch sizes give, at every position, the bits of single rows, and only those shapes are ever run.
  A network without such a size (convolutions: oneDNN takes another kernel for one image than for two) runs row by row, which on one core
  costs nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float32]


def prepare(threads: int = 1) -> None:
    """Set MKL's reproducible mode, which must be done before torch is imported, and the number of threads."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        flags = ""
    branch = "AVX512" if "avx512f" in flags else "AVX2" if "avx2" in flags else ""
    if branch:
        os.environ.setdefault("MKL_CBWR", f"{branch},STRICT")
    import torch

    torch.set_num_threads(threads)


@dataclass
class Forward:
    """Runs [n, …] float32 → [n, outputs] float32 in shapes that keep each row's bits.

    Args:
        score: the model with its last step (softmax for labels), a pure function of one batch.
        device: where tensors go.
        base: the only batch size that the model takes, or 1 when it takes any; a row alone is repeated to fill it.
        exact: False accepts every size without the comparison (GPUs, where libraries choose kernels by size).
    """

    score: Callable[[torch.Tensor], torch.Tensor]
    device: str = "cpu"
    base: int = 1
    exact: bool = True
    sizes: tuple[tuple[int, int], ...] = field(default=(), init=False)  # (rows taken, batch run), rising
    seconds: float = field(default=float("inf"), init=False)  # what the largest batch takes, once measured

    def __post_init__(self) -> None:
        self.sizes = ((1, self.base),)

    def alone(self, row: Floats) -> Floats:
        """One row by itself: the reference that every batch must equal."""
        scores: Floats = self._run(np.repeat(row[None], self.base, axis=0))[0]
        return scores

    def run(self, rows: Floats) -> Floats:
        """All rows, in as few forwards as the verified sizes allow; the last is filled up with its last row."""
        rows = np.ascontiguousarray(rows)  # another memory order would choose another kernel
        done: list[Floats] = []
        start, total = 0, len(rows)
        while start < total:
            left = total - start
            for take, batch in self.sizes:  # noqa: B007 - the smallest that takes what is left, or else the largest
                if take >= left:
                    break
            chunk = rows[start : start + take]
            count = len(chunk)
            if count < batch:
                full = np.empty((batch, *chunk.shape[1:]), np.float32)
                full[:count], full[count:] = chunk, chunk[-1]
                chunk = full
            done.append(self._run(chunk)[: min(take, left)])
            start += take
        return done[0] if len(done) == 1 else np.concatenate(done)

    def calibrate(self, probes: Floats, max_batch: int) -> None:
        """Find the batch sizes that are exact: powers of two up to max_batch, until one is not.

        Args:
            probes: rows of realistic values, at least one; used in turn at every position of the batch.
            max_batch: the largest size to try.
        """
        references = np.stack([self.alone(row) for row in probes])
        found = [(1, self.base)]
        size = self.base if self.base > 1 else 2
        while size <= max_batch:
            if self.exact and not self._same(probes, references, size):
                break
            if size > 1:
                found.append((size, size))
            if self.base > 1:
                break
            size *= 2
        self.seconds = min(self._timed(np.resize(probes, (found[-1][1], *probes.shape[1:]))) for _ in range(5))
        self.sizes = tuple(found) if found[-1][0] != self.base or self.base == 1 else tuple(found[1:])

    def _same(self, probes: Floats, references: Floats, size: int) -> bool:
        order = np.arange(size)
        for shift in range(3):  # another neighbour and another position each time
            chosen = (order * (shift + 1) + shift * 5) % len(probes)
            if not np.array_equal(self._run(probes[chosen]).view(np.uint32), references[chosen].view(np.uint32)):
                return False
        return True

    def _timed(self, batch: Floats) -> float:
        began = time.perf_counter()
        self._run(batch)
        return time.perf_counter() - began

    def _run(self, batch: Floats) -> Floats:
        import torch

        with torch.inference_mode():
            tensor = torch.from_numpy(batch)
            if self.device != "cpu":
                tensor = tensor.to(self.device)
            scores: Floats = self.score(tensor).cpu().numpy()
            return scores
