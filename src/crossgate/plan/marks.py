"""Which changes of a field want a second look, and why."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from crossgate.model import Identity
from crossgate.paths import MISSING, Path, format_path
from crossgate.plan.model import Danger, Mark

_SIZE = re.compile(
    r"(size|sizeingb|sizegb|sizemb|disksize\w*|storage|storagegb|storagemb|storagesize|capacity|allocatedstorage|volumesize|maxstorage\w*|quota)$",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"^(machineType|instanceTypes?|instanceClass|nodeType|cacheNodeType|vmSize|nodeSize|tier|skuName|gpuType|acceleratorType|instanceSize)$"
)
_VERSION = re.compile(
    r"^(engineVersion|databaseVersion|kubernetesVersion|minMasterVersion|nodeVersion|clusterVersion|orchestratorVersion|engine|releaseVersion)$"
)
_ACCESS = re.compile(
    r"authorized|sourcerange|cidrblocks|allow|whitelist|ingress|egress|publicaccesscidrs|iprules|firewall|ipblock|trusted|permitted|masterauthorized"
    r"|cidripv|sourceaddress|opento|ranges$",
    re.IGNORECASE,
)
_ADDRESSES = re.compile(r"secondaryIpRange|ipAllocationPolicy|addressSpace|addressPrefixes|serviceCidr|podCidr", re.IGNORECASE)
_LABELS = ("name", "displayName", "description")
_CIDR = re.compile(r"[0-9a-fA-F:.]+/\d{1,3}")

_OPENING: dict[str, Any] = {
    "publiclyAccessible": True,
    "publicNetworkAccess": ("Enabled", True),
    "publicNetworkAccessEnabled": True,
    "endpointPublicAccess": True,
    "ipv4Enabled": True,
    "allowBlobPublicAccess": True,
    "allowNestedItemsToBePublic": True,
    "enablePrivateNodes": False,
    "enablePrivateEndpoint": False,
    "privateClusterEnabled": False,
    "blockPublicAcls": False,
    "blockPublicPolicy": False,
    "ignorePublicAcls": False,
    "restrictPublicBuckets": False,
    "hostNetwork": True,
    "internal": False,
    "acl": ("public-read", "public-read-write"),
    "publicAccessPrevention": ("inherited",),
    "containerAccessType": ("blob", "container"),
}
_LET_IN_BY_LISTS = "enablePrivateEndpoint"
"""On a new GKE cluster this says what is so anyway; whom it lets in the list of authorized networks says, which is looked at itself."""
_UNPROTECTING: dict[str, Any] = {
    "deletionProtection": False,
    "deletionProtectionEnabled": False,
    "deletionPolicy": ("Delete",),
    "forceDestroy": True,
    "skipFinalSnapshot": True,
    "preventDestroy": False,
    "storageEncrypted": False,
    "atRestEncryptionEnabled": False,
    "transitEncryptionEnabled": False,
    "pointInTimeRecoveryEnabled": False,
    "multiAz": False,
    "requireSsl": False,
    "enableHttpsTrafficOnly": False,
    "backupRetentionPeriod": 0,
}
"""Fields with the values that open or unprotect what they belong to, in the kinds that the catalogue uses."""

_GUARDS = re.compile("backup|versioning|encrypt|recovery", re.IGNORECASE)
"""What loses its protection when its ``enabled`` goes."""

_MEMBERS = ("allUsers", "allAuthenticatedUsers")

_UNITS: dict[str, int | Decimal] = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18, "m": Decimal("0.001")}
_UNITS |= {f"{unit}i": 1024**power for power, unit in enumerate("KMGTPE", 1)}
_UNITS |= {f"{unit}B": value for unit, value in _UNITS.items() if unit and unit != "m"}
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]{0,3})")


def field_marks(identity: Identity, path: Path, before: Any, after: Any, before_body: Any) -> Iterator[Mark]:
    """Yield why a change of one field wants a second look; immutable fields are ``immutable``'s.

    Args:
        identity: the resource.
        path: the field, within a text behind the field that holds the text.
        before: its value so far, or ``MISSING``.
        after: its value then, or ``MISSING``.
        before_body: the resource so far, or ``MISSING`` when it is new.
    """
    names = [step for step in path if isinstance(step, str)]
    last = names[-1] if names else ""
    where = format_path(path)
    new = before_body is MISSING
    if not new:
        yield from _changed(identity, last, where, before, after)
        if last in _UNPROTECTING and (_is(after, _UNPROTECTING[last]) or (after is MISSING and before is True)):
            yield Mark(Danger.LESS_PROTECTION, f"{where} is {_shown(after)} from now on")
        if last == "enabled" and before is True and after in (False, MISSING) and _GUARDS.search(where):
            yield Mark(Danger.LESS_PROTECTION, f"{where} is {_shown(after)} from now on")
    yield from _network(names, last, where, before, after, before_body)


def _changed(identity: Identity, last: str, where: str, before: Any, after: Any) -> Iterator[Mark]:
    if before is MISSING or after is MISSING:
        return
    if _SIZE.search(last):
        was, will = quantity(before), quantity(after)
        if was is not None and will is not None and will < was:
            yield Mark(Danger.STORAGE_SHRINKS, f"{where} shrinks from {before} to {after}")
    elif _MACHINE.match(last) or (last == "type" and "ccelerator" in where):
        yield Mark(Danger.MACHINE_TYPE, f"{where} moves from {before} to {after}")
    elif _VERSION.match(last) or (last == "version" and _versioned(identity, where)):
        yield Mark(Danger.VERSION, f"{where} moves from {before} to {after}" + (", a step back" if _older(after, before) else ""))


def _versioned(identity: Identity, where: str) -> bool:
    return ".chart." in where or identity.kind in ("Cluster", "Release", "NodePool", "NodeGroup", "Instance", "DatabaseInstance")


def _network(names: list[str], last: str, where: str, before: Any, after: Any, body: Any) -> Iterator[Mark]:
    if isinstance(after, str) and last not in _LABELS and _CIDR.fullmatch(after) and _opens(names):
        had = [] if body is MISSING else list(_networks(body, names))
        if not _covered(after, had):
            everyone = _prefix(after) == 0
            if body is not MISSING or everyone:
                who = "everyone" if everyone else after
                yield Mark(Danger.WIDER_NETWORK, f"{where} lets {who} in")
    elif last in _OPENING and _is(after, _OPENING[last]) and not (body is MISSING and last == _LET_IN_BY_LISTS):
        yield Mark(Danger.WIDER_NETWORK, f"{where} is {_shown(after)}: reachable from outside")
    elif last in ("member", "members") and after in _MEMBERS:
        yield Mark(Danger.WIDER_NETWORK, f"{where} is {after}: open to everyone")
    elif last == "type" and after in ("LoadBalancer", "NodePort") and before is not MISSING:
        yield Mark(Danger.WIDER_NETWORK, f"{where} is {after}: reachable from outside the cluster")


def _opens(names: list[str]) -> bool:
    return any(_ACCESS.search(name) for name in names) and not any(_ADDRESSES.search(name) for name in names)


def _networks(value: Any, names: list[str]) -> Iterator[Any]:
    """Yield the networks that stand at the same names, whatever the list indices."""
    if isinstance(value, list):
        for item in value:
            yield from _networks(item, names)
    elif isinstance(value, dict):
        if names and names[0] in value:
            yield from _networks(value[names[0]], names[1:])
    elif not names and isinstance(value, str) and (network := _network_of(value)) is not None:
        yield network


def _covered(text: str, networks: list[Any]) -> bool:
    network = _network_of(text)
    return network is None or any(other.version == network.version and network.subnet_of(other) for other in networks)


def _network_of(text: str) -> Any:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _prefix(text: str) -> int:
    network = _network_of(text)
    return network.prefixlen if network is not None else -1


def quantity(value: Any) -> Decimal | None:
    """Return a size as a number: a number as it is, ``100Gi`` in bytes; ``None`` for what is no size."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Decimal(str(value))
    found = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    if found is None or found[2] not in _UNITS:
        return None
    try:
        return Decimal(found[1]) * _UNITS[found[2]]
    except InvalidOperation:
        return None


def _older(after: Any, before: Any) -> bool:
    one, other = ([int(number) for number in re.findall(r"\d{1,9}", str(value))] for value in (after, before))
    return bool(one and other) and one < other


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, tuple):
        return any(_is(value, one) for one in wanted)
    return type(value) is type(wanted) and bool(value == wanted)


def _shown(value: Any) -> str:
    return "not set" if value is MISSING else str(value).lower() if isinstance(value, bool) else str(value)
