"""What is said goes without secrets: a message quotes what it found, and more people read a report than may read the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from crossgate.model import CouldNotCheck, Finding, Resource
from crossgate.sensitive import hidden, secret_values


def without_secrets(findings: Iterable[Finding], resources: Sequence[Resource]) -> tuple[Finding, ...]:
    """Return findings without the secrets of the objects that they are about, and of the author's object, the first of ``resources``."""
    findings = tuple(findings)
    if not findings:
        return ()
    about = {finding.resource for finding in findings}
    secrets = _secrets(resource for at, resource in enumerate(resources) if not at or resource.identity in about)
    return tuple(_without(finding, secrets) for finding in findings) if secrets else findings


def missing_without_secrets(missing: Iterable[CouldNotCheck], resources: Sequence[Resource]) -> tuple[CouldNotCheck, ...]:
    """Return what could not be checked without the secrets of the objects that it may be about."""
    missing = tuple(missing)
    secrets = _secrets(resources) if missing else frozenset()
    return (
        tuple(replace(each, what=hidden(each.what, secrets), same=hidden(each.same, secrets)) for each in missing) if secrets else missing
    )


def _secrets(resources: Iterable[Resource]) -> frozenset[str]:
    # what no author wrote is a report of our own: it holds none, and is large
    return frozenset[str]().union(*(secret_values(resource.body) for resource in resources if resource.document.body is not None))


def _without(finding: Finding, secrets: frozenset[str]) -> Finding:
    message, remediation = hidden(finding.message, secrets), hidden(finding.remediation, secrets)
    same = message == finding.message and remediation == finding.remediation
    return finding if same else replace(finding, message=message, remediation=remediation)
