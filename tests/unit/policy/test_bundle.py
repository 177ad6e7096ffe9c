from __future__ import annotations

import os

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.errors import PolicyError
from crossgate.policy.bundle import read_bundle


def test_modules_tests_and_data_are_told_apart(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.rego").write_text("package x")
    (tmp_path / "a" / "x_test.rego").write_text("package x_test")
    (tmp_path / "a" / "data.yaml").write_text("limit: 3")
    (tmp_path / "data.json").write_text('{"root": 1}')
    (tmp_path / "waivers.yaml").write_text("waivers: []")
    bundle = read_bundle([tmp_path], tests=True)
    assert read_bundle([tmp_path]).tests == ()
    assert [module.path.name for module in bundle.modules] == ["x.rego"]
    assert [module.path.name for module in bundle.tests] == ["x_test.rego"]
    assert bundle.data == {"a": {"limit": 3}, "root": 1}


def test_extra_data_is_merged_from_the_root(tmp_path):
    (tmp_path / "x.rego").write_text("package x")
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "teams.yaml").write_text("teams: {fraud: 1}")
    assert read_bundle([tmp_path / "x.rego"], [extra]).data == {"teams": {"fraud": 1}}


def test_the_digest_changes_with_policies_and_data_and_not_with_tests_or_places(tmp_path):
    def digest(name, **files):
        folder = tmp_path / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file.replace("__", ".")).write_text(text)
        return read_bundle([folder]).digest

    base = digest("a", x__rego="package x")
    assert digest("b", x__rego="package x") == base
    assert digest("c", x__rego="package x", x_test__rego="package t") == base
    assert digest("d", x__rego="package x ") != base
    assert digest("e", x__rego="package x", data__json="{}") != base


@pytest.mark.parametrize(
    "make", [lambda path: None, lambda path: path.mkdir(), lambda path: (path.mkdir(), (path / "a_test.rego").write_text(""))]
)
def test_no_policies_is_an_error_never_an_empty_bundle(tmp_path, make):
    make(tmp_path / "p")
    with pytest.raises(PolicyError, match="no policies found"):
        read_bundle([tmp_path / "p"])


def test_no_folder_at_all_is_an_error():
    with pytest.raises(PolicyError, match="no policies found"):
        read_bundle([])


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [("x.rego", b"\xff", "not UTF-8"), ("data.json", b"{", "cannot read the data"), ("data.yaml", b"[1]", "not an object")],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, content, what):
    (tmp_path / "ok.rego").write_text("package x")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PolicyError) as caught:
        read_bundle([tmp_path])
    assert what in caught.value.what
    assert name in caught.value.where


def test_data_files_that_disagree_are_an_error(tmp_path):
    (tmp_path / "x.rego").write_text("package x")
    (tmp_path / "data.json").write_text('{"a": 1}')
    (tmp_path / "data.yaml").write_text("a: 2")
    with pytest.raises(PolicyError, match="different values"):
        read_bundle([tmp_path])


def test_a_pipe_among_the_policies_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "p.rego")
    with pytest.raises(PolicyError, match="pipe"):
        read_bundle([tmp_path])


def test_links_among_policies_lead_nowhere_twice(tmp_path):
    """Two links to the folder that they stand in make 2 to the power of 40 folders to search."""
    (tmp_path / "p" / "deep").mkdir(parents=True)
    (tmp_path / "p" / "x.rego").write_text("package x")
    for name in ("a", "b", "deep/c", "deep/d"):
        (tmp_path / "p" / name).symlink_to(tmp_path / "p")
    assert len(read_bundle([tmp_path / "p"]).modules) == 1


def test_links_that_multiply_are_refused(tmp_path):
    """Each folder holds two links to the next: none leads back, and there are 2 to the power of 20 ways."""
    for number in range(20):
        (tmp_path / f"{number}").mkdir()
        for name in "ab":
            (tmp_path / f"{number}" / name).symlink_to(tmp_path / f"{number + 1}")
    (tmp_path / "20").mkdir()
    with pytest.raises(PolicyError, match="more than 10,000 folders"):
        read_bundle([tmp_path / "0"])


def test_a_folder_that_cannot_be_read_is_no_empty_one(tmp_path, monkeypatch):
    """The rule that refuses could stand there. (Who runs tests as root may read everything.)"""
    (tmp_path / "closed").mkdir()
    (tmp_path / "a.rego").write_text("package a")
    scan = os.scandir

    def closed(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(PolicyError, match="Permission denied"):
        read_bundle([tmp_path])


def test_a_report_says_the_same_from_every_folder(tmp_path, monkeypatch):
    """A rule over several objects that names none of them is told at its own place, which hung on the working folder."""
    (tmp_path / "policies").mkdir()
    (tmp_path / "dist").mkdir()
    (tmp_path / "crossgate.toml").write_text("")
    (tmp_path / "policies" / "a.rego").write_text(
        "# METADATA\n# title: t\n# description: d\n# custom: {severity: error, reason: R, remediation: m, input: estate}\n"
        'package crossgate.a.b\n\nimport rego.v1\n\ndeny contains {"msg": "m", "path": []} if count(input) > 0\n'
    )
    (tmp_path / "dist" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    places = []
    for folder in (tmp_path, tmp_path / "dist", tmp_path.parent):
        monkeypatch.chdir(folder)
        report = check(config=Config.find(tmp_path))
        places += [str(finding.place) for finding in report.findings if finding.rule == "a/b"]
    assert places == ["policies/a.rego:5"] * 3
