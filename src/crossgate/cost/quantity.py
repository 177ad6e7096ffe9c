"""Numbers of manifests as exact decimals: counts, and quantities of Kubernetes (``100Gi``, ``500m``)."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

_GIB = Decimal(2**30)
_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,2})|([KMGTPE]i|[numkMGTPE]?))")
_LONGEST = 40
_LARGEST = 10**30
"""No number of a manifest is larger; exact sums need an end."""
_DECIMAL = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def decimal(value: Any) -> Decimal | None:
    """Return a number, or the number that a text is (providers write counts as text too); ``None`` for anything else."""
    return quantity(value)


def quantity(value: Any) -> Decimal | None:
    """Return a Kubernetes quantity in its base unit (bytes, cores); ``None`` for what is none.

    The grammar is that of ``resource.Quantity`` (k8s.io/apimachinery).
    """
    if isinstance(value, float):
        return Decimal(str(value)) if math.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(min(max(value, -_LARGEST), _LARGEST))
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) and len(value) <= _LONGEST else None
    if match is None:
        return None
    number, exponent, suffix = match[1], match[2], match[3] or ""
    if exponent:
        return Decimal(number + exponent)
    return Decimal(number) * (2 ** _BINARY[suffix] if suffix in _BINARY else Decimal(10) ** _DECIMAL[suffix])


def gib(value: Any) -> Decimal | None:
    """Return a Kubernetes quantity of bytes in GiB."""
    found = quantity(value)
    return None if found is None else found / _GIB
