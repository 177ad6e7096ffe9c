"""From problems to findings: every resource of the estate against its schema, at its author's lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from crossgate.model import COMPOSED, CouldNotCheck, Finding, Judgement, Resource, Severity
from crossgate.paths import Path
from crossgate.schema.pending import pending_fields, with_stand_ins
from crossgate.schema.problem import Problem, ProblemKind
from crossgate.trace import finding

if TYPE_CHECKING:
    from crossgate.schema.catalogue import Schemas

_RULES = {
    ProblemKind.SCHEMA: ("schema/invalid", "SCHEMA_INVALID"),
    ProblemKind.UNKNOWN_FIELD: ("schema/unknown-field", "UNKNOWN_FIELD"),
    ProblemKind.CEL: ("schema/cel", "CEL_RULE_FAILED"),
}
_UNSERVED = ("schema/unserved-version", "UNSERVED_VERSION")
_DEPRECATED = ("schema/deprecated-version", "DEPRECATED_VERSION")

Said = set[tuple[ProblemKind, Path]]

MOST_TOLD = 100
"""Findings of one object that are listed one by one; the rest is counted."""


def judge(schemas: Schemas, resources: Iterable[Resource]) -> Judgement:
    """Validate every resource; what has no schema or cannot be judged is "could not check".

    What is said about a resource is not said again about what is made of it: an XR repeats the fields of its
    claim, and the manifest inside an Object is a part of the Object. What is true of many resources alike is not gathered here.
    """
    findings: list[Finding] = []
    unchecked: list[CouldNotCheck] = []
    said: dict[int, Said] = {}
    warned: set[tuple[int, str]] = set()
    for resource in resources:
        here = said[id(resource)] = set()
        told = 0
        rest: list[Problem] = []
        for problem in _problems(schemas, resource):
            here.add((problem.kind, problem.at))
            if _said_above(resource, problem, said):
                continue
            told += not problem.blocks
            if told > MOST_TOLD and not problem.blocks:
                rest.append(problem)
                continue
            if problem.kind is ProblemKind.MISSING_SCHEMA and schemas.versions_served(resource.body):
                findings.append(_finding(resource, problem, _UNSERVED))
            elif problem.blocks:
                what = f"{resource.identity}: {problem.message}"
                unchecked.append(CouldNotCheck(what, str(_place(resource, problem)), problem.hint, same=problem.message))
            else:
                findings.append(_finding(resource, problem, _RULES[problem.kind]))
        if rest:
            findings.append(_finding(resource, _more(rest), _RULES[rest[0].kind]))
        warning = schemas.deprecation(resource.body)
        if warning and (id(resource.document), warning) not in warned:
            warned.add((id(resource.document), warning))
            problem = Problem("apiVersion", ("apiVersion",), ProblemKind.SCHEMA, warning, _way_out(schemas, resource))
            findings.append(_finding(resource, problem, _DEPRECATED, Severity.WARNING))
    return Judgement(tuple(findings), tuple(unchecked))


def _way_out(schemas: Schemas, resource: Resource) -> str:
    """Name the version to write instead: the newest that the server serves without a warning."""
    group = str(resource.body.get("apiVersion", "")).rpartition("/")[0]
    for known in schemas.versions(group, str(resource.body.get("kind", ""))):
        if known.served and not known.deprecation:
            return f"write apiVersion: {known.api_version}, and check the fields, which may be others; until then a waiver lets it pass"
    return "ask who makes the API which version stays"


def _more(rest: list[Problem]) -> Problem:
    first = rest[0]
    return replace(first, message=f"{first.message} (and {len(rest) - 1:,} more like it in this object)")


def _problems(schemas: Schemas, resource: Resource) -> list[Problem]:
    pending = pending_fields(resource)
    if not pending:
        return schemas.validate(resource.body)
    identity = resource.identity
    schema = schemas.structural(identity.api_version, identity.kind) or {}
    problems = schemas.validate(with_stand_ins(resource.body, schema, pending))
    return [problem for problem in problems if not any(problem.at[: len(path)] == path for path in pending)]


def _said_above(resource: Resource, problem: Problem, said: dict[int, Said]) -> bool:
    """Say whether the parent has the same fault at the same place."""
    if resource.parent is None or resource.role is COMPOSED or problem.blocks:
        return False
    return (problem.kind, (*resource.inside, *problem.at)) in said.get(id(resource.parent), ())


def _finding(resource: Resource, problem: Problem, rule: tuple[str, str], severity: Severity = Severity.ERROR) -> Finding:
    named = not problem.path or problem.path in problem.message
    message = problem.message if named else f"{problem.path}: {problem.message}"
    return finding(resource, problem.at, rule=rule[0], reason=rule[1], severity=severity, message=message, remediation=problem.hint)


def _place(resource: Resource, problem: Problem) -> object:
    return _finding(resource, problem, _UNSERVED).place
