"""The report as JSON: the stable machine form (``schemaVersion`` changes when it does)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from crossgate.model import Finding, Report, Waived

SCHEMA_VERSION = "1"


def to_json(report: Report) -> str:
    """Write a report as JSON text: UTF-8, two spaces of indentation, one trailing newline."""
    findings = [_finding(finding) for finding in report.findings] + [_waived(waived) for waived in report.waived]
    body = {
        "schemaVersion": SCHEMA_VERSION,
        "tool": {"name": "crossgate", "version": report.versions.get("tool", "")},
        "versions": dict(report.versions),
        "summary": summary(report),
        "findings": findings,
        "known": [_finding(finding) for finding in report.known],
        "couldNotCheck": [{"what": item.what, "where": item.where, "hint": item.hint} for item in report.could_not_check],
        "notes": list(report.notes),
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def summary(report: Report) -> dict[str, Any]:
    """Count what was checked and found: ``checked`` by kind of thing, then findings by severity, then the exit code."""
    severities = Counter(str(finding.severity) for finding in report.findings)
    return {
        "checked": dict(report.counts),
        "errors": severities["error"],
        "warnings": severities["warning"],
        "infos": severities["info"],
        "waived": len(report.waived),
        "known": len(report.known),
        "couldNotCheck": len(report.could_not_check),
        "exitCode": report.exit_code,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "reason": finding.reason,
        "severity": str(finding.severity),
        "message": finding.message,
        "file": finding.place.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "path": finding.path,
        "resource": {
            "apiVersion": finding.resource.api_version,
            "kind": finding.resource.kind,
            "namespace": finding.resource.namespace,
            "name": finding.resource.name,
        },
        "origin": list(finding.origin),
        "causes": [
            {
                "role": cause.role,
                "file": cause.place.file,
                "line": cause.place.line,
                "column": cause.place.column,
                "path": cause.path,
                "label": cause.label,
            }
            for cause in finding.causes
        ],
        "remediation": finding.remediation,
        "link": finding.link,
        "fingerprint": finding.fingerprint,
    }


def _waived(waived: Waived) -> dict[str, Any]:
    return {**_finding(waived.finding), "waived": {"reason": waived.reason, "owner": waived.owner, "expires": waived.expires}}
