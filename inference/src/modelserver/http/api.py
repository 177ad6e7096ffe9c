"""Probes, metrics, protocol metadata and documents, as a FastAPI application."""

from __future__ import annotations

from enum import Enum
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from modelserver import __version__
from modelserver.errors import Problem
from modelserver.http import infer, openapi, problems
from modelserver.metrics import Metrics
from modelserver.state import READY, State


def build(state: State, metrics: Metrics) -> FastAPI:
    """The application; every error is a problem document."""
    api = FastAPI(title="modelserver", version=__version__, description="One model over HTTP. Errors are RFC 9457 problem documents.")
    _probes(api, state)
    _protocol(api, state)

    @api.get("/metrics", tags=["operation"], response_class=Response, responses={200: {"content": {"text/plain": {}}}})
    async def prometheus() -> Response:
        """Prometheus metrics."""
        service = state.service
        metrics.waiting.set(service.batcher.waiting_rows if service else 0)
        metrics.ready.set(state.phase == READY)
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def on_problem(request: Request, error: Exception) -> Response:
        problem = error if isinstance(error, Problem) else _from_http(error)
        body = problems.document(problem, request.scope.get("request_id", ""))
        return Response(body, problem.status, problem.headers, problems.MEDIA_TYPE.decode())

    api.add_exception_handler(Problem, on_problem)
    api.add_exception_handler(HTTPException, on_problem)
    generated = api.openapi
    api.openapi = lambda: openapi.document(generated(), state.service.manifest if state.service else None)  # type: ignore[method-assign] # FastAPI's documented way
    return api


def _from_http(error: Exception) -> Problem:
    status = getattr(error, "status_code", 500)
    if status == 405:
        return Problem("method_not_allowed", "the address does not take this method", headers=dict(getattr(error, "headers", None) or {}))
    return Problem("not_found" if status == 404 else "internal", "see /docs for the addresses")


def _probes(api: FastAPI, state: State) -> None:
    unavailable: dict[int | str, dict[str, Any]] = {503: {"description": "Not now, and why"}}

    def probe(*, good: bool) -> JSONResponse:
        body = {"status": state.phase, "reason": state.reason, "detail": state.detail}
        return JSONResponse(
            {key: value for key, value in body.items() if value}, 200 if good else 503, headers={"cache-control": "no-store"}
        )

    @api.get("/healthz", tags=["operation"], responses=unavailable)
    async def healthz() -> JSONResponse:
        """Whether the process should live on: false only after a failure that a new start may mend."""
        return probe(good=not state.retryable)

    @api.get("/readyz", tags=["operation"], responses=unavailable)
    async def readyz() -> JSONResponse:
        """Whether requests should be sent here: the model is loaded, its digest checked, it is warm, and the server is not draining."""
        return probe(good=state.phase == READY)

    @api.get("/v2/health/live", tags=["open inference protocol"], responses=unavailable)
    async def live() -> JSONResponse:
        """The protocol's name for /healthz."""
        return probe(good=not state.retryable)

    @api.get("/v2/health/ready", tags=["open inference protocol"], responses=unavailable)
    async def ready() -> JSONResponse:
        """The protocol's name for /readyz."""
        return probe(good=state.phase == READY)


def _protocol(api: FastAPI, state: State) -> None:
    tags: list[str | Enum] = ["open inference protocol"]
    absent: dict[int | str, dict[str, Any]] = {404: {"description": "Another model"}, 503: {"description": "The model is not ready"}}

    @api.get("/v2", tags=tags)
    async def server() -> dict[str, Any]:
        """Metadata of the server."""
        return infer.server_metadata()

    async def model_ready(request: Request) -> JSONResponse:
        """Whether the model answers."""
        infer.check_model(state.require().manifest, request.url.path.removesuffix("/ready"))
        return JSONResponse({"status": state.phase}, 200 if state.phase == READY else 503)

    async def model(request: Request) -> dict[str, Any]:
        """Metadata of the model."""
        manifest = state.require().manifest
        infer.check_model(manifest, request.url.path)
        return infer.model_metadata(manifest)

    for base in ("/v2/models/{model_name}", "/v2/models/{model_name}/versions/{model_version}"):
        parameters = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in ("model_name", "model_version")
            if name in base
        ]
        api.add_api_route(base + "/ready", model_ready, tags=tags, responses=absent, openapi_extra={"parameters": parameters})
        api.add_api_route(base, model, tags=tags, responses=absent, openapi_extra={"parameters": parameters})
