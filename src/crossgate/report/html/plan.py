"""The plan on the page: each claim with its changes, as a diff that is shown side by side or in one column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from crossgate.cost.text import change as cost_change
from crossgate.cost.text import gpus, monthly
from crossgate.plan.model import Action, ClaimChange, FieldChange, Mark, Plan, ResourceChange
from crossgate.report.html.elements import Markup, element, joined
from crossgate.report.html.findings import badge
from crossgate.report.html.items import Item
from crossgate.report.plan.words import VERBS, named, sides

_DANGERS = 100
"""Lines of the list on top; the rest is marked in the plan."""

_COLUMNS = ("Before", "After", "Change", "GPUs")
"""Of the table of costs, behind the team's name; on a phone each stands before its cell."""

_OPEN = 10
"""Dangerous changes that are open at first."""

_FIELDS = 500
"""Fields of one resource on the page."""

_LEAST = 3
"""Signs in common that make it worth to show only what differs in two texts."""


def dangers(plan: Plan) -> Markup:
    """Return what can be lost or opened, as a list."""
    rows = [
        element(
            "li", badge(str(mark.danger), "error"), " ", mark.message, element("div", element("code", str(claim.place)), class_="place")
        )
        for claim, mark in islice(plan.dangers, _DANGERS)
    ]
    if more := len(list(plan.dangers)) - len(rows):
        rows.append(element("li", f"{more} more, marked in the plan below", class_="note"))
    return element("ul", *rows, class_="plain")


def costs(plan: Plan) -> Markup:
    """Return what the changed claims of each team cost, as a table, and what has no price."""
    heads = element("tr", *(element("th", name, scope="col") for name in ("Team", *_COLUMNS)))
    rows = []
    for cost in plan.costs:
        currency = cost.after.currency or cost.before.currency
        counted = ", ".join(f"{count} × {kind}" for kind, count in gpus(cost.before, cost.after).items())
        money = [monthly(side.monthly, currency).replace(" a month", "") for side in (cost.before, cost.after)]
        step = re.sub(r" \([^)]*\)", "", cost_change(cost.before, cost.after)).replace(" a month", "")  # both sides stand beside it
        cells = (*money, step or "none", counted)
        rows.append(
            element(
                "tr",
                element("th", cost.team, scope="row"),
                *(element("td", _breakable(cell), data_is=name) for name, cell in zip(_COLUMNS, cells, strict=True)),
            )
        )
    unknown = dict.fromkeys(str(each) for cost in plan.costs for each in cost.after.unpriced)
    parts = [element("p", "In a month, by list prices, of the objects that change.", class_="note")]
    parts += [element("div", element("table", element("thead", heads), element("tbody", *rows)), class_="wide", tabindex=0, role="region")]
    if unknown:
        parts += [element("h3", "Prices that are not known"), element("ul", *(element("li", each) for each in unknown))]
    return joined(parts)


def _breakable(cell: str) -> Markup:
    """Return what a cell says, which is broken between its parts only where the table is too wide."""
    first, *others = (element("span", part, class_="money") for part in re.split(r"(?<=,) ", cell))
    return joined([first, *(Markup(f" {part}") for part in others)])


def claim_items(plan: Plan) -> list[Item]:
    """Return each object with its changes, the most dangerous first and open."""
    return [Item(_claim(claim, opened=index < _OPEN), team=claim.team) for index, claim in enumerate(plan.claims)]


def _claim(claim: ClaimChange, *, opened: bool) -> Markup:
    grave = len(claim.grave_marks)
    step = _money(claim)
    summary = element(
        "summary",
        badge(VERBS[claim.action], str(claim.action)),
        element("span", element("code", str(claim.identity)), class_="said"),
        *([badge(f"{grave} dangerous", "error")] if grave else []),
        *([element("span", step, class_="money")] if step else []),
    )
    facts = [element("code", str(claim.place))]
    facts += [element("span", f"team {claim.team}")] if claim.team else []
    facts += [element("span", f"owners {', '.join(claim.owners)}")] if claim.owners else []
    if full := cost_change(claim.cost_before, claim.cost_after):
        facts.append(element("span", full, class_="money"))
    parts = [element("p", *facts, class_="facts"), *_marks(claim.marks)]
    if claim.caused_alone:
        parts.append(element("p", f"Not changed itself: caused by {', '.join(claim.causes)}."))
    if claim.fields and claim.action is not Action.DELETE:
        parts.append(_diff(claim.fields, causes=not claim.caused_alone))
    parts += [_resource(resource, causes=not claim.caused_alone) for resource in claim.resources]
    return element("details", summary, element("div", *parts, class_="body"), open=opened and grave > 0)


def _money(claim: ClaimChange) -> str:
    """Return how much more or less an object costs as usual, shorter than in full."""
    return cost_change(claim.cost_before, claim.cost_after).partition(" (")[0]


def _resource(resource: ResourceChange, *, causes: bool) -> Markup:
    was = resource.before
    moved = f" (was {named(was)})" if resource.action is Action.REPLACE and was is not None and was != resource.identity else ""
    head = element(
        "h3",
        badge(VERBS[resource.action], str(resource.action)),
        element("code", named(resource.identity) + moved),
        *([element("small", resource.template)] if resource.template else []),
    )
    fields = [] if resource.action is Action.DELETE or not resource.fields else [_diff(resource.fields, causes=causes)]
    return element("section", head, *_marks(resource.marks), *fields, class_="resource")


def _marks(marks: Sequence[Mark]) -> list[Markup]:
    return [element("p", mark.message, class_="mark grave" if mark.danger.grave else "mark") for mark in marks]


def _diff(changes: Sequence[FieldChange], *, causes: bool) -> Markup:
    rows = [_field(change, causes=causes) for change in changes[:_FIELDS]]
    if len(changes) > _FIELDS:
        rows.append(element("p", f"{len(changes) - _FIELDS} more fields; the JSON plan has all", class_="note"))
    return element("div", *rows, class_="diff")


def _field(change: FieldChange, *, causes: bool) -> Markup:
    before, after = _sides(change)
    notes = [element("p", mark.message, class_="mark grave" if mark.danger.grave else "mark") for mark in change.marks]
    if causes and change.causes:
        notes.append(element("p", f"by {', '.join(change.causes)}", class_="note"))
    parts = [
        element("del", before) if before else element("span", class_="none"),
        element("ins", after) if after else element("span", class_="none"),
    ]
    return element("div", element("code", change.name, class_="path"), *parts, *notes, class_=f"row {change.action}")


def _sides(change: FieldChange) -> tuple[str, str]:
    """Return both values; of two texts that are much alike what differs is marked."""
    before, after = sides(change)
    if change.sensitive or change.action is not Action.UPDATE:
        return before, after
    start = _alike(before, after)
    end = _alike(before[start:][::-1], after[start:][::-1])
    if start + end < _LEAST or min(len(before), len(after)) < 2 * _LEAST:
        return before, after
    return _marked(before, start, len(before) - end), _marked(after, start, len(after) - end)


def _alike(before: str, after: str) -> int:
    """Return how many signs two texts start with together."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(before), len(after)))


def _marked(text: str, start: int, end: int) -> Markup:
    return joined([*_words(text[:start]), *([element("mark", text[start:end])] if start < end else []), *_words(text[end:])])


def _words(text: str) -> Iterator[Markup]:
    if text:
        yield element("span", text)
