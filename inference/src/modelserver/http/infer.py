"""Open Inference Protocol v2: POST /v2/models/{name}[/versions/{version}]/infer, and the metadata that describes it."""

from __future__ import annotations

from typing import Any

import msgspec

from modelserver import __version__
from modelserver.answers import Answer
from modelserver.errors import Problem, pointer
from modelserver.http.exchange import Request
from modelserver.http.predict import JSON
from modelserver.inputs import images, tensors
from modelserver.model.manifest import Manifest
from modelserver.service import Service

MAX_IMAGES = 64


class OutputTensor(msgspec.Struct):
    """One output; data is flat, in row-major order."""

    name: str
    shape: list[int]
    datatype: str
    data: list[Any]


class InferAnswer(msgspec.Struct):
    """The body of the answer."""

    model_name: str
    model_version: str
    id: str
    outputs: list[OutputTensor]


async def infer(service: Service, exchange: Request) -> bytes:
    """The JSON answer to an inference request.

    Raises:
        Problem: whatever is wrong with it.
    """
    manifest = service.manifest
    check_model(manifest, exchange.path.removesuffix("/infer"))
    if exchange.media_type not in (JSON, ""):  # the protocol does not ask for a content type
        raise Problem("unsupported_media_type", f"content-type {exchange.media_type[:64]!r} is not taken; use {JSON}")
    request = tensors.decode(await exchange.body(), manifest)
    if request.id:
        exchange.request_id = request.id
    if service.table is not None:
        rows = tensors.table_rows(request, service.table)
    else:
        texts = tensors.image_texts(request, MAX_IMAGES)
        places = [f"/inputs/0{pointer('data', index)}" for index in range(len(texts))]
        rows = await service.images([images.from_base64(text, at) for text, at in zip(texts, places, strict=True)], places)
    answer = await service.rows(rows)
    answer.check("/inputs")
    outputs = _outputs(manifest, answer)
    wanted = [output.name for output in request.outputs] or list(outputs)
    return msgspec.json.encode(InferAnswer(manifest.name, manifest.version, exchange.request_id, [outputs[name] for name in wanted]))


def check_model(manifest: Manifest, path: str) -> None:
    """Raises Problem model_not_found unless the path is /v2/models/NAME or /v2/models/NAME/versions/VERSION of this model."""
    base = f"/v2/models/{manifest.name}"
    if path not in (base, f"{base}/versions/{manifest.version}"):
        raise Problem("model_not_found", f"this server has model {manifest.name!r}, version {manifest.version!r}")


def server_metadata() -> dict[str, Any]:
    """GET /v2."""
    return {"name": "modelserver", "version": __version__, "extensions": []}


def model_metadata(manifest: Manifest) -> dict[str, Any]:
    """GET /v2/models/{name}: one input per column, or one of base64 images; -1 stands for the number of inputs."""
    if manifest.input.image:
        inputs = [{"name": "image", "datatype": "BYTES", "shape": [-1]}]
    else:
        inputs = [{"name": column.name, "datatype": tensors.DATATYPES[column.type], "shape": [-1]} for column in manifest.input.columns]
    shapes = {"probabilities": [-1, manifest.outputs]}
    kinds = {"class_label": "BYTES"}
    outputs = [
        {"name": name, "datatype": kinds.get(name, "FP32"), "shape": shapes.get(name, [-1])}
        for name in tensors.OUTPUTS[manifest.classifies]
    ]
    return {"name": manifest.name, "versions": [manifest.version], "platform": "modelserver_torch", "inputs": inputs, "outputs": outputs}


def _outputs(manifest: Manifest, answer: Answer) -> dict[str, OutputTensor]:
    count = len(answer.scores)
    if not manifest.classifies:
        return {"prediction": OutputTensor("prediction", [count], "FP32", answer.scores[:, 0].tolist())}
    first = [row.item(order[0]) for row, order in zip(answer.scores, answer.order, strict=True)]
    return {
        "class_label": OutputTensor("class_label", [count], "BYTES", [manifest.labels[order[0]] for order in answer.order]),
        "confidence": OutputTensor("confidence", [count], "FP32", first),
        "probabilities": OutputTensor("probabilities", [count, manifest.outputs], "FP32", answer.scores.ravel().tolist()),
    }
