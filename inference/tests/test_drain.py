"""SIGTERM: /readyz turns 503, serving goes on for the grace, and every request that arrives is answered."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import httpx

import served

ROW = {"age": 40, "income": 1000.5, "member": True, "colour": "blue", "score": 0.1}
BODY = json.dumps({"rows": [ROW]}).encode()
HEADERS = {"content-type": "application/json"}


def test_a_thousand_requests_in_the_second_after_sigterm_are_all_answered(table_model: Path, tmp_path: Path) -> None:
    answers: list[Any] = []
    closing: set[bool] = set()

    def client(url: str, began: float, share: int) -> None:
        with httpx.Client(base_url=url, timeout=60) as session:
            for index in range(share):
                due = began + index / share  # spread over the second
                time.sleep(max(0.0, due - time.monotonic()))
                try:
                    response = session.post("/predict", content=BODY, headers=HEADERS)
                    answers.append(response.status_code)
                    closing.add(response.headers.get("connection") == "close")
                except httpx.HTTPError as error:
                    answers.append(repr(error))

    # The grace of the Deployment; on a busy machine the clients' second takes longer, and what comes after the grace is rightly refused.
    with served.process([str(table_model)], tmp_path, DRAIN_SECONDS="10") as server:
        server.wait_ready()
        with httpx.Client(base_url=server.url, timeout=60) as warm:
            assert warm.post("/predict", content=BODY, headers=HEADERS).status_code == 200
        server.process.send_signal(signal.SIGTERM)
        threads = [threading.Thread(target=client, args=(server.url, time.monotonic(), 50)) for _ in range(20)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        ready = httpx.get(server.url + "/readyz", timeout=60)
        assert (ready.status_code, ready.json()["reason"]) == (503, "draining")
        assert httpx.get(server.url + "/healthz", timeout=60).status_code == 200, (
            "a draining server must not be killed by its liveness probe"
        )
        for thread in threads:
            thread.join()
        assert server.process.wait(90) == 0
    assert len(answers) == 1000
    assert set(answers) == {200}, [answer for answer in answers if answer != 200][:5]
    assert True in closing, "clients are asked to go elsewhere"
    events = [json.loads(line)["event"] for line in server.log.read_text().splitlines()]
    assert events[-2:] == ["draining", "ended"]


def test_a_request_in_flight_at_the_end_is_still_answered(table_model: Path, tmp_path: Path) -> None:
    """Its body arrives slowly, over the whole grace; the server waits for it."""
    with served.process([str(table_model)], tmp_path, DRAIN_SECONDS="0.5") as server:
        server.wait_ready()
        host, _, port = server.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(
                b"POST /predict HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(BODY)
            )
            time.sleep(0.2)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(2)
            connection.sendall(BODY)
            answer = connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200"), answer
        assert server.process.wait(90) == 0


def test_a_second_signal_ends_at_once(table_model: Path, tmp_path: Path) -> None:
    with served.process([str(table_model)], tmp_path, DRAIN_SECONDS="60") as server:
        server.wait_ready()
        for _ in range(2):
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        assert server.process.wait(60) == 0


def test_a_sigterm_while_the_model_still_loads_ends_the_process(table_model: Path, tmp_path: Path) -> None:
    with served.process([str(table_model)], tmp_path, DRAIN_SECONDS="0") as server:
        deadline = time.monotonic() + 60
        while "listening" not in server.log.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(90) == 0


def test_a_body_that_never_ends_is_given_up_with_408(table_model: Path, tmp_path: Path) -> None:
    with served.process([str(table_model)], tmp_path, REQUEST_TIMEOUT="0.5") as server:
        server.wait_ready()
        host, _, port = server.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(b"POST /predict HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"body_timeout" in answer
