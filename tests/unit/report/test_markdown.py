"""A comment on a pull request whose author writes half of its words: it stays the gate's own, under the limit, and reads in ten seconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from crossgate.model import CouldNotCheck, Finding, Identity, Place, Report, Severity
from crossgate.report import inert
from crossgate.report.markdown import MARK, plan_to_markdown, to_markdown
from crossgate.report.markdown.sections import LIMIT, Section, fitted
from crossgate.report.markdown.text import code, fence, prose, row

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

LINKED = re.compile(r"@\w|\w#|#\d|GH-\d|://|www\.|[0-9a-f]{7}|:\w+:|<|\$")
"""What GitHub makes links, mentions, pictures and formulas of after Markdown is read."""


def tokens(text: str) -> Iterator[Token]:
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


def outline(text: str) -> list[str]:
    """Return what a document is made of, without its words."""
    found: list[str] = []
    for token in tokens(text):
        if token.type in ("text", "code_inline", "softbreak"):
            if found[-1:] != ["words"]:
                found.append("words")
        elif token.type in ("html_block", "html_inline"):
            found.append(re.sub(r"<code>[^<]*</code>", "<code>", token.content))
        elif token.type != "inline":
            found.append(f"{token.type} {token.info}")
    return found


@settings(max_examples=60)
@given(data=st.data())
def test_nothing_that_a_pull_request_says_is_more_than_words(
    data: st.DataObject, everything: Report, hostile: st.SearchStrategy[str], replaced: Callable[[Any, Callable[[], str]], Any]
) -> None:
    """The structure of the comment does not depend on names, values and messages, and none of them makes a link or a mention."""
    word = data.draw(hostile)
    text = to_markdown(replaced(everything, lambda: word))
    assert outline(text) == outline(to_markdown(replaced(everything, lambda: "x")))
    assert text.startswith(f"{MARK}\n")
    for token in tokens(text):
        if token.type == "text":
            # each stays alone what it is: our own numbers and arrows, and plain words
            assert not LINKED.search(token.content), token.content
    shown = text.replace("\n", "")
    assert shown.isprintable(), "what hides is written as its escape"


@given(data=st.data())
def test_code_shows_the_text_and_nothing_else(data: st.DataObject, hostile: st.SearchStrategy[str]) -> None:
    text = data.draw(hostile)
    [paragraph, inline, _] = READER.parse(f"x {code(text)} y")
    assert paragraph.type == "paragraph_open"
    assert [child.type for child in inline.children or ()] == ["text", "code_inline", "text"]
    cells = READER.parse(f"| a | b |\n|---|---|\n{row(code(text), prose(text))}")
    assert [token.type for token in cells if token.type in ("td_open", "tr_open")] == ["tr_open", "tr_open", "td_open", "td_open"]


def test_a_code_span_keeps_pipes_and_backticks_as_they_are() -> None:
    [_, inline, _] = READER.parse(code("a `b` || c\\"))
    assert [child.content for child in inline.children or ()] == ["a `b` || c\\"]
    cell = next(token for token in tokens(f"| a |\n|---|\n{row(code('a|`b'))}") if token.type == "code_inline")
    assert cell.content == "a|`b"


def test_no_line_closes_its_fence() -> None:
    text = fence(["a", "```", "  ````  ", "~~~"], "diff")
    assert [(token.type, token.content) for token in READER.parse(text)] == [("fence", "a\n```\n  ````  \n~~~\n")]


def test_sentences_stay_readable() -> None:
    assert prose('authorized network "0.0.0.0/0" is the whole Internet.') == 'authorized network `"0.0.0.0/0"` is the whole Internet.'
    assert prose("ask @alice, then (maybe) close #1") == "ask `@alice`, then (maybe) close `#1`"
    assert prose("3 of them don't fit") == "3 of them don't fit"
    assert prose("Cluster a-1: spec.size shrinks") == "Cluster `a-1`: `spec.size` shrinks", "a name and a field are two things"
    assert prose(said := "cost 8244.92 of 40000 USD (crossgate cost --by claim)") == said
    assert prose("at 1234567 and 8244.9212345 and --") == "at `1234567` and `8244.9212345` and `--`", "the first is a commit to GitHub"


def test_ten_seconds(everything: Report) -> None:
    """What is dangerous, what it costs and who owns it stands above everything else, in under 1,500 signs."""
    top = to_markdown(everything).partition("\n#### ")[0]
    for said in ("could not check", "2 new errors", "1 × destroys", "+407.90 USD a month", "`@example/fraud`"):
        assert said in top
    assert len(top) < 1500


def test_a_clean_report_is_short() -> None:
    text = to_markdown(Report(counts={"files": 1}, versions={"tool": "0.1.0"}))
    assert "✅ crossgate passes" in text
    assert len(text) < 300


@pytest.mark.parametrize("number", [1, 40, 4000])
def test_a_comment_fits_whatever_there_is_to_say(everything: Report, number: int) -> None:
    """GitHub refuses a longer comment as a whole. What is left out is counted, and of each kind there is something."""
    of = Identity("v1", "ConfigMap", "n", "c")
    found = [Finding("a/b", "", Severity.ERROR, "ünïcödé " * 60, Place(f"dist/{n}.yaml", 1), of) for n in range(number)]
    unread = [CouldNotCheck("words " * 50, f"dist/{n}.yaml", "hint") for n in range(number)]
    plan = everything.plan
    assert plan is not None
    plan = replace(plan, claims=tuple(replace(plan.claims[1], place=Place(f"dist/{n}.yaml", 1)) for n in range(number)))
    text = to_markdown(replace(everything, findings=tuple(found), could_not_check=tuple(unread), plan=plan))
    assert len(text.encode()) <= LIMIT < 65_536
    assert text.count("<details>") == text.count("</details>") == sum(token.content.count("<details>") for token in tokens(text))
    for noun, sign, total in (
        ("findings", r"^- \*\*error\*\* ", number),
        ("things that could not be checked", r"^- words", number),
        ("changed objects", r"<summary><b>change</b>", number),
        ("dangerous changes", r"^- \*\*[a-z-]+\*\* [^—]+ — `dist", 3 * number),
    ):
        left_out = re.search(rf"\*\*(\d+)\*\* {noun} left out here to fit into a comment", text)
        shown = len(re.findall(sign, text, re.MULTILINE))
        assert 0 < shown == total - int(left_out[1] if left_out else 0), noun


def test_what_is_made_inert_counts() -> None:
    """A sign that could start a command of a CI log takes five bytes more once it is written."""
    text = fitted("", [Section("head", ["##[x] " * 100] * 200, "blocks", 1)], "", "that")
    assert 50_000 < len(inert(text).encode()) <= LIMIT


def test_a_huge_claim_does_not_push_out_the_others(everything: Report) -> None:
    assert everything.plan is not None
    first, *others = everything.plan.claims
    many = tuple(replace(first.resources[0], before=Identity("v1", "Thing", "", "n" * 200)) for _ in range(5000))
    text = plan_to_markdown(replace(everything.plan, claims=(replace(first, resources=many), *others)))
    assert "more lines" in text
    assert "<code>ModelService ml-team-fraud/embed</code>" in text


def test_blocks_are_never_cut() -> None:
    blocks = ["a" * 40_000, "b" * 40_000, "c"]
    text = fitted("start", [Section("head", blocks, "blocks", 1)], "end", "that")
    assert "a" * 40_000 in text
    assert "b" not in text.replace("blocks", "")
    assert "\nc" in text, "what is small enough is shown"
    assert "**1** blocks left out" in text
