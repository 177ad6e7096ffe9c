"""Faults, encodings and places: what reading says where it cannot or will not go on."""

from __future__ import annotations

import pytest

from crossgate.errors import LoadError
from crossgate.load import load_text
from crossgate.load.reading import MAX_DOCUMENT, MAX_DOCUMENTS, read


def bodies(text: str | bytes) -> list[object]:
    return [document.body for document in load_text(text)]


def fault(text: str | bytes) -> LoadError:
    with pytest.raises(LoadError) as caught:
        load_text(text, "claim.yaml")
    return caught.value


@pytest.mark.parametrize(
    ("text", "where", "what", "hint"),
    [
        ("a:\n\tb: 1\n", "claim.yaml:2:1", "a tab cannot indent", "indent with spaces"),
        ("a: {{ .Values.x }}\n", "claim.yaml:1:5", "cannot be a key", "render it first"),
        ("{{- if .Values.x }}\nkind: A\n{{- end }}\n", "claim.yaml:1:", "", "render it first"),
        ("a: 1\n--- b: 2\n", "claim.yaml:2:1", "only a comment may follow '---'", "a line of its own"),
        ("a: b: c\n", "claim.yaml:1:5", "cannot stand here", ""),
        ("a: 1\n  b: 2\n", "claim.yaml:2:4", "cannot stand here", ""),
        ("a: [1, 2\n", "claim.yaml:2:1", "',' or ']' is missing", ""),
        ('a: "x\n', "claim.yaml:1:4", 'the closing " is missing', ""),
        ('a: "\\q"\n', "claim.yaml:1:5", "is not an escape", ""),
        ("a: *x\n", "claim.yaml:1:4", "has no anchor above", ""),
        ("ok: 1\n---\nv: .inf\n", "claim.yaml:3:4", "infinity", ""),
        ("a: !!int x\n", "claim.yaml:1:4", "not of the type", ""),
        ("null: 1\n", "claim.yaml:1:1", "null cannot be a key", ""),
        ("a: x\0y\n", "claim.yaml:1:5", "U+0000", "binary"),
        ("a: \x01\n", "claim.yaml:1:4", "U+0001", "escape"),
        (b"\x89PNG\r\n\x1a\n\0\0", "claim.yaml:1:1", "not valid UTF-8", "binary"),
        (b"a: caf\xe9\n", "claim.yaml:1:7", "not valid UTF-8", "UTF-8"),
        ("%YAML 1.1\na: 1\n", "claim.yaml:2:1", "followed by '---'", ""),
        ("a: &x [*x]\n", "claim.yaml:1:8", "contains itself", ""),
    ],
)
def test_a_fault_names_the_place_and_the_way_out(text: str | bytes, where: str, what: str, hint: str) -> None:
    error = fault(text)
    assert error.where.startswith(where)
    assert what in error.what
    assert hint in error.hint


def test_the_documents_before_a_fault_are_kept() -> None:
    error = fault("kind: A\n---\nkind: B\n---\nkind: [\n---\nkind: D\n")
    assert [document.body for document in error.documents] == [{"kind": "A"}, {"kind": "B"}]


def test_a_faulty_separator_loses_the_document_before_it_as_in_the_real_reader() -> None:
    assert fault("kind: A\n---\nkind: B\n---x\nkind: C\n").documents[-1].body == {"kind": "A"}


def test_bytes_text_marks_and_line_ends_read_the_same() -> None:
    """Windows editors write a mark and CR LF; each document may start with a mark of its own."""
    want = [{"kind": "A"}, {"kind": "Bé"}]
    text = "kind: A\n---\nkind: Bé\n"
    for variant in (text, "\ufeff" + text, text.replace("\n", "\r\n"), "kind: A\n---\n\ufeffkind: Bé\n", "kind: A\n---\nkind: Bé"):
        assert bodies(variant) == bodies(variant.encode()) == want


def test_utf16_is_read_where_the_real_reader_manages_it() -> None:
    """apimachinery cuts lines by bytes, so only big-endian text that ends with a line break survives."""
    text = "kind: A\nv: é\n"
    assert bodies(b"\xfe\xff" + text.encode("utf-16-be")) == [{"kind": "A", "v": "é"}]
    assert "UTF-16" in fault(b"\xff\xfe" + text.encode("utf-16-le")).what


