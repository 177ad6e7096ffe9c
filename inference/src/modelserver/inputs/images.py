"""From the bytes of an image to one input of the network, under limits of format and pixels."""

from __future__ import annotations

import base64
import binascii
import io

import numpy as np

from modelserver.errors import Problem
from modelserver.model.exact import Floats
from modelserver.model.manifest import ImageInput

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


def from_base64(text: str, at: str = "/image") -> bytes:
    """The bytes of standard base64, without line breaks.

    Raises:
        Problem: empty or malformed_base64.
    """
    if not text:
        raise Problem("empty", "the image is empty", at)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Problem("malformed_base64", "the image is not standard base64 (no data: prefix, no line breaks)", at) from None


def decode(data: bytes, contract: ImageInput, max_pixels: int, at: str = "/image") -> Floats:
    """[channels, height, width] float32 in 0–1: first frame, turned as EXIF says, resized bilinearly without keeping the ratio.

    Raises:
        Problem: empty, invalid_image, image_too_large (judged by the header, before pixels are unpacked).
    """
    from PIL import Image, ImageOps

    if not data:
        raise Problem("empty", "the image is empty", at)
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
            if width * height > max_pixels:
                raise Problem("image_too_large", f"the image has {width}×{height} pixels, at most {max_pixels} are taken", at)
            image.draft(contract.mode, (contract.width, contract.height))
            upright = ImageOps.exif_transpose(image)
            pixels = np.asarray(
                upright.convert(contract.mode).resize((contract.width, contract.height), Image.Resampling.BILINEAR), dtype=np.float32
            )
    except Problem:
        raise
    except Image.DecompressionBombError:  # Pillow's own limit, far over any sensible one of ours
        raise Problem("image_too_large", f"the image has more than {max_pixels} pixels", at) from None
    except Exception as error:
        raise Problem(
            "invalid_image", f"the image cannot be decoded ({type(error).__name__}); formats are {', '.join(FORMATS)}", at
        ) from None
    pixels = pixels / np.float32(255)
    return pixels[None] if contract.mode == "L" else np.ascontiguousarray(pixels.transpose(2, 0, 1))
