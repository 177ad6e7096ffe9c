"""Ask a server of OPA over HTTP, so that whatever goes wrong there is an error with a way out and never an answer.

The client is opa-python-client: it keeps the connection, speaks TLS and sends the token. Its own retries are turned off, because they
know neither which faults are worth one nor when to stop.
"""

from __future__ import annotations

import gc
import os
import random
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from crossgate.errors import PolicyError, UsageError

TOKEN = "CROSSGATE_OPA_TOKEN"  # noqa: S105 - the name of the variable, not what it holds
"""The environment variable that holds the bearer token of the server, where it wants one."""

MOST_BYTES = 64 * 2**20
"""Bytes of an answer: what a hundred documents give is a thousandth of that."""
_CONNECT_SECONDS = 5.0
_TRANSIENT = frozenset((429, 500, 502, 503, 504))
"""Answers of a server (or of what stands before it) that may be other ones a moment later."""
_START_IT = "start it: crossgate policy bundle -o bundle.tar.gz, then opa run --server --bundle bundle.tar.gz"


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long to try again: ``tries`` of one request, and ``seconds`` of waiting over the life of the connection."""

    tries: int = 4
    seconds: float = 15.0
    first: float = 0.2


class EvaluationError(Exception):
    """The server evaluated and stopped: the cause, and the file (of its bundle) and line where it did."""

    def __init__(self, cause: str, file: str = "", line: int = 0) -> None:
        super().__init__(cause)
        self.cause = cause
        self.file = file
        self.line = line


class SlowError(Exception):
    """The server took the request and did not answer within its time."""


class _TransientError(Exception):
    """A fault that may be gone a moment later."""


class Server:
    """One server of OPA at ``url`` (``http://host:port``)."""

    def __init__(self, url: str, *, retries: Retries | None = None, pause: Callable[[float], None] = time.sleep) -> None:
        """Connect to nothing yet.

        Raises:
            UsageError: ``url`` is no address of a server.
            PolicyError: the package opa-python-client is not installed.
        """
        self.url = url
        self._retries = retries or Retries()
        self._pause = pause
        self._waited = 0.0
        self._client = _client(url)
        self._process = os.getpid()
        weakref.finalize(self, self._client.close_connection)

    def query(self, rule: str, given: Any, *, seconds: float) -> Any:
        """Return the value of a rule of the entry's package with ``given`` as input.

        Built-in functions that fail end the evaluation, as they do in the embedded engine.

        Args:
            rule: ``state`` or ``answer`` (see ``entry``).
            given: the input, a JSON value.
            seconds: the time from sending the request to the last byte of the answer.

        Raises:
            EvaluationError: a rule cannot be evaluated.
            SlowError: there is no answer within ``seconds``.
            PolicyError: the server cannot be reached, refuses, or answers something that is no answer.
        """
        tries = 0
        while True:
            tries += 1
            try:
                return self._once(rule, given, seconds)
            except _TransientError as fault:
                wait = self._retries.first * 2 ** (tries - 1) * (0.5 + random.random())  # noqa: S311 - jitter is no secret
                if tries >= self._retries.tries or self._waited + wait > self._retries.seconds:
                    raise PolicyError(f"the OPA server cannot be asked: {fault} ({tries} tries)", self.url, _START_IT) from None
                self._waited += wait
                self._pause(wait)

    def _once(self, rule: str, given: Any, seconds: float) -> Any:
        import requests  # noqa: PLC0415 - only who asks a server pays for it

        from crossgate.schema.transport import TooLargeError  # noqa: PLC0415 - likewise

        try:
            answer = _within(seconds, lambda: self._send(rule, given, seconds))
        except requests.exceptions.SSLError as error:
            said = _short(error)
            if "CERTIFICATE" in said:
                hint = "name its CA: REQUESTS_CA_BUNDLE=FILE"
                raise PolicyError(f"the OPA server's certificate is not trusted: {said}", self.url, hint) from None
            raise PolicyError(f"the OPA server speaks no TLS: {said}", self.url, "write http:// where it has none") from None
        except requests.exceptions.ReadTimeout:
            raise SlowError from None
        except requests.exceptions.HTTPError as error:
            raise self._refusal(error) from None
        except requests.exceptions.TooManyRedirects:
            # the manifests would go to whoever it names
            raise PolicyError("the OPA server sends to another place", self.url, "name the address that answers itself") from None
        except TooLargeError as error:
            raise PolicyError(
                f"the OPA server cannot be believed: {error}", self.url, "ask an OPA server, not what stands before it"
            ) from None
        except (requests.exceptions.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            raise _TransientError(_short(error)) from None
        except (ValueError, RecursionError, requests.exceptions.RequestException) as error:
            raise PolicyError(
                f"the OPA server's answer is no JSON: {_short(error)}", self.url, "ask an OPA server, not what stands before it"
            ) from None
        if not isinstance(answer, dict):
            raise PolicyError("the OPA server's answer is no object", self.url, "ask an OPA server, not what stands before it")
        if "result" not in answer:
            raise PolicyError(
                f"the OPA server does not know {rule}: it has no bundle of crossgate, or it is another one", self.url, _START_IT
            )
        return answer["result"]

    def _send(self, rule: str, given: Any, seconds: float) -> Any:
        from crossgate.policy.opa.entry import PACKAGE  # noqa: PLC0415 - the entry reads rules; a server knows none

        if self._process != os.getpid():  # units are judged in forked processes: two must not speak over one connection
            self._client, self._process = _client(self.url), os.getpid()
        self._client.timeout = (min(_CONNECT_SECONDS, seconds), seconds)
        return self._client.query_rule(given, PACKAGE, rule, {"strict-builtin-errors": "true"})

    def _refusal(self, error: Any) -> Exception:
        """Read what a server says with a status that is no success."""
        status = error.response.status_code
        try:
            said = error.response.json()
        except (ValueError, RecursionError):
            said = None
        errors = said.get("errors") if isinstance(said, dict) else None
        first = errors[0] if isinstance(errors, list) and errors and isinstance(errors[0], dict) else {}
        code = str(first.get("code", ""))
        if status == 500 and code.startswith("eval_") and code != "eval_cancel_error":
            location = first.get("location")
            location = location if isinstance(location, dict) else {}
            row = location.get("row")
            return EvaluationError(str(first.get("message", code)), str(location.get("file", "")), row if isinstance(row, int) else 0)
        if status in _TRANSIENT:
            return _TransientError(f"it answers {status}")
        if status in (401, 403):
            return PolicyError(f"the OPA server refuses to answer ({status})", self.url, f"put its token into {TOKEN}")
        message = said.get("message") if isinstance(said, dict) else ""
        return PolicyError(f"the OPA server answers {status}{f': {message}' if message else ''}", self.url, _START_IT)


def _client(url: str) -> Any:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in url or any(part.strip("/") for part in parts[2:]):
        shown = f"{url.partition('://')[0]}://…" if "@" in url else url  # what stands before it is a password
        raise UsageError(
            f"the OPA server's address is {shown!r}",
            "--opa-url",
            f"write http://host:port or https://host:port, and nothing after it; its token stands in {TOKEN}",
        )
    try:
        from opa_client.opa import OpaClient  # type: ignore[import-untyped] # noqa: PLC0415 - optional; the package has no types
    except ImportError:
        raise PolicyError(
            "the engine opa needs the package opa-python-client", "--engine opa", "install it: pip install 'crossgate[opa]'"
        ) from None
    from crossgate.schema.transport import Bounded  # noqa: PLC0415 - only who asks a server pays for it

    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    secure = parts.scheme == "https"
    client = OpaClient(
        host=host,
        port=port or (443 if secure else 80),
        ssl=secure,
        token=os.environ.get(TOKEN) or None,
        retries=0,
        timeout=_CONNECT_SECONDS,
    )
    client._session.max_redirects = 0
    for scheme in ("http://", "https://"):
        client._session.mount(scheme, Bounded(MOST_BYTES))
    return client


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """Return what ``call`` returns, or raise what it raises; an answer that only trickles in is given up, too.

    A time-out of HTTP counts from one piece of the answer to the next.
    """
    done: list[tuple[Any, BaseException | None]] = []

    def run() -> None:
        try:
            done.append((call(), None))
        except BaseException as error:
            done.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    collects = gc.isenabled()
    gc.disable()  # a collection in the thread might let go of an embedded engine, which only the thread that made it may
    try:
        thread.start()
        thread.join(seconds)
    finally:
        if collects:
            gc.enable()
    if not done:
        raise SlowError
    value, error = done[0]
    if error is not None:
        raise error
    return value


def _short(error: BaseException) -> str:
    """Name the innermost cause in one line: what requests says around it repeats the address twice."""
    while error.__cause__ or error.__context__ or (error.args and isinstance(error.args[0], BaseException)):
        inner = error.args[0] if error.args and isinstance(error.args[0], BaseException) else error.__cause__ or error.__context__
        if inner is None:
            break
        error = inner
    reason = getattr(error, "reason", None)
    text = str(reason if isinstance(reason, (str, BaseException)) else error) or type(error).__name__
    return " ".join(text.split())[:200]
