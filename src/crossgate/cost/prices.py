"""List prices: ``policies/data/prices.yaml``, which a project replaces by its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from crossgate.cost.datafile import read_checked
from crossgate.errors import PolicyError

FILE = "data/prices.yaml"
"""Where the prices stand in a policy folder; the first folder that has them counts."""

HOURS = 730
"""Hours of a month, as the clouds count it."""

_CHAIN = 8
_SCHEMA = Path(__file__).parent / "prices.schema.json"


@dataclass(frozen=True, slots=True)
class Price:
    """What one unit costs in a month, and whether the figure is an approximation."""

    amount: Decimal
    approximate: bool


@dataclass(frozen=True)
class Prices:
    """The prices of one file.

    ``currency`` is theirs, ``sources`` name for each cloud where they come from and of which day they are, ``assumed`` are quantities
    that no manifest says. ``workloads`` is the region of the platform's own cluster in each cloud, and under ``default`` the cloud in
    which workloads run that name no machine.
    """

    currency: str
    sources: Mapping[str, Mapping[str, str]]
    assumed: Mapping[str, Decimal]
    workloads: Mapping[str, str]
    _gpus: Mapping[str, Mapping[str, int]]
    _regions: Mapping[str, Mapping[str, Mapping[str, Any]]]
    _known: dict[tuple[str, str, str], Price | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def load(cls, folders: Iterable[Path]) -> Prices | None:
        """Read the prices of the first policy folder that has some; ``None`` when none has.

        Raises:
            PolicyError: the file cannot be read, or is not what the schema says.
        """
        file = next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
        return cls.read(file) if file is not None else None

    @classmethod
    def read(cls, file: Path) -> Prices:
        """Read a file of prices.

        Raises:
            PolicyError: it cannot be read, or is not what the schema says.
        """
        value = read_checked(file, _SCHEMA)
        given = value["prices"]
        made = cls(
            currency=given["currency"],
            sources=given["sources"],
            assumed={name: Decimal(number) for name, number in given.get("assumed", {}).items()},
            workloads=given.get("workloads", {}),
            _gpus=given.get("gpus", {}),
            _regions=given["regions"],
        )
        for cloud, regions in made._regions.items():
            for region in regions:
                made._check(cloud, region, file)
        return made

    def price(self, cloud: str, region: str, what: str) -> Price | None:
        """Return the price of ``what`` (a machine type, a kind of disk …) in a region, ``None`` where no list has one.

        What the region does not list itself is that of the region that it is ``like``, times its ``factor``, as an approximation. What is
        the same everywhere stands in the region ``"*"``.
        """
        asked = (cloud, region, what)
        if asked not in self._known:
            self._known[asked] = self._price(*asked)
        return self._known[asked]

    def _price(self, cloud: str, region: str, what: str) -> Price | None:
        factor, approximate = Decimal(1), False
        regions = self._regions.get(cloud, {})
        at: str | None = region
        while at is not None and at in regions:
            lists = regions[at]
            for unit, hours in (("hourly", HOURS), ("monthly", 1)):
                if what in lists.get(unit, {}):
                    amount = Decimal(lists[unit][what]) * hours * factor
                    return Price(amount, approximate or what in lists.get("approximate", ()))
            if "like" in lists:
                factor, approximate = factor * Decimal(lists.get("factor", 1)), True
            at = lists.get("like")
        return self.price(cloud, "*", what) if region != "*" and region in regions and "*" in regions else None

    def has_region(self, cloud: str, region: str) -> bool:
        """Say whether there are prices for a region."""
        return region in self._regions.get(cloud, {})

    def gpus(self, machine: str) -> tuple[str, int] | None:
        """Return type and number of the GPUs that come with a machine type."""
        return next(iter(self._gpus.get(machine, {}).items()), None)

    def _check(self, cloud: str, region: str, file: Path) -> None:
        at: str | None = region
        for _ in range(_CHAIN):
            if at is None:
                return
            if at not in self._regions[cloud]:
                raise PolicyError(f"{cloud} {region} is like {at}, which is not listed", str(file), "name a region that is listed")
            at = self._regions[cloud][at].get("like")
        raise PolicyError(f"{cloud} {region} is like itself, over others", str(file), "let it end at a region with prices of its own")
