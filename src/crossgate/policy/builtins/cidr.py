"""``net.cidr_*`` exactly as OPA has them.

OPA reads networks with Go's ``net.ParseCIDR``: host bits are masked, ``/00`` is ``/0``, IPv4 octets have no
leading zeros, and an IPv4-mapped IPv6 network of 96 bits or more is an IPv4 network. Bad operands are
``ValueError``: with OPA the expression is undefined there, with us it stops the rule.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_PREFIX = re.compile(r"[0-9]+\Z")
_MAPPED = 0xFFFF << 32
_EXPAND_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Network:
    """A network as Go holds it: first address, prefix length and width (32 or 128)."""

    first: int
    ones: int
    width: int

    @property
    def last(self) -> int:
        """Return the last address."""
        return self.first | ((1 << (self.width - self.ones)) - 1)

    @property
    def seen(self) -> Network:
        """Return the network that Go's ``Contains`` and ``String`` see: mapped networks are IPv4."""
        if self.width == 128 and self.ones >= 96 and self.first >> 32 == 0xFFFF:
            return Network(self.first & 0xFFFFFFFF, self.ones - 96, 32)
        return self

    def holds(self, address: int, width: int) -> bool:
        """Say whether the address lies in the network; an address of the other family never does."""
        return width == self.width and self.first <= address <= self.last

    def __str__(self) -> str:
        return f"{_write(self.first, self.width)}/{self.ones}"


def parse_cidr(text: Any) -> Network:
    """Read a network as Go's ``net.ParseCIDR`` does.

    Raises:
        ValueError: it is not one.
    """
    if not isinstance(text, str):
        raise ValueError(f"not a string: {text!r}")
    address_text, slash, prefix_text = text.partition("/")
    if not slash or not _PREFIX.match(prefix_text) or int(prefix_text[:8]) >= 0xFFFFFF:
        raise ValueError(f"invalid CIDR address: {text}")
    address, width = _parse_address(address_text)
    ones = int(prefix_text)
    if ones > width:
        raise ValueError(f"invalid CIDR address: {text}")
    return Network(address >> (width - ones) << (width - ones), ones, width)


def _parse_address(text: str) -> tuple[int, int]:
    if "%" in text or not text.isascii():
        raise ValueError(f"invalid IP address: {text}")
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"invalid IP address: {text}") from None
    return int(address), address.max_prefixlen


def _parse_ip(text: Any) -> tuple[int, int] | None:
    """Read an address as Go's ``net.ParseIP`` does; mapped ones are IPv4."""
    try:
        value, width = _parse_address(text) if isinstance(text, str) else (0, 0)
    except ValueError:
        return None
    if width == 128 and value >> 32 == 0xFFFF:
        return value & 0xFFFFFFFF, 32
    return (value, width) if width else None


def _write(value: int, width: int) -> str:
    if width == 32 or value >> 32 == 0xFFFF:
        return str(ipaddress.IPv4Address(value & 0xFFFFFFFF))
    return str(ipaddress.IPv6Address(value))


def cidr_is_valid(text: Any) -> bool:
    """``net.cidr_is_valid``."""
    try:
        parse_cidr(text)
    except ValueError:
        return False
    return True


def cidr_contains(network: Any, other: Any) -> bool:
    """``net.cidr_contains``: ``other`` is an address or a network."""
    outer = parse_cidr(network).seen
    address = _parse_ip(other)
    if address is not None:
        return outer.holds(*address)
    inner = parse_cidr(other)
    seen = inner.seen
    return outer.holds(seen.first, seen.width) and outer.holds(seen.last, seen.width)


def cidr_intersects(one: Any, two: Any) -> bool:
    """``net.cidr_intersects``."""
    first, second = parse_cidr(one).seen, parse_cidr(two).seen
    return first.holds(second.first, second.width) or second.holds(first.first, first.width)


def cidr_expand(text: Any) -> set[str]:
    """``net.cidr_expand``: every address.

    Raises:
        ValueError: more than a million addresses; OPA would run until its time limit.
    """
    network = parse_cidr(text)
    if network.last - network.first >= _EXPAND_LIMIT:
        raise ValueError(f"{text} has more than {_EXPAND_LIMIT} addresses")
    return {_write(address, network.width) for address in range(network.first, network.last + 1)}


def cidr_merge(networks: Any) -> set[str]:
    """``net.cidr_merge``: the fewest networks that cover the same addresses."""
    if not isinstance(networks, (list, tuple, set, frozenset)):
        raise ValueError("operand must be an array")
    spans = sorted((_mapped(network.last, network), _mapped(network.first, network), network) for network in map(_mergeable, networks))
    ranges: list[tuple[int, int, Network | None]] = [(last, first, network) for last, first, network in spans]
    for index in range(len(ranges) - 1, 0, -1):
        last, first, _ = ranges[index]
        if _before(first) <= ranges[index - 1][0]:
            ranges[index - 1 : index + 1] = [(last, min(first, ranges[index - 1][1]), None)]
    merged: set[str] = set()
    for last, first, network in ranges:
        merged |= {str(network.seen)} if network else {str(part.seen) for part in _cover(first, last)}
    return merged


def _mergeable(text: Any) -> Network:
    if not isinstance(text, str):
        raise ValueError("element must be string")
    address = _parse_ip(text)
    if address is None:
        return parse_cidr(text)
    value, width = address
    if width == 128:
        raise ValueError("IPv6 invalid: needs prefix length")
    ones = 8 if value >> 31 == 0 else 16 if value >> 30 == 0b10 else 24 if value >> 29 == 0b110 else None
    if ones is None:
        raise ValueError(f"{text} has no default mask")
    return Network(value >> (32 - ones) << (32 - ones), ones, 32)


def _mapped(address: int, network: Network) -> int:
    return address | _MAPPED if network.width == 32 else address


def _before(address: int) -> int:
    """Return the address before; of the first of a family that address itself."""
    return address if address in (0, _MAPPED) else address - 1


def _cover(first: int, last: int) -> Iterator[Network]:
    """Return the fewest networks that hold exactly first to last (128-bit numbers)."""
    while first <= last:
        size = first & -first if first else 1 << 128
        while first + size - 1 > last:
            size >>= 1
        yield Network(first, 128 - size.bit_length() + 1, 128)
        first += size


def cidr_contains_matches(cidrs: Any, others: Any) -> set[tuple[Any, Any]]:
    """``net.cidr_contains_matches``: pairs of keys of ``cidrs`` and ``others`` where the first holds the second."""
    return {
        (index, other_index) for index, cidr in _entries(cidrs) for other_index, other in _entries(others) if cidr_contains(cidr, other)
    }


def _entries(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, str):
        yield value, value
        return
    if isinstance(value, dict):
        items: Any = value.items()
    elif isinstance(value, (set, frozenset)):
        items = ((item, item) for item in value)
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    else:
        return
    for key, item in items:
        if isinstance(item, (list, tuple)) and item:
            yield key, item[0]
        elif isinstance(item, str):
            yield key, item
        else:
            raise ValueError("element must be string or non-empty array")


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "net.cidr_is_valid": (1, cidr_is_valid),
    "net.cidr_contains": (2, cidr_contains),
    "net.cidr_overlap": (2, cidr_contains),
    "net.cidr_intersects": (2, cidr_intersects),
    "net.cidr_expand": (1, cidr_expand),
    "net.cidr_merge": (1, cidr_merge),
    "net.cidr_contains_matches": (2, cidr_contains_matches),
}
"""Built-in to the number of its operands and its function."""
