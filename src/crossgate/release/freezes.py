"""Freezes: a team, or everything, stays as it is for a while (``policies/data/freezes.yaml``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from crossgate.cost.datafile import read_checked
from crossgate.errors import PolicyError

FILE = "data/freezes.yaml"
"""Where freezes stand in a policy folder; those of all folders count."""

EVERYTHING = "*"
_SCHEMA = Path(__file__).parent / "freezes.schema.json"


@dataclass(frozen=True, slots=True)
class Freeze:
    """One freeze. It holds from ``starts`` on and no longer at ``ends``; both know their offset to UTC. ``owner`` is whom to ask."""

    team: str
    reason: str
    owner: str
    starts: datetime
    ends: datetime

    def holds(self, at: datetime) -> bool:
        """Say whether it is in force at a moment."""
        return self.starts <= at < self.ends

    def over(self, at: datetime) -> bool:
        """Say whether it is past."""
        return at >= self.ends

    @property
    def whose(self) -> str:
        """Return what is frozen, for people."""
        return "everything" if self.team == EVERYTHING else f"team {self.team}"


def load_freezes(folders: Iterable[Path]) -> tuple[Freeze, ...]:
    """Read the freezes of policy folders; a folder without the file has none.

    Raises:
        PolicyError: a file cannot be read, is not what the schema says, or a freeze ends before it starts.
    """
    return tuple(freeze for folder in folders if (folder / FILE).is_file() for freeze in _read(folder / FILE))


def _read(file: Path) -> Iterable[Freeze]:
    for index, given in enumerate(read_checked(file, _SCHEMA)["freezes"]):
        starts, ends = (_moment(given[name], f"freezes[{index}].{name}", file) for name in ("starts", "ends"))
        if ends <= starts:
            hint = "let it end after it starts; one that is over is left in the file or taken out"
            raise PolicyError(f"freezes[{index}] ends before it starts", str(file), hint)
        yield Freeze(given["team"], given["reason"], given["owner"], starts, ends)


def _moment(text: str, where: str, file: Path) -> datetime:
    """Read a time of RFC 3339, which the schema has looked at; it allows leap seconds and a year 0."""
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise PolicyError(f"{where} is no moment: {error}", str(file), "write it as 2026-12-31T18:00:00+01:00") from error
