"""One HTTP request as the raw handlers see it: the few headers that matter, the body under its limits, the request id."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from functools import lru_cache
from itertools import count
from typing import Any

from modelserver.errors import Problem
from modelserver.inputs.explain import REQUEST_ID

Header = tuple[bytes, bytes]
Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_REQUEST_ID = re.compile(REQUEST_ID.strip("^$").encode())
_PREFIX = os.urandom(8).hex()
_NUMBERS = count()


@lru_cache(maxsize=64)
def _media_type(content_type: bytes) -> str:
    return content_type.decode("latin-1").partition(";")[0].strip().lower()


class Disconnected(Exception):  # noqa: N818 - nothing went wrong on this side
    """The caller went away before the body was complete."""


class Budget:
    """Bytes of bodies that are held at one time, over all requests.

    Args:
        per_body: the most for one body.
        total: the most for all.
    """

    def __init__(self, per_body: int, total: int) -> None:
        self.per_body = per_body
        self.total = total
        self.held = 0


class Exchange:
    """A request being answered. `request_id` is the caller's (header, later the body's), or one of ours."""

    __slots__ = (
        "_budget",
        "body_complete",
        "content_encoding",
        "content_length",
        "content_type",
        "held",
        "media_type",
        "path",
        "request_id",
    )

    def __init__(self, path: str, headers: Iterable[Header], budget: Budget) -> None:
        self._budget = budget
        self.path = path
        self.held = 0
        self.body_complete = False
        content_type = b""
        self.content_encoding = self.content_length = b""
        request_id: bytes | None = None
        for name, value in headers:
            if name == b"content-type":
                content_type = value
            elif name == b"content-length":
                self.content_length = value
            elif name == b"x-request-id":
                request_id = value
            elif name == b"content-encoding":
                self.content_encoding = value
        self.content_type = content_type
        self.media_type = _media_type(content_type)
        if request_id is not None and _REQUEST_ID.fullmatch(request_id):
            self.request_id = request_id.decode("ascii")
        else:
            self.request_id = f"{_PREFIX}-{next(_NUMBERS):x}"

    def check(self) -> None:
        """See in the headers whether the body will be taken.

        Raises:
            Problem: too_large, unsupported_encoding.
        """
        if self.content_encoding not in (b"", b"identity"):
            raise Problem("unsupported_encoding", "send the body without content-encoding")
        limit = self._budget.per_body
        if len(self.content_length) > 18 or (self.content_length.isdigit() and int(self.content_length) > limit):
            raise Problem("too_large", f"the body has more than {limit} bytes")

    def hold(self, size: int) -> None:
        """Count bytes of the body.

        Raises:
            Problem: too_large, queue_full (too many bytes held for others).
        """
        self.held += size
        self._budget.held += size
        if self.held > self._budget.per_body:
            raise Problem("too_large", f"the body has more than {self._budget.per_body} bytes")
        if self._budget.held > self._budget.total:
            raise Problem("queue_full", "the server holds too many bodies already", headers={"retry-after": "1"})

    def release(self) -> None:
        """Give the body's bytes back to the budget."""
        self._budget.held -= self.held
        self.held = 0


class Request(Exchange):
    """An exchange through ASGI, whose body is still to be received."""

    __slots__ = ("_receive",)

    def __init__(self, scope: Scope, receive: Receive, budget: Budget) -> None:
        super().__init__(scope["path"], scope["headers"], budget)
        self._receive = receive

    async def body(self) -> bytes:
        """The whole body.

        Raises:
            Problem: too_large, unsupported_encoding, queue_full (too many bytes held for others).
            Disconnected: the caller went away.
        """
        self.check()
        chunks: list[bytes] = []
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Disconnected
            chunk: bytes = message.get("body", b"")
            self.hold(len(chunk))
            chunks.append(chunk)
            if not message.get("more_body", False):
                self.body_complete = True
                return chunk if len(chunks) == 1 else b"".join(chunks)
