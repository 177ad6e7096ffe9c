"""A server of OPA as the engine: batches, narrowing down, and what is never an answer. The server's part is played by a script."""

from __future__ import annotations

import json
import tarfile
from io import BytesIO

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.bundle import read_bundle
from crossgate.policy.engine import Question
from crossgate.policy.isolate import Limits
from crossgate.policy.opa import engine as opa_engine
from crossgate.policy.opa.archive import archive
from crossgate.policy.opa.engine import OpaServer
from crossgate.policy.opa.entry import entry_of
from crossgate.policy.opa.server import Server
from crossgate.policy.rules import find_rules

pytest.importorskip("opa_client", reason="the extra opa is not installed")

LIMITS = Limits(seconds=0.3)
RULES = {
    "a.rego": "package a\n\nimport rego.v1\n\ndeny contains input.name if input.bad\n\nexception contains [x] if x := input.except\n",
    "b.rego": "package b\n\nimport rego.v1\n\ndeny contains input.name if input.bad\n\nwarn contains input.name\n",
}


@pytest.fixture
def bundle(tmp_path):
    for name, text in RULES.items():
        (tmp_path / name).write_text(text)
    return read_bundle([tmp_path])


class Evaluation:
    """What OPA would say: every rule asked names the document; ``fails`` and ``hangs`` say which rules do not, on which documents."""

    def __init__(self, entry, script):
        self.digest = entry.digest
        self.keys = {number: key for key, number in entry.rules.items()}
        self.fails = lambda _rule, _body: False
        self.hangs = lambda _rule, _body: False
        self.script = script
        self.declared = []

    def __call__(self, rule, given):
        if rule == "state":
            self.script.drip = 0.2 if self.hangs(None, None) else 0.0
            return 200, {"result": {"bundle": self.digest, "declared": self.declared}}
        asked = [(self.keys[number], number, question["body"]) for question in given["questions"] for number in question["rules"]]
        for key, _, body in asked:
            if self.fails(key, body):
                location = {"file": self.file(key), "row": 5, "col": 1}
                errors = [{"code": "eval_builtin_error", "message": "div: divide by zero", "location": location}]
                return 500, {"code": "internal_error", "message": "error(s) occurred", "errors": errors}
        self.script.drip = 0.2 if any(self.hangs(key, body) for key, _, body in asked) else 0.0
        answers = [
            {"values": [[number, [f"{question['body']['name']}"]] for number in question["rules"]], "exempted": []}
            for question in given["questions"]
        ]
        return 200, {"result": {"bundle": self.digest, "answers": answers}}

    @staticmethod
    def file(key):
        return {("a",): "policies/0.rego", ("b",): "policies/1.rego"}[key[0]]


@pytest.fixture
def evaluation(bundle, script):
    script.answer = Evaluation(entry_of(bundle), script)
    return script.answer


@pytest.fixture
def engine(bundle, script, evaluation):
    return OpaServer(bundle, find_rules(bundle), Server(script.url, pause=lambda _: None))


def questions(count, rules=(0, 1, 2)):
    return [Question(json.dumps({"name": f"n{number}"}), rules) for number in range(count)]


def said(engine, asked):
    return [([index for index, _ in answer.values], [trouble.what for trouble in answer.troubles]) for answer in engine.ask(asked, LIMITS)]


def test_many_documents_are_judged_by_all_rules_in_one_request(engine, script):
    answers = list(engine.ask(questions(100), LIMITS))
    assert [answer.values for answer in answers[:2]] == [((0, ["n0"]), (1, ["n0"]), (2, ["n0"])), ((0, ["n1"]), (1, ["n1"]), (2, ["n1"]))]
    assert [rule for rule, _ in script.asked] == ["state", "answer"]


def test_batches_have_a_size(engine, script):
    big = [Question(json.dumps({"name": "x" * opa_engine.BATCH_BYTES}), (0,)) for _ in range(2)]
    assert len(said(engine, [*questions(250), *big])) == 252
    assert [len(given["questions"]) for rule, given in script.asked if rule == "answer"] == [100, 100, 51, 1]


def test_a_rule_that_cannot_be_evaluated_is_named_once_for_each_document_and_the_others_judge(engine, evaluation, script):
    evaluation.fails = lambda rule, body: rule == (("b",), "warn") and body["name"] in ("n3", "n5")
    found = said(engine, questions(8))
    assert [values for values, _ in found] == [[0, 1, 2]] * 3 + [[0, 1]] + [[0, 1, 2]] + [[0, 1]] + [[0, 1, 2]] * 2
    assert found[3][1] == found[5][1] == ["rule b/warn cannot be evaluated: div: divide by zero"]
    assert sum(bool(troubles) for _, troubles in found) == 2


def test_a_rule_that_always_fails_does_not_cost_a_request_for_each_other_rule(engine, evaluation, script):
    """What the error's place blames is asked alone; the other rules judge all documents in one request."""
    evaluation.fails = lambda rule, _body: rule[0] == ("a",)
    found = said(engine, questions(50))
    assert all(values == [1, 2] and len(troubles) == 1 for values, troubles in found)
    assert sum(rule == "answer" for rule, _ in script.asked) <= 2 + 2 * 50


def test_the_place_of_an_error_is_the_file_here(engine, evaluation, bundle):
    evaluation.fails = lambda rule, _body: rule[0] == ("a",)
    (answer,) = engine.ask(questions(1), LIMITS)
    assert answer.troubles[0].where == f"{bundle.modules[0].name}:5"


