"""HTTP to servers that may be anybody's: no answer takes for ever, comes to more than it may, or is fetched without TLS."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

SECONDS = 300
"""How long all requests of one image may take together."""
_CONNECT, _READ = 15, 60
"""Seconds until a connection stands, and between two pieces of an answer."""


class TooLargeError(requests.exceptions.RequestException):
    """An answer has more bytes than it may."""


class Bounded(HTTPAdapter):
    """Sends what a session asks; ``most`` are the bytes that the body of the next answer may have, as it is sent: nothing is unpacked."""

    def __init__(self, most: int, retries: Retry | int = 0) -> None:
        super().__init__(max_retries=retries)
        self.most = most

    def send(self, request: Any, *arguments: Any, **options: Any) -> Any:
        """Send a request. Raises RequestException where an answer is compressed, and when it is too large while it is read."""
        request.headers["Accept-Encoding"] = "identity"
        response = super().send(request, *arguments, **options)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            response.close()
            message = "the answer is compressed, which nobody asked for"
            raise requests.exceptions.ContentDecodingError(message)
        response.raw.stream = lambda *_, **__: self._pieces(response.raw)
        return response

    def in_time(self) -> None:
        """Raise RequestException when time is over; called for each piece of an answer."""

    def _pieces(self, raw: Any) -> Iterator[bytes]:
        read = 0
        try:
            while piece := raw.read1(1 << 16):
                read += len(piece)
                if read > self.most:
                    message = f"the answer has more than {self.most:,} bytes"
                    raise TooLargeError(message)
                self.in_time()
                yield piece
        except Exception:
            raw.close()
            raise


class Transport(Bounded):
    """Reads an image from a registry: all of its requests together have an end."""

    def __init__(self) -> None:
        # an answer's own opinion on how long to wait could be for ever
        again = Retry(
            total=2, backoff_factor=1, status_forcelist=(500, 502, 503, 504), raise_on_status=False, respect_retry_after_header=False
        )
        super().__init__(0, again)
        self._end = time.monotonic() + SECONDS

    def send(self, request: Any, *arguments: Any, **options: Any) -> Any:
        """Send a request. Raises RequestException as ``Bounded``, and when time is over."""
        self.in_time()
        return super().send(request, *arguments, **{**options, "timeout": (_CONNECT, _READ)})

    def in_time(self) -> None:
        """Raise Timeout when time is over."""
        if time.monotonic() > self._end:
            message = f"it has not answered in {SECONDS} seconds"
            raise requests.exceptions.Timeout(message)


class NoTls(HTTPAdapter):
    """Stands where TLS was asked for: a redirection must not lead out of it."""

    def send(self, request: Any, *_arguments: Any, **_options: Any) -> Any:
        """Refuse."""
        message = f"it leads to {request.url[:200]}, which is not encrypted"
        raise requests.exceptions.ConnectionError(message)
