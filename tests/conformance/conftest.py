"""A real server of OPA, with the bundle that crossgate writes."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from crossgate.policy.advice import advise
from crossgate.policy.bundle import read_bundle
from crossgate.policy.opa.archive import archive


@pytest.fixture(scope="session")
def opa_server(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start a server for policy folders and return its address; one server for all that ask for the same folders."""
    started: dict[tuple[tuple[Path, ...], bool], str] = {}
    with ExitStack() as stack:

        def start(*folders: Path, rego_v0: bool = False) -> str:
            key = (folders, rego_v0)
            if key not in started:
                file = tmp_path_factory.mktemp("bundle") / "bundle.tar.gz"
                bundle = advise(read_bundle(folders), rego_v0=rego_v0)[0]
                file.write_bytes(archive(bundle, rego_v0=rego_v0)[0])
                started[key] = stack.enter_context(serving(tool("opa"), file))
            return started[key]

        yield start


@contextmanager
def serving(opa: str, bundle: Path) -> Iterator[str]:
    """Run ``opa run --server`` with a bundle and yield its address; a server that does not start fails the test with its log."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command: Sequence[str] = (opa, "run", "--server", "--addr", f"127.0.0.1:{port}", "--disable-telemetry", "--bundle", str(bundle))
    log = bundle.with_suffix(".log")
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            _await(f"http://127.0.0.1:{port}", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _await(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/health?bundles", timeout=5) as answer:
                json.load(answer)
                return
        except (OSError, ValueError):
            time.sleep(0.1)
    pytest.fail(f"opa does not serve: {log.read_text()[-2000:]}")
