"""How a file is cut into documents, line by line, before any YAML is parsed."""

from __future__ import annotations

import pytest

from crossgate.load.split import SplitError, split


def chunks(text: str) -> list[tuple[str, int]]:
    return [(chunk.text, chunk.line) for chunk in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", [("a\n", 0)]),
        ("a\n---\nb\n", [("a\n", 0), ("b\n", 2)]),
        ("a\n--- \nb\n", [("a\n", 0), ("b\n", 2)]),
        ("a\n---# c\nb\n", [("a\n", 0), ("b\n", 2)]),
        ("a\n---\t # c\nb", [("a\n", 0), ("b\n", 2)]),
        ("---\na\n", [("---\na\n", 0)]),
        ("---\n---\na\n", [("---\n", 0), ("a\n", 2)]),
        ("a\n---\n---\nb\n", [("a\n", 0), ("---\nb\n", 2)]),
        ("a\n---", [("a\n", 0)]),
        ("a\n---\n", [("a\n", 0)]),
        ("a: |\n  x\n  ---\n", [("a: |\n  x\n  ---\n", 0)]),
        ("a: '\n---\n'\n", [("a: '\n", 0), ("'\n", 2)]),
        ("a\r---\rb\n", [("a\r---\rb\n", 0)]),
    ],
)
def test_a_line_that_starts_with_three_dashes_ends_a_document(text: str, expected: list[tuple[str, int]]) -> None:
    assert chunks(text) == expected


@pytest.mark.parametrize("text", ["--- a\n", "a\n---b\n", "a\n----\n", "a\n--- |\n"])
def test_nothing_but_a_comment_may_follow(text: str) -> None:
    with pytest.raises(SplitError):
        chunks(text)
