"""The reading side of cases from public bug reports: what a gate must not overlook in files that clusters read well.

Cases 37, 38, 39 and 48 (lists, separators, templates, marks and suffixes), 54 and 55 (texts and file modes).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossgate.load import inventory_of, load_paths, load_text
from crossgate.load.write import to_yaml

RULE = "kind: FirewallRule\nmetadata: {name: open}\nspec: {forProvider: {cidr: 0.0.0.0/0}}\n"

STRINGS = [
    *("yes", "y", "Y", "n", "N", "no", "on", "off", "true", "null", "~", "1e3", "1E3", "1e+3", "5e-1", "0o7", "0777", "08", "1_000"),
    *("+12", ".5", "1.", "0x1F", "0b1", "12:30:00", "2024-01-01", ".inf", "=", "<<", "", "- a", "a: b", "#x", " x ", "1.10"),
    *("9007199254740993", "@x", "%x", "a\nb\n", "é", "\t"),
]


def kinds(text: str) -> list[Any]:
    return [document.body.get("kind") for document in inventory_of(text, "f.yaml").documents]


@pytest.mark.parametrize("separator", ["---", "--- ", "--- # second part", "---#x", "---\t", "\ufeff---", "---\n---\n# nothing\n---"])
def test_case_39_no_separator_hides_the_documents_behind_it(separator: str) -> None:
    """conftest passes two of these: it splits at a bare ``---`` only and drops everything behind."""
    if separator.startswith("\ufeff"):
        assert inventory_of(f"kind: ok\n{separator}\n{RULE}", "f.yaml").judgement.could_not_check
    else:
        assert kinds(f"kind: ok\n{separator}\n{RULE}") == ["ok", "FirewallRule"]


def test_case_39_text_behind_the_end_of_a_document_is_neither_silent_nor_unjudged() -> None:
    inventory = inventory_of(f"kind: ok\n...\n{RULE}", "f.yaml")
    assert kinds(f"kind: ok\n...\n{RULE}") == ["ok", "FirewallRule"]
    assert "manifest/ignored-text" in [finding.rule for finding in inventory.judgement.findings]


def test_case_39_a_document_on_the_separators_line_is_an_error() -> None:
    inventory = inventory_of("kind: ok\n--- {kind: FirewallRule}\n", "f.yaml")
    assert [item.where for item in inventory.judgement.could_not_check] == ["f.yaml:2:1"]


def test_case_37_objects_in_a_list_are_checked_and_empty_documents_are_not_counted() -> None:
    items = "".join(f"- {line}\n" if index == 0 else f"  {line}\n" for index, line in enumerate(RULE.splitlines()))
    assert kinds("apiVersion: v1\nkind: List\nitems:\n" + items) == ["FirewallRule"]
    assert kinds("---\n---\n# only a comment\n---\n" + RULE + "---\n") == ["FirewallRule"]


def test_case_38_a_template_is_an_error_and_a_document_without_kind_a_finding() -> None:
    (item,) = inventory_of("{{ if .Values.x }}\n" + RULE + "{{ end }}\n", "f.yaml").judgement.could_not_check
    assert "template" in item.hint
    assert {finding.rule for finding in inventory_of("foo: bar\n", "f.yaml").judgement.findings} == {"manifest/no-kind"}


def test_case_48_every_file_of_the_tree_is_read(tmp_path: Path) -> None:
    """Marks, CR LF, suffixes in any case, hidden files and links: each of them passed some gate unseen."""
    contents = {
        "UPPER.YAML": RULE,
        "bom-second.yaml": "kind: ok\n---\n\ufeff" + RULE,
        "bom.yaml": "\ufeff" + RULE,
        "crlf.yaml": ("kind: ok\n---\n" + RULE).replace("\n", "\r\n"),
        "short.yml": RULE,
        ".hidden.yaml": RULE,
        "rule.json": '{"kind":"FirewallRule","metadata":{"name":"open"},"spec":{"forProvider":{"cidr":"0.0.0.0/0"}}}',
        "sub/deep.yaml": RULE,
        "notes.txt": RULE,
    }
    for name, text in contents.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    (tmp_path / "link.yaml").symlink_to("sub/deep.yaml")
    documents = load_paths([tmp_path], root=tmp_path).documents
    violating = [document.file for document in documents if document.body["kind"] == "FirewallRule"]
    assert sorted(violating) == sorted(set(contents) - {"notes.txt"})


def test_case_48_concatenated_json_is_an_error_and_not_skipped() -> None:
    inventory = inventory_of('{"kind":"ok"}\n{"kind":"FirewallRule"}\n', "two.json")
    assert [str(finding.place) for finding in inventory.judgement.findings if finding.rule == "manifest/ignored-text"] == ["two.json:2:1"]
    assert [document.body["kind"] for document in inventory.documents] == ["ok", "FirewallRule"]


def test_case_54_strings_stay_strings_as_values_and_as_keys() -> None:
    body = {"data": {f"k{index}": text for index, text in enumerate(STRINGS)}, "keys": dict.fromkeys(STRINGS, "x")}
    (document,) = load_text(to_yaml([body]))
    assert document.body == body
    assert {type(value) for value in document.body["data"].values()} == {str}


@pytest.mark.parametrize(("mode", "value"), [("0644", 420), ("0o644", 420), ("644", 644), ('"0644"', "0644"), ("0888", 888)])
def test_case_55_file_modes_are_read_as_kubernetes_reads_them(mode: str, value: int | str) -> None:
    (document,) = load_text(f"defaultMode: {mode}\n")
    assert document.body == {"defaultMode": value}
    assert to_yaml([document.body]) == f"defaultMode: {value if isinstance(value, int) else repr(value).replace(chr(39), chr(34))}\n"