def test_lines_are_those_of_the_file() -> None:
    """A document's line is that of its first content, behind separators, comments and empty lines."""
    text = "# first\n\na: 1\n--- # note\n\n# about b\nb: 2\n---\n---\n\nc: !!str 3\n"
    assert [document.line for document in load_text(text)] == [3, 7, 11]


def test_text_behind_the_end_of_a_document_is_told_and_read() -> None:
    """The cluster ignores it without a word, so it could hide anything from a reader of the file."""
    reading = read("a: 1\n...\nb: 2\n---\nc: 3\n", "f.yaml")
    assert [document.body for document in reading.documents] == [{"a": 1}, {"c": 3}]
    assert [document.body for document in reading.hidden] == [{"b": 2}]
    assert [str(place) for place in reading.ignored] == ["f.yaml:3:1"]
    assert str(reading.hidden[0].place(("b",))) == "f.yaml:3:1"


@pytest.mark.parametrize(
    "text", ["a: 1\r---\rb: 2\n", '{"a": 1}\n{"b": 2}\n', '{"a": 1} {"b": 2}\n', "  a: 1\nb: 2\n", '"a": 1\n...\n# c\n%x\n']
)
def test_every_way_to_leave_text_behind_is_found(text: str) -> None:
    reading = read(text, "f")
    assert reading.fault is None
    assert len(reading.ignored) == 1


@pytest.mark.parametrize("text", ["a: 1\n...\n", "a: 1\n...\n# comment\n\n", "{a: 1}\n# end\n", "a: 1\n... # end\n...\n"])
def test_nothing_behind_the_end_is_no_fault(text: str) -> None:
    assert read(text, "f").ignored == []


def test_sizes_are_bounded() -> None:
    assert "3 MiB" in fault("a: " + "x" * MAX_DOCUMENT + "\n").what
    assert "20,000 documents" in fault("---\na: 1\n" * (MAX_DOCUMENTS + 1)).what


@pytest.mark.parametrize("text", ["[" * 10_000 + "]" * 10_000, "- " * 10_000 + "a\n", '{"a":' * 5_000 + "1" + "}" * 5_000, "? " * 10_000])
def test_depth_is_bounded(text: str) -> None:
    """Every later stage walks the value; none may run out of stack."""
    assert fault(text).what


def test_nesting_that_objects_have_is_no_matter() -> None:
    (document,) = load_text("[" * 300 + "]" * 300)
    assert str(document.body) == "[" * 300 + "]" * 300


def test_aliases_are_refused_when_they_are_nearly_everything() -> None:
    """The formula is go-yaml's: 99 % of the decoding steps of a small document may come from aliases."""
    level = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb = level + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 9))
    assert "aliases" in fault(bomb).what
    assert len(bodies(level + "b: [" + ", ".join(["*a0"] * 90) + "]\n")[0]["b"]) == 90  # type: ignore[index]


def test_a_chain_of_merges_is_bounded() -> None:
    chain = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: *a{i - 1}}}\n" for i in range(1, 2000))
    assert fault(chain).what


def test_a_mark_inside_a_document_is_refused_only_where_go_yaml_stumbles_over_it() -> None:
    assert bodies("a: x\ufeffy\nb: 2\n") == [{"a": "x\ufeffy", "b": 2}]
    assert "byte order mark" in fault("\ufeff\ufeffa: 1\nb: 2\n").what
    long = "a: " + "x" * 506 + "\n"
    assert "byte order mark" in fault(long + "\ufeffb: 1\n" + "c: 1\n" * 20).what
    assert bodies(long + "c: 1\n" * 20 + "d: \ufeffb\n" + "e: 1\n" * 1 + "f: 1\n")[0]["d"] == "\ufeffb"  # type: ignore[index]


def test_half_a_surrogate_pair_is_a_fault() -> None:
    assert "UTF-8" in fault("a: \ud83d\n").what
