"""The report for people at a terminal: worst last, so that it stands above the prompt."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from crossgate.model import NOBODY, CouldNotCheck, Finding, Report
from crossgate.report.grouping import grouped
from crossgate.report.json import summary
from crossgate.wrapping import wrapped

WIDTH = 80
FEW = 3
"""Places of a rule that are named where nothing need be done about them."""


def to_text(report: Report) -> str:
    """Write a report as text, 80 columns wide; file names and the like are never broken."""
    groups = sorted(grouped(report.findings), key=lambda same: -same[0].severity.rank)
    blocks = [_known(report.known)] if report.known else []
    blocks += [_waivers(report)] if report.waived else []
    blocks += [_finding(same, elsewhere) for same, elsewhere in _said_once(groups)]
    blocks += [_could_not_check(item) for item in report.could_not_check]
    blocks += ["\n".join(line for note in report.notes for line in _field("note", note)) + "\n"] if report.notes else []
    blocks.append(_summary(report))
    return "\n".join(blocks)


def printable(text: str) -> str:
    """Replace what could move a terminal's cursor or forge a log line: control and formatting characters."""
    return "".join(
        character
        if character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else f"\\u{ord(character):04x}"
        for character in text
    )


def _said_once(groups: Iterable[list[Finding]]) -> Iterable[tuple[list[Finding], list[Finding]]]:
    """Bring together what says the same of several objects and needs no chain to be understood: nobody reads it eight times."""
    said: dict[tuple[object, ...], tuple[list[Finding], list[Finding]]] = {}
    for number, same in enumerate(groups):
        finding = same[0]
        alone = len(same) == 1 and not finding.origin and all(cause.place == finding.place for cause in finding.causes)
        key = (finding.severity, finding.rule, finding.message, finding.path, finding.remediation) if alone else (number,)
        if key in said:
            said[key][1].append(finding)
        else:
            said[key] = (same, [])
    return said.values()


def _finding(same: list[Finding], elsewhere: list[Finding]) -> str:
    finding = same[0]
    lines = [printable(f"{finding.severity}: {finding.rule}  {finding.place}").replace("\n", "\\n")]
    lines += _field("", finding.message)
    for each in same:
        lines += _field(
            "chain" if each.origin else "in", " → ".join(each.origin) or ("" if each.resource == NOBODY else str(each.resource))
        )
        lines += _field("field", each.path)
    for each in elsewhere:
        lines += _field("also", f"{each.place}".replace("\n", "\\n"))
        lines += _field("in", str(each.resource))
    causes = dict.fromkeys(cause for each in same for cause in each.causes if cause.place != finding.place)
    for cause in causes:
        lines += _field(cause.role, f"{cause.place}" + (f" ({cause.label})" if cause.label else ""))
    if not finding.message.endswith(finding.remediation):  # "did you mean …?" is said already
        lines += _field("fix", finding.remediation)
    return "\n".join(lines) + "\n"


def _could_not_check(item: CouldNotCheck) -> str:
    return "\n".join([*_field("", item.what, first="could not check: "), *_field("at", item.where), *_field("hint", item.hint)]) + "\n"


def _waivers(report: Report) -> str:
    lines = [f"waived: {len(report.waived)}"]
    for waived in report.waived:
        who = f"{waived.owner}, until {waived.expires}"
        lines += _field("", f"{waived.finding.rule}  {waived.finding.place}  ({who}): {waived.reason}")
    return "\n".join(lines) + "\n"


def _known(findings: Iterable[Finding]) -> str:
    """List what the base has already, the first few places of each rule: nobody is asked to mend it in this change."""
    found = list(findings)
    lines = [f"known already, not counted: {len(found):,}"]
    rules: dict[str, list[Finding]] = {}
    for finding in found:
        rules.setdefault(f"{finding.severity}: {finding.rule}", []).append(finding)
    for rule, same in rules.items():
        for finding in same[:FEW]:
            lines += _field("", f"{rule}  {finding.place}".replace("\n", "\\n"))
        if len(same) > FEW:
            lines += _field("", f"{rule}  and {len(same) - FEW:,} more: -o html=FILE has all")
    return "\n".join(lines) + "\n"


def _summary(report: Report) -> str:
    counts = summary(report)
    looked_at = ", ".join(_count(number, what) for what, number in report.counts.items())
    said = [
        _count(counts["errors"], "errors"),
        _count(counts["warnings"], "warnings"),
        *([_count(counts["infos"], "infos")] if counts["infos"] else []),
        *([f"{counts['waived']} waived"] if counts["waived"] else []),
        *([f"{counts['known']} known already"] if counts["known"] else []),
        f"{counts['couldNotCheck']} could not be checked",
    ]
    return f"checked {looked_at}\n{', '.join(said)}\n"


def _count(number: int, plural: str) -> str:
    return f"{number} {plural[:-1] if number == 1 else plural}"


def _field(name: str, value: str, first: str = "") -> list[str]:
    if not value:
        return []
    head = first or (f"  {name:<9}" if name else "  ")
    rest = "  " + " " * 9 if name else "  "
    lines: list[str] = []
    for part in printable(value).split("\n"):
        lines += wrapped(part, WIDTH, rest if lines else head, rest)
    return lines
