"""Status conditions, read and set as crossplane-runtime does."""

from __future__ import annotations

import re
from typing import Any

NOW = "2024-01-01T00:00:00Z"
"""Every transition happens at this time, so that rendering twice gives the same."""

SYSTEM_TYPES = ("Ready", "Synced", "Healthy", "UpToDate", "Responsive")
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))")

_TEXTS = ("type", "status", "reason", "message")

Condition = dict[str, Any]


def read(resource: Any) -> list[Condition] | None:
    """Return the conditions of a resource in wire form; None if its status cannot be read as one with conditions."""
    if not isinstance(resource, dict) or "status" not in resource:
        return None
    status = resource["status"]
    if status is None:
        return []
    if not isinstance(status, dict) or not isinstance(status.get("conditions", []), list | None):
        return None
    found = read_partly(status)
    return found if _is_sound(status.get("conditions") or []) else None


def read_partly(status: Any) -> list[Condition]:
    """Return the conditions of a status as far as Go reads them before it gives up, which its setters then build on."""
    found = status.get("conditions") if isinstance(status, dict) else None
    conditions: list[Condition] = []
    for item in found if isinstance(found, list) else ():
        given = item if isinstance(item, dict) else {}
        condition: Condition = {"type": "", "status": "", "lastTransitionTime": None, "reason": ""}
        conditions.append(condition)
        time = given.get("lastTransitionTime")
        if not _is_time(time):
            return conditions
        condition["lastTransitionTime"] = time
        condition.update({name: value for name in _TEXTS if isinstance(value := given.get(name), str) and (value or name != "message")})
        generation = given.get("observedGeneration")
        if generation and _is_integer(generation):
            condition["observedGeneration"] = int(generation)
    return conditions


def _is_sound(found: list[Any]) -> bool:
    """Say whether every condition can be read whole."""
    for item in found:
        if item is None:
            continue
        if not isinstance(item, dict) or not _is_time(item.get("lastTransitionTime")):
            return False
        generation = item.get("observedGeneration")
        if generation is not None and not _is_integer(generation):
            return False
        if any(not isinstance(item.get(name, ""), str | None) for name in _TEXTS):
            return False
    return True


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)


def _is_time(value: Any) -> bool:
    """Say whether Kubernetes reads a value as a time; null is one."""
    if value is None or value == NOW:
        return True
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    zone = [int(part) for part in match.groups()[6:] if part]
    return (
        1 <= month <= 12
        and 1 <= day <= days[month - 1]
        and hour < 24
        and minute < 60
        and second < 60
        and (not zone or (zone[0] <= 24 and zone[1] < 60))
    )


def status_of(resource: Any, kind: str) -> str:
    """Return the status of a condition: Unknown where it is missing, empty where the status cannot be read."""
    conditions = read(resource)
    if conditions is None:
        return ""
    return next((str(condition["status"]) for condition in conditions if condition["type"] == kind), "Unknown")


def put(conditions: list[Condition], new: Condition) -> None:
    """Set a condition; one that says the same already stays as it is."""
    for index, old in enumerate(conditions):
        if old["type"] == new["type"]:
            names = ("status", "reason", "message")
            generations = [condition.get("observedGeneration", 0) for condition in (old, new)]
            if any(old.get(name, "") != new.get(name, "") for name in names) or (all(generations) and generations[0] != generations[1]):
                conditions[index] = new
            return
    conditions.append(new)


def make(kind: str, status: str, reason: str, *, message: str = "", generation: int = 0) -> Condition:
    """Return a new condition."""
    condition: Condition = {"lastTransitionTime": NOW, "reason": reason, "status": status, "type": kind}
    if message:
        condition["message"] = message
    if generation:
        condition["observedGeneration"] = generation
    return condition
