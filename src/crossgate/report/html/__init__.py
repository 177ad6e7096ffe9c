"""The report as one page of HTML: no network, no framework, light and dark, for the keyboard, the phone and the printer.

Nothing runs but the page's own script (its Content-Security-Policy names the digests of style and script), and whatever a manifest
says is text: ``elements`` escapes all that it has not made itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from crossgate.cost.text import change as cost_change
from crossgate.cost.text import monthly
from crossgate.model import Report
from crossgate.plan.model import Plan
from crossgate.report.html import plan
from crossgate.report.html.elements import Markup, element, joined
from crossgate.report.html.estate import estate_items
from crossgate.report.html.findings import could_not_check, finding_items, gate_items
from crossgate.report.html.items import ItemList
from crossgate.report.html.page import Head, Part, page
from crossgate.report.json import summary
from crossgate.report.plan.words import counts

_NAMED = 20
"""Owners and teams that are named on top; each change says its own."""

_VERDICTS = {0: ("This passes", "good"), 1: ("This is refused", "bad"), 3: ("Not all of this could be checked", "unsure")}


def to_html(report: Report) -> str:
    """Write a report, with its plan where it has one, as one HTML file."""
    verdict, kind = _VERDICTS[report.exit_code]
    found = ItemList("findings", finding_items(report))
    estate = ItemList("estate", estate_items(report))
    parts = [Part("unchecked", "Could not be checked", could_not_check(report.could_not_check), len(report.could_not_check), "unsure")]
    parts += _dangers(report.plan)
    parts.append(Part("findings", "Findings", found.standing(), len(found.items)))
    planned, lists = _planned(report.plan)
    notes = element("ul", *(element("li", note) for note in report.notes), class_="note")
    parts += [*planned, Part("notes", "Notes", notes, len(report.notes)), Part("estate", "Estate", estate.standing(), len(estate.items))]
    facts = [("Verdict", _verdict(report)), *(_facts(report.plan) if report.plan else ())]
    looked_at = ", ".join(f"{number} {what if number != 1 else what[:-1]}" for what, number in report.counts.items())
    head = Head("crossgate", verdict, kind, facts, _end(f"checked {looked_at}", report.versions))
    return page(head, [part for part in parts if part.count != 0], [found, *lists, estate])


def plan_to_html(made: Plan) -> str:
    """Write a plan alone as one HTML file."""
    gate = ItemList("gate", gate_items(made.gate))
    planned, lists = _planned(made)
    parts = [
        Part("unchecked", "Could not be planned", could_not_check(made.could_not_check), len(made.could_not_check), "unsure"),
        *_dangers(made),
        Part("gate", "The gate itself is changed; the base's version has been used", gate.standing(), len(gate.items)),
        *planned,
    ]
    kind = {0: "good", 1: "bad", 3: "unsure"}[made.exit_code]
    head = Head("crossgate plan", f"{made.base} → this change", kind, [*_facts(made)], _end("", made.versions))
    return page(head, [part for part in parts if part.count != 0], [gate, *lists])


def _dangers(made: Plan | None) -> list[Part]:
    number = len(list(made.dangers)) if made else 0
    return [Part("dangers", "Dangerous changes", plan.dangers(made), number, "bad")] if made else []


def _planned(made: Plan | None) -> tuple[list[Part], list[ItemList]]:
    if made is None:
        return [], []
    changes = ItemList("plan", plan.claim_items(made))
    notes = [*made.notes, *([f"{made.ignored} changes left out by [plan] ignore"] if made.ignored else [])]
    said = [element("ul", *(element("li", note) for note in notes), class_="note")] if notes else []
    parts = [Part("cost", "Cost", plan.costs(made), None if made.costs else 0)]
    parts += [Part("plan", "Plan", joined([*said, _layout(), changes.standing()]), len(changes.items))]
    return parts, [changes]


def _layout() -> Markup:
    """Return the choice between two columns and one; it is the style's, so it works without JavaScript."""
    choices = [
        element("label", element("input", type="radio", name="layout", id=name, checked=name == "side"), f" {title}")
        for name, title in (("side", "Side by side"), ("unified", "Unified"))
    ]
    return element("fieldset", element("legend", "Diff"), *choices, class_="layout")


def _verdict(report: Report) -> Sequence[str]:
    numbers = summary(report)
    new = "new " if "base" in report.versions else ""
    said = [_count(numbers["errors"], f"{new}errors"), _count(numbers["warnings"], f"{new}warnings")]
    said += [_count(numbers["infos"], "infos")] if numbers["infos"] else []
    aside = [
        f"{numbers[name]} {word}"
        for name, word in (("couldNotCheck", "could not be checked"), ("waived", "waived"), ("known", "known"))
        if numbers[name]
    ]
    return [", ".join(said), ", ".join(aside)] if aside else [", ".join(said)]


def _facts(made: Plan) -> Iterable[tuple[str, Sequence[str]]]:
    found = [str(mark.danger) for _, mark in made.dangers]
    yield (
        "Dangerous",
        [_count(len(found), "changes"), ", ".join(f"{found.count(kind)} × {kind}" for kind in dict.fromkeys(found))]
        if found
        else ["nothing"],
    )
    if (cost := made.cost) is not None:
        usual, _, most = cost_change(cost.before, cost.after).partition(", at most ")
        unknown = len(dict.fromkeys(map(str, cost.after.unpriced)))
        step, _, sides = usual.partition(" (")
        lines = [step or f"unchanged, {monthly(cost.after.monthly, cost.after.currency)}", sides.rstrip(")"), most and f"at most {most}"]
        yield "Cost", [*filter(None, lines), *([f"{_count(unknown, 'prices')} not known"] if unknown else [])]
    yield "Changes", [line.removeprefix("objects: ") for line in counts(made)] or ["none"]
    owners = list(dict.fromkeys(owner for claim in made.claims for owner in claim.owners))[:_NAMED]
    teams = list(dict.fromkeys(claim.team for claim in made.claims if claim.team))[:_NAMED]
    who = f"team{'' if len(teams) == 1 else 's'} {', '.join(teams)}"
    if owners or teams:
        yield "Owners", [*([", ".join(owners)] if owners else []), *([who] if teams else [])]


def _end(said: str, versions: Mapping[str, str]) -> str:
    known = [f"{name} {text[:12]}" for name, text in versions.items() if text]
    return " · ".join(part for part in (said, *known) if part)


def _count(number: int, plural: str) -> str:
    return f"{number} {plural[:-1] if number == 1 else plural}"
