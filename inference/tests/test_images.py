"""Images by base64, form and address: one answer, and every broken one its reason."""

from __future__ import annotations

import base64
import io
import struct
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

import made_models
import served
from modelserver.errors import Problem
from modelserver.inputs.addresses import Address
from modelserver.inputs.fetch import Fetcher
from modelserver.inputs.images import decode
from modelserver.model import loaded
from modelserver.model.manifest import ImageInput
from pictures import picture


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def huge_png(width: int, height: int) -> bytes:
    """A valid header that claims the size; unpacking it would take gigabytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")


def test_base64_and_form_give_the_bits_of_the_model_called_directly(image_client: TestClient, image_model: Path) -> None:
    data = picture()
    by_json = image_client.post("/predict", json={"request_id": "r-9", "image": text(data)})
    by_form = image_client.post("/predict", files={"image": ("a.png", data, "image/png")}, data={"request_id": "r-9"})
    assert by_json.status_code == by_form.status_code == 200, (by_json.text, by_form.text)
    assert by_json.json() == by_form.json()
    answer = by_json.json()
    pixels = np.asarray(Image.open(io.BytesIO(data)), np.float32).transpose(2, 0, 1) / np.float32(255)
    scores = loaded.load(image_model).predict(pixels[None])[0]
    assert answer["request_id"] == by_json.headers["x-request-id"] == "r-9"
    assert answer["class_label"] == f"label {scores.argmax()}"
    assert np.float32(answer["confidence"]) == scores.max()
    assert [np.float32(item["confidence"]) for item in answer["top"]] == sorted(scores.tolist(), reverse=True)[:5]


def test_an_image_by_its_address_gives_the_answer_of_its_bytes(image_model: Path) -> None:
    class Origin(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(picture() if self.path == "/a.png" else b"no image")

        def log_message(self, *_: object) -> None:
            pass

    async def resolver(_: str, __: int) -> list[Address]:
        return [ip_address("127.0.0.1")]

    with ThreadingHTTPServer(("127.0.0.1", 0), Origin) as origin, served.inside(image_model) as client:
        threading.Thread(target=origin.serve_forever, daemon=True).start()
        host = f"images.example.com:{origin.server_address[1]}"
        # The test's origin stands on loopback, which the server's own fetcher refuses: here it counts as public.
        client.front.state.service.fetcher = Fetcher(
            schemes=("http",),
            hosts=(host,),
            max_bytes=100_000,
            timeout=10.0,
            max_redirects=0,
            resolver=resolver,
            allowed=lambda _: True,
        )
        by_url = client.post("/predict", json={"request_id": "r-9", "image_url": f"http://{host}/a.png"})
        by_bytes = client.post("/predict", json={"request_id": "r-9", "image": text(picture())})
        broken = client.post("/predict", json={"image_url": f"http://{host}/b.png"})
        origin.shutdown()
    assert (by_url.status_code, by_url.json()) == (200, by_bytes.json())
    assert by_url.json().keys() == {"request_id", "class_label", "confidence", "top"}
    assert (broken.status_code, broken.json()["reason"], broken.json()["pointer"]) == (422, "invalid_image", "/image_url")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP"])
def test_each_format_is_decoded_and_resized(kind: str) -> None:
    image = decode(picture(40, kind), ImageInput(16, 12), 10_000)
    assert image.shape == (3, 12, 16)
    assert image.dtype == np.float32
    assert 0 <= image.min() <= image.max() <= 1


def test_a_turned_photo_is_put_upright() -> None:
    pixels = np.zeros((8, 8), np.uint8)
    pixels[0] = 255
    image = Image.fromarray(pixels)
    exif = image.getexif()
    exif[0x0112] = 3  # taken upside down
    out = io.BytesIO()
    image.save(out, "PNG", exif=exif)
    assert decode(out.getvalue(), ImageInput(8, 8, "L"), 100)[0, 7].min() == 1.0


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"no image", "invalid_image"),
        (picture()[:100], "invalid_image"),
        (picture(40, "JPEG")[:300], "invalid_image"),
        (picture(16, "TIFF"), "invalid_image"),
        (picture(101), "image_too_large"),
        (huge_png(60_000, 60_000), "image_too_large"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "invalid_image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "invalid_image"),
    ],
)
def test_a_broken_image_has_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Problem) as caught:
        decode(data, ImageInput(16, 16), 10_000)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("body", "reason", "at"),
    [
        ({}, "missing_field", "/image"),
        ({"image": ""}, "empty", "/image"),
        ({"image": "no base64!"}, "malformed_base64", "/image"),
        ({"image": "data:image/png;base64,AAAA"}, "malformed_base64", "/image"),
        ({"image": text(b"no image")}, "invalid_image", "/image"),
        ({"image": 1}, "wrong_type", "/image"),
        ({"image": None}, "null_value", "/image"),
        ({"image": "AAAA", "image_url": "https://a.example/b"}, "invalid_value", "/image_url"),
        ({"image_url": "https://a.example/b.png"}, "url_not_allowed", "/image_url"),
        ({"picture": "AAAA"}, "unknown_field", "/picture"),
        ({"request_id": "", "image": "AAAA"}, "invalid_value", "/request_id"),
        ({"request_id": "a\n", "image": "AAAA"}, "invalid_value", "/request_id"),
        ([], "wrong_type", ""),
    ],
)
def test_each_bad_request_has_its_reason(image_client: TestClient, body: object, reason: str, at: str) -> None:
    response = image_client.post("/predict", json=body)
    assert (response.status_code, response.json()["reason"], response.json()["pointer"]) == (422, reason, at)


@pytest.mark.parametrize(
    ("content_type", "body", "reason"),
    [
        ("multipart/form-data", b"--x\r\n", "malformed_multipart"),
        ("multipart/form-data; boundary=x", b"nothing like a form", "malformed_multipart"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="image"\r\n\r\nabc\r\n--x--\r\n', "wrong_type"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="b"; filename="b"\r\n\r\nabc\r\n--x--\r\n',
            "unknown_field",
        ),
        ("multipart/form-data; boundary=x", b"--x--\r\n", "missing_field"),
        ("application/octet-stream", b"abc", "unsupported_media_type"),
        ("text/csv", b"abc", "unsupported_media_type"),
        ("application/json", b"{", "malformed_json"),
    ],
)
def test_each_bad_form_has_its_reason(image_client: TestClient, content_type: str, body: bytes, reason: str) -> None:
    response = image_client.post("/predict", content=body, headers={"content-type": content_type})
    assert response.json()["reason"] == reason
    assert 400 <= response.status_code < 500


def test_flipped_bytes_never_raise_anything_but_a_problem() -> None:
    random = np.random.default_rng(0)
    for kind in ("PNG", "JPEG", "WEBP", "GIF", "BMP"):
        good = picture(24, kind)
        for _ in range(60):
            broken = bytearray(good)
            for index in random.integers(0, len(good), 4):
                broken[index] = int(random.integers(0, 256))
            try:
                decode(bytes(broken), ImageInput(8, 8), 10_000)
            except Problem as problem:
                assert problem.status == 422


def test_grey_models_take_coloured_images() -> None:
    assert decode(picture(), made_models.image(mode="L").input.image, 10_000).shape == (1, 16, 16)  # type: ignore[arg-type]
