"""Findings on the page: one entry for what one line of an author's caused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from crossgate.model import CouldNotCheck, Finding, Report, Waived
from crossgate.report.grouping import grouped
from crossgate.report.html.elements import Markup, element, joined
from crossgate.report.html.items import Item

_UNCHECKED = 500
"""Lines about what was not judged."""

_SHOWN = 20
"""Resources of one entry; a default of an API may be wrong in hundreds."""


def finding_items(report: Report) -> list[Item]:
    """Return the findings that count, then those that are waived and known, each the worst first."""
    teams = {str(subject.resource): subject.team for subject in report.subjects}
    new = "new" if "base" in report.versions else "found"
    items = [_item(same, teams, new) for same in grouped(report.findings)]
    items += [_item([waived.finding], teams, "waived", waived) for waived in report.waived]
    return items + [_item(same, teams, "known") for same in grouped(report.known)]


def gate_items(findings: Sequence[Finding]) -> list[Item]:
    """Return what of the gate itself is changed, for a plan alone."""
    return [_item(same, {}, "found") for same in grouped(findings)]


def could_not_check(items: Sequence[CouldNotCheck]) -> Markup:
    """Return what was not judged, as a list."""
    more = [element("li", f"{len(items) - _UNCHECKED} more; the JSON report has all", class_="note")] if len(items) > _UNCHECKED else []
    return element(
        "ul",
        *(
            element(
                "li",
                element("strong", item.what),
                *([element("div", element("code", item.where), class_="place")] if item.where else []),
                *([element("div", item.hint, class_="fix")] if item.hint else []),
            )
            for item in items[:_UNCHECKED]
        ),
        *more,
        class_="plain",
    )


def badge(text: str, kind: str) -> Markup:
    """Return a word that catches the eye: a severity, an action."""
    return element("span", text, class_=f"badge {kind}")


def _item(same: Sequence[Finding], teams: Mapping[str, str], state: str, waived: Waived | None = None) -> Item:
    first = same[0]
    heads = [str(subject) for each in same for subject in (*each.origin[:1], each.resource)]
    severity = str(first.severity)
    summary = element(
        "summary",
        badge(severity, severity if state in ("new", "found") else "quiet"),
        *([badge(state, "quiet")] if state in ("waived", "known") else []),
        element("span", first.message, class_="said"),
        element(
            "span", element("code", first.rule), *([" ", element("code", str(first.place))] if first.place.file else []), class_="place"
        ),
    )
    body = element("div", *_body(same, waived), class_="body")
    team = next((teams[head] for head in heads if head in teams), "")
    return Item(element("details", summary, body), (severity,), (first.rule,), team, state)


def _body(same: Sequence[Finding], waived: Waived | None) -> Iterator[Markup]:
    first = same[0]
    if waived is not None:
        yield element("p", f"Waived by {waived.owner} until {waived.expires}: {waived.reason}")
    if first.remediation:
        yield element("p", element("strong", "Fix: "), first.remediation, class_="fix")
    for each in same[:_SHOWN]:
        yield chain((*(each.origin or (str(each.resource),)),), each.path)
    if len(same) > _SHOWN:
        yield element("p", f"and {len(same) - _SHOWN} more resources", class_="note")
    causes = dict.fromkeys(cause for each in same for cause in each.causes)
    if causes:
        rows = [
            element("li", f"{cause.role} ", element("code", str(cause.place)), " ", element("code", cause.path), f" {cause.label}".rstrip())
            for cause in causes
        ]
        yield element("div", element("strong", "The value comes from"), element("ul", *rows), class_="causes")
    if first.link.startswith("https://"):
        yield element("p", element("a", f"About {first.rule}", href=first.link, rel="noreferrer noopener"))
    if first.fingerprint:
        yield element("p", f"{first.reason} · fingerprint ", element("code", first.fingerprint), class_="note")


def chain(names: Sequence[str], path: str) -> Markup:
    """Return claim → XR → composed as a tree, with the field at its end."""
    inner = [element("div", element("code", path), class_="field")] if path else []
    for name in reversed(names):
        inner = [element("ul", element("li", element("code", name), *inner), class_="chain")]
    return joined(inner)
