"""From problems to findings: every resource of the estate against its schema, at its author's lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from crossgate.model import CouldNotCheck, Finding, Judgement, Resource, Severity
from crossgate.schema.problem import Problem, ProblemKind
from crossgate.trace import finding

if TYPE_CHECKING:
    from crossgate.schema.catalogue import Schemas

_RULES = {
    ProblemKind.SCHEMA: ("schema/invalid", "SCHEMA_INVALID"),
    ProblemKind.UNKNOWN_FIELD: ("schema/unknown-field", "UNKNOWN_FIELD"),
    ProblemKind.CEL: ("schema/cel", "CEL_RULE_FAILED"),
}


def judge(schemas: Schemas, resources: Iterable[Resource]) -> Judgement:
    """Validate every resource; what has no schema or cannot be judged is "could not check"."""
    findings: list[Finding] = []
    unchecked: list[CouldNotCheck] = []
    for resource in resources:
        for problem in schemas.validate(resource.body):
            if problem.kind is ProblemKind.MISSING_SCHEMA and schemas.versions_served(resource.body):
                findings.append(_finding(resource, problem, "schema/unserved-version", "UNSERVED_VERSION"))
            elif problem.blocks:
                unchecked.append(CouldNotCheck(f"{resource.identity}: {problem.message}", _where(resource, problem), problem.hint))
            else:
                findings.append(_finding(resource, problem, *_RULES[problem.kind]))
        warning = schemas.deprecation(resource.body)
        if warning:
            problem = Problem("apiVersion", ("apiVersion",), ProblemKind.SCHEMA, warning, "move to a version that stays")
            findings.append(_finding(resource, problem, "schema/deprecated-version", "DEPRECATED_VERSION", Severity.WARNING))
    return Judgement(tuple(findings), tuple(unchecked))


def _finding(resource: Resource, problem: Problem, rule: str, reason: str, severity: Severity = Severity.ERROR) -> Finding:
    message = (
        problem.message
        if problem.path and problem.path in problem.message
        else f"{problem.path}: {problem.message}"
        if problem.path
        else problem.message
    )
    return finding(resource, problem.at, rule=rule, reason=reason, severity=severity, message=message, remediation=problem.hint)


def _where(resource: Resource, problem: Problem) -> str:
    return str(finding(resource, problem.at, rule="schema/invalid", reason="", severity=Severity.ERROR, message="").place)
