"""versitygw: a real S3 server over a folder, and a proxy in front of it that cuts connections."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

KEY, SECRET = "testkey", "testsecret"


def tool(name: str) -> str:
    """The program in the folder CROSSGATE_TOOLS, else on PATH; the test is skipped without it."""
    folder = os.environ.get("CROSSGATE_TOOLS")
    found = shutil.which(name, path=folder) if folder else None
    found = found or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is neither in CROSSGATE_TOOLS nor on PATH: go install github.com/versity/versitygw/cmd/versitygw@latest")
    return found


def client(url: str) -> Any:
    config = Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
    return boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET, config=config)


@contextmanager
def running(folder: Path, port: int) -> Iterator[str]:
    """The address of a server with versions."""
    program = tool("versitygw")
    data, versions = folder / "data", folder / "versions"
    for path in (data, versions):
        path.mkdir()
    command = [program, "--port", f"127.0.0.1:{port}", "--access", KEY, "--secret", SECRET, "--quiet"]
    command += ["posix", "--versioning-dir", str(versions), str(data)]
    with (folder / "s3.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert process.poll() is None, (folder / "s3.log").read_text()
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


class CuttingProxy:
    """Passes bytes on to a port; while `cuts` is positive, an answer ends once it has more than `after` bytes."""

    def __init__(self, port: int, *, cuts: int, after: int) -> None:
        self._target = port
        self.cuts = cuts
        self._after = after
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=self._pump, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, True), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        passed = 0
        try:
            while data := source.recv(4096):
                passed += len(data)
                if answers and self.cuts > 0 and passed > self._after:
                    self.cuts -= 1
                    break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
