"""The start: fetch, check, load, warm up, while the probes already answer."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from pathlib import Path

from modelserver import logs
from modelserver.errors import ArtifactError
from modelserver.inputs.fetch import Fetcher
from modelserver.metrics import Metrics
from modelserver.model.loaded import Model
from modelserver.service import Service
from modelserver.settings import Settings
from modelserver.state import State


async def start(state: State, settings: Settings, metrics: Metrics, local: Path | None) -> None:
    """Bring the state to ready, or to failed with the reason; never raises for a model's fault."""
    began = time.monotonic()
    try:
        model = await asyncio.get_running_loop().run_in_executor(None, _obtain, state, settings, local)
    except ArtifactError as error:
        state.failed(error.reason, error.detail, retryable=error.retryable)
        logs.event("model_refused", level=logging.ERROR, reason=error.reason, detail=error.detail, retryable=error.retryable)
        return
    except Exception as error:
        state.failed("internal", f"the start failed: {type(error).__name__}", retryable=True)
        logs.event("start_failed", level=logging.ERROR, exc_info=True)
        return
    fetcher = Fetcher(
        schemes=settings.image_schemes,
        hosts=settings.image_hosts,
        max_bytes=settings.image_max_bytes,
        timeout=settings.image_timeout,
        max_redirects=settings.image_max_redirects,
    )
    service = Service(model, settings, fetcher, metrics.batch)
    service.start()
    manifest = model.manifest
    metrics.model(manifest.name, manifest.version, model.sha256)
    # What lives as long as the process (torch alone is half a million objects) is taken out of the garbage collector's rounds.
    gc.collect()
    gc.freeze()
    state.ready(service)
    logs.event(
        "model_ready",
        model=manifest.name,
        version=manifest.version,
        sha256=model.sha256,
        batch_sizes=[size for size, _ in model.forward.sizes],
        seconds=round(time.monotonic() - began, 3),
    )


def _obtain(state: State, settings: Settings, local: Path | None) -> Model:
    from modelserver.model import exact, footprint, loaded

    if local is None:
        from modelserver.storage import s3

        state.loading("downloading", f"s3://{settings.bucket}/{settings.model_path}")
        path = s3.download(settings, s3.client(settings))
    else:
        path = local
    state.loading("loading", f"{path.name} is being checked and warmed up")
    exact.prepare(settings.threads)
    if settings.device == "cpu":
        footprint.drop_cuda_pages()
    # A local model is checked against the digest too; a download was, before it was put in place.
    return loaded.load(path, sha256=settings.model_sha256, device=settings.device, max_batch=settings.max_batch)
