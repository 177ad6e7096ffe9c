"""Whatever a registry answers: reading an image from it ends soon, in little memory, with an error that names it."""

from __future__ import annotations

import contextlib
import gc
import gzip
import hashlib
import json
import tarfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from crossgate.errors import SchemaError
from crossgate.schema import transport
from crossgate.schema.pull import _LIMIT, pull
from crossgate.schema.registry import Registry
from crossgate.schema.transport import NoTls, Transport

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def header(size: int, kind: bytes) -> bytes:
    member = tarfile.TarInfo("a")
    member.size, member.type = size, kind
    return member.tobuf(tarfile.USTAR_FORMAT)


@pytest.fixture
def answering():
    """Start servers that answer every request by a function of the request."""
    servers, registries = [], []

    def start(answer):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                with contextlib.suppress(OSError):  # who asked has gone
                    answer(self)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        registries.append(Registry(f"127.0.0.1:{server.server_port}/a:v1", insecure=True))
        return registries[-1]

    yield start
    for registry in registries:
        registry._client.session.close()
    registries.clear()
    gc.collect()  # here and in no other test: the client leaves a socket to it after some errors
    for server in servers:
        server.shutdown()
        server.server_close()


def body(data: bytes, status: int = 200, **headers: str):
    def answer(request):
        request.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(data)

    return answer


def endless(request):
    request.send_response(200)
    request.end_headers()
    while True:
        request.wfile.write(bytes(1 << 16))


def dripping(request):
    request.send_response(200)
    request.end_headers()
    while True:
        request.wfile.write(b" ")
        request.wfile.flush()
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (endless, "more than 4,194,304 bytes"),
        (body(b"{}", Content_Length="100"), "cannot read the package"),
        (body(gzip.compress(b"{}"), Content_Encoding="gzip"), "compressed"),
        (body(b"", 302, Location="/v2/a/manifests/v1"), "cannot read the package"),
        (body(b"", 302, Location="file:///etc/passwd"), "cannot read the package"),
        (body(b"", 401, WWW_Authenticate='Bearer realm="file:///etc/passwd"'), "cannot read the package"),
        (body(b"", 503, Retry_After="100000"), "answers 503"),
        (body(b"", 404), "answers 404"),
        (body(b"<html>"), "no manifest"),
        (body(b"[" * 100_000), "no manifest"),
        (body(b'{"layers": [{"digest": "sha256:1", "annotations": []}, 1]}'), "no manifest"),
        (body(b'{"layers": [{}]}'), "no manifest"),
        (body(b'{"manifests": [{"digest": "v2"}]}'), "no manifest"),
        (body(json.dumps({"manifests": [{"digest": f"sha512:{'0' * 128}"}]}).encode()), "is no SHA-256"),
        (body(json.dumps({"manifests": [{"digest": f"sha256:{'0' * 64}"}]}).encode()), "digest does not match"),
    ],
    ids=range(15),
)
def test_a_hostile_answer_is_an_error(answering, monkeypatch, answer, what):
    monkeypatch.setattr(time, "sleep", lambda _: None)  # between tries
    with pytest.raises(SchemaError, match=what) as refused:
        answering(answer).image()
    assert "127.0.0.1" in refused.value.where


def test_a_layer_is_read_up_to_its_bound(answering):
    with pytest.raises(SchemaError, match="more than 1,000 bytes"):
        answering(endless).blob(f"sha256:{'0' * 64}", 1000)


def test_an_answer_that_comes_byte_by_byte_has_an_end(answering, monkeypatch):
    """Each byte is in time; all of them never are."""
    monkeypatch.setattr(transport, "SECONDS", 0.3)
    with pytest.raises(SchemaError, match="has not answered"):
        answering(dripping).image()


def test_a_registry_that_says_nothing_is_given_up(answering, monkeypatch):
    monkeypatch.setattr(transport, "_READ", 0.1)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    done = threading.Event()
    with pytest.raises(SchemaError, match="cannot read the package"):
        answering(lambda _: done.wait(20)).image()
    done.set()


def test_a_registry_with_tls_is_not_left_for_one_without():
    session = Registry("registry.example.org/a:v1")._client.session
    assert isinstance(session.get_adapter("http://registry.example.org/"), NoTls)
    assert isinstance(session.get_adapter("https://registry.example.org/"), Transport)
    with pytest.raises(OSError, match="not encrypted"):
        session.get("http://registry.example.org/")


@pytest.mark.parametrize(
    ("layer", "what"),
    [
        (gzip.compress(header(2 * _LIMIT, tarfile.XHDTYPE) + bytes(2 * _LIMIT), 1), "more than 256 MiB"),
        (header(0, tarfile.XHDTYPE) * 5000, "cannot read the package"),
        (gzip.compress(bytes(2048))[:-4], "cannot read the package"),
        (b"no archive", "cannot read the package"),
    ],
    ids=["bomb", "headers of headers", "cut", "none"],
)
def test_a_layer_that_is_no_archive_is_an_error(monkeypatch, layer, what):
    """A package's layer may come to anything: the header of a member is read whole, whatever it announces."""
    digest = f"sha256:{hashlib.sha256(layer).hexdigest()}"
    manifest = json.dumps({"layers": [{"digest": digest}]}).encode()
    monkeypatch.setattr(Registry, "_get", lambda _self, asked, *_: layer if asked.startswith("blobs/") else manifest)
    with pytest.raises(SchemaError, match=what):
        pull("registry.example.org/a:v1")
