"""Start a team: its one definition, from which synth makes everything else."""

from __future__ import annotations

import json
import re
from pathlib import Path

from crossgate.errors import UsageError

from .place import team_file, teams

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
"""A namespace is made of it, and names of resources begin with it: 40 characters leave room for the rest."""

_LABEL = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")

_MODULE = '''\
"""Team {name}: who it is; its claims are YAML, in apps/claims/{name}."""

from __future__ import annotations

from mlplatform.core import Folder
from mlplatform.team import Team

TEAM = Team(
    {quoted},
    group={group},
    owner={owner},
    cost_center={cost_center},
    monthly_budget={budget:_},
)


def claims(folder: Folder) -> None:
    """Add the claims that the team writes in Python: none."""
'''


def new_team(root: Path, name: str, *, group: str, owner: str, cost_center: str, budget: int) -> Path:
    """Write the definition of a team; nothing that is there is changed.

    ``budget`` is in US dollars a month.

    Returns:
        The file that was written.

    Raises:
        UsageError: a name or label is none that Kubernetes takes, the budget is negative, or there is such a team.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is no name for a team",
            "",
            "use lower case letters, digits and hyphens, at most 40, a letter first, no hyphen at the end",
        )
    known = teams(root)
    if name in known:
        raise UsageError(f"there is a team {name}", str(team_file(root, name)), "choose another name, or edit the file")
    for what, value in (("owner", owner), ("cost center", cost_center)):
        if not _LABEL.fullmatch(value):
            raise UsageError(f"{value!r} is no {what}", "", "it becomes a label: letters, digits, '-', '_' and '.', at most 63")
    if not group.strip() or not group.isprintable():
        raise UsageError(f"{group!r} is no group", "", "write the group as the single sign-on calls it")
    if budget < 0:
        raise UsageError(f"the budget is {budget}", "", "write US dollars a month")
    file = team_file(root, name)
    # JSON's strings are Python's
    quoted = {
        key: json.dumps(value, ensure_ascii=False) for key, value in {"group": group, "owner": owner, "cost_center": cost_center}.items()
    }
    text = _MODULE.format(name=name, quoted=json.dumps(name), budget=budget, **quoted)
    with file.open("x", encoding="utf-8") as stream:  # "x": never over a file that came in the meantime
        stream.write(text)
    return file
