"""Sums by team, and the document that rules see."""

from __future__ import annotations

from typing import Any

from crossgate.cost.document import as_resource, report
from crossgate.cost.estimate import costs, estimate
from crossgate.cost.model import Estimate, by_team
from crossgate.cost.prices import Prices
from crossgate.cost.text import change, monthly
from crossgate.cost.totals import totalled
from crossgate.model import Document, Place, Resource, Role


def made(name: str, namespace: str, nodes: int, most: int, **metadata: Any) -> list[Resource]:
    claim = {"apiVersion": "a/v1", "kind": "C", "metadata": {"name": name, "namespace": namespace, **metadata}}
    document = Document(claim, f"{name}.yaml", 1, locate=lambda _: Place(f"{name}.yaml", 2))
    scaling = {"minNodeCount": nodes, "maxNodeCount": most}
    pool = {"location": "us-central1-b", "autoscaling": scaling, "nodeConfig": {"machineType": "n1-standard-4", "diskSizeGb": 0}}
    body = {"apiVersion": "container.gcp.upbound.io/v1beta2", "kind": "NodePool", "metadata": {"name": name}, "spec": {"forProvider": pool}}
    head = Resource(claim, Role.CLAIM, document)
    return [head, Resource(body, Role.COMPOSED, document, parent=head)]


def test_sums_of_teams(prices: Prices) -> None:
    found = list(costs([*made("a", "ml-team-x", 1, 2), *made("b", "ml-team-x", 0, 4), *made("c", "ml-team-y", 1, 1)], prices))
    body = report(totalled(found), prices, before=totalled(costs(made("a", "ml-team-x", 1, 1), prices)))
    teams = body["spec"]["teams"]
    assert teams["x"]["monthly"] == {"usual": 730, "most": 4380}
    assert teams["x"]["before"] == {"monthly": {"usual": 730, "most": 730}}
    assert "before" not in teams["y"]
    assert [claim["name"] for claim in teams["x"]["claims"]] == ["b", "a"], "the dearest first"


def test_a_finding_about_a_team_stands_at_its_dearest_claim(prices: Prices) -> None:
    found = list(costs([*made("a", "ml-team-x", 1, 2), *made("b", "ml-team-x", 0, 4)], prices))
    resource = as_resource(totalled(found), prices)
    assert resource.document.place(("spec", "teams", "x", "monthly", "most")) == Place("b.yaml", 2)


def test_whose_an_object_is(prices: Prices) -> None:
    """The namespace says it: a label can be written by anybody."""
    stray = made("a", "ml-team-x", 1, 1, labels={"team": "y"})
    assert list(by_team(costs(stray, prices))) == ["x"]
    nowhere = made("a", "", 1, 1, labels={"team": "y"})
    assert list(by_team(costs(nowhere, prices))) == ["y"]
    assert list(by_team(costs(made("a", "", 1, 1), prices))) == ["platform"]


def test_words(prices: Prices) -> None:
    one, other = (estimate(made("a", "n", *sizes), prices) for sizes in ((1, 1), (2, 4)))
    assert monthly(one.monthly, "USD") == "730.00 USD a month"
    assert monthly(other.monthly, "USD") == "1,460.00 USD a month, at most 2,920.00 USD"
    assert monthly(None, "USD") == "unknown"
    assert change(one, one) == ""
    assert change(None, one) == "+730.00 USD a month (0.00 → 730.00)"
    assert change(one, other) == "+730.00 USD a month (730.00 → 1,460.00), at most +2,190.00 (730.00 → 2,920.00)"
    most = estimate(made("a", "n", 1, 3), prices)
    assert change(one, most) == "at most +1,460.00 USD a month (730.00 → 2,190.00)"
    assert change(other, None).startswith("-1,460.00 USD a month (1,460.00 → 0.00), at most -2,920.00")
    assert change(one, Estimate("USD", unpriced=(prices_of_nothing(),))) == "730.00 USD a month → unknown"


def prices_of_nothing() -> Any:
    return "x"
