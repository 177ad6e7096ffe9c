"""The page around the lists: one file that asks for nothing, runs only its own script, and reads without it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crossgate.report.html.elements import Markup, element, joined
from crossgate.report.html.items import ItemList, waiting


@dataclass(frozen=True, slots=True)
class Part:
    """One section of the page. ``count`` stands beside its title and in the list of contents."""

    name: str
    title: str
    content: Markup
    count: int | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands on top: what it is, the verdict with its kind (``good``, ``bad``, ``unsure``), and facts by name."""

    title: str
    verdict: str
    kind: str
    facts: Sequence[tuple[str, Sequence[str]]]
    end: str


def page(head: Head, parts: Sequence[Part], lists: Sequence[ItemList]) -> str:
    """Write the page."""
    style, script = (Markup(Path(__file__).with_name(name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    own = f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    policy = f"default-src 'none'; {own}; img-src data:; base-uri 'none'; form-action 'none'"
    top = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content="crossgate"),
        element("title", f"{head.title}: {head.verdict}"),
        element("link", rel="icon", href="data:,"),
        element("style", style),
    )
    body = element(
        "body",
        element("a", "Skip to the findings", href="#main", class_="skip"),
        _header(head),
        _contents(parts),
        _filters(lists),
        element("main", *map(_section, parts), id="main", tabindex=-1),
        element("footer", element("p", head.end), element("p", *_keys(), class_="keys", hidden=True)),
        waiting(lists),
        element("script", script),
    )
    return f"<!doctype html>\n{element('html', top, body, lang='en')}\n"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _header(head: Head) -> Markup:
    facts = [element("div", element("dt", name), *(element("dd", line) for line in lines)) for name, lines in head.facts]
    return element(
        "header",
        element(
            "div",
            element("p", head.title, class_="brand"),
            element("button", "Theme: auto", id="theme", type="button", hidden=True),
            class_="bar",
        ),
        element("h1", element("span", class_=f"dot {head.kind}", aria_hidden="true"), head.verdict),
        element("dl", *facts, class_="summary"),
    )


def _contents(parts: Sequence[Part]) -> Markup:
    links = [
        element(
            "li",
            element("a", part.title, *([" ", element("span", str(part.count))] if part.count is not None else []), href=f"#{part.name}"),
        )
        for part in parts
    ]
    return element("nav", element("ul", *links), aria_label="Contents")


def _filters(lists: Sequence[ItemList]) -> Markup:
    items = [item for each in lists for item in each.items]
    severities = [name for name in ("error", "warning", "info") if any(name in item.severities for item in items)]
    rules, teams = (
        sorted(dict.fromkeys(names))
        for names in ((rule for item in items for rule in item.rules), (item.team for item in items if item.team))
    )
    states = [name for name in ("new", "found", "waived", "known") if any(item.state == name for item in items)]
    return element(
        "form",
        element(
            "label",
            element("span", "Filter"),
            element("input", type="search", id="text", placeholder="name, file, value …   press /", autocomplete="off"),
        ),
        _choice("severity", "Severity", severities),
        _choice("rule", "Rule", rules),
        _choice("team", "Team", teams),
        _choice("state", "State", states),
        element("button", "Clear", type="reset"),
        element("output", "", id="shown", aria_live="polite"),
        id="filters",
        role="search",
        hidden=True,
    )


def _choice(name: str, title: str, values: Sequence[str]) -> Markup:
    options = [element("option", "all", value=""), *(element("option", value, value=value) for value in values)]
    hidden = len(values) < 2
    return element("label", element("span", title), element("select", *options, id=name), hidden=hidden)


def _section(part: Part) -> Markup:
    title = element("h2", part.title, *([" ", element("span", str(part.count), class_="count")] if part.count is not None else []))
    return element("section", title, part.content, id=part.name, class_=f"part {part.kind}".rstrip())


def _keys() -> list[Markup]:
    said = {"/": "filter", "Esc": "clear it", "j": "next", "k": "previous", "e": "open or close all", "d": "turn the diff"}
    return [joined([element("kbd", key), Markup(f" {what} ")]) for key, what in said.items()]
