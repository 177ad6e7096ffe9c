"""Which network addresses may be connected to on behalf of a caller."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable

from modelserver.errors import Problem

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Awaitable[list[Address]]]

# Public by registry, but answering only inside a cloud: Azure's wire server.
_CLOUD = frozenset({ipaddress.ip_address("168.63.129.16")})
# Prefixes that carry an IPv4 address: NAT64 (RFC 6052, RFC 8215). 6to4 and Teredo are known to `ipaddress`.
_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))


async def resolve(host: str, port: int) -> list[Address]:
    """Every address of a name; the decimal, octal and hexadecimal forms of an IPv4 address count as that address, as in every resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]


async def resolve_public(host: str, port: int, resolver: Resolver, allowed: Callable[[Address], bool]) -> Address:
    """One address of the host, when every address of it is allowed.

    Raises:
        Problem: url_not_allowed or url_fetch_failed.
    """
    try:
        addresses = await resolver(host, port)
    except (OSError, UnicodeError, ValueError):
        addresses = []
    if not addresses:
        raise Problem("url_fetch_failed", f"host {host[:64]!r} has no address", "/image_url")
    if not all(allowed(address) for address in addresses):
        raise Problem("url_not_allowed", f"host {host[:64]!r} has an address that is not public", "/image_url")
    return addresses[0]


def is_public(address: Address) -> bool:
    """Whether the address is globally reachable unicast, also after unwrapping an IPv4 address inside an IPv6 one."""
    if isinstance(address, ipaddress.IPv6Address):
        if any(address in network for network in _NAT64):
            return False  # reaches IPv4 through a gateway of ours
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is not None:
            return is_public(inner) and address.ipv4_mapped is not None
    if address in _CLOUD:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved and not address.is_unspecified
