"""What is wrong with one resource, as the API server would say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from crossgate.paths import Path, format_path


class ProblemKind(StrEnum):
    """The kinds of answers; the first three are faults, the last two say that nothing was judged."""

    SCHEMA = "schema"
    UNKNOWN_FIELD = "unknownField"
    CEL = "cel"
    MISSING_SCHEMA = "missingSchema"
    COULD_NOT_CHECK = "couldNotCheck"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that the API server would refuse, or that could not be checked.

    ``path`` is the field as the API server names it (dotted, list indices in brackets), ``at`` the most
    exact place inside the resource: for a bad label the path is ``metadata.labels`` and ``at`` is
    ``("metadata", "labels", "<key>")``. ``hint`` is the way out when there is one to name.
    """

    path: str
    at: Path
    kind: ProblemKind
    message: str
    hint: str = ""
    stops_rules: bool = field(default=False, repr=False)
    """The API server runs no CEL rules on a resource with this problem."""

    @classmethod
    def schema(cls, at: Path, message: str, *, hint: str = "", named: Path | None = None, stops_rules: bool = False) -> Problem:
        """Make a schema problem at ``at``; ``named`` is the field that the API server names when it is not ``at``."""
        return cls(format_path(at if named is None else named), at, ProblemKind.SCHEMA, message, hint, stops_rules)

    @property
    def blocks(self) -> bool:
        """Say whether the resource was not judged because of this."""
        return self.kind in (ProblemKind.MISSING_SCHEMA, ProblemKind.COULD_NOT_CHECK)
