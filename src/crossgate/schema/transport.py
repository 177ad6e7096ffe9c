"""HTTP to a registry that may be anybody's: no answer takes for ever, comes to more than it may, or is fetched without TLS."""

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


class Transport(HTTPAdapter):
    """Sends what a session asks; ``most`` are the bytes that the body of the next answer may have."""

    def __init__(self) -> None:
        # an answer's own opinion on how long to wait could be for ever
        again = Retry(
            total=2, backoff_factor=1, status_forcelist=(500, 502, 503, 504), raise_on_status=False, respect_retry_after_header=False
        )
        super().__init__(max_retries=again)
        self.most = 0
        self._end = time.monotonic() + SECONDS

    def send(self, request: Any, *arguments: Any, **options: Any) -> Any:
        """Send a request. Raises RequestException where an answer is compressed, and when time or space are over while it is read."""
        self._in_time()
        options["timeout"] = (_CONNECT, _READ)
        request.headers["Accept-Encoding"] = "identity"
        response = super().send(request, *arguments, **options)
        if response.headers.get("Content-Encoding", "identity") != "identity":
            response.close()
            message = "the answer is compressed, which nobody asked for"
            raise requests.exceptions.ContentDecodingError(message)
        response.raw.stream = lambda *_, **__: self._pieces(response.raw)
        return response

    def _pieces(self, raw: Any) -> Iterator[bytes]:
        read = 0
        try:
            while piece := raw.read1(1 << 16):
                read += len(piece)
                if read > self.most:
                    message = f"the answer has more than {self.most:,} bytes"
                    raise requests.exceptions.RequestException(message)
                self._in_time()
                yield piece
        except Exception:
            raw.close()
            raise

    def _in_time(self) -> None:
        if time.monotonic() > self._end:
            message = f"it has not answered in {SECONDS} seconds"
            raise requests.exceptions.Timeout(message)


class NoTls(HTTPAdapter):
    """Stands where TLS was asked for: a redirection must not lead out of it."""

    def send(self, request: Any, *_arguments: Any, **_options: Any) -> Any:
        """Refuse."""
        message = f"it leads to {request.url[:200]}, which is not encrypted"
        raise requests.exceptions.ConnectionError(message)
