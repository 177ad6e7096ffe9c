"""The report as GitHub's workflow commands, which show each finding beside its line on the pull request."""

from __future__ import annotations

from crossgate.model import Place, Report, Severity
from crossgate.report.text import printable

PER_LEVEL = 10
"""How many annotations of one level a step may make; GitHub drops the rest without a word, so we say how many there were."""

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def to_github(report: Report) -> str:
    """Write workflow commands, one a line, the most severe first.

    Nothing in a manifest can start a command of its own: names are escaped as properties, messages as data.
    """
    said = [("error", Place.parse(item.where), "could not check", f"{item.what}\n{item.hint}") for item in report.could_not_check]
    for finding in sorted(report.findings, key=lambda finding: finding.severity.rank):
        message = "\n".join(part for part in (finding.message, " → ".join(finding.origin), finding.remediation) if part)
        said.append((_COMMANDS[finding.severity], finding.place, finding.rule, message))
    lines: list[str] = []
    for command in ("error", "warning", "notice"):
        mine = [entry for entry in said if entry[0] == command]
        lines += [_command(*entry) for entry in mine[:PER_LEVEL]]
        if len(mine) > PER_LEVEL:
            lines.append(f"crossgate: {len(mine) - PER_LEVEL} more of level {command} are in the full report")
    return "".join(f"{line}\n" for line in lines)


def _command(command: str, place: Place, title: str, message: str) -> str:
    properties = {"file": place.file, "line": str(place.line or 1), "col": str(place.column or 1), "title": title}
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{command} {written}::{_data(message)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
