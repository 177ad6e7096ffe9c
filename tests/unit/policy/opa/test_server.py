"""Asking a server: whatever goes wrong is an error that names the server and the way out."""

from __future__ import annotations

import gzip
import os
import socket
import sys

import pytest

from crossgate.errors import PolicyError, UsageError
from crossgate.policy.opa.server import TOKEN, EvaluationError, Retries, Server, SlowError

pytest.importorskip("opa_client", reason="the extra opa is not installed")


@pytest.fixture
def waits():
    return []


@pytest.fixture
def server(script, waits):
    return Server(script.url, pause=waits.append)


def in_turn(script, *answers):
    left = list(answers)
    script.answer = lambda _rule, _given: left.pop(0) if len(left) > 1 else left[0]


def test_the_value_of_a_rule_is_returned(script, server):
    script.answer = lambda rule, given: (200, {"result": [rule, given]})
    assert server.query("answer", {"a": 1}, seconds=5) == ["answer", {"a": 1}]


def test_the_token_is_sent(script, monkeypatch):
    monkeypatch.setenv(TOKEN, "s3cret")
    script.answer = lambda _rule, _given: (200, {"result": 1})
    Server(script.url).query("state", None, seconds=5)
    assert script.tokens == ["Bearer s3cret"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_may_be_gone_a_moment_later_is_tried_again(script, server, waits, status):
    in_turn(script, (status, {}), (status, b"<html>"), (200, {"result": 7}))
    assert server.query("state", None, seconds=5) == 7
    assert len(waits) == 2
    assert 0.1 <= waits[0] <= 0.3
    assert 0.2 <= waits[1] <= 0.6


def test_tries_end(script, server, waits):
    in_turn(script, (503, {}))
    with pytest.raises(PolicyError, match=r"cannot be asked: it answers 503 \(4 tries\)") as caught:
        server.query("state", None, seconds=5)
    assert caught.value.where == script.url
    assert "opa run --server" in caught.value.hint
    assert len(waits) == 3


def test_waiting_has_a_budget_for_the_whole_check(script, waits):
    """A server that fails every now and then must not make a check of thousands of documents take hours."""
    server = Server(script.url, retries=Retries(tries=3, seconds=1.0, first=0.4), pause=waits.append)
    in_turn(script, (503, {}), (200, {"result": 1}), (503, {}), (200, {"result": 1}), (503, {}))
    with pytest.raises(PolicyError, match="503"):
        for _ in range(9):
            server.query("state", None, seconds=5)
    assert sum(waits) <= 1.0


@pytest.mark.parametrize(
    ("status", "body", "problem"),
    [
        (200, b"<html>welcome</html>", "no JSON"),
        (200, b'{"result": {', "no JSON"),
        (200, b"[" * 100_000, "no JSON"),
        (200, b"1" * 10_000, "no JSON"),
        (500, b"[" * 100_000, "cannot be asked"),
        (200, [], "no object"),
        (200, {}, "does not know answer"),
        (401, {"code": "unauthorized"}, "refuses to answer (401)"),
        (404, {"code": "x", "message": "storage_not_found_error"}, "404: storage_not_found_error"),
        (400, {"code": "invalid_parameter", "message": "compile error"}, "400: compile error"),
    ],
)
def test_what_is_no_answer_is_not_tried_again(script, server, waits, status, body, problem):
    in_turn(script, (status, body))
    with pytest.raises(PolicyError) as caught:
        server.query("answer", None, seconds=5)
    assert problem in caught.value.what
    assert caught.value.where == script.url
    assert caught.value.hint
    assert status == 500 or waits == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_server_that_sends_elsewhere_is_not_followed(script, server, status):
    """The manifests would go there, and whoever is there would judge them."""
    script.headers = {"Location": f"{script.url}/v1/data/crossgate_entry/elsewhere"}
    in_turn(script, (status, b""))
    with pytest.raises(PolicyError, match="sends to another place"):
        server.query("state", None, seconds=5)
    assert [rule for rule, _ in script.asked] == ["state"]


def test_an_answer_without_end_is_given_up(script, server, monkeypatch):
    """Before memory is: what it says so far is no answer."""
    script.endless = b" " * (1 << 16)
    script.headers = {"Connection": "close"}
    monkeypatch.setattr("crossgate.policy.opa.server.MOST_BYTES", 1 << 20)
    with pytest.raises(PolicyError, match="more than 1,048,576 bytes"):
        Server(script.url).query("state", None, seconds=20)


def test_a_compressed_answer_is_none(script, server):
    """Nobody asked for it, and a few bytes of it may come to gigabytes."""
    script.headers = {"Content-Encoding": "gzip"}
    in_turn(script, (200, gzip.compress(b'{"result": 1}')))
    with pytest.raises(PolicyError, match="compressed"):
        server.query("state", None, seconds=5)


def test_a_server_without_tls_is_told_apart_from_one_with_a_strange_certificate(script, waits):
    """No certificate of a CA helps where the address is wrong."""
    with pytest.raises(PolicyError, match="speaks no TLS") as refused:
        Server(script.url.replace("http:", "https:"), pause=waits.append).query("state", None, seconds=5)
    assert "http://" in refused.value.hint


def test_half_an_answer_is_tried_again_and_is_none(script, server, waits):
    script.cut = 10
    in_turn(script, (200, {"result": 1}))
    with pytest.raises(PolicyError, match="cannot be asked"):
        server.query("state", None, seconds=5)
    assert len(waits) == 3


def test_nobody_listening_is_tried_again_and_named(waits):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(PolicyError, match="refused"):
        Server(f"http://127.0.0.1:{port}", pause=waits.append).query("state", None, seconds=5)
    assert len(waits) == 3


def test_an_answer_that_only_trickles_in_is_slow(script, server):
    """Each byte comes in time, the answer does not: a time-out from byte to byte would wait for ever."""
    script.drip = 0.1
    in_turn(script, (200, {"result": "x" * 50}))
    with pytest.raises(SlowError):
        server.query("state", None, seconds=0.5)


def test_no_answer_is_slow(server, script):
    script.drip = 2
    with pytest.raises(SlowError):
        server.query("state", None, seconds=0.3)


def test_an_error_of_the_evaluation_names_its_place(script, server, waits):
    errors = [{"code": "eval_builtin_error", "message": "div: divide by zero", "location": {"file": "policies/3.rego", "row": 4, "col": 2}}]
    in_turn(script, (500, {"code": "internal_error", "message": "error(s) occurred", "errors": errors}))
    with pytest.raises(EvaluationError) as caught:
        server.query("answer", None, seconds=5)
    assert (caught.value.cause, caught.value.file, caught.value.line) == ("div: divide by zero", "policies/3.rego", 4)
    assert waits == []


def test_an_evaluation_that_the_server_cut_short_is_tried_again(script, server, waits):
    """So does a server that goes down."""
    errors = [{"code": "eval_cancel_error", "message": "caller cancelled query execution"}]
    in_turn(script, (500, {"code": "internal_error", "errors": errors}), (200, {"result": 1}))
    assert server.query("answer", None, seconds=5) == 1
    assert len(waits) == 1


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8181",
        "ftp://a",
        "http://",
        "http://a:x",
        "http://a/v1",
        "http://user:word@a",
        "http://a?x=1",
        "http://a#x",
        "http://[a",
        "http://a:99999",
        "",
    ],
)
def test_what_is_no_address_of_a_server_is_refused(url):
    with pytest.raises(UsageError, match="address") as refused:
        Server(url)
    assert "word" not in str(refused.value), "a password goes to no log"


def test_without_the_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opa_client.opa", None)
    with pytest.raises(PolicyError) as caught:
        Server("http://localhost:8181")
    assert "pip install 'crossgate[opa]'" in caught.value.hint


def test_a_forked_process_has_a_connection_of_its_own(script, server):
    """Two processes on one connection would take each other's answers for their own."""
    script.answer = lambda rule, given: (200, {"result": [rule, given]})
    assert server.query("answer", 0, seconds=5) == ["answer", 0]
    children = []
    for number in (1, 2):
        child = os.fork()
        if child == 0:
            answers = [server.query("answer", [number, turn], seconds=5) for turn in range(30)]
            os._exit(answers != [["answer", [number, turn]] for turn in range(30)])
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert server.query("answer", 3, seconds=5) == ["answer", 3]
