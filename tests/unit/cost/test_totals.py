"""A team's bill is added up from what its claims come to: that must be what all their lines come to."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from crossgate.cost import Estimate, Item, Part, Span, Unpriced
from crossgate.cost.document import sums
from crossgate.cost.totals import Totals
from crossgate.model import Identity

IDENTITY = Identity("v1", "Disk", "", "a")
NUMBERS = st.decimals(0, 10_000, places=3)
SPANS = st.builds(Span, NUMBERS, NUMBERS)
GPUS = st.none() | st.tuples(st.sampled_from(["t4", "a100"]), st.integers(1, 8))
ITEMS = st.builds(
    lambda part, quantity, price, gpus, gib: Item(IDENTITY, part, "x", "aws", "r", "hour", quantity, price, gpus, gib),
    st.sampled_from(Part),
    SPANS,
    st.none() | NUMBERS,
    GPUS,
    st.sampled_from([Decimal(0), Decimal(100)]),
)
UNPRICED = st.builds(Unpriced, st.just(IDENTITY), st.sampled_from(["a disk", "a machine"]), st.just("no price"))
ESTIMATES = st.builds(Estimate, st.just("USD"), st.lists(ITEMS, max_size=3).map(tuple), st.lists(UNPRICED, max_size=2).map(tuple))


@given(st.lists(ESTIMATES, max_size=4))
def test_totals_add_up_to_what_the_lines_do(estimates):
    totals = sum(map(Totals.of, estimates), Totals())
    assert sums(totals) == sums(sum(estimates, Estimate("USD")))
