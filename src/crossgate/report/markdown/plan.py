"""The plan in a comment: what is dangerous, what it costs, and each claim folded with its changes as a diff."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from crossgate.cost.text import change as cost_change
from crossgate.cost.text import gpus, monthly
from crossgate.plan.model import Action, ClaimChange, FieldChange, Plan, ResourceChange
from crossgate.report.markdown.sections import Section
from crossgate.report.markdown.text import code, fence, prose, row, tag
from crossgate.report.plan.words import VERBS, named, sides
from crossgate.report.visible import shown

_DIFF = 6_000
"""Bytes of one claim's diff: a huge one must not push out the others."""

_MARKS = 10

_LINE = 240
"""Signs of one line in it."""


def dangers(plan: Plan) -> Section:
    """Return what can be lost or opened."""
    blocks = [f"- **{mark.danger}** {prose(mark.message)} — {code(str(claim.place))}" for claim, mark in plan.dangers]
    return Section("#### Dangerous changes\n", blocks, "dangerous changes", 4)


def costs(plan: Plan) -> Section:
    """Return what the changed claims of each team cost."""
    head = "#### Cost, by list prices\n\n" + row("team", "change", "GPUs") + "\n|---|---|---|"
    rows = []
    for cost in plan.costs:
        counted = ", ".join(f"{count} × {code(kind)}" for kind, count in gpus(cost.before, cost.after).items())
        same = f"unchanged, {monthly(cost.after.monthly, cost.after.currency)}"
        rows.append(row(code(cost.team), cost_change(cost.before, cost.after) or same, counted))
    return Section(head, rows, "teams", 2)


def unpriced(plan: Plan) -> Section:
    """Return what costs, or may, at a price that nobody here knows."""
    unknown = dict.fromkeys(str(each) for cost in plan.costs for each in cost.after.unpriced)
    return Section("Prices that are not known", [f"- {prose(each)}" for each in unknown], "unknown prices", 1, folded=True)


def claims(plan: Plan) -> Section:
    """Return each object with its changes, the most dangerous first."""
    return Section("#### Plan\n", [_claim(claim) for claim in plan.claims], "changed objects", 8, between="\n\n")


def notes(plan: Plan) -> Section:
    """Return what a reader must know about the comparison."""
    said = [prose(note) for note in plan.notes]
    if plan.ignored:
        said.append(f"{plan.ignored} change{'' if plan.ignored == 1 else 's'} left out by `[plan] ignore`")
    return Section("", [f"- {each}" for each in said], "notes", 1)


def _claim(claim: ClaimChange) -> str:
    facts = [f"<b>{VERBS[claim.action]}</b> {tag(str(claim.identity))}"]
    if grave := len(claim.grave_marks):
        facts.append(f"<b>{grave} dangerous</b>")
    if step := cost_change(claim.cost_before, claim.cost_after):
        facts.append(html.escape(step))
    if len(claim.resources):
        facts.append(f"{len(claim.resources)} composed resource{'' if len(claim.resources) == 1 else 's'}")
    where = [code(str(claim.place))]
    where += [f"team {code(claim.team)}"] if claim.team else []
    where += [f"owners {', '.join(map(code, claim.owners))}"] if claim.owners else []
    lines = [f"<details><summary>{' · '.join(facts)}</summary>\n", " · ".join(where)]
    if claim.caused_alone:
        lines.append(f"\nNot changed itself: caused by {', '.join(map(code, claim.causes))}.")
    goes = claim.action in (Action.DELETE, Action.REPLACE)  # what its resources say then, it says itself
    if marks := claim.marks if goes else claim.all_marks:
        lines += ["", *(f"- {f'**{mark.danger}**' if mark.danger.grave else mark.danger} {prose(mark.message)}" for mark in marks[:_MARKS])]
        lines += [f"- … and {len(marks) - _MARKS} more"] if len(marks) > _MARKS else []
    if diff := _fitting(_diff(claim)):
        lines += ["", fence(diff, "diff")]
    return "\n".join((*lines, "\n</details>"))


def _fitting(lines: Iterable[str]) -> list[str]:
    room = _DIFF
    kept: list[str] = []
    more = 0
    for line in lines:
        room -= len(line.encode("utf-8", errors="backslashreplace")) + 1
        if room < 0:
            more += 1
        else:
            kept.append(line)
    return [*kept, f"# … and {more} more lines"] if more else kept


def _diff(claim: ClaimChange) -> Iterator[str]:
    alone = claim.caused_alone
    if claim.action is Action.DELETE:
        yield from (_line("-", named(resource.identity)) for resource in claim.resources)
        return
    if claim.fields:
        yield f"@@ {_words(named(claim.identity))} @@"
        yield from _fields(claim.fields, causes=not alone)
    for resource in claim.resources:
        yield from _resource(resource, causes=not alone)


def _resource(resource: ResourceChange, *, causes: bool) -> Iterator[str]:
    was = resource.before
    moved = f" (was {named(was)})" if resource.action is Action.REPLACE and was is not None and was != resource.identity else ""
    template = f" (template {resource.template})" if resource.template else ""
    yield f"@@ {VERBS[resource.action]} {_words(named(resource.identity) + moved + template)} @@"
    for mark in resource.marks:
        yield _line("!", mark.message)
    if resource.action is not Action.DELETE:
        yield from _fields(resource.fields, causes=causes)


def _fields(changes: Iterable[FieldChange], *, causes: bool) -> Iterator[str]:
    for change in changes:
        before, after = sides(change)
        by = f"  # by {', '.join(change.causes)}" if causes and change.causes else ""
        if before and not change.sensitive:
            yield _line("-", f"{change.name}: {before}")
        if after:
            yield _line("!" if change.sensitive and before else "+", f"{change.name}: {after}{by}")
        elif change.sensitive:
            yield _line("-", f"{change.name}: {before}")
        for mark in change.marks:
            yield _line("!", mark.message)


def _line(sign: str, text: str) -> str:
    return f"{sign} {_words(text)}"


def _words(text: str) -> str:
    return shown(text, _LINE)
