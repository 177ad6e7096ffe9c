from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.model import Severity
from crossgate.policy import Policies

POLICIES = Path(__file__).parents[3] / "policies"


def warnings(judgement):
    return [(finding.reason, finding.place.line, finding.message) for finding in judgement.findings if finding.severity is Severity.WARNING]


def test_a_message_that_prints_a_field_some_objects_lack_is_warned_about(judge):
    found = warnings(
        judge(
            'deny contains msg if {\n\tinput.kind == "A"\n\tmsg := sprintf("%s/%s", [input.metadata.namespace, input.metadata.name])\n}\n'
        )
    )
    assert found == [("MESSAGE_CAN_VANISH", 7, "main/deny: the rule cannot fire when metadata.namespace is absent")]


@pytest.mark.parametrize(
    "text",
    [
        'deny contains msg if {\n\tinput.metadata.namespace == "x"\n\tmsg := sprintf("%s", [input.metadata.namespace])\n}\n',
        'deny contains msg if {\n\tinput.spec.list[0].a\n\tmsg := sprintf("%v", [input.spec.list])\n}\n',
        'deny contains sprintf("%s", [object.get(input, ["metadata", "namespace"], "-")])\n',
        'deny contains sprintf("%s %s %s", [input.kind, input.metadata.name, input.apiVersion])\n',
        'deny contains msg if {\n\tsome c in input.spec.containers\n\tmsg := sprintf("%s", [c.name])\n}\n',
        'other contains sprintf("%s", [input.spec.x])\n\ndeny contains "x" if count(other) > 0\n',
    ],
)
def test_messages_that_cannot_vanish_are_not(judge, text):
    assert warnings(judge(text)) == []


def test_a_field_that_is_only_denied_is_not_there(judge):
    assert warnings(judge('deny contains msg if {\n\tnot input.spec.x.y\n\tmsg := sprintf("%s", [input.spec.x])\n}\n'))


def test_keys_in_brackets_are_fields_too(judge):
    assert warnings(judge('deny contains sprintf("%s", [input.metadata.labels["a-b"]])'))[0][2].endswith("metadata.labels.a-b is absent")


def test_sprintf_without_array_is_warned_about_and_silent_as_in_opa(judge):
    judgement = judge('deny contains sprintf("ä too many: %v", input.gpus) if input.gpus\n', {"gpus": 9}, {"gpus": ["as a list"]})
    assert ("SPRINTF_WITHOUT_ARRAY", 5, "main/deny: sprintf: the second argument must be an array") in warnings(judgement)
    assert [finding.message for finding in judgement.findings if finding.severity is Severity.ERROR] == ["ä too many: as a list"]
    assert not judgement.could_not_check


def test_a_guard_before_an_imported_name_leaves_it_in_its_place(tmp_path, resource):
    (tmp_path / "lib.rego").write_text('package lib\n\nword := "yes"\n')
    (tmp_path / "main.rego").write_text(
        "package main\n\nimport data.lib\n\nimport rego.v1\n\n"
        'deny contains sprintf("%v", input.gpus) if {\n\tinput.gpus\n}\n\ndeny contains lib.word\n'
    )
    judgement = Policies.load([tmp_path]).judge([resource({"gpus": 9})])
    assert [finding.message for finding in judgement.findings if finding.severity is Severity.ERROR] == ["yes"]
    assert not judgement.could_not_check


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import data.nothing\n\ndeny contains x if some x in nothing.list\n", "data.nothing"),
        ("import data.lists.typo\n\ndeny contains x if some x in typo\n", "data.lists.typo"),
        ('deny contains "x" if input.kind in data.lists.typo.deeper\n', "data.lists.typo.deeper"),
    ],
)
def test_data_that_nothing_defines_is_warned_about(tmp_path, resource, text, name):
    """In Rego it is undefined and no error: the rule passes everything, and neither engine says a word."""
    (tmp_path / "main.rego").write_text(f"package main\n\nimport rego.v1\n\n{text}")
    (tmp_path / "lists.rego").write_text('package lists\n\nallowed := ["a"]\n')
    (finding,) = Policies.load([tmp_path]).judge([resource({})]).findings
    assert (finding.rule, finding.place.line, finding.severity) == ("policy/undefined-data", 5, Severity.WARNING)
    assert name in finding.message


def test_data_that_something_defines_is_not(tmp_path, resource):
    (tmp_path / "main.rego").write_text(
        "package main\n\nimport rego.v1\n\nimport data.lists\nimport data.lists.allowed\nimport data.files.from as given\n\n"
        "# data.in.comments and\n"
        'deny contains "data.in.texts" if {\n\tsome x in data.lists.allowed\n\tx in data.files.from.deep.deeper\n'
        "\tdata.main.f(x)\n\tinput.data.x\n}\n\n"
        "f(x) if x\n"
    )
    (tmp_path / "lists.rego").write_text('package lists\n\nallowed := ["a"]\n')
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "data.yaml").write_text("from: {deep: [a]}\n")
    assert Policies.load([tmp_path]).judge([resource({})]).findings == ()


def test_the_pack_itself_is_not_warned_about():
    assert Policies.load([POLICIES]).advice == ()
