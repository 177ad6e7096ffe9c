"""What the clouds charge for in the same way: gateways, what passes them, and addresses."""

from __future__ import annotations

from collections.abc import Iterator

from crossgate.cost.fields import Fields, Unknown, Use
from crossgate.cost.model import Part, Span


def nat(fields: Fields) -> Iterator[Use | Unknown]:
    """A NAT gateway: its hours, and what passes it."""
    yield from gateway(fields, "nat-gateway")


def gateway(fields: Fields, name: str) -> Iterator[Use | Unknown]:
    """A gateway under its cloud's name: its hours, and what passes it in a month, which is assumed."""
    yield Use(Part.NETWORK, name, unit="gateway")
    assumed = fields.prices.assumed.get("nat-gib")
    if assumed is None:
        yield Unknown(f"{name}-gib", "what will pass it is not known")
    else:
        yield Use(Part.NETWORK, f"{name}-gib", Span.fixed(assumed), "GiB", assumed=True)


def address(_fields: Fields) -> Iterator[Use | Unknown]:
    """A public address."""
    yield Use(Part.NETWORK, "public-ipv4", unit="address")
