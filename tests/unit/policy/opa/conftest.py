"""A small HTTP server in the place of OPA, which answers as a test says: the real one cannot be made to fail on purpose."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Script:
    """What the server does: ``answer`` takes the rule's name and the input, and returns a status and a body (bytes, or a value)."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.tokens: list[str | None] = []
        self.answer: Callable[[str, Any], tuple[int, Any]] = lambda _rule, _given: (200, {})
        self.drip = 0.0
        self.cut = 0
        self.headers: dict[str, str] = {}
        self.endless = b""
        self.url = ""


@pytest.fixture
def script() -> Iterator[Script]:
    said = Script()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            rule = self.path.partition("?")[0].rpartition("/")[2]
            said.asked.append((rule, given))
            said.tokens.append(self.headers["Authorization"])
            status, body = said.answer(rule, given)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in said.headers.items():
                self.send_header(name, value)
            if not said.endless:
                self.send_header("Content-Length", str(len(data) + said.cut))
            self.end_headers()
            while said.endless:
                self.wfile.write(said.endless)
            for byte in data:
                if said.drip:
                    time.sleep(said.drip)
                self.wfile.write(bytes([byte]))
            self.close_connection = bool(said.cut)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                self.close_connection = True  # whoever asked has gone: that is the case

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    said.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield said
    server.shutdown()
    server.server_close()
    thread.join()
