"""The baseline: findings that were there when the gate was put up. Only new ones count from then on.

It is a JSON file that is committed, one line a finding, sorted, so that a diff shows what came and what went. A finding is known by
its fingerprint, in which no line number or generated name is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crossgate.errors import PolicyError
from crossgate.model import Finding, Identity, Place, Severity

_VERSION = 1
_FIELDS = ("rule", "reason", "severity", "message", "apiVersion", "kind", "namespace", "name", "path", "fingerprint")


def write_baseline(findings: Iterable[Finding]) -> str:
    """Return the text of a baseline that holds these findings."""
    entries = sorted((_entry(finding) for finding in findings), key=lambda entry: [str(entry[name]) for name in _FIELDS])
    lines = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
    body = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{{\n  "schemaVersion": {_VERSION},\n  "findings": {body}\n}}\n'


def read_baseline(file: Path) -> tuple[Finding, ...]:
    """Return the findings of a baseline, as far as is needed to know them again; none where the file is not there.

    Raises:
        PolicyError: the file cannot be read or is no baseline; nothing is known on a guess.
    """
    if not file.is_file():
        return ()
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
        if body["schemaVersion"] != _VERSION:
            raise PolicyError(f"the baseline has version {body['schemaVersion']!r}", str(file), "write it again: crossgate baseline write")
        return tuple(_finding(entry) for entry in body["findings"])
    except OSError as error:
        raise PolicyError(f"cannot read the baseline: {error.strerror}", str(file), "mend the file or its permissions") from error
    except (ValueError, KeyError, TypeError) as error:
        raise PolicyError("the baseline is broken", str(file), "write it again: crossgate baseline write") from error


def _entry(finding: Finding) -> dict[str, Any]:
    resource = finding.resource
    values = (
        finding.rule,
        finding.reason,
        finding.severity.value,
        finding.message,
        resource.api_version,
        resource.kind,
        resource.namespace,
        resource.name,
        finding.path,
        finding.fingerprint,
    )
    return {**dict(zip(_FIELDS, values, strict=True)), "origin": list(finding.origin)}


def _finding(entry: dict[str, Any]) -> Finding:
    return Finding(
        rule=entry["rule"],
        reason=entry["reason"],
        severity=Severity(entry["severity"]),
        message=entry["message"],
        place=Place(""),
        resource=Identity(entry["apiVersion"], entry["kind"], entry["namespace"], entry["name"]),
        path=entry["path"],
        origin=tuple(entry["origin"]),
        fingerprint=entry["fingerprint"],
    )
