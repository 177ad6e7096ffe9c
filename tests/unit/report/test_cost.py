"""The bill for people fits a terminal."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from crossgate.cost import ClaimCost
from crossgate.cost.model import Estimate, Item, Part, Span, Unpriced
from crossgate.cost.prices import Prices
from crossgate.model import Identity, Place
from crossgate.report.cost import to_text

NODES = Identity("eks.aws.upbound.io/v1beta2", "NodeGroup", "", "fraud-training-ff7699c5-a-long-name-of-a-node-group\nerror: forged")
LONG = "x" * 100


@pytest.mark.parametrize("by", ["claim", "team"])
def test_no_line_is_wider_than_a_terminal(root: Path, by: str) -> None:
    """Lines of items were up to 140 signs wide: a terminal broke them within words. Only a name that is too long itself stays whole."""
    span = Span(Decimal(1), Decimal(5))
    item = Item(NODES, Part.NODE, "g4dn.xlarge", "aws", "us-east-2", "node", span, Decimal("383.98"), approximate=True, assumed=True)
    found = Estimate("USD", (item,), (Unpriced(NODES, LONG, "no price in us-east-2 for this type of machine or disk or anything"),))
    claim = Identity("v1", "GPUClusterClaim", "ml-team-fraud", "fraud-training-aws")
    cost = ClaimCost(claim, "fraud", lambda: Place("apps/claims/fraud/fraud-training-aws.yaml", 2, 1), found)
    prices = Prices.load([root / "policies"])
    assert prices is not None
    lines = to_text([cost], prices, by=by).splitlines()
    assert {line.strip(" :") for line in lines if len(line) > 80} == {LONG}
    assert not any(line.startswith("error:") for line in lines)
    said = " ".join(" ".join(lines).split())
    assert "at most 1,919.90 USD; 1 to 5 nodes" in said
    assert ("1 to 5 nodes (assumed) g4dn.xlarge at about 383.98 USD a month in us-east-2" in said) == (by == "claim")
