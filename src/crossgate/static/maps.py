"""Keys of map and match transforms against what their source can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.schema.nearest import nearest
from crossgate.static.fault import Fault
from crossgate.static.values import Value

RULE = "crossplane/map-not-exhaustive"


def map_faults(kind: str, config: Mapping[str, Any], value: Value, at: Path) -> Iterator[Fault]:
    """Yield keys that the source can be and the map lacks, keys that it can never be, and maps over text that nothing limits."""
    if kind == "map":
        yield from _map(config, value, (*at, "map"))
    elif kind == "match":
        yield from _match(config, value, (*at, "match"))


def _map(pairs: Mapping[str, Any], value: Value, at: Path) -> Iterator[Fault]:
    if value.choices is None:
        if value.declared and value.kinds == {"string"}:
            yield Fault(
                at=at,
                rule=RULE,
                reason="OPEN_SOURCE",
                severity=Severity.INFO,
                message=f"the source may be any text, and everything but {_listed(pairs)} fails the whole rendering",
                remediation="list the keys as an enum of the field in the XRD, so that the API server refuses other values",
            )
        return
    possible = [choice for choice in value.choices if isinstance(choice, str)]
    missing = [choice for choice in possible if choice not in pairs]
    if missing:
        yield Fault(
            at=at,
            rule=RULE,
            reason="MISSING_KEY",
            severity=Severity.ERROR,
            message=f"the map has no key for {_listed(missing)}, which the source allows: a claim with it cannot be rendered",
            remediation=f"add {_listed(missing)} to the map, or take it out of the enum",
        )
    for key in pairs:
        if key not in possible and possible:
            meant = nearest(key, missing)
            yield Fault(
                at=(*at, key),
                rule=RULE,
                reason="UNUSED_KEY",
                severity=Severity.WARNING,
                message=f"the source can never be {key!r}"
                + (f"; did you mean {meant!r}?" if meant else f": it is one of {_listed(possible)}"),
                remediation="remove the key, or add the value to the enum of the field in the XRD",
            )


def _match(config: Mapping[str, Any], value: Value, at: Path) -> Iterator[Fault]:
    possible = [choice for choice in value.choices or () if isinstance(choice, str)]
    patterns = config.get("patterns")
    for index, pattern in enumerate(patterns if possible and isinstance(patterns, list) else ()):
        literal = pattern.get("literal") if isinstance(pattern, dict) and pattern.get("type") == "literal" else None
        if isinstance(literal, str) and literal not in possible:
            meant = nearest(literal, possible)
            yield Fault(
                at=(*at, "patterns", index, "literal"),
                rule=RULE,
                reason="UNUSED_KEY",
                severity=Severity.WARNING,
                message=f"the source can never be {literal!r}"
                + (f"; did you mean {meant!r}?" if meant else f": it is one of {_listed(possible)}"),
                remediation="remove the pattern, or add the value to the enum of the field in the XRD",
            )


def _listed(names: Mapping[str, Any] | list[str]) -> str:
    names = [repr(name) for name in names]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
