"""Kubernetes' own kinds: decoded into Go types, then checked by hand-written rules.

Which fields are required is taken from the OpenAPI document; a parent that is missing asks for nothing,
one that is there asks for its own. The rules of single kinds are in ``builtinrules``.
"""

from __future__ import annotations

from typing import Any

from crossgate.paths import Path
from crossgate.schema import names
from crossgate.schema.decoding import decode
from crossgate.schema.kinds import KindSchema
from crossgate.schema.metadata import NameRule, check_metadata
from crossgate.schema.problem import Problem

Schema = dict[str, Any]

NAME_RULES: dict[tuple[str, str], NameRule] = {
    ("", "Namespace"): names.dns_label,
    ("", "Service"): names.dns_1035_label,
    ("apiregistration.k8s.io", "APIService"): names.path_segment,
    ("rbac.authorization.k8s.io", "ClusterRole"): names.path_segment,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): names.path_segment,
    ("rbac.authorization.k8s.io", "Role"): names.path_segment,
    ("rbac.authorization.k8s.io", "RoleBinding"): names.path_segment,
}
"""Kinds whose names follow another rule than the DNS subdomain of most."""


def check_builtin(kind: KindSchema, resource: dict[str, Any], *, decoded: bool = False) -> list[Problem]:
    """Return everything that is wrong with an object of one of Kubernetes' own kinds.

    ``decoded`` says that fields and metadata are known to be good, and only the hand-written rules remain.
    """
    if decoded:
        return []
    body = {key: value for key, value in resource.items() if key != "metadata"}
    problems = decode(kind.schema, body, ())
    rule = NAME_RULES.get((kind.group, kind.kind), names.dns_subdomain)
    problems += check_metadata(resource, namespaced=kind.scope == "Namespaced", name_rule=rule)
    if kind.status:
        body.pop("status", None)
    _check_required(kind.schema, body, (), problems)
    return problems


def _check_required(schema: Schema, value: Any, at: Path, problems: list[Problem]) -> None:
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        wanted = (key for key in schema.get("required") or () if value.get(key) is None)
        problems.extend(Problem.schema((*at, key), "missing; this field is required") for key in wanted)
        rest = schema.get("additionalProperties")
        for key, child in value.items():
            if isinstance(child, (dict, list)):
                inner = properties.get(key) or (rest if isinstance(rest, dict) else None)
                if inner:
                    _check_required(inner, child, (*at, key), problems)
    elif isinstance(value, list):
        items = schema.get("items")
        if items:
            for index, child in enumerate(value):
                _check_required(items, child, (*at, index), problems)
