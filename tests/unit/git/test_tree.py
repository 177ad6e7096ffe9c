"""The files of a tree: in order, through links, and never under a name that leads elsewhere."""

from __future__ import annotations

import stat

from crossgate.git import Entry, Tree


def tree(**entries: str) -> Tree:
    """Make a tree; a content that starts with ``->`` is a link."""
    modes = {name: stat.S_IFLNK if text.startswith("->") else stat.S_IFREG | 0o644 for name, text in entries.items()}
    return Tree({name: Entry(modes[name], text.removeprefix("->")) for name, text in entries.items()}, lambda blob, _limit=0: blob.encode())


def test_files_come_depth_first_in_the_order_of_their_names() -> None:
    """A folder stands among files by its name alone, as on disk: "b" before "b.yaml", though git sorts it behind."""
    given = tree(**{"b.yaml": "1", "b/c.yaml": "2", "a.yaml": "3", "b/a/z.yaml": "4", "other/x.yaml": "5"})
    assert [path for path, _ in given.files("")] == ["a.yaml", "b/a/z.yaml", "b/c.yaml", "b.yaml", "other/x.yaml"]
    assert list(given.files("b/a")) == [("b/a/z.yaml", "b/a/z.yaml")]
    assert list(given.files("nowhere")) == []


def test_links_are_followed_and_each_real_file_comes_once() -> None:
    """Below a link files have the name that they are reached by; one that goes in a circle or out of the tree holds nothing."""
    given = tree(**{"a/link": "->../b", "b/x.yaml": "1", "b/y": "->x.yaml", "a/up": "->..", "a/out": "->../../etc", "a/circle": "->circle"})
    assert list(given.files("a")) == [("a/link/x.yaml", "b/x.yaml")]
    assert list(given.files("b/y")) == [("b/y", "b/x.yaml")]


def test_names_that_git_would_not_make_lead_nowhere_else() -> None:
    """A made-up tree may hold ``..``: such a file would be read under a name outside of its folder."""
    given = tree(**{"dist/../policies/a.yaml": "1", "dist/./b.yaml": "2", "dist//c.yaml": "3", "../d.yaml": "4", "dist/e.yaml": "5"})
    assert list(given.files("dist")) == [("dist/e.yaml", "dist/e.yaml")]
    assert [path for path, _ in given.files("")] == ["dist/e.yaml"]
