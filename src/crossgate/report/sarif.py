"""The report as SARIF 2.1.0, in the shape that code scanning takes in.

An upload is all or nothing: one result without a location, or with an absolute or malformed URI, loses all the
others. So every result gets exactly one location with a relative, percent-encoded URI and a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from crossgate.model import CouldNotCheck, Finding, Place, Report, Severity, Waived

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RESULTS = 5000
"""How many results code scanning keeps of one upload; the most severe are written first."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_NOT_CHECKED = "crossgate/could-not-check"
_BASELINE: dict[str, Any] = {
    "suppressions": [{"kind": "external", "status": "accepted", "justification": "it stands in the project's baseline.json"}]
}


def to_sarif(report: Report) -> str:
    """Write a report as SARIF text.

    What does not count is there too: what the base has already is ``unchanged``, what is waived or stands in the project's baseline is
    suppressed. Code scanning opens an alert for what is suppressed all the same (github/codeql-action 1230): take it out before an upload.
    """
    compared = "base" in report.versions
    new: dict[str, Any] = {"baselineState": "new"} if compared else {}
    old: dict[str, Any] = {"baselineState": "unchanged", **({} if compared else _BASELINE)}
    every = [
        *((finding, new) for finding in _worst_first(report.findings)),
        *((finding, old) for finding in _worst_first(report.known)),
        *((waived.finding, _waived(waived)) for waived in sorted(report.waived, key=lambda waived: waived.finding.severity.rank)),
    ]
    told = every[:RESULTS]
    rules: dict[str, dict[str, Any]] = {}
    for finding, _ in told:
        rules.setdefault(finding.rule, _rule(finding))
    if report.could_not_check:
        rules.setdefault(_NOT_CHECKED, {"id": _NOT_CHECKED, "shortDescription": {"text": "Something could not be checked"}})
    index = {name: position for position, name in enumerate(rules)}
    results = [{**_result(finding, index[finding.rule], report), **standing} for finding, standing in told]
    results += [_not_checked(item, index[_NOT_CHECKED], report) for item in report.could_not_check]
    run = {
        "tool": {
            "driver": {"name": "crossgate", "version": report.versions.get("tool", ""), "rules": list(rules.values())},
        },
        "invocations": [{"executionSuccessful": not report.could_not_check, "exitCode": report.exit_code}],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"omitted": len(every) - len(told), "versions": dict(report.versions)},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _worst_first(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: finding.severity.rank)


def _waived(waived: Waived) -> dict[str, Any]:
    about = {"owner": waived.owner, "expires": waived.expires}
    return {"suppressions": [{"kind": "external", "status": "accepted", "justification": waived.reason, "properties": about}]}


def _rule(finding: Finding) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": finding.rule,
        "shortDescription": {"text": finding.rule},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }
    if finding.remediation:
        rule["help"] = {"text": finding.remediation}
    if finding.link:
        rule["helpUri"] = finding.link
    return rule


def _result(finding: Finding, index: int, report: Report) -> dict[str, Any]:
    text = "\n".join(part for part in (finding.message, " → ".join(finding.origin), finding.remediation) if part)
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": text or finding.rule},
        "locations": [_location(finding.place, report)],
        "properties": {"reason": finding.reason, "path": finding.path},
    }
    if finding.fingerprint:
        result["partialFingerprints"] = {"crossgate/v1": finding.fingerprint}
    related = [cause for cause in finding.causes if cause.place.file and cause.place != finding.place]
    if related:
        result["relatedLocations"] = [
            {**_location(cause.place, report), "message": {"text": cause.label or f"{cause.role} {cause.path}"}} for cause in related
        ]
    return result


def _not_checked(item: CouldNotCheck, index: int, report: Report) -> dict[str, Any]:
    return {
        "ruleId": _NOT_CHECKED,
        "ruleIndex": index,
        "level": "error",
        "message": {"text": "\n".join(part for part in (f"could not check: {item.what}", item.where, item.hint) if part)},
        "locations": [_location(Place.parse(item.where), report)],
    }


def _location(place: Place, report: Report) -> dict[str, Any]:
    region: dict[str, int] = {"startLine": max(place.line, 1)}
    if place.line and place.column:
        region["startColumn"] = place.column
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(place.file, report)}, "region": region}}


def _uri(file: str, report: Report) -> str:
    """Make a relative URI of a file; what has no file of its own is anchored to the first file that was judged."""
    path = _relative(file, report.root)
    if path is None:
        judged = (_relative(subject.place.file, report.root) for subject in report.subjects)
        found = (_relative(finding.place.file, report.root) for finding in report.findings)
        path = next((candidate for candidate in (*judged, *found) if candidate), "README.md")
    return quote(path, safe="/,", errors="surrogateescape")  # a name of bytes that are no UTF-8 keeps its bytes


def _relative(file: str, root: str) -> str | None:
    """Name a file from the project's folder; None when it is none of the project's (a folder, standard input, outside)."""
    if not file or file.startswith("<"):
        return None
    path = PurePosixPath(file)
    if path.is_absolute():
        if not root or not path.is_relative_to(root):
            return None
        path = path.relative_to(root)
    text = str(path)
    return None if text == "." or ".." in path.parts else text
