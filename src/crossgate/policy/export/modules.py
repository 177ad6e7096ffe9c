"""The Rego of one rule for Gatekeeper: its module and all that it uses, as libraries.

Facts from Gatekeeper's constraint framework (``regorewriter``, August 2026): packages of libraries stand below ``lib``; imports are of
``data.lib`` or ``future`` only, so ``import rego.v1`` goes (the version is said beside the code); every reference to ``data`` leads into
``data.lib`` or the inventory; ``input`` is not imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from crossgate.paths import MISSING, follow
from crossgate.policy.bundle import Bundle, Module
from crossgate.policy.export.model import CannotExportError
from crossgate.policy.rules import Rule
from crossgate.policy.syntax import KEYWORDS

LIBRARY = "lib"
_REGO_V1 = re.compile(r"^[ \t]*import[ \t]+rego\.v1[ \t]*$", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(?!data\.|future\.keywords)(\S+)", re.MULTILINE)
_DATA = re.compile(r"(?<![\w.])data(?=\W)((?:\.[A-Za-z_]\w*)*)")
_PACKAGE = re.compile(r"^([ \t]*package[ \t]+)(?=\S)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")


def libraries(bundle: Bundle, rule: Rule) -> list[str]:
    """Return the modules that a rule needs, its own first, each rewritten as a library of Gatekeeper.

    Raises:
        CannotExportError: the rule uses what Gatekeeper does not let it use.
    """
    by_package: dict[tuple[str, ...], list[Module]] = {}
    for module in bundle.modules:
        by_package.setdefault(module.outline.package, []).append(module)
    texts: list[str] = []
    waiting, seen = [rule.package], {rule.package}
    data: set[str] = set()
    while waiting:
        package = waiting.pop(0)
        if follow(bundle.data, package) is not MISSING:
            raise CannotExportError(
                f"data.{'.'.join(package)} is a package and stands in a data file too; Gatekeeper would have one of them"
            )
        for module in by_package[package]:
            texts.append(_as_library(module))
            for reference in _references(module):
                found = _packages_of(reference, by_package)
                if not found:
                    data.add(_data_of(reference, bundle, module))
                waiting += sorted(found - seen)
                seen |= found
    return [*texts, *(_data_library(name, bundle.data[name]) for name in sorted(data))]


def _as_library(module: Module) -> str:
    """Rewrite a module: every change is outside of strings and comments, and keeps the lines."""
    code = _REGO_V1.sub(lambda match: " " * len(match[0]), module.outline.code)
    if found := _IMPORT.search(code):
        line = code.count("\n", 0, found.start(1)) + 1
        raise CannotExportError(f"{module.name}:{line} imports {found[1]}; Gatekeeper lets a library import data.lib only")
    text = _REGO_V1.sub("", module.text) if _REGO_V1.search(module.outline.code) else module.text
    changes = [(match.end(1), f"{LIBRARY}.") for match in _PACKAGE.finditer(module.outline.code)][:1]
    changes += [(match.start() + len("data"), f".{LIBRARY}") for match in _DATA.finditer(module.outline.code)]
    # a line that only imports rego.v1 shortens what stands behind it: places are those of the text without these lines
    gone = [(match.start(), len(match[0])) for match in _REGO_V1.finditer(module.outline.code)]
    written, end = [], 0
    for place, added in sorted((at - sum(length for start, length in gone if start < at), added) for at, added in changes):
        written += [text[end:place], added]
        end = place
    return "".join([*written, text[end:]])


def _references(module: Module) -> Iterator[tuple[str, ...]]:
    for match in _DATA.finditer(module.outline.code):
        parts = tuple(match[1].split(".")[1:])
        if not parts:
            line = module.outline.code.count("\n", 0, match.start()) + 1
            raise CannotExportError(f"{module.name}:{line} reads data as a whole or by a key; Gatekeeper lets a rule name data.lib.… only")
        yield parts


def _packages_of(reference: tuple[str, ...], packages: Collection[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """Return the packages that a reference leads to: the longest that begins it, and those that it begins, in which a key may lead on."""
    above = next((reference[:length] for length in range(len(reference), 0, -1) if reference[:length] in packages), None)
    return ({above} if above else set()) | {package for package in packages if package[: len(reference)] == reference}


def _data_of(reference: tuple[str, ...], bundle: Bundle, module: Module) -> str:
    name = reference[0]
    if name not in bundle.data:
        raise CannotExportError(f"{module.name} reads data.{'.'.join(reference)}, which the policies do not hold")
    value = bundle.data[name]
    if not isinstance(value, dict) or not all(_NAME.fullmatch(key) and key not in KEYWORDS for key in value):
        raise CannotExportError(f"{module.name} reads data.{name}, whose keys cannot be written as names of Rego")
    return name


def _data_library(name: str, values: dict[str, Any]) -> str:
    """Write a data file as a library: JSON is Rego."""
    rules = [f"{key} := {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n\n".join([f"package {LIBRARY}.{name}", *rules]) + "\n"
