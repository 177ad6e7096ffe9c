"""Read a resource's fields for its bill, and the lines that a bill is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from crossgate.cost.model import Part, Span
from crossgate.cost.prices import Prices
from crossgate.cost.quantity import decimal, gib
from crossgate.model import Resource

ONE = Span.fixed(1)


@dataclass(frozen=True, slots=True)
class Use:
    """``quantity`` of ``what``, which is its name in the list of prices; one unit holds so many ``gpus`` and ``gib``.

    ``cloud`` and ``region`` are those of the resource unless they are said.
    """

    part: Part
    what: str
    quantity: Span = ONE
    unit: str = ""
    gpus: tuple[str, int] | None = None
    gib: Decimal = Decimal(0)
    assumed: bool = False
    cloud: str = ""
    region: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that costs and that no line can be written for, with the reason."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fields:
    """A resource that is priced: where its fields stand, and what belongs to it.

    ``beside`` are all resources that the same author's object makes: an autoscaler is found there, and the region of a cluster.
    """

    resource: Resource
    prices: Prices
    beside: tuple[Resource, ...] = ()
    root: tuple[str, ...] = ("spec",)

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the whole object."""
        return self.resource.body

    def at(self, path: str, default: Any = None) -> Any:
        """Return a field below ``spec.forProvider``, or else ``spec.initProvider``; ``settings.tier`` looks through lists of one."""
        for where in ("forProvider", "initProvider"):
            found = below(below(self.body.get("spec"), where), path)
            if found is not None:
                return found
        return default

    def text(self, path: str, default: str = "") -> str:
        """Return a field that is a text."""
        value = self.at(path)
        return value if isinstance(value, str) else default

    def number(self, path: str) -> Decimal | None:
        """Return a field that is a number, or a text that is one."""
        return decimal(self.at(path))

    def count(self, path: str, default: int = 0) -> Decimal:
        """Return a number that is not negative."""
        found = self.number(path)
        return Decimal(default) if found is None or found < 0 else found

    def scaled(self, usual: str, least: str, most: str) -> Span:
        """Return a size between the fields ``least`` and ``most``; where ``usual`` is said it is what runs."""
        low, high, wanted = self.number(least), self.number(most), self.number(usual)
        start = wanted if wanted is not None else low if low is not None else Decimal(0)
        start = max(start, low or Decimal(0), Decimal(0))
        top = high if high is not None else start
        return Span(min(start, top), max(top, Decimal(0)))


def below(value: Any, path: str) -> Any:
    """Return what stands at a dotted path, through lists of one; ``None`` where nothing does."""
    for step in path.split("."):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        value = value.get(step) if isinstance(value, dict) else None
    return value


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list, or one object."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            yield item


def storage(what: str, size: Any, times: Span = ONE, *, part: Part = Part.STORAGE) -> Use | Unknown:
    """Return GiB of a kind of disk; ``size`` is a number of GiB or a Kubernetes quantity."""
    amount = decimal(size) if not isinstance(size, str) or size.isdigit() else gib(size)
    if amount is None:
        return Unknown(what, f"its size {size!r} is none")
    return Use(part, what, times.times(amount), "GiB", gib=Decimal(1))


def accelerators(value: Any) -> Iterator[tuple[str, Decimal]]:
    """Yield type and number of the accelerators of a machine; a number that is none counts as one."""
    for accelerator in mappings(value):
        count = decimal(accelerator.get("count", 1))
        yield gpu_type(str(accelerator.get("type", ""))), Decimal(1) if count is None else count


def gpu_type(name: str) -> str:
    """Return the short name of a GPU (``t4``) for what clouds and schedulers call it (``nvidia-tesla-t4``)."""
    short = name.lower()
    for prefix in ("nvidia-", "tesla-"):
        short = short.removeprefix(prefix)
    return short
