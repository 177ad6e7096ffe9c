"""Servers for tests: inside this process, or as a process of their own on a free port."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from modelserver.http.front import Front
from modelserver.serve import DrainingServer, application, configuration, run_server
from modelserver.settings import Settings

PACKAGE = Path(__file__).parents[2] / "src"


@contextmanager
def inside(model: Path | None, **settings: Any) -> Iterator[TestClient]:
    """A client of the application in this process, once the model is ready (or refused)."""
    front = application(Settings(**settings), model)
    with TestClient(front, raise_server_exceptions=False) as client:
        deadline = time.monotonic() + 240
        while front.state.phase == "loading" and time.monotonic() < deadline:
            time.sleep(0.01)
        client.front = front
        yield client


@contextmanager
def listening(model: Path, **settings: Any) -> Iterator[tuple[Front, DrainingServer, int]]:
    """The application behind its own protocol on a free port, in a thread of this process, so that a test can reach inside."""
    wanted = Settings(host="127.0.0.1", port=free_port(), **settings)
    front = application(wanted, model)
    server = DrainingServer(configuration(front, wanted), front, 0)
    thread = threading.Thread(target=run_server, args=(server,))
    thread.start()
    try:
        deadline = time.monotonic() + 240
        while front.state.phase == "loading" and time.monotonic() < deadline:
            time.sleep(0.01)
        yield front, server, wanted.port
    finally:
        server.should_exit = True
        thread.join()


@dataclass
class Process:
    """A running server."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def wait_ready(self, seconds: float = 240) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if httpx.get(self.url + "/readyz", timeout=5).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise AssertionError(self.log.read_text())


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def process(arguments: list[str], folder: Path, **environment: str) -> Iterator[Process]:
    """`modelserver run` with the arguments; ended at the latest when the block ends."""
    port = free_port()
    log = folder / f"server-{port}.log"
    env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "S3_", "MODEL_", "OTEL_"))}
    env |= {"PORT": str(port), "HOST": "127.0.0.1", "PYTHONPATH": str(PACKAGE), "MODEL_DIR": str(folder / f"models-{port}")} | environment
    with log.open("wb") as stream:
        started = subprocess.Popen([sys.executable, "-m", "modelserver", "run", *arguments], env=env, stdout=stream, stderr=stream)
        try:
            yield Process(started, f"http://127.0.0.1:{port}", log)
        finally:
            if started.poll() is None:
                started.kill()
            started.wait()
