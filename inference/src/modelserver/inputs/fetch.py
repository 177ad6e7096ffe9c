"""Fetching an image by address without letting callers reach what only this server can reach (SSRF).

Order of defence: the scheme and host must be on the operator's lists; the name is resolved once, every address of it must be public,
and the
connection goes to the checked address itself (so a second resolution cannot differ); each redirect starts again from the beginning. No
proxy, no cookies, no credentials; the answer is bounded in size and time.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpcore

from modelserver.errors import Problem
from modelserver.inputs.addresses import Address, Resolver, is_public, resolve, resolve_public

_REDIRECTS = (301, 302, 303, 307, 308)
_PORTS = {"http": 80, "https": 443}


class Fetcher:
    """Gets the bytes behind an allowed address.

    Args:
        schemes: allowed schemes, of http and https.
        hosts: allowed host names; ``*.example.com`` stands for every name under it, ``*`` for every host (still only public addresses).
        max_bytes, timeout, max_redirects: limits of one fetch as a whole.
        resolver: name and port → addresses.
        allowed: whether an address may be connected to.
        tls: context for https; the default checks certificates.
    """

    def __init__(
        self,
        *,
        schemes: Iterable[str],
        hosts: Iterable[str],
        max_bytes: int,
        timeout: float,
        max_redirects: int,
        resolver: Resolver = resolve,
        allowed: Callable[[Address], bool] = is_public,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._schemes = frozenset(schemes) & _PORTS.keys()
        self._hosts = frozenset(hosts)
        self._max_bytes = max_bytes
        self._timeout = timeout
        self._max_redirects = max_redirects
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls, max_connections=16, max_keepalive_connections=0, network_backend=_Pinned(resolver, allowed)
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()

    async def get(self, url: str, at: str = "/image_url") -> bytes:
        """The bytes of the image at an address.

        Raises:
            Problem: url_not_allowed, url_fetch_failed, url_too_large, url_timeout.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._follow(url, at)
        except TimeoutError:
            raise Problem("url_timeout", f"the image did not arrive within {self._timeout:g} s", at) from None
        except httpcore.TimeoutException:
            raise Problem("url_timeout", "the image's server did not answer in time", at) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError, ssl.SSLError) as error:
            raise Problem("url_fetch_failed", f"the image could not be fetched ({type(error).__name__})", at) from None

    async def _follow(self, url: str, at: str) -> bytes:
        for _ in range(self._max_redirects + 1):
            self._check(url, at)
            async with self._pool.stream(
                "GET", url, headers={"accept": "image/*", "accept-encoding": "identity", "user-agent": "modelserver"}
            ) as response:
                if response.status not in _REDIRECTS:
                    return await self._body(response, at)
                location = _header(response, b"location")
            url = urljoin(url, location)
        raise Problem("url_fetch_failed", f"there are more than {self._max_redirects} redirects", at)

    def _check(self, url: str, at: str) -> None:
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").rstrip("."), parts.port
        except ValueError:
            raise Problem("url_not_allowed", "the address is not a URL", at) from None
        if not url.isascii() or any(character <= " " or character == "\\" for character in url) or len(url) > 2048:
            raise Problem("url_not_allowed", "the address has spaces, control or non-ASCII characters, or more than 2048 characters", at)
        if parts.scheme not in self._schemes:
            raise Problem(
                "url_not_allowed",
                f"scheme {parts.scheme[:16]!r} is not allowed (allowed: {', '.join(sorted(self._schemes)) or 'none'})",
                at,
            )
        if parts.username is not None or parts.password is not None:
            raise Problem("url_not_allowed", "the address has credentials", at)
        if not host or not self._is_listed(host):
            raise Problem("url_not_allowed", f"host {host[:64]!r} is not allowed by IMAGE_HOSTS", at)
        if port not in (None, _PORTS[parts.scheme]) and f"{host}:{port}" not in self._hosts:
            raise Problem("url_not_allowed", f"port {port} is not allowed (list '{host}:{port}' in IMAGE_HOSTS)", at)

    def _is_listed(self, host: str) -> bool:
        if host in self._hosts or "*" in self._hosts or any(entry.rpartition(":")[0] == host for entry in self._hosts):
            return True
        return any(entry.startswith("*.") and host.endswith(entry[1:]) for entry in self._hosts)

    async def _body(self, response: httpcore.Response, at: str) -> bytes:
        if response.status != 200:
            raise Problem("url_fetch_failed", f"the image's server answered {response.status}", at)
        if _header(response, b"content-encoding") not in ("", "identity"):
            raise Problem("url_fetch_failed", "the image's server sent a compressed body that was not asked for", at)
        length = _header(response, b"content-length")
        data = bytearray()
        if length.isdigit() and int(length) > self._max_bytes:
            raise Problem("url_too_large", f"the image has more than {self._max_bytes} bytes", at)
        async for chunk in response.aiter_stream():
            data += chunk
            if len(data) > self._max_bytes:
                raise Problem("url_too_large", f"the image has more than {self._max_bytes} bytes", at)
        return bytes(data)


def _header(response: httpcore.Response, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in response.headers if key.lower() == name), "")


class _Pinned(httpcore.AsyncNetworkBackend):
    """Connects to the address that was checked, not to the name."""

    def __init__(self, resolver: Resolver, allowed: Callable[[Address], bool]) -> None:
        self._resolver = resolver
        self._allowed = allowed
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to one of the host's checked addresses."""
        address = await resolve_public(host, port, self._resolver, self._allowed)
        return await self._network.connect_tcp(str(address), port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        """Wait (used between the pool's own retries)."""
        await self._network.sleep(seconds)
