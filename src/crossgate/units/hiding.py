"""What is said goes without secrets: a message quotes what it found, and more people read a report than may read the manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from crossgate.model import CouldNotCheck, Finding, Resource
from crossgate.sensitive import hiding, secret_values


class Hiding:
    """Takes the secrets of some objects, of which the first is its author's, out of what is said of them."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._resources = resources
        self._secrets: dict[int, frozenset[str]] = {}

    def findings(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return findings without the secrets of the objects that they are about, and of the author's object."""
        findings = tuple(findings)
        if not findings:
            return ()
        about = {finding.resource for finding in findings}
        hide = self._hide(at for at, resource in enumerate(self._resources) if not at or resource.identity in about)
        return tuple(_changed(finding, hide) for finding in findings) if hide else findings

    def missing(self, missing: Iterable[CouldNotCheck]) -> tuple[CouldNotCheck, ...]:
        """Return what could not be checked without the secrets of any of the objects."""
        missing = tuple(missing)
        hide = self._hide(range(len(self._resources))) if missing else None
        return tuple(replace(each, what=hide(each.what), same=hide(each.same)) for each in missing) if hide else missing

    def _hide(self, places: Iterable[int]) -> Callable[[str], str] | None:
        secrets = frozenset[str]().union(*map(self._of, places))
        return hiding(secrets) if secrets else None

    def _of(self, at: int) -> frozenset[str]:
        if at not in self._secrets:
            resource = self._resources[at]
            # what no author wrote is a report of our own: it holds none, and is large
            self._secrets[at] = secret_values(resource.body) if resource.document.body is not None else frozenset()
        return self._secrets[at]


def _changed(finding: Finding, hide: Callable[[str], str]) -> Finding:
    message, remediation = hide(finding.message), hide(finding.remediation)
    same = message == finding.message and remediation == finding.remediation
    return finding if same else replace(finding, message=message, remediation=remediation)
