"""Kubernetes' own CEL types: quantities, IP addresses, networks, URLs and named formats (1.36).

A value of such a type is a map with the key ``TYPE`` on its way through the engine, made of nothing but what makes two of
them equal.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from crossgate.schema import names
from crossgate.schema.addresses import is_ip, is_uri
from crossgate.schema.textformats import FORMATS

Value = dict[str, Any]

TYPE = " type"
_QUANTITY = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]+)?")
_SCALES = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_MOST = Decimal(2**63 - 1)


def _quantity(text: Any) -> Value:
    """Read a quantity as ``resource.ParseQuantity``: what is finer than a billionth is rounded up.

    Unlike there, 1.0 is an integer, because two quantities are equal here when their values are.
    """
    found = _QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise ValueError(f"{text!r} is no quantity")
    suffix = found[2] or ""
    number = Decimal(found[1])
    if suffix.endswith("i"):
        number *= 1024 ** ("KMGTPE".index(suffix[0]) + 1)
    elif suffix in _SCALES:
        number = number.scaleb(_SCALES[suffix])
    elif suffix:
        number = number.scaleb(int(suffix[1:]))
    if abs(number) < _MOST:
        number = number.quantize(Decimal("1e-9"), rounding="ROUND_UP")
    return _of_number(number)


def _of_number(number: Decimal) -> Value:
    return {TYPE: "quantity", "value": str(number.normalize() + 0)}


def _number(value: Any) -> Decimal:
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    return Decimal(_get(value, "quantity"))


def _compare(left: Any, right: Any) -> int:
    a, b = _number(left), _number(right)
    return (a > b) - (a < b)


def _integer(value: Any) -> int:
    number = _number(value)
    if number != number.to_integral_value() or abs(number) > _MOST:
        raise ValueError("cannot convert value to integer")
    return int(number)


def _is_integer(value: Any) -> bool:
    number = _number(value)
    return number == number.to_integral_value() and abs(number) <= _MOST


def _ip(text: Any) -> Value:
    """Read an address as ``netip.ParseAddr``, without zones and IPv4 in IPv6."""
    if not isinstance(text, str) or not is_ip(text):
        raise ValueError(f"IP Address {text!r} parse error during conversion from string")
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        raise ValueError(f"IPv4-mapped IPv6 address {text!r} is not allowed")
    return {TYPE: "ip", "value": str(address)}


def _address(value: Any) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(_get(value, "ip"))


def _is_multicast(value: Any) -> bool:
    address = _address(value)
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.ip_network("224.0.0.0/24")
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 0x02


def _is_global(value: Any) -> bool:
    address = _address(value)
    special = address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    return not special and str(address) != "255.255.255.255"


def _cidr(text: Any) -> Value:
    """Read a network as ``netip.ParsePrefix``: host bits may be set, the length has no leading zero."""
    address, slash, length = text.partition("/") if isinstance(text, str) else ("", "", "")
    if not slash or not length.isascii() or not length.isdigit() or (len(length) > 1 and length[0] == "0"):
        raise ValueError(f"network address parse error during conversion from string: {text!r}")
    parsed = _ip(address)
    if int(length) > (128 if ":" in address else 32):
        raise ValueError(f"network address parse error during conversion from string: {text!r}")
    return {TYPE: "cidr", "value": f"{parsed['value']}/{int(length)}"}


def _network(value: Any) -> ipaddress.IPv4Interface | ipaddress.IPv6Interface:
    return ipaddress.ip_interface(value if isinstance(value, str) else _get(value, "cidr"))


def _contains_ip(value: Any, other: Any) -> bool:
    return _address(_ip(other) if isinstance(other, str) else other) in _network(value).network


def _contains_cidr(value: Any, other: Any) -> bool:
    whole, part = _network(value).network, _network(_cidr(other) if isinstance(other, str) else other).network
    return whole.version == part.version and whole.prefixlen <= part.prefixlen and part.network_address in whole


def _url(text: Any) -> Value:
    if not isinstance(text, str) or not is_uri(text):
        raise ValueError(f"URL parse error during conversion from string: {text!r}")
    return {TYPE: "url", "value": text}


def _part(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: read(urlsplit(_get(value, "url")))


def _port(split: Any) -> str:
    return str(split.port) if split.port is not None else ""


def _get(value: Any, kind: str) -> str:
    if not isinstance(value, dict) or value.get(TYPE) != kind:
        raise ValueError("no such overload")
    return str(value["value"])


def _can(read: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def check(text: Any) -> bool:
        try:
            read(text)
        except ValueError:
            return False
        return True

    return check


def _prefixed(rule: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: rule(names.as_prefix(text))


def _format(name: str) -> Callable[[str], str]:
    return lambda text: "" if FORMATS[name](text) else f"the format {name}"


NAMED: dict[str, Callable[[str], str]] = {
    "dns1123Label": names.dns_label,
    "dns1123Subdomain": names.dns_subdomain,
    "dns1035Label": names.dns_1035_label,
    "qualifiedName": names.label_key,
    "dns1123LabelPrefix": _prefixed(names.dns_label),
    "dns1123SubdomainPrefix": _prefixed(names.dns_subdomain),
    "dns1035LabelPrefix": _prefixed(names.dns_1035_label),
    "labelValue": names.label_value,
    **{name: _format(name) for name in ("uri", "uuid", "byte", "date", "datetime")},
}
"""The formats that ``format.<name>()`` gives."""


def _validate(optional: Callable[[list[str] | None], Any]) -> Callable[[Any, Any], Any]:
    def validate(form: Any, text: Any) -> Any:
        wrong = NAMED[_get(form, "format")](text)
        return optional([f"expected {wrong}"] if wrong else None)

    return validate


def kubernetes_types(optional: Callable[[Any], Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions; ``optional`` makes the engine's optional of a value, or an empty one of None."""
    formats: dict[str, Callable[..., Any]] = {f"format.{name}": (lambda name=name: {TYPE: "format", "value": name}) for name in NAMED}
    return {
        "quantity": _quantity,
        "isQuantity": _can(_quantity),
        "sign": lambda value: _compare(value, 0),
        "isGreaterThan": lambda left, right: _compare(left, right) > 0,
        "isLessThan": lambda left, right: _compare(left, right) < 0,
        "compareTo": _compare,
        "asApproximateFloat": lambda value: float(_number(value)),
        "asInteger": _integer,
        "isInteger": _is_integer,
        "add": lambda left, right: _of_number(_number(left) + _number(right)),
        "sub": lambda left, right: _of_number(_number(left) - _number(right)),
        "ip": lambda value: _ip(value) if isinstance(value, str) else _ip(str(_network(value).ip)),
        "isIP": _can(_ip),
        "ip.isCanonical": lambda text: _ip(text)["value"] == text,
        "family": lambda value: _address(value).version,
        "isUnspecified": lambda value: _address(value).is_unspecified,
        "isLoopback": lambda value: _address(value).is_loopback,
        "isLinkLocalMulticast": _is_multicast,
        "isLinkLocalUnicast": lambda value: _address(value).is_link_local,
        "isGlobalUnicast": _is_global,
        "cidr": _cidr,
        "isCIDR": _can(_cidr),
        "containsIP": _contains_ip,
        "containsCIDR": _contains_cidr,
        "prefixLength": lambda value: _network(value).network.prefixlen,
        "masked": lambda value: {TYPE: "cidr", "value": str(_network(value).network)},
        "url": _url,
        "isURL": _can(_url),
        "getScheme": _part(lambda split: split.scheme),
        "getHost": _part(lambda split: split.netloc.rpartition("@")[2]),
        "getHostname": _part(lambda split: split.hostname or ""),
        "getPort": _part(_port),
        "getEscapedPath": _part(lambda split: split.path),
        "getQuery": _part(lambda split: parse_qs(split.query, keep_blank_values=True)),
        "format.named": lambda name: optional({TYPE: "format", "value": name} if name in NAMED else None),
        "validate": _validate(optional),
        **formats,
    }
