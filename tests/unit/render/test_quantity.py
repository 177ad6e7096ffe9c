from __future__ import annotations

import pytest

from crossgate.render.faults import Fault
from crossgate.render.quantity import parse_quantity


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("250m", 0.25),
        ("300m", 300 * 10**-3),
        ("1.5Gi", 1610612736.0),
        ("100", 100.0),
        ("1e3", 1000.0),
        ("12E", 1.2e19),
        ("-5k", -5000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0.1n", 1e-9),
        ("8Ei", 9223372036854775807.0),
        ("100Ei", 9223372036854775807.0),
    ],
    ids=str,
)
def test_reads_as_kubernetes_does(source: str, value: float) -> None:
    """Less than a billionth is rounded up; binary quantities end at 2**63 - 1."""
    assert parse_quantity(source) == value


@pytest.mark.parametrize("source", ["", " 1", "1 Gi", "1Gb", "1KI", "Gi Gi", "1e", "--1", "1.2.3", "-Ei", "1e99999999999999999999"])
def test_refuses_what_kubernetes_refuses(source: str) -> None:
    with pytest.raises(Fault):
        parse_quantity(source)


@pytest.mark.parametrize("source", ["1e300", "1e-400", "1e2147483647", "0." + "0" * 400 + "1", "9" * 400, "9" * 400 + "Ei"])
def test_extreme_exponents_end_quickly(source: str) -> None:
    parse_quantity(source)
