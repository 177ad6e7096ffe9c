"""One resource against the schema of its kind, as the API server answers a create.

The answer is that of kube-apiserver 1.36 to a create with ``dryRun=All`` and ``fieldValidation=Strict``:
unknown fields, then nulls and defaults, metadata, values, embedded objects, list types, and the CEL rules.
The server stops at unknown fields; here everything that can be said is said at once.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from crossgate.paths import MISSING, Path
from crossgate.schema.accept import Acceptance
from crossgate.schema.builtin import check_builtin
from crossgate.schema.defaulting import DefaultTree, copy_json, drop_nulls
from crossgate.schema.embedded import check_embedded
from crossgate.schema.kinds import KindSchema
from crossgate.schema.listtypes import check_lists
from crossgate.schema.metadata import check_metadata
from crossgate.schema.problem import Problem, ProblemKind
from crossgate.schema.rules import RuleTree, check_rules
from crossgate.schema.unknown import unknown_fields
from crossgate.schema.values import Fault, check_value, shown, type_name

WALKED = 8
"""Resources of a kind that go through the exact rules before the fast yes is built: building it costs what these cost."""


class Checker:
    """A kind with what is worked out once to check many resources of it."""

    def __init__(self, kind: KindSchema) -> None:
        """Work out nothing yet: a kind that is only asked for its schema costs nothing more."""
        self.kind = kind
        self._asked = 0
        self._acceptance: Acceptance | None = None

    @cached_property
    def rules(self) -> RuleTree | None:
        """Where CEL rules stand in the schema."""
        return RuleTree.of(self.kind.schema)

    @cached_property
    def defaults(self) -> DefaultTree:
        """Where defaults stand in the schema."""
        return DefaultTree.of(self.kind.schema)

    def defaulted(self, resource: dict[str, Any]) -> dict[str, Any]:
        """Return a copy of a resource as the API server stores it: nulls dropped, defaults added.

        Kubernetes' own kinds are only copied; their defaults are not in their schemas.
        """
        copy: dict[str, Any] = copy_json(resource)
        if not self.kind.builtin:
            drop_nulls(copy, self.kind.schema)
            copy = self.defaults.applied(copy)
        return copy

    def check(self, resource: dict[str, Any]) -> list[Problem]:
        """Return everything that is wrong with a resource of this kind."""
        good = self._is_plainly_good(resource)
        if self.kind.builtin:
            return check_builtin(self.kind, resource, plain=good)
        if not good:
            return self._check_custom(resource)
        if self.rules is None:
            return []
        stored = self.defaults.applied(resource)
        return check_rules(self.rules, self._created(stored))

    def _is_plainly_good(self, resource: dict[str, Any]) -> bool:
        self._asked += 1
        if self._asked <= WALKED:
            return False
        if self._acceptance is None:
            self._acceptance = Acceptance(self.kind)
        return self._acceptance.accepts(resource)

    def _check_custom(self, resource: dict[str, Any]) -> list[Problem]:
        schema = self.kind.schema
        problems = unknown_fields(resource, schema)
        problems += check_metadata(resource, namespaced=self.kind.scope == "Namespaced")
        whole = self.defaulted(resource)
        stored = self._created(whole)
        # The server writes into the metadata before it validates, so it is there.
        stored.setdefault("metadata", {})
        faults: list[Fault] = []
        check_value(schema, stored, (), faults)
        if self.kind.scale:
            check_scale(self.kind.scale, stored, faults)
        # A status that is dropped was still decoded: unknown fields in it are refused.
        problems += [
            problem for problem in check_embedded(schema, whole) if problem.kind is ProblemKind.UNKNOWN_FIELD or problem.at[0] in stored
        ]
        check_lists(schema, stored, (), faults)
        problems += [Problem.schema(fault.at, fault.message, stops_rules=fault.stops_rules) for fault in dict.fromkeys(faults)]
        if self.rules is not None and not any(problem.stops_rules for problem in problems):
            problems += check_rules(self.rules, stored)
        return problems

    def _created(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Leave out the status where it is a subresource: a create cannot set it, the server drops it unread."""
        return {key: value for key, value in stored.items() if key != "status"} if self.kind.status else stored


def check_scale(scale: dict[str, str], stored: dict[str, Any], faults: list[Fault]) -> None:
    """Check the numbers of replicas that the scale subresource reads (``pkg/registry/customresource/validator.go``)."""
    for key in ("specReplicasPath", "statusReplicasPath"):
        at = tuple(scale.get(key, "").removeprefix(".").split("."))
        found = _replicas(stored, at)
        if found is not MISSING and (isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < 2**31):
            faults.append(Fault(at, f"found {shown(found)}, expected a number of replicas between 0 and {2**31 - 1}"))


def _replicas(value: Any, at: Path) -> Any:
    """Return what stands at a path; the type of what is no object on the way there."""
    if not isinstance(value, dict):
        return type_name(value) if any(at) else MISSING
    if at[0] not in value:
        return MISSING
    inner = value[at[0]]
    return inner if len(at) == 1 else _replicas(inner, at[1:])
