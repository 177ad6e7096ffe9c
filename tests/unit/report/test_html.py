"""One page of HTML in which a pull request's author writes half of the words: none of them is more than a word."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgate.model import Identity, Place, Report, Role, Subject
from crossgate.report import write
from crossgate.report.html import items, plan_to_html, to_html
from crossgate.report.html.elements import element
from crossgate.report.plan import write as write_plan

ADDRESSES = ("href", "src", "action", "style", "srcdoc")


class Outline(HTMLParser):
    """What a page is made of: its elements with their attributes, without texts and what the filters ask for."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.links: list[str] = []
        self.texts: dict[str, str] = {}
        self._inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        if tag == "mark" or (tag == "span" and not attrs):
            return  # marks what differs in two values
        fixed = [f"{name}={value}" if name in ("class", "id", "type", "rel") else name for name, value in attrs]
        self.links += [value or "" for name, value in attrs if name in ADDRESSES]
        self.parts.append(f"<{tag} {' '.join(fixed)}>")

    def handle_comment(self, data: str) -> None:
        self.parts.append("comment")

    def handle_data(self, data: str) -> None:
        self.texts[self._inside] = self.texts.get(self._inside, "") + data


def entries(text: str) -> dict[str, list[dict[str, str]]]:
    """Return the entries that wait in the block of JSON."""
    block = re.search(r'<script type="application/json" id="waiting">(.*?)</script>', text, re.DOTALL)
    assert block is not None
    assert not re.search("[<>&\u2028\u2029]", block[1])
    read: dict[str, list[dict[str, str]]] = json.loads(block[1])
    return read


@pytest.mark.parametrize("standing", [0, 200])
@settings(max_examples=40)
@given(data=st.data())
def test_nothing_that_a_pull_request_says_is_more_than_words(
    standing: int,
    data: st.DataObject,
    everything: Report,
    hostile: st.SearchStrategy[str],
    replaced: Callable[[Any, Callable[[], str]], Any],
) -> None:
    """The elements of the page, and of the entries that wait in it, do not depend on names, values and messages."""
    word = data.draw(hostile)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(items, "STANDING", standing)
        text, plain = (to_html(replaced(everything, lambda word=word: word)) for word in (word, "x"))  # type: ignore[misc]
    page, expected = Outline(text), Outline(plain)
    assert page.parts == expected.parts
    assert all(link.startswith(("#", "https://")) or link == "data:," for link in page.links)
    for name, waiting in entries(text).items():
        for entry, same in zip(waiting, entries(plain)[name], strict=True):
            assert Outline(entry["h"]).parts == Outline(same["h"]).parts
    assert all(sign.isprintable() or sign == "\n" for sign in text)


def test_only_the_pages_own_style_and_script_count(everything: Report) -> None:
    """Also after ``write`` has made workflow commands inert: a changed sign in the script would keep it from running."""
    assert everything.plan is not None
    for text in (write(everything, "html"), write_plan(everything.plan, "html")):
        style, script = (re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL) for tag in ("style", "script"))
        assert len(style) == len(script) == 1
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        assert policy is not None
        digests = [base64.b64encode(hashlib.sha256(part[0].encode()).digest()).decode() for part in (style, script)]
        assert policy[1].replace("&#x27;", "'").split("; ") == [
            "default-src 'none'",
            f"style-src 'sha256-{digests[0]}'",
            f"script-src 'sha256-{digests[1]}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]


def test_it_asks_for_nothing(everything: Report) -> None:
    text = to_html(everything)
    assert not re.search(r"<(img|iframe|object|embed|link rel=\"(?!icon)|script src|base)", text)
    assert re.findall(r"https?://[^\"\s<]+", text) == ["https://docs.example.org/rules/network/open-cidr"], "a link that is pressed"


@pytest.mark.parametrize("link", ["javascript:alert(1)", "http://x", "data:text/html,x", "//x", " https://x"])
def test_only_a_secure_address_is_a_link(everything: Report, link: str) -> None:
    found = replace(everything.findings[0], link=link)
    assert Outline(to_html(replace(everything, findings=(found,)))).links.count(link) == 0


def test_elements_escape_what_they_have_not_made() -> None:
    made = element("p", "a<b", element("code", "c&d"), title='e"f\u202e', hidden=True, lang=None)
    assert made == '<p title="e&quot;f\\u202e" hidden>a&lt;b<code>c&amp;d</code></p>'


def test_all_that_matters_stands_in_the_page_without_javascript(everything: Report) -> None:
    """Verdict, dangers, money, owners, every finding and every change."""
    text = Outline(to_html(everything)).texts
    said = " ".join(text.values())
    for words in (
        "Not all of this could be checked",
        "function-go-templating is not known",
        "VectorDatabase ml-team-search/users is deleted",
        "+407.90 USD a month",
        "@example/fraud",
        'authorized network "0.0.0.0/0" is the whole Internet',
        "(sensitive), changed",
        "the registry has no digests before March",
        "ConfigMap ml-team-fraud/docs",
    ):
        assert words in said


def test_the_plan_alone(everything: Report) -> None:
    assert everything.plan is not None
    gate = replace(everything.findings[0], rule="gate/changed-policy", message="policies/x.rego is changed")
    text = plan_to_html(replace(everything.plan, gate=(gate,)))
    said = " ".join(Outline(text).texts.values())
    assert "policies/x.rego is changed" in said
    assert "origin/main (0123abcd) → this change" in said


def test_ten_thousand_resources_wait_in_the_page() -> None:
    """The page grows by what waits in it, not by what a browser has to lay out."""
    subjects = []
    for number in range(2_500):
        place = Place(f"dist/40-claims/team/c{number}.yaml", 1)
        subjects.append(Subject(Identity("e.org/v1", "Store", "team", f"c{number}"), place, Role.CLAIM, team="team"))
        for kind in ("Bucket", "Database", "Release"):
            identity = Identity("e.org/v1", kind, "", f"c{number}-{kind}")
            subjects.append(Subject(identity, place, Role.COMPOSED, kind.lower(), 4 * number, "team"))
    text = to_html(Report(subjects=tuple(subjects), counts={"claims": 2_500}))
    assert text.count('<li class="item"') == 200
    assert len(entries(text)["estate"]) == 2_300
    assert len(text) < 5_000_000
