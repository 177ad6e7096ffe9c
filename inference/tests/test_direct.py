"""The short way of a request answers as the ASGI application does, in every state a connection can be in."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import served
from bad_bodies import GOOD, KINDS
from modelserver.http.direct import Direct
from modelserver.http.front import Front

BODY = json.dumps({"request_id": "r-1", "rows": [GOOD]}).encode()
Answer = tuple[int, dict[str, str], bytes]


def request(body: bytes = BODY, target: str = "/predict", method: str = "POST", version: str = "1.1", **headers: str) -> bytes:
    named = {"host": "x", "content-type": "application/json", "content-length": str(len(body))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {target} HTTP/{version}", *(f"{name}: {value}" for name, value in named.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Client:
    """A connection that sends bytes as they are given and reads one answer after the other."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def send(self, *parts: bytes) -> None:
        for index, part in enumerate(parts):
            if index:
                time.sleep(0.03)  # long enough to be read by itself
            self.socket.sendall(part)

    def answer(self) -> Answer:
        status = int(self.file.readline().split()[1])
        headers: dict[str, str] = {}
        while line := self.file.readline().strip().decode():
            name, _, value = line.partition(": ")
            assert name not in headers, name
            headers[name] = value
        return status, headers, self.file.read(int(headers["content-length"]))

    def ask(self, *parts: bytes) -> Answer:
        self.send(*parts)
        return self.answer()

    def ended(self) -> bool:
        try:
            return self.file.read() == b""
        except ConnectionResetError:  # of a server that closed before it had read all
            return True


@contextmanager
def client(port: int) -> Iterator[Client]:
    found = Client(port)
    with found.socket, found.file:
        yield found


