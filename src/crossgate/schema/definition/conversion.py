"""Conversion between versions: none, or by a webhook that is told where it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from crossgate.paths import Path
from crossgate.schema.definition.fault import Fault, definition
from crossgate.schema.names import dns_1035_label
from crossgate.schema.values import shown

_AT: Path = ("spec", "conversion")
_KNOWN = ("v1", "v1beta1")
_PORTS = 65536


def conversion_faults(conversion: dict[str, Any] | None) -> Iterator[Fault]:
    """Say what is wrong with the conversion of a definition."""
    if conversion is None:
        return
    strategy, webhook = conversion.get("strategy") or "", conversion.get("webhook")
    if strategy not in ("None", "Webhook"):
        yield definition((*_AT, "strategy"), f"found {shown(strategy)}, expected None or Webhook", "write one of them")
    if strategy == "Webhook":
        client = (webhook or {}).get("clientConfig")
        if client is None:
            yield definition((*_AT, "webhook", "clientConfig"), "missing; the strategy is Webhook", "name the service")
        else:
            yield from _client(client, (*_AT, "webhook", "clientConfig"))
        yield from _reviews((webhook or {}).get("conversionReviewVersions") or [], (*_AT, "webhook", "conversionReviewVersions"))
    elif webhook is not None and (webhook.get("clientConfig") is not None or webhook.get("conversionReviewVersions")):
        yield definition((*_AT, "webhook"), "must be left out where the strategy is not Webhook", "leave it out")


def _client(client: dict[str, Any], at: Path) -> Iterator[Fault]:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield definition(at, "exactly one of url and service is needed", "name the service")
    elif url is not None:
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.netloc or parts.username or parts.query or parts.fragment:
            wanted = "https, with a host, and with no user, query or fragment"
            yield definition((*at, "url"), f"found {shown(url)}, expected {wanted}", "write https://host/path")
    elif service is not None:
        yield from _service(service, (*at, "service"))


def _service(service: dict[str, Any], at: Path) -> Iterator[Fault]:
    for key in ("name", "namespace"):
        if not service.get(key):
            yield definition((*at, key), f"missing; the webhook's service needs a {key}", f"write {key}: …")
    port, path = service.get("port", 443), service.get("path")
    if port is not None and not 0 < port < _PORTS:
        yield definition((*at, "port"), f"found {port}, expected 1 to {_PORTS - 1}", "write the service's port")
    if path and (not path.startswith("/") or "//" in path):
        yield definition((*at, "path"), f"found {shown(path)}, expected a path of non-empty parts after a slash", "write /convert")


def _reviews(versions: list[str], at: Path) -> Iterator[Fault]:
    if not set(versions) & set(_KNOWN):
        yield definition(at, f"found {shown(versions)}, expected one of {', '.join(_KNOWN)} among them", "write [v1]")
    for index, version in enumerate(versions):
        if versions.index(version) != index:
            yield definition((*at, index), f"{version} is there twice", "name each version once")
        elif wrong := dns_1035_label(version):
            yield definition((*at, index), f"found {shown(version)}, expected {wrong}", "write v1")
