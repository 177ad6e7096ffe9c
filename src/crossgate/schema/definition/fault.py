"""A fault of a definition, before it is a finding."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from crossgate.model import Severity
from crossgate.paths import Path


class Family(Enum):
    """What a fault is about: the rule and the reason code of its finding."""

    DEFINITION = ("schema/definition", "DEFINITION_INVALID")
    """Names, versions, printer columns, subresources and conversion."""
    UNKNOWN = ("schema/unknown-field", "UNKNOWN_FIELD")
    """A keyword that no schema has."""
    STRUCTURE = ("schema/structure", "NOT_STRUCTURAL")
    """A schema that is not structural, or that uses what CRDs may not."""
    DEFAULT = ("schema/default", "DEFAULT_INVALID")
    """A default that its own schema refuses."""
    RULE = ("schema/rule", "RULE_INVALID")
    """A CEL rule that does not compile."""
    COST = ("schema/rule-cost", "RULE_TOO_COSTLY")
    """A CEL rule, or all rules together, over the API server's limit."""
    RESERVED = ("schema/reserved-field", "FIELD_RESERVED")
    """A field that Crossplane writes itself."""
    UPDATE = ("schema/definition-update", "UPDATE_REFUSED")
    """A change of a definition that the API server refuses."""
    BREAKING = ("schema/breaking-change", "BREAKS_OBJECTS")
    """A change of a definition that objects which are stored may not bear."""
    LOST = ("schema/lost-keyword", "KEYWORD_LOST")
    """What is written and has no effect."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``at`` is where it stands in the definition as its author wrote it."""

    at: Path
    family: Family
    message: str
    hint: str
    severity: Severity = Severity.ERROR


def structure(at: Path, message: str, hint: str) -> Fault:
    """Make a fault of a schema's structure."""
    return Fault(at, Family.STRUCTURE, message, hint)


def definition(at: Path, message: str, hint: str) -> Fault:
    """Make a fault of what stands around the schemas."""
    return Fault(at, Family.DEFINITION, message, hint)
