"""uvicorn's protocol with a short way for the usual request: JSON rows to /predict, on a connection that is kept.

Such a request needs no task, no ASGI messages and no event of its own: its rows go to the batcher when they are read, and the answer is
written in one piece when the forward is done, which halves the CPU of a small prediction. Whatever is unusual (another address, format or
method, pipelining, a client that reads too slowly, a server that loads or drains) goes through the ASGI application, which answers in the
same words.
"""

from __future__ import annotations

import asyncio
import time
from functools import lru_cache
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from modelserver.answers import Answer
from modelserver.http.deadlines import Expired
from modelserver.http.exchange import Exchange, Header
from modelserver.http.front import ANSWER_HEADERS, Front
from modelserver.http.predict import JSON, rows_answer
from modelserver.inputs.table import Table
from modelserver.service import Service

CLOSE = (b"connection", b"close")


class Direct(HttpToolsProtocol):
    """One connection; the application must be a Front."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._front = cast("Front", self.app)
        self._flight: Flight | None = None  # the request that is being read, when it goes the short way

    def on_headers_complete(self) -> None:
        """Choose the way."""
        flight = self._flight = self._short()
        if flight is None:
            super().on_headers_complete()
        else:
            self.cycle = cast("Any", flight)  # what uvicorn asks when requests are pipelined, the server ends or the connection is lost
            flight.begin()

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        if self._flight is None:
            super().on_body(body)
        else:
            self._flight.arrived(body)

    def on_message_complete(self) -> None:
        """The request is read."""
        if self._flight is None:
            super().on_message_complete()
        else:
            self._flight.complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody will read the answer."""
        super().connection_lost(exc)
        if self._flight is not None:
            self._flight.lost()

    def _short(self) -> Flight | None:
        parser, front = self.parser, self._front
        if (
            self.url != b"/predict"
            or parser.get_method() != b"POST"
            or parser.get_http_version() != "1.1"
            or not parser.should_keep_alive()
            or parser.should_upgrade()
            or self.expect_100_continue
            or self.flow.write_paused
            or not (self.cycle is None or self.cycle.response_complete)
        ):
            return None
        service = front.serving()
        if service is None or service.table is None:
            return None
        exchange = Exchange("/predict", self.headers, front.budget)
        return Flight(self, front, service, service.table, exchange) if exchange.media_type == JSON else None


class Flight:
    """A request on the short way: the batcher's waiter, the deadline's target and uvicorn's cycle in one object."""

    __slots__ = (
        "_exchange",
        "_front",
        "_parts",
        "_protocol",
        "_service",
        "_started",
        "_table",
        "disconnected",
        "keep_alive",
        "response_complete",
    )

    message_event = asyncio.Event()  # uvicorn sets it when the connection is lost, nobody waits for it

    def __init__(self, protocol: Direct, front: Front, service: Service, table: Table, exchange: Exchange) -> None:
        self._protocol = protocol
        self._front = front
        self._service = service
        self._table = table
        self._exchange = exchange
        self._started = time.monotonic()
        self._parts: list[bytes] = []
        # uvicorn's names: it clears keep_alive when the server ends, and starts a pipelined request only after response_complete.
        self.disconnected = False
        self.keep_alive = True
        self.response_complete = False

    def begin(self) -> None:
        """The headers are read."""
        self._front.last_request = self._started
        self._front.deadlines.begin(self, self._started)
        try:
            self._exchange.check()
        except Exception as error:
            self.set_exception(error)

    def arrived(self, body: bytes) -> None:
        """Take a part of the body."""
        if self.response_complete:
            return
        try:
            self._exchange.hold(len(body))
        except Exception as error:
            self.set_exception(error)
        else:
            self._parts.append(body)

    def complete(self) -> None:
        """Read the rows and queue them."""
        if self.response_complete:
            return
        exchange = self._exchange
        exchange.body_complete = True
        try:
            request_id, rows = self._table.decode(self._parts[0] if len(self._parts) == 1 else b"".join(self._parts))
            if request_id is not None:
                exchange.request_id = request_id
            self._service.batcher.queue(rows, self)
        except Exception as error:
            self.set_exception(error)

    def lost(self) -> None:
        """Give up; rows that wait are not computed."""
        if not self.response_complete:
            self._end()

    def done(self) -> bool:
        """Whether it is answered or given up."""
        return self.response_complete

    def set_result(self, answer: Answer) -> None:
        """The forward is done."""
        try:
            body = rows_answer(self._service, self._exchange.request_id, answer)
        except Exception as error:
            self.set_exception(error)
        else:
            self._respond(200, ANSWER_HEADERS, body)

    def set_exception(self, error: BaseException) -> None:
        """There is no result."""
        self._respond(*self._front.refusal(error, self._exchange))

    def expire(self) -> None:
        """The time is over."""
        self.set_exception(Expired())

    def _end(self) -> None:
        self.response_complete = True
        self._parts = []  # a connection that is kept keeps its last request too
        self._front.deadlines.end(self)
        self._exchange.release()

    def _respond(self, status: int, headers: list[Header], body: bytes) -> None:
        self._end()
        protocol, request_id = self._protocol, self._exchange.request_id
        if not self.keep_alive and CLOSE not in headers:
            headers = [*headers, CLOSE]
        if not protocol.transport.is_closing():
            head = _lines((*protocol.server_state.default_headers, *headers, *self._service.headers))
            own = b"x-request-id: %b\r\ncontent-length: %d\r\n\r\n" % (request_id.encode(), len(body))
            protocol.transport.write(b"".join((STATUS_LINE[status], head, own, body)))
            if CLOSE in headers:
                protocol.transport.close()
            protocol.on_response_complete()
        self._front.answered("predict", status, request_id, time.monotonic() - self._started)


@lru_cache(maxsize=16)
def _lines(headers: tuple[Header, ...]) -> bytes:
    return b"".join(b"%b: %b\r\n" % header for header in headers)
