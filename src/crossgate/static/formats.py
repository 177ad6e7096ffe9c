"""Go format strings of Format transforms and Combine patches, tried out before any claim exists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from crossgate.render.faults import Fault as Refusal
from crossgate.render.gofmt import sprintf
from crossgate.static.values import KINDS, Value

_SAMPLES: Mapping[str, Any] = {
    "string": "text",
    "boolean": True,
    "int64": 3,
    "whole": 3.0,
    "number": 0.5,
    "object": {},
    "array": [],
    "null": None,
}

_GO_ERROR = re.compile(r"%!(?:\((?:NOVERB|EXTRA |BADWIDTH|BADPREC|BADINDEX)|.\((?:BADINDEX|MISSING|[\w\[\]<> {}]+=|<nil>))")

_REASONS: Mapping[str, str] = {"EXTRA": "TOO_FEW_VERBS", "MISSING": "TOO_MANY_VERBS", "NOVERB": "NO_VERB", "BAD": "BAD_INDEX"}

_MOST = 64
"""Combinations of kinds that are tried; more are not worth the time."""


def format_fault(form: str, values: Sequence[Value]) -> tuple[str, str] | None:
    """Return the reason and a sample when the format writes one of Go's error texts, whatever kinds of values it gets.

    A kind that the format can write is enough: fields of several types (ports, quantities) are not judged by the other one.
    """
    if not values:
        # the function refuses a Combine without variables
        return None
    sample = ""
    for arguments in _arguments(values):
        try:
            text = sprintf(form, list(arguments))
        except Refusal:
            return None
        if not _GO_ERROR.search(text):
            return None
        sample = sample or text
    return (_reason(sample), sample) if sample else None


def _arguments(values: Sequence[Value]) -> Iterator[tuple[Any, ...]]:
    samples = [[_SAMPLES[kind] for kind in _SAMPLES if kind in (value.kinds - {"null"} or KINDS - {"null"})] for value in values]
    yield from islice(product(*samples), _MOST)


def _reason(text: str) -> str:
    found = _GO_ERROR.search(text)
    said = found[0] if found else ""
    return next((reason for key, reason in _REASONS.items() if key in said), "WRONG_VERB")
