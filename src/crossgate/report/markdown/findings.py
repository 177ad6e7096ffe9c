"""Findings in a comment: one item for what one line of an author's caused."""

from __future__ import annotations

from collections.abc import Sequence

from crossgate.model import CouldNotCheck, Finding, Waived
from crossgate.report.grouping import grouped
from crossgate.report.markdown.sections import Section
from crossgate.report.markdown.text import code, prose

_SHOWN = 4
"""Resources of one item; a default of an API may be wrong in hundreds."""


def could_not_check(items: Sequence[CouldNotCheck], what: str) -> Section:
    """Return what was not judged."""
    blocks = [_lines(f"- {prose(item.what)}", f"at {code(item.where)}" if item.where else "", _hint(item.hint)) for item in items]
    return Section(f"#### Could not be {what}\n", blocks, f"things that could not be {what}", 4)


def findings(found: Sequence[Finding], head: str) -> Section:
    """Return what was found, the worst first."""
    return Section(f"#### {head}\n", [_finding(same) for same in grouped(found)], "findings", 6)


def known(found: Sequence[Finding]) -> Section:
    """Return what the base has already: nobody is asked to mend it in this change."""
    blocks = [f"- {finding.severity} {code(finding.rule)} {code(str(finding.place))}" for finding in found]
    return Section(f"{len(found)} known already, not counted", blocks, "known findings", 1, folded=True)


def notes(said: Sequence[str]) -> Section:
    """Return what a reader must know beside findings."""
    return Section("#### Notes\n", [f"- {prose(note)}" for note in said], "notes", 1)


def waived(items: Sequence[Waived]) -> Section:
    """Return what may pass, with who answers for it and until when."""
    blocks = [
        f"- {code(item.finding.rule)} {code(str(item.finding.place))} — {code(item.owner)}, until {code(item.expires)}: "
        + prose(item.reason)
        for item in items
    ]
    return Section(f"{len(items)} waived", blocks, "waived findings", 1, folded=True)


def _finding(same: Sequence[Finding]) -> str:
    first = same[0]
    chains = [
        " → ".join(map(code, each.origin or (str(each.resource),))) + (f", field {code(each.path)}" if each.path else "")
        for each in same[:_SHOWN]
    ]
    if len(same) > _SHOWN:
        chains.append(f"and {len(same) - _SHOWN} more resources")
    head = f"- **{first.severity}** {code(first.rule)}" + (f" at {code(str(first.place))}" if first.place.file else "")
    return _lines(head, prose(first.message, longest=800), *chains, _hint(first.remediation, "Fix"))


def _hint(text: str, label: str = "Hint") -> str:
    return f"*{label}:* {prose(text)}" if text else ""


def _lines(*lines: str) -> str:
    """Join the lines of one item of a list; the backslash makes each stand on its own also where line ends do not."""
    return "\\\n  ".join(line for line in lines if line)
