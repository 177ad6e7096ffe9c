"""The long lists of the page: some stand in it, the others wait in a block of JSON until somebody wants to see them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from crossgate.report.html.elements import Markup, element, joined
from crossgate.report.visible import visible

STANDING = 200
"""Entries of a list that are part of the page itself, and readable without JavaScript."""

_INERT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What could end the block, or start a comment in it, or a line for a reader of JavaScript."""


@dataclass(frozen=True, slots=True)
class Item:
    """One entry: its HTML, and what the filters ask for."""

    content: Markup
    severities: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    team: str = ""
    state: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """Return what the filters ask for, as the page keeps it; several severities or rules are apart by a blank."""
        return {"s": " ".join(self.severities), "r": visible(" ".join(self.rules)), "t": visible(self.team), "k": self.state}


@dataclass(frozen=True, slots=True)
class ItemList:
    """One long list, under the name that its section has as an anchor."""

    name: str
    items: Sequence[Item]

    def standing(self) -> Markup:
        """Return the list with its first entries."""
        entries = [
            element("li", item.content, class_="item", data_s=facts["s"], data_r=facts["r"], data_t=facts["t"], data_k=facts["k"])
            for item in self.items[:STANDING]
            for facts in (item.facts,)
        ]
        more = max(0, len(self.items) - STANDING)
        note = (
            [element("noscript", element("p", f"{more} more need JavaScript to be shown; the JSON report has all.", class_="note"))]
            if more
            else []
        )
        button = element("button", "Show more", class_="more", type="button", hidden=True)
        return joined([element("ol", *entries, class_="items", data_list=self.name), *note, button])


def waiting(lists: Sequence[ItemList]) -> Markup:
    """Return the block of JSON with the other entries. No script runs in it, and nothing in it ends it."""
    rest = {each.name: [{**item.facts, "h": item.content} for item in each.items[STANDING:]] for each in lists}
    text = json.dumps(rest, ensure_ascii=False, separators=(",", ":"))
    for sign, escape in _INERT.items():
        text = text.replace(sign, escape)
    return element("script", Markup(text), type="application/json", id="waiting")
