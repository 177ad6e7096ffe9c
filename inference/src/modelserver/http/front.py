"""The ASGI application: a straight path for predictions, FastAPI for all the rest (probes, metrics, metadata, documents)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from modelserver import logs
from modelserver.errors import Problem
from modelserver.http import problems
from modelserver.http.api import build
from modelserver.http.deadlines import Deadlines, Expired
from modelserver.http.exchange import Budget, Disconnected, Exchange, Message, Receive, Scope, Send
from modelserver.http.infer import infer
from modelserver.http.predict import predict
from modelserver.metrics import Metrics
from modelserver.service import Service
from modelserver.settings import Settings
from modelserver.state import DRAINING, State

Handler = Callable[[Service, Exchange], Awaitable[bytes]]
Header = tuple[bytes, bytes]


class Front:
    """The application.

    Args:
        state: shared with the start and the drain.
        settings: limits.
        metrics: what is counted.
        start: makes the service and reports to the state; runs while /healthz and /readyz answer already.
    """

    def __init__(self, state: State, settings: Settings, metrics: Metrics, start: Callable[[], Awaitable[None]]) -> None:
        self.state = state
        self.last_request = 0.0
        self._metrics = metrics
        self._start = start
        self._timeout = settings.request_timeout
        self._deadlines = Deadlines(settings.request_timeout)
        self._budget = Budget(settings.max_body_bytes, settings.max_held_bytes)
        self._api = build(state, metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI 3."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            self.last_request = time.monotonic()
            path: str = scope["path"]
            if path == "/predict":
                await self._answer(scope, receive, send, predict, "predict")
            elif path.startswith("/v2/models/") and path.endswith("/infer"):
                await self._answer(scope, receive, send, infer, "infer")
            else:
                await self._others(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, handler: Handler, endpoint: str) -> None:
        started = time.perf_counter()
        exchange = Exchange(scope, receive, self._budget)
        headers: list[Header] = []
        status, media_type = 200, b"application/json"
        try:
            if scope["method"] != "POST":
                raise Problem("method_not_allowed", "use POST", headers={"allow": "POST"})
            service = self.state.require()
            deadline = self._deadlines.begin()
            try:
                body = await handler(service, exchange)
            finally:
                self._deadlines.end(deadline)
        except Disconnected:
            return
        except (Exception, Expired) as error:
            problem = self._problem(error, exchange, expired=isinstance(error, Expired))
            status, media_type, body = problem.status, problems.MEDIA_TYPE, problems.document(problem, exchange.request_id)
            headers += [(name.encode(), value.encode()) for name, value in problem.headers.items()]
        finally:
            exchange.release()
        headers += self._common(exchange.request_id)
        headers += [(b"content-type", media_type), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        self._metrics.observe(endpoint, status, time.perf_counter() - started)
        if status == 200 and logs.is_verbose():
            logs.event("answered", level=logging.DEBUG, endpoint=endpoint, request_id=exchange.request_id)

    def _problem(self, error: BaseException, exchange: Exchange, *, expired: bool) -> Problem:
        if isinstance(error, Problem):
            problem = error
        elif expired and not exchange.body_complete:
            problem = Problem("body_timeout", f"the body did not arrive within {self._timeout:g} s", headers={"connection": "close"})
        elif expired:
            problem = Problem("deadline_exceeded", f"there was no answer within {self._timeout:g} s", headers={"retry-after": "1"})
        else:
            problem = Problem("internal", "the server failed; its log has the cause under the request id")
            logs.event("failed", level=logging.ERROR, exc_info=True, request_id=exchange.request_id, **self._versions())
        self._metrics.refused(problem.reason)
        logs.event(
            "refused",
            request_id=exchange.request_id,
            reason=problem.reason,
            status=problem.status,
            path=exchange.path[:200],
            **self._versions(),
        )
        return problem

    def _versions(self) -> dict[str, Any]:
        service = self.state.service
        return (
            {} if service is None else {"model": service.manifest.name, "version": service.manifest.version, "sha256": service.model.sha256}
        )

    def _common(self, request_id: str) -> list[Header]:
        headers = [(b"x-request-id", request_id.encode())]
        if self.state.service is not None:
            headers += self.state.service.headers
        if self.state.phase == DRAINING:
            headers.append((b"connection", b"close"))  # the next request of this client goes to a server that stays
        return headers

    async def _others(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        exchange = Exchange(scope, receive, self._budget)
        scope["request_id"] = exchange.request_id

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self._common(exchange.request_id)]
                self._metrics.observe("other", message["status"], time.perf_counter() - started)
            await send(message)

        await self._api(scope, receive, with_headers)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        start = asyncio.ensure_future(self._start())
        watch = asyncio.ensure_future(self._deadlines.watch())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        start.cancel()
        watch.cancel()
        if self.state.service is not None:
            await self.state.service.stop()
        await send({"type": "lifespan.shutdown.complete"})
