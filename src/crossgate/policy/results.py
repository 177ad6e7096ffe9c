"""Read what rules return: this project's findings and conftest's results.

A result is a text, or an object with ``msg``. A rule of this project gives ``{"msg", "path"}`` and may add
``reason``, one of the reason codes in its METADATA; ``path`` is a list of keys and indices from the root of
``input``. A foreign rule may leave ``path`` out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.policy.rules import Rule


@dataclass(frozen=True, slots=True)
class Result:
    """One result of a rule, with everything that METADATA says about it filled in."""

    rule: Rule
    message: str
    path: Path
    reason: str
    severity: Severity
    remediation: str


class ResultError(Exception):
    """A rule returned something that is no result."""


def results(rule: Rule, value: Any) -> Iterator[Result]:
    """Return the results in the value of ``data.<package>.<name>``.

    Raises:
        ResultError: the value, or a part of it, is no result; it would be lost if it were passed over.
    """
    if value is False:
        return
    items = value if isinstance(value, list) else [rule.title or f"{rule.name} is true" if value is True else value]
    for item in items:
        yield _result(rule, item)


def _result(rule: Rule, item: Any) -> Result:
    fields = {"msg": item} if isinstance(item, str) else item
    if not isinstance(fields, dict) or not isinstance(fields.get("msg"), str):
        raise ResultError(f"a result is neither a text nor an object with msg: {_short(item)}")
    path = _path(fields.get("path"))
    if path is None:
        if rule.own:
            raise ResultError(f"a finding has no path (a list of keys and indices): {_short(item)}")
        path = ()
    code = fields.get("reason", rule.reason) if rule.own else rule.reason
    given = rule.reasons.get(code)
    if given is None and code != rule.reason:
        raise ResultError(f"METADATA does not know the reason {code!r}")
    given = given or {}
    return Result(
        rule=rule,
        message=fields["msg"],
        path=path,
        reason=code,
        severity=Severity(given.get("severity", rule.severity)),
        remediation=given.get("remediation", rule.remediation),
    )


def _path(value: Any) -> Path | None:
    if not isinstance(value, list):
        return None
    if all(isinstance(step, (str, int)) and not isinstance(step, bool) for step in value):
        return tuple(value)
    return None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
