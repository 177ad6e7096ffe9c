"""The composition functions that crossgate runs itself, and how a step is matched to one.

The name in ``functionRef`` is the name of an installed package, which its administrator chooses. So a
step is matched by, in this order:

1. the caller's ``functions`` mapping: functionRef name → function name (or a ``Function`` of its own);
2. the name, where it holds a function's repository name between hyphens, before or behind which may
   stand anything (``crossplane-contrib-function-patch-and-transform``);
3. the group of its input (``pt.fn.crossplane.io``, ``environmentconfigs.fn.crossplane.io``,
   ``autoready.fn.crossplane.io``), unless the name says that it is another function (``function-kcl``).

To add a function, write a module with ``compile_step`` and add a line to ``FUNCTIONS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from crossgate.errors import UnknownFunctionError
from crossgate.paths import Path
from crossgate.render.state import Function

FUNCTIONS = {
    "function-patch-and-transform": ("pt.fn.crossplane.io", "patch_and_transform"),
    "function-environment-configs": ("environmentconfigs.fn.crossplane.io", "environment_configs"),
    "function-auto-ready": ("autoready.fn.crossplane.io", "auto_ready"),
}
"""Per function: the API group of its input, and its module here."""


def find(name: str, given: Any, chosen: Mapping[str, str | Function], where: str, at: Path) -> Function:
    """Return the function that a step runs; raises UnknownFunctionError for one that crossgate cannot run."""
    choice = chosen.get(name)
    if choice is not None and not isinstance(choice, str):
        return choice
    wanted = choice or known_function(name, given)
    if wanted not in FUNCTIONS:
        raise UnknownFunctionError(
            f"crossgate cannot run the function {choice or name!r}",
            where,
            f"it runs {', '.join(FUNCTIONS)}; a line under [functions] in crossgate.toml tells if this is one under another name",
            path=at,
        )
    found: Function = import_module(f"crossgate.render.functions.{FUNCTIONS[wanted][1]}").compile_step
    return found


def known_function(name: str, given: Any) -> str:
    """Return which of ``FUNCTIONS`` a step runs, by the name in its ``functionRef`` and its input; empty for any other."""
    for known in FUNCTIONS:
        if f"-{known}-" in f"-{name}-":
            return known
    if "-function-" in f"-{name}":
        return ""
    api_version = given.get("apiVersion") if isinstance(given, dict) else None
    group = api_version.partition("/")[0] if isinstance(api_version, str) else ""
    return next((known for known, (input_group, _) in FUNCTIONS.items() if group == input_group), "")