@pytest.fixture(scope="module")
def server(table_model: Path) -> Iterator[tuple[Front, int]]:
    with served.listening(table_model, max_rows=100, max_body_bytes=200_000, request_timeout=20.0) as (front, _, port):
        yield front, port


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of requests that went through ASGI."""
    paths: list[str] = []
    asked = Front.__call__

    async def noted(self: Front, scope: Any, receive: Any, send: Any) -> None:
        paths.append(scope["path"])
        await asked(self, scope, receive, send)

    monkeypatch.setattr(Front, "__call__", noted)
    return paths


def until(condition: Callable[[], bool]) -> bool:
    """Whether it comes true, sooner or later."""
    end = time.monotonic() + 30
    while not (true := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return true


def quiet(front: Front) -> bool:
    """Whether nothing is held for any request any more."""
    return until(lambda: not front.budget.held and not front.deadlines._open)


@pytest.mark.parametrize("kind", ["a good body", *KINDS])
def test_both_ways_give_the_same_answer(server: tuple[Front, int], ordinary: list[str], kind: str) -> None:
    front, port = server
    body = KINDS[kind][0] if kind in KINDS else BODY
    with client(port) as short, client(port) as long:
        status, headers, answer = short.ask(request(body, x_request_id="r-1"))
        assert ordinary == [], "the short way was not taken"
        # A connection that is not kept is one of the things that go the ordinary way.
        other_status, other_headers, other = long.ask(request(body, x_request_id="r-1", connection="close"))
        assert ordinary == ["/predict"]
        assert long.ended()
        assert other_headers.pop("connection") == "close"
        headers.pop("date"), other_headers.pop("date")
        assert (status, headers, answer) == (other_status, other_headers, other)
        assert status == (KINDS[kind][1] if kind in KINDS else 200)
        assert short.ask(request())[0] == 200, "the connection goes on"
    assert quiet(front)


@pytest.mark.parametrize("cut", [1, 40, -len(BODY) - 1, -len(BODY), -len(BODY) + 1, -10])
def test_a_request_may_come_in_pieces(server: tuple[Front, int], ordinary: list[str], cut: int) -> None:
    whole = request()
    with client(server[1]) as short:
        wanted = short.ask(whole)[2]
        assert short.ask(whole[:cut], whole[cut:])[2] == wanted
        assert short.ask(whole[:cut], whole[cut:-5], whole[-5:])[2] == wanted
        chunked = request(b"", transfer_encoding="chunked").replace(b"content-length: 0\r\n", b"")
        assert short.ask(chunked, b"%x\r\n%b\r\n" % (20, BODY[:20]), b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY) - 20, BODY[20:]))[2] == wanted
    assert ordinary == []


def test_pipelined_requests_are_answered_in_their_order(server: tuple[Front, int]) -> None:
    front, port = server
    bodies = [json.dumps({"request_id": f"r-{index}", "rows": [GOOD]}).encode() for index in range(5)]
    with client(port) as pipe:
        pipe.send(b"".join([*map(request, bodies), request(b"{", x_request_id="bad"), request(b"", "/healthz", "GET"), request()]))
        answers = [pipe.answer() for _ in range(8)]
    assert [status for status, _, _ in answers] == [200, 200, 200, 200, 200, 400, 200, 200]
    assert [headers["x-request-id"] for _, headers, _ in answers[:6]] == ["r-0", "r-1", "r-2", "r-3", "r-4", "bad"]
    assert quiet(front)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (request(target="/predict?x=1"), 200),
        (request(method="PUT"), 405),
        (request(version="1.0"), 200),
        (request(content_type="text/csv"), 422),
        (request(content_type="text/plain"), 415),
        (request(upgrade="websocket", connection="upgrade"), 422),  # its body is no longer HTTP to the parser
    ],
)
def test_what_is_unusual_goes_the_ordinary_way(server: tuple[Front, int], ordinary: list[str], sent: bytes, status: int) -> None:
    with client(server[1]) as other:
        assert other.ask(sent)[0] == status
    assert ordinary == ["/predict"]


def test_a_client_that_waits_for_100_continue_gets_it(server: tuple[Front, int], ordinary: list[str]) -> None:
    with client(server[1]) as careful:
        careful.send(request(expect="100-continue")[: -len(BODY)])
        assert careful.file.readline() == b"HTTP/1.1 100 Continue\r\n"
        careful.file.readline()
        assert careful.ask(BODY)[0] == 200
    assert ordinary == ["/predict"]


def test_refusals_by_the_headers_come_before_the_body(server: tuple[Front, int], ordinary: list[str]) -> None:
    with client(server[1]) as short:
        status, _, answer = short.ask(request(b"", content_length="200001"))
        assert (status, json.loads(answer)["reason"]) == (413, "too_large")
        short.send(b" " * 200_001)  # is read and dropped
        status, _, answer = short.ask(request(content_encoding="gzip"))
        assert (status, json.loads(answer)["reason"]) == (415, "unsupported_encoding")
        assert short.ask(request())[0] == 200
        chunked = request(b"", transfer_encoding="chunked").replace(b"content-length: 0\r\n", b"")
        status, _, answer = short.ask(chunked, *[b"c350\r\n" + b" " * 50_000 + b"\r\n" for _ in range(5)])
        assert (status, json.loads(answer)["reason"]) == (413, "too_large")
    assert ordinary == []
    assert quiet(server[0])


class Held:
    """Makes the forwards of a server wait in the worker thread until they are let go."""

    def __init__(self, front: Front) -> None:
        assert front.state.service is not None
        self._batcher: Any = front.state.service.batcher
        self._work = self._batcher._work
        self._batcher._inline = False
        self._batcher._work = self
        self.calls: list[int] = []
        self.begun, self.go = threading.Event(), threading.Event()
        self.error: Exception | None = None

    @property
    def waiting(self) -> int:
        rows: int = self._batcher.waiting_rows
        return rows

    def __call__(self, requests: Any) -> Any:
        self.calls.append(len(requests))
        self.begun.set()
        assert self.go.wait(60)
        if self.error is not None:
            raise self.error
        return self._work(requests)


def test_a_late_answer_is_504_and_the_connection_goes_on(table_model: Path) -> None:
    with served.listening(table_model, request_timeout=0.3) as (front, _, port), client(port) as short:
        held = Held(front)
        status, headers, answer = short.ask(request())
        assert (status, json.loads(answer)["reason"], headers["retry-after"]) == (504, "deadline_exceeded", "1")
        held.go.set()
        assert short.ask(request())[0] == 200
        assert quiet(front)


def test_a_body_that_never_ends_is_408_and_the_end_of_the_connection(table_model: Path) -> None:
    with served.listening(table_model, request_timeout=0.3) as (front, _, port), client(port) as short:
        status, headers, answer = short.ask(request()[:-1])
        assert (status, json.loads(answer)["reason"], headers["connection"]) == (408, "body_timeout", "close")
        assert short.ended()
        assert quiet(front)


def test_a_full_queue_a_failure_and_bodies_beyond_the_budget(table_model: Path, caplog: pytest.LogCaptureFixture) -> None:
    with (
        served.listening(table_model, max_queue=1, max_held_bytes=3 * len(BODY)) as (front, _, port),
        client(port) as first,
        client(port) as second,
        client(port) as third,
    ):
        held = Held(front)
        held.error = MemoryError("secret place")
        first.send(request())
        assert held.begun.wait(60)
        second.send(request())
        assert until(lambda: held.waiting == 1)
        status, headers, answer = third.ask(request())
        assert (status, json.loads(answer)["reason"], headers["retry-after"]) == (503, "queue_full", "1")
        status, headers, answer = third.ask(request(b"{" + b" " * 2 * len(BODY)))
        assert (status, json.loads(answer)["reason"], headers["retry-after"]) == (503, "queue_full", "1")
        held.go.set()
        for each in (first, second):
            status, _, answer = each.answer()
            assert (status, json.loads(answer)["reason"]) == (500, "internal")
            assert b"secret" not in answer
        held.error = None
        assert third.ask(request())[0] == 200
        assert quiet(front)
    assert any(record.exc_info and "r-1" in str(getattr(record, "fields", "")) for record in caplog.records)


def test_rows_of_a_client_that_left_are_not_computed(table_model: Path) -> None:
    with served.listening(table_model) as (front, server, port), client(port) as first, client(port) as last:
        held = Held(front)
        first.send(request())
        assert held.begun.wait(60)
        with client(port) as gone, client(port) as halfway:
            gone.send(request())
            halfway.send(request()[:-5])
            assert until(lambda: held.waiting == 1 and len(front.deadlines._open) == 3)
        assert until(lambda: len(server.server_state.connections) == 2)
        last.send(request())
        assert until(lambda: held.waiting == 2)
        held.go.set()
        assert (first.answer()[0], last.answer()[0]) == (200, 200)
        assert held.calls == [1, 1]
        assert quiet(front)


@pytest.mark.parametrize("complete", [True, False], ids=["computing", "body on the way"])
def test_the_end_of_the_server_waits_for_what_is_on_its_way_and_closes(table_model: Path, complete: bool) -> None:
    with served.listening(table_model) as (front, server, port), client(port) as short:
        held = Held(front)
        short.send(request() if complete else request()[:-5])
        assert until(held.begun.is_set if complete else lambda: front.budget.held == len(BODY) - 5)
        server.should_exit = True
        (protocol,) = server.server_state.connections
        assert isinstance(protocol, Direct)
        assert until(lambda: not protocol.cycle.keep_alive)
        held.go.set()
        if not complete:
            short.send(BODY[-5:])
        status, headers, _ = short.answer()
        assert (status, headers["connection"]) == (200, "close")
        assert short.ended()


def test_a_connection_that_idles_keeps_no_body(table_model: Path) -> None:
    with served.listening(table_model) as (_, server, port), client(port) as short:
        for body in (BODY, b"{"):
            short.ask(request(body))
            (protocol,) = server.server_state.connections
            assert isinstance(protocol, Direct)
            assert protocol._flight is not None
            assert protocol._flight._parts == []


def test_a_draining_server_asks_its_clients_to_go(table_model: Path) -> None:
    with served.listening(table_model) as (front, _, port), client(port) as short:
        assert "connection" not in short.ask(request())[1]
        front.state.draining()
        status, headers, _ = short.ask(request())
        assert (status, headers["connection"]) == (200, "close")
        assert short.ended()


def test_an_answer_is_counted(server: tuple[Front, int]) -> None:
    front, port = server
    before = front._metrics._requests.get(("predict", 200), 0)
    with client(port) as short:
        short.ask(request())
    assert front._metrics._requests[("predict", 200)] == before + 1
