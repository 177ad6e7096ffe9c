"""The plan for people at a terminal, 80 columns wide: what is dangerous first, then each claim in the form of Terraform's plan."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from crossgate.cost.text import change as cost_change
from crossgate.cost.text import monthly
from crossgate.paths import MISSING
from crossgate.plan.model import Action, ClaimChange, FieldChange, Plan, ResourceChange
from crossgate.report.plan.words import named
from crossgate.report.text import WIDTH, printable
from crossgate.wrapping import wrapped

_LONGEST = 48
"""Characters of one value; what is longer is cut in the middle."""

_DANGERS = 20
"""Lines of the list on top; the rest stand at their claims."""

_UNPRICED = 3
"""Prices that are not known of which each has a line."""

_SHOWN = 40
"""Fields of one object, and resources of one that goes, that are shown."""


def to_text(plan: Plan) -> str:
    """Write a plan as text."""
    blocks = [[f"crossgate plan: {printable(plan.base)} → working tree"], _dangers(plan), _gate(plan)]
    blocks += [_claim(claim) for claim in plan.claims]
    blocks += [_could_not_check(plan), _summary(plan)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _dangers(plan: Plan) -> list[str]:
    found = [(claim, mark) for claim, mark in plan.dangers]
    if not found:
        return []
    lines = [f"{_count(len(found), 'dangerous changes')}:"]
    for claim, mark in found[:_DANGERS]:
        lines += _wrapped(f"{mark.danger}: {mark.message}", "  ! ", "    ")
        lines += _wrapped(f"{claim.identity}  {claim.place}", "      ", "      ")
    if len(found) > _DANGERS:
        lines.append(f"  and {len(found) - _DANGERS} more, marked with ! below")
    return lines


def _gate(plan: Plan) -> list[str]:
    if not plan.gate:
        return []
    lines = ["the gate itself is changed; the base's version has been used:"]
    for finding in plan.gate:
        lines += _wrapped(f"{finding.rule}  {finding.message}", "  ! ", "    ")
    return lines


def _claim(claim: ClaimChange) -> list[str]:
    renamed = f"  (was {claim.before})" if claim.action is Action.REPLACE else ""
    lines = _wrapped(f"{claim.identity}{renamed}  {claim.place}", f"{claim.action.sign} ", "    ")
    lines += _wrapped(" · ".join(_facts(claim)), "    ", "      ")
    for mark in claim.marks:
        lines += _wrapped(mark.message, "    ! ", "      ")
    if claim.action is Action.DELETE:
        return lines + _gone(claim.resources)
    alone = claim.caused_alone
    if alone:
        lines += _wrapped(f"not changed itself: caused by {', '.join(claim.causes)}", "    ", "      ")
    lines += _fields(claim.fields, "    ", causes=not alone)
    for resource in claim.resources:
        lines += _resource(resource, causes=not alone)
    return lines


def _facts(claim: ClaimChange) -> Iterator[str]:
    """Say whose it is and what it costs more or less; for a team alone there is its namespace."""
    if claim.owners:
        yield f"owners {', '.join(claim.owners)}"
    if step := cost_change(claim.cost_before, claim.cost_after):
        yield step


def _gone(resources: Sequence[ResourceChange]) -> list[str]:
    lines = [f"  - {printable(named(resource.identity))}" for resource in resources[:_SHOWN]]
    return [*lines, f"  … and {len(resources) - _SHOWN} more: -o json shows them"] if len(resources) > _SHOWN else lines


def _resource(resource: ResourceChange, *, causes: bool) -> Iterator[str]:
    template = f"  (template {resource.template})" if resource.template else ""
    was = resource.before
    moved = f"  (was {was})" if resource.action is Action.REPLACE and was is not None and str(was) != str(resource.identity) else ""
    yield from _wrapped(f"{named(resource.identity)}{moved}{template}", f"  {resource.action.sign} ", "      ")
    for mark in resource.marks:
        if mark.message != f"{was} is destroyed":
            yield from _wrapped(mark.message, "      ! ", "        ")
    if resource.action is not Action.DELETE:
        yield from _fields(resource.fields, "      ", causes=causes)


def _fields(changes: Sequence[FieldChange], indent: str, *, causes: bool) -> list[str]:
    lines: list[str] = []
    for change in changes[:_SHOWN]:
        lines += _field(change, indent, causes=causes)
    if len(changes) > _SHOWN:
        lines.append(f"{indent}… and {_count(len(changes) - _SHOWN, 'fields')} more: -o json shows them")
    return lines


def _field(change: FieldChange, indent: str, *, causes: bool) -> Iterator[str]:
    if change.action is Action.UPDATE:
        said = f"{_value(change.before)} → {_value(change.after)}"
        if change.sensitive:
            said = f"{_value(change.after)}, changed"
    else:
        said = _value(change.after if change.after is not MISSING else change.before)
    by = f"  # by {', '.join(change.causes)}" if causes and change.causes else ""
    yield from _wrapped(f"{change.name}: {said}{by}", f"{indent}{change.action.sign} ", f"{indent}    ")
    for mark in change.marks:
        yield from _wrapped(mark.message, f"{indent}! ", f"{indent}  ")


def _value(value: Any) -> str:
    text = value if isinstance(value, str) and value.startswith("(sensitive") else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 + 1 :]}"


def _could_not_check(plan: Plan) -> list[str]:
    lines: list[str] = []
    for item in plan.could_not_check:
        lines += _wrapped(item.what, "could not be planned: ", "  ")
        lines += _wrapped(item.where, "  at ", "     ")
        lines += _wrapped(item.hint, "  hint ", "       ")
    for note in plan.notes:
        lines += _wrapped(note, "note: ", "      ")
    return lines


def _summary(plan: Plan) -> list[str]:
    if not plan.claims:
        lines = ["No changes."]
    else:
        lines = []
        for name, counts in plan.counts.items():
            words = {"create": "to create", "update": "to change", "replace": "to replace", "delete": "to destroy"}
            said = ", ".join(f"{number} {words[action]}" for action, number in counts.items())
            lines.append(f"{'Objects' if name == 'claims' else 'Composed resources'}: {said}")
    lines += _cost(plan)
    if plan.ignored:
        lines.append(f"{_count(plan.ignored, 'changes')} left out by [plan] ignore")
    if plan.could_not_check:
        lines.append(f"{len(plan.could_not_check)} could not be planned")
    return lines


def _cost(plan: Plan) -> Iterator[str]:
    """Say what the changed objects cost more or less, each team's part where there are several, and what has no price."""
    if (cost := plan.cost) is None:
        return
    same = f"unchanged, {monthly(cost.after.monthly, cost.after.currency)}"
    yield from _wrapped(cost_change(cost.before, cost.after) or same, "Cost by list prices: ", "  ")
    for team in plan.costs if len(plan.costs) > 1 else ():
        if step := cost_change(team.before, team.after):
            yield from _wrapped(f"{team.team}: {step}", "  ", "    ")
    unknown = list(dict.fromkeys(map(str, cost.after.unpriced)))
    for each in unknown[:_UNPRICED]:
        yield from _wrapped(each, "  not known: ", "    ")
    if len(unknown) > _UNPRICED:
        yield f"  and {len(unknown) - _UNPRICED} more prices not known: -o json shows them"


def _count(number: int, plural: str) -> str:
    return f"{number} {plural[:-1] if number == 1 else plural}"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    """Wrap one line; what could move the cursor or start a line of its own is written as its escape."""
    if not text:
        return []
    return wrapped(printable(text).replace("\n", "\\n"), WIDTH, first, rest)
