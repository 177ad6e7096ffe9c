"""CPU a request without sockets and clients: the steady number to compare two versions by on a busy machine.

    python bench/steady.py MODEL_FOLDER [--rows 8] [--turns 2000]

Feeds as many connections as a forward is to have rows, all in one turn of uvloop, through the protocol that the server runs; likewise
the bare hello. Prints the least and the median of the thread's CPU time, µs a request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from uvicorn.server import ServerState

from modelserver.model import manifest
from modelserver.serve import application, configuration
from modelserver.settings import Settings


class Memory(asyncio.Transport):
    """A connection whose answer is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return ("127.0.0.1", 1) if name in ("sockname", "peername") else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def resume_reading(self) -> None:
        pass


async def measure(config: uvicorn.Config, body: bytes, rows: int, turns: int) -> list[float]:
    config.load()
    state = ServerState()
    state.default_headers = [(b"date", b"Mon, 30 Nov 2026 22:46:06 GMT")]
    made: Any = config.http_protocol_class
    connections = []
    for _ in range(rows):
        protocol, transport = made(config=config, server_state=state, app_state={}), Memory()
        protocol.connection_made(transport)
        connections.append((protocol, transport))
    head = b"POST /predict HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    request = head % len(body) + body
    costs = []
    for _ in range(turns):
        began = time.thread_time()
        answered = state.total_requests + rows
        for protocol, transport in connections:
            transport.written = b""
            protocol.data_received(request)
        while state.total_requests < answered:
            await asyncio.sleep(0)
        costs.append((time.thread_time() - began) / rows * 1e6)
        if not all(transport.written.startswith(b"HTTP/1.1 200") for _, transport in connections):
            raise SystemExit(connections[0][1].written.decode())
    return costs


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--turns", type=int, default=2000)
    arguments = parser.parse_args()
    settings = Settings()
    front = application(settings, arguments.model)
    events: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    events.put_nowait({"type": "lifespan.startup"})

    async def ignore(_: Any) -> None:
        pass

    life = asyncio.ensure_future(front({"type": "lifespan"}, events.get, ignore))
    while front.state.phase == "loading":
        await asyncio.sleep(0.05)
    columns = manifest.parse((arguments.model / "model.json").read_bytes()).input.columns
    body = json.dumps({"request_id": "bench", "rows": [{column.name: 1.5 for column in columns}]}).encode()
    bare = uvicorn.Config("hello_server:app", http="httptools", log_config=None, access_log=False)
    servers = {"modelserver": configuration(front, settings), "hello": bare}
    for name, config in servers.items():
        costs = await measure(config, body, arguments.rows, arguments.turns)
        print(f"{name:12} {arguments.rows} rows a forward: least {min(costs):.1f}, median {statistics.median(costs):.1f} µs a request")
    events.put_nowait({"type": "lifespan.shutdown"})
    await life


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
