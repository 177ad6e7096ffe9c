"""How a plan's values and names are written, the same in every format for people."""

from __future__ import annotations

import json
from typing import Any

from crossgate.model import Identity
from crossgate.paths import MISSING
from crossgate.plan.model import Action, FieldChange, Plan
from crossgate.sensitive import MASK

VERBS = {Action.CREATE: "create", Action.UPDATE: "change", Action.REPLACE: "replace", Action.DELETE: "destroy"}
"""What is done to an object, in the words of Terraform's plan."""


def value(of: Any) -> str:
    """Write a value as JSON, the mask of a secret as it is; nothing for none."""
    if of is MISSING:
        return ""
    return of if isinstance(of, str) and of == MASK else json.dumps(of, ensure_ascii=False, default=str)


def sides(change: FieldChange) -> tuple[str, str]:
    """Write what stood in a field and what will; of a secret only that it is another one."""
    before, after = value(change.before), value(change.after)
    return (before, f"{after}, changed") if change.sensitive and change.action is Action.UPDATE else (before, after)


def named(identity: Identity) -> str:
    """Write an object's name with its group: providers have kinds of one name."""
    name = f"{identity.namespace}/{identity.name}" if identity.namespace else identity.name
    return f"{identity.kind}.{identity.group} {name}" if identity.group else f"{identity.kind} {name}"


def counts(plan: Plan) -> list[str]:
    """Write how much changes: one line for what authors wrote, one for what it makes; parts that are zero are left out."""
    lines = []
    for what, numbers in (("objects", plan.counts["claims"]), ("composed resources", plan.counts["resources"])):
        said = [f"{number} to {VERBS[Action(action)]}" for action, number in numbers.items() if number]
        if said:
            lines.append(f"{what}: {', '.join(said)}")
    return lines
