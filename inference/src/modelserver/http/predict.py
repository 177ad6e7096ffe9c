"""POST /predict: rows as JSON, CSV or Arrow, or one image as JSON or multipart."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import msgspec

from modelserver.answers import Answer, Prediction, Ranked, Value
from modelserver.errors import Problem
from modelserver.http.exchange import Request
from modelserver.inputs import images
from modelserver.inputs.explain import RequestId, check_request_id, fields, parse, wrong_type
from modelserver.inputs.table import Table
from modelserver.service import Service

JSON, CSV, ARROW, MULTIPART = "application/json", "text/csv", "application/vnd.apache.arrow.stream", "multipart/form-data"


class TableAnswer(msgspec.Struct):
    """The answer to rows."""

    request_id: str
    predictions: list[Prediction] | list[Value]


class ImageAnswer(msgspec.Struct):
    """The answer to one image."""

    request_id: str
    class_label: str
    confidence: float
    top: list[Ranked]


class ImageRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON of one image: exactly one of image (base64) and image_url."""

    request_id: RequestId | msgspec.UnsetType = msgspec.UNSET
    image: str | msgspec.UnsetType = msgspec.UNSET
    image_url: str | msgspec.UnsetType = msgspec.UNSET


_IMAGE_DECODER = msgspec.json.Decoder(ImageRequest)
_ENCODER = msgspec.json.Encoder()


async def predict(service: Service, exchange: Request) -> bytes:
    """The JSON answer to a request.

    Raises:
        Problem: whatever is wrong with it.
    """
    if service.table is not None:
        return await _table(service, service.table, exchange)
    data, at = await _image(service, exchange)
    answer = await service.rows(await service.image(data, at))
    (best,) = service.answerer.predictions(answer, at)
    if isinstance(best, Value):
        raise TypeError("an image model classifies")
    return _ENCODER.encode(ImageAnswer(exchange.request_id, best.class_label, best.confidence, best.top))


async def _table(service: Service, table: Table, exchange: Request) -> bytes:
    media_type = exchange.media_type
    if media_type == JSON:
        request_id, rows = table.decode(await exchange.body())
        if request_id is not None:
            exchange.request_id = request_id
    elif media_type in (CSV, ARROW):
        rows = await service.frame(await exchange.body(), "csv" if media_type == CSV else "arrow")
    else:
        raise _unsupported(media_type, (JSON, CSV, ARROW))
    return rows_answer(service, exchange.request_id, await service.rows(rows))


def rows_answer(service: Service, request_id: str, answer: Answer) -> bytes:
    """The JSON answer to rows.

    Raises:
        Problem: non_finite_output.
    """
    return _ENCODER.encode(TableAnswer(request_id, service.answerer.predictions(answer)))


async def _image(service: Service, exchange: Request) -> tuple[bytes, str]:
    """The image's bytes and the JSON pointer to where they came from."""
    if exchange.media_type == MULTIPART:
        return await _form(exchange), "/image"
    if exchange.media_type != JSON:
        raise _unsupported(exchange.media_type, (JSON, MULTIPART))
    body = await exchange.body()
    try:
        request = _IMAGE_DECODER.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise _explain(body, str(error)) from None
    if request.request_id:
        exchange.request_id = request.request_id
    if request.image and request.image_url:
        raise Problem("invalid_value", "give either image or image_url, not both", "/image_url")
    if request.image is not msgspec.UNSET:
        return images.from_base64(request.image), "/image"
    if request.image_url is not msgspec.UNSET:
        return await service.fetcher.get(request.image_url), "/image_url"
    raise Problem("missing_field", "field 'image' (base64) or 'image_url' is missing", "/image")


async def _form(exchange: Request) -> bytes:
    from starlette.datastructures import Headers, UploadFile
    from starlette.formparsers import MultiPartException, MultiPartParser

    body = await exchange.body()

    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    headers = Headers({"content-type": exchange.content_type.decode("latin-1")})
    try:
        # A part may be as large as the body, which was bounded before; beyond 1 MB UploadFile keeps it in a temporary file.
        parser = MultiPartParser(headers, stream(), max_files=1, max_fields=2, max_part_size=len(body) or 1)
        form = await parser.parse()
    except (MultiPartException, KeyError, AssertionError, UnicodeError, ValueError, LookupError) as error:
        raise Problem("malformed_multipart", f"the form cannot be read ({type(error).__name__})", "") from None
    try:
        for name in form:
            if name not in ("image", "request_id"):
                raise Problem("unknown_field", f"field {name[:64]!r} is unknown; known are image, request_id", "/" + name[:64])
        check_request_id(dict(form))
        exchange.request_id = str(form.get("request_id", exchange.request_id))
        image = form.get("image")
        if image is None:
            raise Problem("missing_field", "field 'image' is missing", "/image")
        if not isinstance(image, UploadFile):
            raise Problem("wrong_type", "field 'image' must be a file", "/image")
        return await image.read()
    finally:
        await form.close()


def _explain(body: bytes, otherwise: str) -> Problem:
    try:
        value = fields(parse(body), ("request_id", "image", "image_url"))
        check_request_id(value)
        for name in ("image", "image_url"):
            if name in value and not isinstance(value[name], str):
                raise wrong_type(value[name], "a text", "/" + name)
    except Problem as problem:
        return problem
    return Problem("invalid_value", otherwise[:200], "")


def _unsupported(media_type: str, taken: tuple[str, ...]) -> Problem:
    return Problem(
        "unsupported_media_type",
        f"content-type {media_type[:64]!r} is not taken; use {', '.join(taken)}",
        headers={"accept-post": ", ".join(taken)},
    )
