"""Kubernetes' own kinds: decoded into Go types, then checked by hand-written rules.

Which fields are required is taken from the OpenAPI document; a parent that is missing asks for nothing,
one that is there asks for its own. The rules of single kinds are in ``builtinrules``.
"""

from __future__ import annotations

from typing import Any

from crossgate.schema import names
from crossgate.schema.builtinrules import RULES
from crossgate.schema.decoding import decode
from crossgate.schema.kinds import KindSchema
from crossgate.schema.metadata import NameRule, check_metadata
from crossgate.schema.problem import Problem, ProblemKind
from crossgate.schema.values import Fault, check_value

NAME_RULES: dict[tuple[str, str], NameRule] = {
    ("", "Namespace"): names.dns_label,
    ("", "Service"): names.dns_1035_label,
    ("apiregistration.k8s.io", "APIService"): names.path_segment,
    ("policy", "PodDisruptionBudget"): names.path_segment,
    ("rbac.authorization.k8s.io", "ClusterRole"): names.path_segment,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): names.path_segment,
    ("rbac.authorization.k8s.io", "Role"): names.path_segment,
    ("rbac.authorization.k8s.io", "RoleBinding"): names.path_segment,
}
"""Kinds whose names follow another rule than the DNS subdomain of most."""


NAMED_BY_SERVER = frozenset({("", "LimitRange")})
"""Kinds that get a name when they have none."""


def check_builtin(kind: KindSchema, resource: dict[str, Any], *, plain: bool = False) -> list[Problem]:
    """Return everything that is wrong with an object of one of Kubernetes' own kinds.

    ``plain`` says that its fields and metadata are known to be good, and only the rules of its kind remain.
    """
    rule = RULES.get((kind.group, kind.kind))
    if plain:
        # The fast yes takes no nulls outside of metadata.
        return list(rule(resource)) if rule else []
    body = {key: value for key, value in resource.items() if key != "metadata"}
    problems = decode(kind.schema, body, ())
    name_rule = NAME_RULES.get((kind.group, kind.kind), names.dns_subdomain)
    unnamed = (kind.group, kind.kind) in NAMED_BY_SERVER
    problems += check_metadata(resource, namespaced=kind.scope == "Namespaced", name_rule=name_rule, needs_name=not unnamed)
    if any(problem.kind is ProblemKind.SCHEMA for problem in problems):
        # What cannot be decoded is not looked at further.
        return problems
    if kind.status:
        body.pop("status", None)
    faults: list[Fault] = []
    given = _without_nulls(body)
    check_value(kind.schema, given, (), faults)
    problems += [Problem.schema(fault.at, fault.message) for fault in faults]
    if rule:
        known = {problem.at for problem in problems}
        problems += [problem for problem in rule(given) if problem.at not in known]
    return problems


def _without_nulls(value: Any) -> Any:
    """Return a copy in which a null stands for nothing, as it does after decoding."""
    if isinstance(value, dict):
        return {key: _without_nulls(child) for key, child in value.items() if child is not None}
    if isinstance(value, list):
        return [_without_nulls(child) for child in value]
    return value
