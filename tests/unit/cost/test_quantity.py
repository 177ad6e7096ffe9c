"""Numbers are exact: a bill adds up thousands of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from crossgate.cost.quantity import decimal, gib, quantity


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("100Gi", Decimal(100)),
        ("512Mi", Decimal("0.5")),
        ("1Ti", Decimal(1024)),
        ("1073741824", Decimal(1)),
        (2**31, Decimal(2)),
        ("1G", Decimal(10**9) / 2**30),
        ("1e9", Decimal(10**9) / 2**30),
        ("1E", Decimal(10**18) / 2**30),
    ],
)
def test_sizes_in_gib(value: Any, expected: Decimal) -> None:
    assert gib(value) == expected


@pytest.mark.parametrize("value", ["", "Gi", "10 Gi", "10gi", "ten", None, True, [], "1" * 50, "1e999", "0x10", "NaN", "Infinity"])
def test_what_is_no_quantity_is_none(value: Any) -> None:
    """A size that nobody can read has no price; it is not nothing."""
    assert gib(value) is None


def test_cores_are_exact() -> None:
    assert quantity("1800m") == Decimal("1.8")
    assert quantity("100m") == Decimal("0.1")


def test_counts_are_numbers_or_texts_of_numbers() -> None:
    assert [decimal(3), decimal("3"), decimal(2.5)] == [Decimal(3), Decimal(3), Decimal("2.5")]
    assert decimal(value=True) is None
