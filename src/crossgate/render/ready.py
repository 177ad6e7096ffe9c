"""Readiness checks of function-patch-and-transform, run against an observed composed resource."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crossgate.render.conditions import status_of
from crossgate.render.faults import Crash, Fault, NotFound
from crossgate.render.fieldpath import get, parse

Check = Callable[[dict[str, Any]], bool]


def compile_checks(given: Sequence[dict[str, Any]]) -> Check:
    """Return the function that says whether a resource is ready: all checks pass, or by default its Ready condition."""
    if not given:
        return lambda body: status_of(body, "Ready") == "True"
    checks = [_compile(check) for check in given]

    def ready(body: dict[str, Any]) -> bool:
        for index, check in enumerate(checks):
            try:
                if not check(body):
                    return False
            except NotFound:
                return False
            except Crash:
                raise
            except Fault as fault:
                raise Fault(f"cannot run readiness check at index {index}: {fault.what}", hint=fault.hint) from None
        return True

    return ready


def _compile(check: dict[str, Any]) -> Check:
    kind = check["type"]
    if kind == "None":
        return lambda _body: True
    if kind == "MatchCondition":
        wanted = check.get("matchCondition")
        if wanted is None:
            return _crash
        return lambda body: status_of(body, wanted["type"]) == wanted["status"]
    path: str = check["fieldPath"]
    checks: dict[str, Check] = {
        "NonEmpty": lambda body: _non_empty(body, path),
        "MatchString": lambda body: bool(_typed(body, path, str, "a string") == check["matchString"]),
        "MatchInteger": lambda body: _integer(body, path) == check["matchInteger"],
        "MatchTrue": lambda body: bool(_typed(body, path, bool, "a bool")),
        "MatchFalse": lambda body: not _typed(body, path, bool, "a bool"),
    }
    return checks[kind]


def _crash(_body: dict[str, Any]) -> bool:
    raise Crash(
        "a readiness check of type MatchCondition has no matchCondition: function-patch-and-transform crashes on it",
        hint="add matchCondition with type and status",
    )


def _non_empty(body: dict[str, Any], path: str) -> bool:
    get(body, parse(path))
    return True


def _typed(body: dict[str, Any], path: str, kind: type, name: str) -> Any:
    found = get(body, parse(path))
    if found.__class__ is not kind:
        raise Fault(f"{path}: not {name}")
    return found


def _integer(body: dict[str, Any], path: str) -> int:
    """Read an integer: there is none, because a function receives every number as a float."""
    found = get(body, parse(path))
    if found.__class__ is not int:
        raise Fault(
            f"{path}: not a (int64) number",
            hint="MatchInteger never succeeds: functions receive every number as a float. Use MatchCondition or NonEmpty",
        )
    return int(found)
