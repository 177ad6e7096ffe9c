"""Write a case's expected.yaml anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crossgate.load.write import to_yaml
from crossgate.model import Document
from crossgate.render.reading_order import in_reading_order
from crossgate.testing.compare import pick, without_conditions


def updated_text(expected: Sequence[Document], xr: dict[str, Any], composed: Sequence[dict[str, Any]], *, exact: bool) -> str:
    """Return what expected.yaml should hold.

    Exact: the XR without its conditions, and every composed resource. Subset: the resources and fields that were expected, with their
    values of now; what is gone is left out. Comments of the old file are lost.
    """
    if exact or not expected:
        return to_yaml(map(in_reading_order, (without_conditions(xr), *composed)))
    left = list(composed)
    kept = []
    for document in expected:
        actual = pick(document.body, xr, left)
        if actual is None:
            continue
        left = [body for body in left if body is not actual]
        kept.append(_narrowed(actual, document.body))
    return to_yaml(kept)


def _narrowed(actual: Any, wanted: Any) -> Any:
    if isinstance(actual, dict) and isinstance(wanted, dict):
        return {key: _narrowed(actual[key], value) for key, value in wanted.items() if key in actual}
    if isinstance(actual, list) and isinstance(wanted, list) and len(actual) == len(wanted):
        return [_narrowed(one, other) for one, other in zip(actual, wanted, strict=True)]
    return actual