def test_a_rule_that_does_not_end_is_left_out_from_then_on(engine, evaluation, monkeypatch):
    monkeypatch.setattr(opa_engine, "SECONDS_OF_A_BATCH", 0.5)
    evaluation.hangs = lambda rule, body: rule == (("b",), "deny") and body["name"] == "n1"
    found = said(engine, questions(3))
    assert [values for values, _ in found] == [[0, 1, 2], [0, 2], [0, 2]]
    assert found[1][1] == ["rule b/deny: evaluation did not end within 0.3 s"]
    assert found[2][1] == ["rule b/deny was left out after it broke the engine"]


def test_a_server_that_hangs_is_no_engine(engine, evaluation, script, monkeypatch):
    """Not even the question for its bundle is answered: no rule is to blame, and no time is spent on finding one."""
    monkeypatch.setattr(opa_engine, "SECONDS_OF_A_BATCH", 0.3)
    evaluation.hangs = lambda _rule, _body: True
    with pytest.raises(PolicyError, match="does not answer within"):
        list(engine.ask(questions(3), LIMITS))
    assert len(script.asked) <= 3


def test_exceptions_are_those_of_the_package(engine, script, bundle):
    digest = entry_of(bundle).digest
    answers = [{"values": [], "exempted": [[0, "x"], [0, 7]]}]
    script.answer = lambda _rule, _given: (200, {"result": {"bundle": digest, "answers": answers}})
    (answer,) = engine.ask(questions(1), LIMITS)
    assert answer.exempted == ((("a",), "x"),)


@pytest.mark.parametrize(
    "answers",
    [
        None,
        [],
        [{"values": [], "exempted": []}] * 2,
        [{"values": []}],
        [{"values": [[99, []]], "exempted": []}],
        [{"values": [[2, []]], "exempted": []}],
        [{"values": 3, "exempted": []}],
        {"0": {}},
        [None],
    ],
    ids=str,
)
def test_an_answer_that_is_not_about_what_was_asked_is_no_pass(engine, script, bundle, answers):
    digest = entry_of(bundle).digest
    script.answer = lambda _rule, _given: (200, {"result": {"bundle": digest, "answers": answers}})
    with pytest.raises(PolicyError, match="not about the 1 documents"):
        list(engine.ask(questions(1, rules=(0, 1)), LIMITS))


def test_a_server_with_another_bundle_is_no_engine(script, evaluation, bundle):
    evaluation.digest = "0" * 64
    with pytest.raises(PolicyError, match="another bundle") as caught:
        OpaServer(bundle, find_rules(bundle), Server(script.url))
    assert caught.value.where == script.url
    assert "crossgate policy bundle" in caught.value.hint


def test_a_server_that_takes_another_bundle_between_two_batches_is_no_engine(engine, evaluation, script):
    judge = evaluation.__call__

    def change(rule, given):
        evaluation.digest = "1" * 64 if len(script.asked) > 2 else evaluation.digest
        return judge(rule, given)

    script.answer = change
    with pytest.raises(PolicyError, match="another bundle"):
        list(engine.ask(questions(150), LIMITS))


@pytest.mark.parametrize("answer", [{"result": None}, {"result": {}}, {"result": "x"}, {"result": {"bundle": None}}], ids=str)
def test_a_server_of_something_else_is_no_engine(script, bundle, answer):
    script.answer = lambda _rule, _given: (200, answer)
    with pytest.raises(PolicyError, match="another bundle"):
        OpaServer(bundle, find_rules(bundle), Server(script.url))


def test_the_digest_changes_with_a_rule_its_data_and_the_version_of_rego(bundle, tmp_path):
    digests = {entry_of(bundle).digest, entry_of(bundle, rego_v0=True).digest}
    (tmp_path / "data.json").write_text('{"x": 1}')
    digests.add(entry_of(read_bundle([tmp_path])).digest)
    (tmp_path / "a.rego").write_text(RULES["a.rego"] + "# changed\n")
    digests.add(entry_of(read_bundle([tmp_path])).digest)
    assert len(digests) == 4


def test_a_check_of_some_packages_asks_the_same_server(bundle, script, evaluation):
    """One server serves checks with and without --namespace."""
    engine = OpaServer(bundle, find_rules(bundle, ["b"]), Server(script.url))
    assert [rule.id for rule in engine.rules] == ["b/deny", "b/warn"]
    (answer,) = engine.ask(questions(1, rules=(1,)), LIMITS)
    assert answer.values == ((1, ["n0"]),)


def test_the_bundle_is_the_same_for_the_same_rules_and_owns_the_server(bundle):
    written, entry = archive(bundle)
    assert archive(bundle)[0] == written
    with tarfile.open(fileobj=BytesIO(written)) as tar:
        files = {member.name: tar.extractfile(member).read().decode() for member in tar}
    assert json.loads(files[".manifest"]) == {"revision": entry.digest, "roots": [""], "rego_version": 1}
    assert files["policies/0.rego"] == RULES["a.rego"]
    assert f'bundle := "{entry.digest}"' in files["crossgate_entry.rego"]


@pytest.mark.parametrize("declared", [1, [1], [[1, 2]], [["x", [], 1]], [[[], "kinds", []]], [[0, "severity", "note"]], {"a": 1}], ids=str)
def test_a_state_out_of_form_is_no_engine(script, bundle, evaluation, declared):
    """It says what rules want to see: what cannot be read there could be a rule that is asked about nothing."""
    evaluation.declared = declared
    with pytest.raises(PolicyError, match="not in form"):
        OpaServer(bundle, find_rules(bundle), Server(script.url))
