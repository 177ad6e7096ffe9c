"""An image address cannot make the server reach what only it can reach."""

from __future__ import annotations

import asyncio
import ipaddress
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from modelserver.errors import Problem
from modelserver.inputs.addresses import Address, is_public, resolve
from modelserver.inputs.fetch import Fetcher


class Origin(BaseHTTPRequestHandler):
    """A web server with good and bad images."""

    hosts: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        type(self).hosts.append(self.headers["host"])
        path = self.path
        if path.startswith("/to/"):
            self.send_response(302)
            self.send_header("location", path.removeprefix("/to/"))
            self.end_headers()
            return
        self.send_response(404 if path == "/absent" else 200)
        if path == "/claims-much":
            self.send_header("content-length", "999999999")
        if path == "/gzip":
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        try:
            if path == "/endless":
                while True:
                    self.wfile.write(b"x" * 10_000)
            if path == "/slow":
                for _ in range(100):
                    self.wfile.write(b"x")
                    time.sleep(0.05)
            self.wfile.write(b"image bytes")
        except OSError:
            pass

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def origin() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def fetch(url: str, port: int, *, names: dict[str, list[str]] | None = None, allowed: Any = None, **options: Any) -> bytes:
    """Fetch with a resolver that knows a few names; the loopback address of the test's origin counts as public unless `allowed` says
    more."""
    lookups: list[str] = []

    async def resolver(host: str, port_: int) -> list[Address]:
        lookups.append(host)
        known = {"images.example.com": ["127.0.0.1"]} | (names or {})
        return [ipaddress.ip_address(text) for text in known[host]] if host in known else await resolve(host, port_)

    async def run() -> bytes:
        fetcher = Fetcher(
            **{
                "schemes": ("http",),
                "hosts": (f"images.example.com:{port}", "images.example.com", "*.cdn.example.com"),
                "max_bytes": 100_000,
                "timeout": 1.0,
                "max_redirects": 2,
                "resolver": resolver,
                "allowed": allowed or (lambda address: str(address) == "127.0.0.1"),
                **options,
            }
        )
        try:
            return await fetcher.get(url)
        finally:
            await fetcher.close()

    return asyncio.run(run())


def refusal(*arguments: Any, **options: Any) -> str:
    with pytest.raises(Problem) as caught:
        fetch(*arguments, **options)
    assert caught.value.status == 422
    return caught.value.reason


def test_an_allowed_host_is_fetched_by_its_checked_address_under_its_own_name(origin: int) -> None:
    Origin.hosts.clear()
    assert fetch(f"http://images.example.com:{origin}/a.png", origin) == b"image bytes"
    assert Origin.hosts == [f"images.example.com:{origin}"]


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://images.example.com/a",
        "gopher://images.example.com/",
        "https://images.example.com/a",
        "http://evil.example.com/a",
        "http://images.example.com.evil.net/a",
        "http://evil.net#images.example.com/",
        "http://images.example.com@evil.net/",
        "http://user:secret@images.example.com/a",
        "http://images.example.com:22/a",
        "http://cdn.example.com/a",
        "http://127.0.0.1/a",
        "http://[::1]/a",
        "http://images.example.com\\@evil.net/",
        "http://images.example.com /a",
        "http://images.example.com/\r\nX: y",
        "http://ımages.example.com/a",
        "http://[::1/a",
        "http://images.example.com:99999/",
        "//images.example.com/a",
        "",
        "http://",
    ],
)
def test_what_is_not_on_the_lists_is_refused(origin: int, url: str) -> None:
    assert refusal(url, origin) == "url_not_allowed"


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "017700000001",
        "127.1",
        "127.0.0.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[fe80::1]",
        "169.254.169.254",
        "2852039166",
        "[fd00:ec2::254]",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "10.0.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "localhost",
    ],
)
def test_with_every_host_allowed_no_form_of_an_inner_address_is_reached(origin: int, host: str) -> None:
    """Decimal, octal, hexadecimal and short forms, IPv6 and IPv4 inside IPv6, the clouds' metadata addresses."""
    Origin.hosts.clear()
    assert refusal(f"http://{host}:{origin}/a", origin, hosts=("*", f"{host.strip('[]')}:{origin}"), allowed=is_public) in (
        "url_not_allowed",
        "url_fetch_failed",
    )
    assert refusal(f"http://{host}/a", origin, hosts=("*",), allowed=is_public) in ("url_not_allowed", "url_fetch_failed")
    assert Origin.hosts == []


def test_a_name_with_one_inner_address_among_public_ones_is_refused(origin: int) -> None:
    names = {"images.example.com": ["8.8.8.8", "10.0.0.1"]}
    assert refusal("http://images.example.com/a", origin, names=names, allowed=is_public) == "url_not_allowed"


def test_a_second_resolution_cannot_differ(origin: int) -> None:
    """DNS rebinding: the name is public when it is checked and inner when it is connected to; there is only one resolution."""
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    count = 0

    async def resolver(host: str, port: int) -> list[Address]:
        nonlocal count
        count += 1
        return [ipaddress.ip_address(text) for text in next(answers)]

    assert fetch(f"http://images.example.com:{origin}/a", origin, resolver=resolver) == b"image bytes"
    assert count == 1


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest/", "http://127.0.0.1/", "file:///etc/passwd", "http://evil.example.com/", "//evil.example.com/"],
)
def test_a_redirect_is_checked_like_the_first_address(origin: int, target: str) -> None:
    assert refusal(f"http://images.example.com:{origin}/to/{target}", origin) == "url_not_allowed"


def test_a_redirect_whose_name_became_inner_is_refused(origin: int) -> None:
    names = {"a.cdn.example.com": ["10.0.0.1"]}
    assert refusal(f"http://images.example.com:{origin}/to/http://a.cdn.example.com/", origin, names=names) == "url_not_allowed"


def test_redirects_are_followed_up_to_the_limit(origin: int) -> None:
    good = f"http://images.example.com:{origin}/to/http://images.example.com:{origin}/a.png"
    assert fetch(good, origin) == b"image bytes"
    loop = f"http://images.example.com:{origin}/to/" * 3 + f"http://images.example.com:{origin}/a"
    assert refusal(loop, origin) == "url_fetch_failed"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("absent", "url_fetch_failed"),
        ("claims-much", "url_too_large"),
        ("endless", "url_too_large"),
        ("slow", "url_timeout"),
        ("gzip", "url_fetch_failed"),
    ],
)
def test_size_time_and_status_are_bounded(origin: int, path: str, reason: str) -> None:
    began = time.monotonic()
    assert refusal(f"http://images.example.com:{origin}/{path}", origin) == reason
    assert time.monotonic() - began < 5


def test_a_closed_port_and_an_unknown_name_are_fetch_failures(origin: int) -> None:
    assert refusal("http://images.example.com/a", origin) == "url_fetch_failed"
    assert refusal("http://nowhere.invalid/a", origin, hosts=("nowhere.invalid",)) == "url_fetch_failed"


@pytest.mark.parametrize("text", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses_are_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))
