"""The list of prices is read exactly, and refused where it would mislead."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from crossgate.cost.prices import Prices
from crossgate.errors import PolicyError

MINIMAL = 'prices: {currency: USD, sources: {gcp: {name: a list, date: "2025-01-31"}}, regions: {gcp: {here: {hourly: {a: 0.1}}}}}'


def read(tmp_path: Path, text: str) -> Prices:
    file = tmp_path / "prices.yaml"
    file.write_text(text)
    return Prices.read(file)


def test_an_hourly_price_is_730_times_that_a_month(prices: Prices) -> None:
    price = prices.price("gcp", "us-central1", "gpu-t4")
    assert price is not None
    assert (price.amount, price.approximate) == (Decimal("365.0"), False)


def test_no_float_comes_between(tmp_path: Path) -> None:
    """0.1 has no exact binary form: three of it would be 0.30000000000000004."""
    price = read(tmp_path, MINIMAL).price("gcp", "here", "a")
    assert price is not None
    assert price.amount * 3 == Decimal(219)


def test_a_region_that_is_like_another_gives_approximations(prices: Prices) -> None:
    own, like = prices.price("gcp", "europe-west4", "n1-standard-4"), prices.price("gcp", "europe-west4", "gpu-t4")
    assert own is not None
    assert like is not None
    assert (own.amount, own.approximate) == (Decimal(1460), False)
    assert (like.amount, like.approximate) == (Decimal("401.5"), True)


def test_what_costs_the_same_everywhere_needs_a_known_region(prices: Prices) -> None:
    fee = prices.price("gcp", "europe-west4", "gke-cluster")
    assert fee is not None
    assert (fee.amount, fee.approximate) == (Decimal(73), False)
    assert prices.price("gcp", "moon-base1", "gke-cluster") is None


def test_what_is_not_listed_has_no_price(prices: Prices) -> None:
    assert prices.price("gcp", "us-central1", "n9-standard-4") is None
    assert prices.price("mars", "us-central1", "gpu-t4") is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (MINIMAL.replace("0.1", "-1"), "prices.regions.gcp.here.hourly.a is wrong"),
        (MINIMAL.replace("0.1", "cheap"), "prices.regions.gcp.here.hourly.a is wrong"),
        (MINIMAL.replace("USD", "dollars"), "prices.currency is wrong"),
        (MINIMAL.replace('"2025-01-31"', '"lately"'), "prices.sources.gcp.date is wrong"),
        (MINIMAL.replace("a: 0.1", "a: 0.1, a: 0.2"), "'a' stands twice"),
        (MINIMAL.replace("hourly", "like: there, hourly"), "like there, which is not listed"),
        (MINIMAL.replace("hourly", "like: here, hourly"), "like itself"),
        ("prices: [", "cannot read the data"),
        ("other: {}", "the file is wrong"),
        (MINIMAL.replace("0.1", ".inf"), ""),
        (MINIMAL.replace("0.1", ".nan"), ".nan is no number"),
        (MINIMAL.replace("0.1", "!!float sNaN"), "cannot read the data"),
        (MINIMAL.replace("0.1", "9" * 5000), "cannot read the data"),
        ("? [a]\n: 1\n", "cannot read the data"),
        ("a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40)), "more than 1,000,000 values"),
    ],
)
def test_a_list_that_would_mislead_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(PolicyError) as refused:
        read(tmp_path, text)
    assert what in refused.value.what
    assert "prices.yaml" in refused.value.where


def test_the_first_policy_folder_that_has_prices_counts(tmp_path: Path) -> None:
    assert Prices.load([tmp_path]) is None
    (tmp_path / "b" / "data").mkdir(parents=True)
    (tmp_path / "b" / "data" / "prices.yaml").write_text(MINIMAL)
    assert Prices.load([tmp_path / "a", tmp_path / "b"]) is not None


def test_the_projects_own_list_is_read(root: Path) -> None:
    """Every region that the catalogue moves claims to has a list."""
    from mlplatform.regions import NEAR  # noqa: PLC0415 - only this test needs the catalogue

    prices = Prices.load([root / "policies"])
    assert prices is not None
    for line in NEAR:
        for cloud, region in zip(("gcp", "aws", "azure"), line, strict=True):
            assert prices.has_region(cloud, region), region
