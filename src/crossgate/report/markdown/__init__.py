"""The report as one comment on a pull request: read in ten seconds, and everything else folded below.

On top stand the verdict, what is dangerous, what it costs and who owns it. The first line is a comment that nobody sees
(``MARK``): CI looks for its own comment that starts with it, to write that one anew instead of adding another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from crossgate.cost.text import change as cost_change
from crossgate.cost.text import monthly
from crossgate.model import Report
from crossgate.plan.model import Plan
from crossgate.report.json import summary
from crossgate.report.markdown import findings, plan
from crossgate.report.markdown.sections import Section, fitted
from crossgate.report.markdown.text import code, row
from crossgate.report.plan.words import counts

MARK, PLAN_MARK = "<!-- crossgate -->", "<!-- crossgate plan -->"
"""First lines of the comments about a check and about a plan alone."""

_VERDICTS = {0: "passes", 1: "refuses", 3: "could not check"}
_SIGNS = {0: "✅", 1: "⛔", 3: "⚠️"}


def to_markdown(report: Report) -> str:
    """Write a report, with its plan where it has one, as Markdown under GitHub's limit of a comment."""
    code_ = report.exit_code
    sections = [findings.could_not_check(report.could_not_check, "checked")]
    sections += [plan.dangers(report.plan)] if report.plan else []
    sections.append(findings.findings(report.findings, "New findings" if "base" in report.versions else "Findings"))
    sections += _planned(report.plan) if report.plan else []
    sections += [findings.notes(report.notes), findings.waived(report.waived), findings.known(report.known)]
    rows = [("Verdict", _verdict(report)), *(_facts(report.plan) if report.plan else ())]
    looked_at = ", ".join(f"{number} {what if number != 1 else what[:-1]}" for what, number in report.counts.items())
    start = _start(MARK, f"{_SIGNS[code_]} crossgate {_VERDICTS[code_]} this change", rows)
    return fitted(start, sections, _end(f"checked {looked_at}", report.versions), "`crossgate check -o html=report.html`")


def plan_to_markdown(made: Plan) -> str:
    """Write a plan alone as Markdown, likewise."""
    sections = [
        findings.could_not_check(made.could_not_check, "planned"),
        plan.dangers(made),
        findings.findings(made.gate, "The gate itself is changed; the base's version has been used"),
        *_planned(made),
    ]
    start = _start(PLAN_MARK, f"crossgate plan: {code(made.base)} → this change", [*_facts(made)])
    return fitted(start, sections, _end("", made.versions), "`crossgate plan -o html=plan.html`")


def _planned(made: Plan) -> list[Section]:
    return [plan.costs(made), plan.unpriced(made), plan.claims(made), plan.notes(made)]


def _start(mark: str, title: str, rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join((mark, f"### {title}", "", "| | |", "|---|---|", *(row(f"**{name}**", said) for name, said in rows)))


def _verdict(report: Report) -> str:
    numbers = summary(report)
    new = "new " if "base" in report.versions else ""
    said = [_count(numbers["errors"], f"{new}errors"), _count(numbers["warnings"], f"{new}warnings")]
    said += [_count(numbers["infos"], "infos")] if numbers["infos"] else []
    said += [f"**{numbers['couldNotCheck']} could not be checked**"] if numbers["couldNotCheck"] else []
    said += [f"{numbers['waived']} waived"] if numbers["waived"] else []
    said += [f"{numbers['known']} known already"] if numbers["known"] else []
    return ", ".join(said)


def _facts(made: Plan) -> Iterable[tuple[str, str]]:
    found = [str(mark.danger) for _, mark in made.dangers]
    kinds = ", ".join(f"{found.count(kind)} × {kind}" for kind in dict.fromkeys(found))
    yield "Dangerous", f"**{len(found)}**: {kinds}" if found else "nothing"
    if (cost := made.cost) is not None:
        step = cost_change(cost.before, cost.after)
        unknown = len(dict.fromkeys(map(str, cost.after.unpriced)))
        same = f"unchanged, {monthly(cost.after.monthly, cost.after.currency)}"
        yield "Cost", (f"**{step}**" if step else same) + (f", {_count(unknown, 'prices')} not known" if unknown else "")
    yield "Changes", "; ".join(counts(made)) or "none"
    owners = dict.fromkeys(owner for claim in made.claims for owner in claim.owners)
    teams = dict.fromkeys(claim.team for claim in made.claims if claim.team)
    said = [*([", ".join(map(code, list(owners)[:20]))] if owners else []), *([f"of {_named('team', list(teams)[:20])}"] if teams else [])]
    if said:
        yield "Owners", " ".join(said)


def _named(noun: str, names: list[str]) -> str:
    return f"{noun if len(names) == 1 else noun + 's'} {', '.join(map(code, names))}"


def _end(said: str, versions: Mapping[str, str]) -> str:
    known = [f"{name} {code(text[:12])}" for name, text in versions.items() if text]
    return f"<sub>{' · '.join(part for part in (said, *known) if part)}</sub>"


def _count(number: int, plural: str) -> str:
    return f"{number} {plural[:-1] if number == 1 else plural}"
