"""What stands around the expression of a CEL rule: message, reason and field path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.fault import Family, Fault
from crossgate.schema.definition.fieldpath import bad_field_path
from crossgate.schema.values import shown

_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_BREAK = re.compile("[\n\r]")


def rule_text_faults(schema: dict[str, Any], at: Path) -> Iterator[Fault]:
    """Say what is wrong with the entries of ``x-kubernetes-validations``, apart from the expressions themselves."""
    for index, entry in enumerate(schema.get("x-kubernetes-validations") or ()):
        for key, message, hint in _entry(entry or {}, schema):
            yield Fault((*at, "x-kubernetes-validations", index, key), Family.RULE, message, hint)


def _entry(entry: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    rule, message = (entry.get("rule") or "").strip(), (entry.get("message") or "").strip()
    if not rule:
        yield "rule", "the rule is missing", "write an expression over self"
    elif entry.get("message") and not message:
        yield "message", "the message is blank", "say what must hold, or leave the message out"
    elif _BREAK.search(message):
        yield "message", "the message must not contain line breaks", "write it on one line"
    elif _BREAK.search(rule) and not message:
        yield "message", "a rule of several lines needs a message", "say in one line what must hold"
    if entry.get("messageExpression") and not entry["messageExpression"].strip():
        yield "messageExpression", "the messageExpression is blank", "write an expression that gives a string, or leave it out"
    reason = entry.get("reason")
    if reason is not None and reason not in _REASONS:
        yield "reason", f"found {shown(reason)}, expected one of {', '.join(_REASONS)}", "use one of these, or leave it out"
    path = entry.get("fieldPath") or ""
    if path and (not path.strip() or _BREAK.search(path)):
        yield "fieldPath", "the fieldPath must be one line that is not blank", "write a path such as .minNodes"
    elif path and (why := bad_field_path(path, schema)):
        yield "fieldPath", f"{shown(path)} {why}", "name a field of this part of the schema, such as .minNodes"
