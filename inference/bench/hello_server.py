"""A bare ASGI application on the same uvicorn: reads the body, says hello. What no server in Python on uvicorn can be faster than."""

from __future__ import annotations

from modelserver.http.exchange import Receive, Scope, Send

HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"5")]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        for answer in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{answer}.complete"})
        return
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": b"hello"})
