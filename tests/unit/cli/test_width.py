"""What verbs about policies print stays within the terminal's columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from crossgate.cli import crossgate
from crossgate.cli.width import page, row

POLICIES = Path(__file__).parents[3] / "policies"


def test_the_last_cell_goes_on_below_itself():
    assert row("a/b  error  ", "one two three four five six seven", 36) == ("a/b  error  one two three four five\n            six seven")
    assert row("a/b  ", "") == "a/b"


def test_a_page_is_filled_anew_but_for_code_and_tables():
    """A command or a manifest that is broken in two is another one."""
    kept = "```yaml\nx: a very long line of code\n```\n"
    title = "# A heading that is longer than the page is wide"
    markdown = f"{title}\n\nfour words and\nfour more\n\n- an item that goes on\n  here\n- b\n\n{kept}"
    assert page(markdown, 30) == f"{title}\n\nfour words and four more\n\n- an item that goes on here\n- b\n\n{kept}"
    assert page("one two three four five six\n- seven eight nine ten eleven twelve\n", 30).splitlines() == [
        "one two three four five six",
        "- seven eight nine ten eleven",
        "  twelve",
    ]


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["explain", "network/open-cidr"], ["explain", "workload/image-pinned"], ["export", "gatekeeper"]],
    ids=lambda arguments: arguments[0],
)
def test_nothing_is_wider_than_the_terminal(arguments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(crossgate, ["policy", *arguments, "--policy", str(POLICIES)])
    text = result.stderr if arguments[0] == "export" else result.stdout
    wide = [line for line in text.splitlines() if len(line) > 80]
    assert text
    assert wide == []
