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
from modelserver.http.deadlines import Deadlines, Expired, TaskDeadline
from modelserver.http.exchange import Budget, Disconnected, Exchange, Header, Message, Receive, Request, Scope, Send
from modelserver.http.infer import infer
from modelserver.http.predict import predict
from modelserver.metrics import Metrics
from modelserver.service import Service
from modelserver.settings import Settings
from modelserver.state import DRAINING, READY, State

Handler = Callable[[Service, Request], Awaitable[bytes]]
ANSWER_HEADERS: list[Header] = [(b"content-type", b"application/json")]


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
        self.deadlines = Deadlines(settings.request_timeout)
        self.budget = Budget(settings.max_body_bytes, settings.max_held_bytes)
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
        exchange = Request(scope, receive, self.budget)
        status, headers = 200, ANSWER_HEADERS
        try:
            if scope["method"] != "POST":
                raise Problem("method_not_allowed", "use POST", headers={"allow": "POST"})
            service = self.state.require()
            with TaskDeadline(self.deadlines):
                body = await handler(service, exchange)
        except Disconnected:
            return
        except (Exception, Expired) as error:
            status, headers, body = self.refusal(error, exchange)
        finally:
            exchange.release()
        headers = [*headers, *self._common(exchange.request_id), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        self.answered(endpoint, status, exchange.request_id, time.perf_counter() - started)

    def serving(self) -> Service | None:
        """The service, unless the server still loads or already drains."""
        return self.state.service if self.state.phase == READY else None

    def answered(self, endpoint: str, status: int, request_id: str, seconds: float) -> None:
        """Count and log an answer that was sent."""
        self._metrics.observe(endpoint, status, seconds)
        if status == 200 and logs.is_verbose():
            logs.event("answered", level=logging.DEBUG, endpoint=endpoint, request_id=request_id)

    def refusal(self, error: BaseException, exchange: Exchange) -> tuple[int, list[Header], bytes]:
        """Status, headers and body for what a handler raised; it is counted and logged."""
        problem = self._problem(error, exchange)
        headers = [(name.encode(), value.encode()) for name, value in problem.headers.items()]
        return problem.status, [*headers, (b"content-type", problems.MEDIA_TYPE)], problems.document(problem, exchange.request_id)

    def _problem(self, error: BaseException, exchange: Exchange) -> Problem:
        expired = isinstance(error, Expired)
        if isinstance(error, Problem):
            problem = error
        elif expired and not exchange.body_complete:
            problem = Problem("body_timeout", f"the body did not arrive within {self._timeout:g} s", headers={"connection": "close"})
        elif expired:
            problem = Problem("deadline_exceeded", f"there was no answer within {self._timeout:g} s", headers={"retry-after": "1"})
        else:
            problem = Problem("internal", "the server failed; its log has the cause under the request id")
            logs.event("failed", level=logging.ERROR, exc_info=error, request_id=exchange.request_id, **self._versions())
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
        exchange = Exchange(scope["path"], scope["headers"], self.budget)
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
        watch = asyncio.ensure_future(self.deadlines.watch())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        start.cancel()
        watch.cancel()
        if self.state.service is not None:
            await self.state.service.stop()
        await send({"type": "lifespan.shutdown.complete"})
