"""Gives back the memory that only the import of a GPU build of torch needed.

Torch's default Linux build loads every CUDA library at import, and their constructors touch about 150 MiB of code and constants that a
server without a GPU never looks at again. Those pages come unchanged from files, so a process may drop them: whatever is used after all
is read back from the file (madvise(2), MADV_DONTNEED on a file mapping). What was written to, such as relocated tables, is left alone.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from collections.abc import Iterator
from pathlib import Path

# Only libraries that are loaded by the time torch is imported: nothing else may be relocating them while their pages go.
_CUDA = re.compile(r"/nvidia/.+\.so|/torch/lib/libtorch_cuda")
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r-([-x])p ")


def drop_cuda_pages() -> int:
    """Unmap the clean pages of CUDA libraries; call after torch was imported, when no GPU will be used.

    Returns:
        Bytes of resident memory given back; 0 for builds without CUDA and where the kernel does not tell (not Linux).
    """
    try:
        text = Path("/proc/self/smaps").read_text(encoding="utf-8", errors="replace")
        madvise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return 0
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return sum(resident for start, size, resident in clean(text) if madvise(start, size, mmap.MADV_DONTNEED) == 0)


def clean(smaps: str) -> Iterator[tuple[int, int, int]]:
    """(address, size, resident bytes) of the mappings of CUDA libraries that are read-only and unchanged, from the text of smaps(5)."""
    for entry in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", smaps):
        head, _, rest = entry.partition("\n")
        mapping = _MAPPING.match(head)
        if mapping and _CUDA.search(head):
            sizes = {name: int(value) for name, value in re.findall(r"^(\w+): +(\d+) kB$", rest, re.MULTILINE)}
            if sizes.get("Anonymous") == 0 and sizes.get("Private_Dirty") == 0 and sizes.get("Rss", 0) > 0:
                start, end = int(mapping[1], 16), int(mapping[2], 16)
                yield start, end - start, sizes["Rss"] * 1024
