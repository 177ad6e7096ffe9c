"""Pictures of noise."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image


def picture(side: int = 16, kind: str = "PNG", mode: str = "RGB") -> bytes:
    shape = (side, side, 3) if mode == "RGB" else (side, side)
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, kind)
    return out.getvalue()
