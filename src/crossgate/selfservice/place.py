"""Where claims and teams stand in a project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossgate.errors import LoadError, UsageError
from crossgate.load import load_text
from crossgate.load.files import find_files

_TEAMS = Path("apps/teams")
_CLAIMS = Path("apps/claims")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def teams(root: Path) -> tuple[str, ...]:
    """Return the names of the project's teams: the modules of ``apps/teams``.

    Raises:
        UsageError: the project has no such folder.
    """
    folder = root / _TEAMS
    if not folder.is_dir():
        raise UsageError("this project has no teams", str(folder), "call it in a project that keeps its teams in apps/teams")
    return tuple(sorted(path.stem.replace("_", "-") for path in folder.glob("*.py") if path.stem != "__init__"))


def team_file(root: Path, name: str) -> Path:
    """Return the file that defines a team."""
    return root / _TEAMS / f"{name.replace('-', '_')}.py"


@dataclass(frozen=True, slots=True)
class Namespace:
    """A team's namespace, and the labels that synth gives the team's claims. The name is "" before the team was synthesized."""

    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


def team_namespace(dist: Path, team: str, *, root: Path) -> Namespace:
    """Return the namespace of a team, from ``dist``."""
    for file in find_files([dist], root=root) if dist.is_dir() else ():
        if b"kind: Namespace" in file.data:
            for document in file.inventory().documents:
                body: Any = document.body
                if isinstance(body, dict) and body.get("kind") == "Namespace" and body["metadata"].get("labels", {}).get("team") == team:
                    labels = {key: value for key, value in body["metadata"]["labels"].items() if "/" not in key}
                    return Namespace(str(body["metadata"]["name"]), labels)
    return Namespace()


def claim_file(root: Path, team: str, kind: str, name: str) -> Path:
    """Return the file of a new claim.

    Raises:
        UsageError: the name is none that Kubernetes takes, there is no such team, or the team has such a claim or file already.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a claim", "", "use lower case letters, digits and hyphens, at most 63, a letter or digit at both ends"
        )
    known = teams(root)
    if team not in known:
        raise UsageError(f"there is no team {team!r}", "", f"teams are: {', '.join(known)}; start one with crossgate team new {team}")
    folder = root / _CLAIMS / team
    file = folder / f"{name}.yaml"
    if file.exists():
        raise UsageError(f"{file.relative_to(root)} exists", str(file), "choose another name, or edit the file")
    for path in sorted((*folder.glob("*.yaml"), *folder.glob("*.yml"))) if folder.is_dir() else ():
        try:
            bodies: list[Any] = [document.body for document in load_text(path.read_bytes(), path.name)]
        except LoadError:
            continue  # it is for check to say what is wrong with it
        if any(isinstance(body, dict) and body.get("kind") == kind and body.get("metadata", {}).get("name") == name for body in bodies):
            raise UsageError(f"team {team} has a {kind} named {name}", str(path), "choose another name, or edit the file")
    return file
