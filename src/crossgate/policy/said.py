"""What a rule has said about a resource, and which of several sayings about one value is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.model import NOBODY, CouldNotCheck, Finding, Place, Resource, Role, Severity
from crossgate.paths import Path, format_path
from crossgate.policy.asked import json_text
from crossgate.policy.engine import Trouble
from crossgate.policy.judge import Verdict
from crossgate.policy.results import Result
from crossgate.trace import finding

Spot = tuple[str, str, str, int, str]
"""A value in an author's document that a rule speaks about: rule, reason, file, line of the document, path."""


@dataclass(frozen=True, slots=True)
class Said:
    """One result about one resource."""

    resource: Resource
    path: Path
    result: Result


def told(said: Said, *, exempted: bool = False) -> Finding:
    """Make a finding of what was said; what the policy's own exception lets pass is told as information."""
    result = said.result
    return finding(
        said.resource,
        said.path,
        rule=result.rule.id,
        reason="EXCEPTED" if exempted else result.reason,
        severity=Severity.INFO if exempted else result.severity,
        message=f"the policy's own exception lets this pass: {result.message}" if exempted else result.message,
        remediation=result.remediation,
        link=result.rule.link,
    )


def told_of_the_rule(result: Result) -> Finding:
    """Make a finding of a rule over several objects that names none of them: its place is the rule's."""
    rule = result.rule
    return Finding(
        rule=rule.id,
        reason=result.reason,
        severity=result.severity,
        message=result.message,
        place=Place(rule.file, rule.line),
        resource=NOBODY,
        path=format_path(result.path),
        remediation=result.remediation,
        link=rule.link,
        fingerprint=f"{rule.id}:{result.reason}:{result.message}",
    )


def excepted(verdict: Verdict, result: Result) -> bool:
    """Say whether the package's ``exception`` names this rule, by what follows ``deny_`` or ``violation_`` as in conftest."""
    name = result.rule.name
    suffix = name.partition("_")[2]
    return not name.startswith("warn") and (result.rule.package, suffix) in verdict.exempted


def once(said: Sequence[Said]) -> list[Said]:
    """Leave out what another resource of the same author's object says better about the same value.

    A wrapped manifest speaks for the field of its Object, and a claim for its XR.
    """
    covered = set()
    for one in said:
        resource = one.resource
        if resource.role is Role.WRAPPED and resource.parent is not None:
            covered.add(_key(one, resource.parent, resource.inside + one.path))
        if resource.role is Role.CLAIM:
            covered.add((*_key(one, resource, one.path), "claim"))
    kept = []
    for one in said:
        resource = one.resource
        claim = resource.parent if resource.role is Role.XR else None
        if claim is not None and (*_key(one, claim, one.path), "claim") in covered:
            continue
        if _key(one, resource, one.path) not in covered:
            kept.append(one)
    return kept


def covered(said: Sequence[Said]) -> Iterator[Spot]:
    """Yield the values in templates of Compositions that composed resources speak about: where no patch wrote the field."""
    for one in said:
        resource, result = one.resource, one.result
        if resource.composition is not None and not any(one.path[: len(flow.target)] == flow.target for flow in resource.flows):
            document = resource.composition
            yield result.rule.id, result.reason, document.file, document.line, format_path(resource.base + one.path)


def spot_of(finding: Finding, file: str, line: int) -> Spot:
    """Name the value that a finding is about, as ``covered`` does; ``file`` and ``line`` are those of the author's document."""
    return finding.rule, finding.reason, file, line, finding.path


def label_of(resource: Resource) -> str:
    """Name a resource for people, with the line of its author."""
    place = str(resource.document.place())
    return f"{place} ({resource.identity})" if place else str(resource.identity)


def missing(trouble: Trouble, label: str) -> CouldNotCheck:
    """Say that rules could not be evaluated about what ``label`` names."""
    return CouldNotCheck(trouble.what, trouble.where or label, f"not judged by it: {label}", same=f"{trouble.what}\0{trouble.where}")


def texts_of(resources: Sequence[Resource]) -> tuple[list[str], list[CouldNotCheck]]:
    """Return what each resource is as JSON: "" where it is none, which is "could not check"."""
    texts: list[str] = []
    unwritten = []
    for resource in resources:
        try:
            texts.append(json_text(resource.body))
        except (TypeError, ValueError, RecursionError) as error:
            texts.append("")
            what = f"the document cannot be handed to the rules: {type(error).__name__}: {error}"
            unwritten.append(CouldNotCheck(what, label_of(resource), "no rule has judged it"))
    return texts, unwritten


def _key(one: Said, resource: Resource, path: Path) -> tuple[Any, ...]:
    return one.result.rule.id, one.result.reason, id(resource), path
