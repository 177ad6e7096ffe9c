"""One process: uvicorn with our drain.

On SIGTERM (or Ctrl-C) /readyz turns 503 at once, answers ask clients to close their connection, and serving goes on: the listening
socket stays open
until the grace is over *and* no request has come for a moment, so that no request that arrived is lost. A second signal ends at once.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from modelserver import logs
from modelserver.http.direct import Direct
from modelserver.http.front import Front
from modelserver.metrics import Metrics
from modelserver.settings import Settings
from modelserver.startup import start
from modelserver.state import State

QUIET_SECONDS = 0.5
# The most that traffic which does not stop can lengthen the drain, so that it stays under the pod's terminationGracePeriodSeconds.
QUIET_LIMIT_SECONDS = 5.0


def application(settings: Settings, local: Path | None = None) -> Front:
    """The ASGI application with its state; `local` is a model on disk instead of S3."""
    state, metrics = State(), Metrics()
    return Front(state, settings, metrics, lambda: start(state, settings, metrics, local))


class DrainingServer(uvicorn.Server):
    """A uvicorn server that goes on for the grace after SIGTERM."""

    def __init__(self, config: uvicorn.Config, front: Front, grace: float) -> None:
        super().__init__(config)
        self._front = front
        self._grace = grace
        self._drain_began: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """First signal: drain. Second: stop."""
        if self._drain_began is not None:
            self.should_exit = True
            return
        self._drain_began = time.monotonic()
        self._front.state.draining()
        logs.event("draining", seconds=self._grace)

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second; True ends serving."""
        if self._drain_began is not None:
            now = time.monotonic()
            over = now - self._drain_began - self._grace
            quiet = now - self._front.last_request >= QUIET_SECONDS
            if over >= 0 and (quiet or over >= QUIET_LIMIT_SECONDS):
                self.should_exit = True
        return await super().on_tick(counter)


def run(settings: Settings, local: Path | None = None) -> int:
    """Serve until a signal; gives the exit code: 0 after a drain, 1 when the address cannot be had."""
    logs.configure(settings.log_level)
    front = application(settings, local)
    server = DrainingServer(configuration(front, settings), front, settings.drain_seconds)
    logs.event("listening", host=settings.host, port=settings.port)
    try:
        run_server(server)
    except SystemExit:
        return 1
    logs.event("ended")
    return 0 if server.started else 1


def configuration(front: Front, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves: predictions by the direct way, unless each request is to be traced."""
    app: Any = front
    if settings.trace_endpoint:
        from modelserver.tracing import traced

        app = traced(front)
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http="httptools" if settings.trace_endpoint else Direct,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        backlog=2048,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=int(settings.request_timeout) + 1,
    )


def run_server(server: uvicorn.Server) -> None:
    """Serve on uvloop until the server ends."""
    new_event_loop: Any = asyncio.new_event_loop
    if sys.platform != "win32":
        from uvloop import new_event_loop
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(server.serve())
