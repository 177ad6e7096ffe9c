"""Status conditions, read and set as crossplane-runtime does."""

from __future__ import annotations

import re
from typing import Any

NOW = "2024-01-01T00:00:00Z"
"""Every transition happens at this time, so that rendering twice gives the same."""

SYSTEM_TYPES = ("Ready", "Synced", "Healthy", "UpToDate", "Responsive")
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](\d\d):(\d\d))")

Condition = dict[str, Any]


def read(resource: Any) -> list[Condition] | None:
    """Return the conditions of a resource in wire form; None if its status cannot be read as one with conditions."""
    if not isinstance(resource, dict) or "status" not in resource:
        return None
    status = resource["status"]
    if status is None:
        return []
    if not isinstance(status, dict):
        return None
    found = status.get("conditions")
    if found is None:
        return []
    if not isinstance(found, list):
        return None
    conditions = [_condition({} if item is None else item) for item in found]
    return None if any(condition is None for condition in conditions) else conditions  # type: ignore[return-value]


def _condition(item: Any) -> Condition | None:
    if not isinstance(item, dict):
        return None
    texts = [item.get(name) for name in ("type", "status", "reason", "message")]
    generation, time = item.get("observedGeneration"), item.get("lastTransitionTime")
    if any(value is not None and not isinstance(value, str) for value in texts):
        return None
    if generation is not None and (
        isinstance(generation, bool) or not isinstance(generation, int | float) or generation != int(generation)
    ):
        return None
    if time is not None and time != NOW and not (isinstance(time, str) and _is_time(time)):
        return None
    kind, status, reason, message = (value or "" for value in texts)
    condition = {"type": kind, "status": status, "lastTransitionTime": time, "reason": reason}
    if message:
        condition["message"] = message
    if generation:
        condition["observedGeneration"] = int(generation)
    return condition


def _is_time(value: str) -> bool:
    match = _TIME.fullmatch(value)
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
