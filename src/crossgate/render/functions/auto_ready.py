"""function-auto-ready, run in process: observed resources that nobody has judged yet are ready by their own account."""

from __future__ import annotations

import re
from typing import Any

from crossgate.paths import Path
from crossgate.render import metadata
from crossgate.render.conditions import status_of
from crossgate.render.decode import TYPE_META, Shape, decode, string, strings
from crossgate.render.faults import InputFault
from crossgate.render.functions.health import CHECKS
from crossgate.render.state import State, Step

_INPUT: dict[str, Shape] = {**TYPE_META, "ttl": string, "celHealthCheckCustomization": strings, "celHealthCheckCustomizationFrom": string}
_DURATION = re.compile(r"[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")


def compile_step(given: Any, name: str, at: Path) -> Step:
    """Compile an input; raises InputFault for one that the function refuses.

    CEL customizations are ignored, as the function does unless its administrator turns on an alpha feature.
    """
    decoded = decode(_INPUT, {} if given is None else given)
    ttl = decoded.get("ttl", "")
    if ttl and not _DURATION.fullmatch(ttl):
        raise InputFault(f'cannot set ttl: invalid duration "{ttl}"', hint="for example 1m30s", place=("ttl",))
    ignored = [key for key in decoded if key.startswith("cel")]

    def run(state: State) -> None:
        if ignored:
            state.hints.append(
                f"function-auto-ready ignores {', '.join(ignored)} unless its feature gate CELHealthcheckCustomizations is on"
            )
        for template, desired in state.desired.items():
            observed = state.observed.get(template)
            if observed is None or desired.ready is not None:
                continue
            check = CHECKS.get(metadata.identity(observed.body))
            if (check is not None and check(observed.body)) or status_of(observed.body, "Ready") == "True":
                desired.ready = True

    return run
