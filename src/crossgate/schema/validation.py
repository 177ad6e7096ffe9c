"""One resource against the schema of its kind, as the API server answers a create.

The answer is that of kube-apiserver 1.36 to a create with ``dryRun=All`` and ``fieldValidation=Strict``:
unknown fields, then nulls and defaults, metadata, values, embedded objects, list types, and the CEL rules.
The server stops at unknown fields; here everything that can be said is said at once.
"""

from __future__ import annotations

from typing import Any

from crossgate.schema.builtin import check_builtin
from crossgate.schema.defaulting import add_defaults, copy_json, drop_nulls
from crossgate.schema.embedded import check_embedded
from crossgate.schema.kinds import KindSchema
from crossgate.schema.listtypes import check_lists
from crossgate.schema.metadata import check_metadata
from crossgate.schema.problem import Problem
from crossgate.schema.rules import RuleTree, check_rules
from crossgate.schema.unknown import unknown_fields
from crossgate.schema.values import Fault, check_value


def defaulted(kind: KindSchema | None, resource: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a custom resource as the API server stores it: nulls dropped, defaults added."""
    copy: dict[str, Any] = copy_json(resource)
    if kind is not None and not kind.builtin:
        drop_nulls(copy, kind.schema)
        add_defaults(copy, kind.schema)
    return copy


class Checker:
    """A kind with what is worked out once to check many resources of it."""

    def __init__(self, kind: KindSchema) -> None:
        """Work out nothing yet: a kind that is only asked for its schema costs nothing more."""
        self.kind = kind
        self._rules: tuple[RuleTree | None] | None = None

    @property
    def rules(self) -> RuleTree | None:
        """Return where CEL rules stand in the schema."""
        if self._rules is None:
            self._rules = (RuleTree.of(self.kind.schema),)
        return self._rules[0]

    def check(self, resource: dict[str, Any]) -> list[Problem]:
        """Return everything that is wrong with a resource of this kind."""
        if self.kind.builtin:
            return check_builtin(self.kind, resource)
        return self._check_custom(resource)

    def _check_custom(self, resource: dict[str, Any]) -> list[Problem]:
        schema = self.kind.schema
        problems = unknown_fields(resource, schema)
        problems += check_metadata(resource, namespaced=self.kind.scope == "Namespaced")
        stored = defaulted(self.kind, resource)
        if self.kind.status:
            # A create cannot set the status of a kind that has the subresource: the server drops it unread.
            stored.pop("status", None)
        faults: list[Fault] = []
        check_value(schema, stored, (), faults)
        problems += check_embedded(schema, stored)
        check_lists(schema, stored, (), faults)
        problems += [Problem.schema(fault.at, fault.message) for fault in dict.fromkeys(faults)]
        if self.rules is not None and not any(fault.stops_rules for fault in faults):
            problems += check_rules(self.rules, stored)
        return problems
