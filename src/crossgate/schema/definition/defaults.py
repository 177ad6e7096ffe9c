"""Defaults that their own schema refuses: the API server refuses the whole definition then.

As ``pkg/apiserver/schema/defaulting/validation.go`` of apiextensions-apiserver (1.36): a default must have no unknown field,
must be of the type, the enum, the bounds and so on of its schema, and the CEL rules of its schema must hold for it. Nested
defaults are not added before that.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.fault import Family, Fault
from crossgate.schema.embedded import check_embedded
from crossgate.schema.problem import Problem, ProblemKind
from crossgate.schema.rules import RuleTree, check_rules
from crossgate.schema.unknown import unknown_fields
from crossgate.schema.values import Fault as ValueFault
from crossgate.schema.values import check_value, shown

Schema = dict[str, Any]


def default_faults(schema: Schema, at: Path, unsound: Container[Path]) -> Iterator[Fault]:
    """Say which defaults of a schema are refused.

    ``unsound`` are the parts with faults in or below them, whose defaults cannot be judged. Defaults below additionalProperties are
    not looked at, as there.
    """
    if schema.get("default") is not None and at not in unsound:
        yield from _refused(schema, schema["default"], (*at, "default"))
    if isinstance(schema.get("items"), dict):
        yield from default_faults(schema["items"], (*at, "items"), unsound)
    for name, inner in (schema.get("properties") or {}).items():
        yield from default_faults(inner or {}, (*at, "properties", name), unsound)


def _refused(schema: Schema, default: Any, at: Path) -> Iterator[Fault]:
    embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    for problem in unknown_fields(default, schema, root=embedded):
        yield _fault((*at, *problem.at), problem.message, problem.hint)
    for problem in check_embedded({"properties": {"default": schema}}, {"default": default}):
        if problem.kind is not ProblemKind.UNKNOWN_FIELD:
            yield _fault((*at, *problem.at[1:]), problem.message, problem.hint)
    wrong: list[ValueFault] = []
    check_value(schema, default, (), wrong)
    for one in dict.fromkeys(wrong):
        yield _fault((*at, *one.at), f"the default {shown(default)} is refused by its own schema: {one.message}", _WAY)
    if not wrong and (tree := RuleTree.of(schema)) is not None:
        for broken in check_rules(tree, default):
            yield from _broken(broken, default, at)


_WAY = "change the default, or let the schema take it"


def _broken(problem: Problem, default: Any, at: Path) -> Iterator[Fault]:
    if problem.kind is ProblemKind.CEL:
        yield _fault((*at, *problem.at), f"the default {shown(default)} breaks a rule of its own schema: {problem.message}", _WAY)


def _fault(at: Path, message: str, hint: str) -> Fault:
    return Fault(at, Family.DEFAULT, message, hint)
