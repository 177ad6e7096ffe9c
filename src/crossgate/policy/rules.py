"""What rules a bundle holds, read from where they stand and from their METADATA.

A rule of this project is one package ``crossgate.<category>.<rule>``; its id is ``category/rule`` with dashes.
A rule in conftest's style is one rule name of any package; its id is the package and the name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from crossgate.errors import PolicyError
from crossgate.model import Severity
from crossgate.policy.bundle import Bundle, Module
from crossgate.policy.metadata import read_annotations

OWN = "crossgate"
"""The first part of the package of every rule with METADATA that is checked."""

DECLARED = frozenset(("kinds", "fields_of_any_kind", "first_look", "known_good", "looks_at", "alike_once", "count_alike"))
"""What a rule's package may declare about it: see ``Rule``."""


EVERY = "*"
"""Every kind, in ``alike_once`` and ``count_alike``."""


class Scope(StrEnum):
    """What a rule sees at once."""

    DOCUMENT = "document"
    """One object."""
    RELATED = "related"
    """Objects that belong together: a claim with all that is made of it, and what names it or is named by it."""
    ESTATE = "estate"
    """Everything that is checked."""


_INPUTS = {
    "document": (Scope.DOCUMENT, False),
    "written": (Scope.DOCUMENT, True),
    "related": (Scope.RELATED, False),
    "estate": (Scope.ESTATE, False),
    "repository": (Scope.ESTATE, True),
}
"""What METADATA may say as ``input``: the scope, and whether only what stands in Git is handed over."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule that decides.

    ``package`` and ``name`` say where its results stand (``data.<package>.<name>``). ``reasons`` are further
    reason codes that its findings may name, each with its own remediation and severity. ``scope`` is what it sees at once: more than
    one object comes in the form of conftest's ``--combine``. ``written`` rules speak about what stands in Git, and not
    about what is rendered from it.

    What the rule's package declares, so that it is asked less: ``kinds`` of objects that it speaks about (None: all),
    ``fields_of_any_kind`` (paths of keys) that make any object one of them, and ``first_look``, a regular expression that the
    JSON text of an object must hold for the rule to say anything; it is still there when a NUL stands in place of all that
    ``known_good`` matches. ``looks_at`` are the fields (paths of keys) that a rule over the estate reads of an object, besides
    its API, kind, name and namespace (None: all). ``alike_once`` are kinds (``EVERY``: all) of which it reads neither names nor namespaces
    besides, and it says the same of objects that show it the same, however many there are. ``count_alike`` are such kinds too, of which it
    counts those that show it the same (``count`` beside ``contents``), and what it says of them it says once.
    """

    id: str
    package: tuple[str, ...]
    name: str
    severity: Severity
    reason: str
    file: str
    line: int
    title: str = ""
    description: str = ""
    remediation: str = ""
    link: str = ""
    reasons: dict[str, dict[str, str]] = field(default_factory=dict)
    scope: Scope = Scope.DOCUMENT
    written: bool = False
    kinds: frozenset[str] | None = None
    fields_of_any_kind: tuple[tuple[str, ...], ...] = ()
    first_look: str = ""
    known_good: str = ""
    looks_at: tuple[tuple[str, ...], ...] | None = None
    alike_once: frozenset[str] = frozenset()
    count_alike: frozenset[str] = frozenset()

    @property
    def category(self) -> str:
        """Return the first part of the id (``network``)."""
        return self.id.partition("/")[0]

    @property
    def own(self) -> bool:
        """Say whether the rule is written in this project's form."""
        return self.package[0] == OWN

    @property
    def estate(self) -> bool:
        """Say whether the rule sees more than one object at once, in the form of conftest's ``--combine``."""
        return self.scope is not Scope.DOCUMENT

    @property
    def reference(self) -> str:
        """Return the Rego reference to the rule's results."""
        return reference("data", *self.package, self.name)

    def declaring(self, declared: Mapping[str, Any]) -> Rule:
        """Return the rule with what its package declares about it (names of ``DECLARED``), as an engine worked it out.

        Raises:
            PolicyError: a declaration is of another type, or excludes another one.
        """
        rule = replace(self, **{name: _declaration(self, name, value) for name, value in declared.items()})
        if rule.alike_once and rule.count_alike:
            what = "alike_once and count_alike exclude each other"
            raise PolicyError(what, f"{self.file}:{self.line}", "what is said is told of each object, or of the first: keep one")
        return rule


def _declaration(rule: Rule, name: str, value: Any) -> Any:
    where = f"{rule.file}:{rule.line}"
    if name in ("first_look", "known_good"):
        if isinstance(value, str):
            return value
        raise PolicyError(f"{name} is no text", where, "write it as one regular expression")
    if not isinstance(value, list):
        raise PolicyError(f"{name} is no set", where, "write it as a set")
    if name in ("kinds", "alike_once", "count_alike"):
        if all(isinstance(kind, str) for kind in value):
            return frozenset(value)
        raise PolicyError(f"{name} holds what is no text", where, "name the kinds that the rule speaks about")
    if all(isinstance(path, list) and path and all(isinstance(key, str) for key in path) for path in value):
        return tuple(sorted(map(tuple, value)))
    raise PolicyError(f"{name} holds what is no path", where, 'write each as a list of keys: ["spec", "field"]')


def reference(*parts: str) -> str:
    """Write a Rego reference. Parts that are words are dotted: the embedded engine is slow in answering for the others."""
    return parts[0] + "".join(f".{part}" if part.isidentifier() and part.isascii() else f"[{json.dumps(part)}]" for part in parts[1:])


def find_rules(bundle: Bundle, namespaces: Iterable[str] = (), *, combine: bool = False) -> tuple[Rule, ...]:
    """Return the rules of a bundle that decide, in the order of their ids.

    Args:
        bundle: what was read.
        namespaces: packages that may decide (dotted); none means all of them.
        combine: every rule sees all documents at once (conftest's ``--combine``).

    Raises:
        PolicyError: no rule decides (zero rules are never a pass), or METADATA is missing or wrong.
    """
    wanted = set(namespaces)
    rules: dict[tuple[tuple[str, ...], str], Rule] = {}
    for module in bundle.modules:
        if not module.outline.package:
            raise PolicyError("the file has no package", f"{module.name}:1", 'start it with "package …"')
        if wanted and ".".join(module.outline.package) not in wanted:
            continue
        for rule in _rules_of(module, combine=combine):
            rules.setdefault((rule.package, rule.name), rule)
    if not rules:
        where = f"namespace {', '.join(sorted(wanted))}" if wanted else "the policies"
        raise PolicyError(
            f"0 rules found in {where}",
            ", ".join(dict.fromkeys(module.name for module in bundle.modules)),
            "a rule is named deny, deny_x, violation or warn; check the package name",
        )
    return tuple(sorted(rules.values(), key=lambda rule: (rule.id, rule.name)))


def _rules_of(module: Module, *, combine: bool) -> list[Rule]:
    blocks = read_annotations(module.text, module.name)
    outline = module.outline
    deciding = outline.deciding
    if outline.package[0] == OWN and deciding:
        return [_own_rule(module, blocks, deciding)]
    rules = []
    for name, line in deciding.items():
        values: dict[str, Any] = {}
        for block in blocks:
            if block.target in ("package", name):
                values = {**values, **block.values}
        custom = _mapping(values.get("custom"), module, line)
        rules.append(
            Rule(
                id=f"{'/'.join(outline.package)}/{name}",
                package=outline.package,
                name=name,
                severity=_severity(custom.get("severity", "warning" if name.startswith("warn") else "error"), module, line),
                reason=str(custom.get("reason", name.upper())),
                file=module.name,
                line=line,
                title=str(values.get("title", "")),
                description=str(values.get("description", "")).strip(),
                remediation=str(custom.get("remediation", "")),
                link=_link(values),
                scope=Scope.ESTATE if combine else Scope.DOCUMENT,
            )
        )
    return rules


def _own_rule(module: Module, blocks: list[Any], deciding: dict[str, int]) -> Rule:
    outline = module.outline
    line = outline.package_line
    if len(outline.package) != 3:
        raise PolicyError(
            f"package {'.'.join(outline.package)} has no category and rule", f"{module.name}:{line}", "name it crossgate.<category>.<rule>"
        )
    if len(deciding) > 1:
        raise PolicyError(f"the rule has {len(deciding)} results: {', '.join(deciding)}", f"{module.name}:{line}", "keep one of them")
    name = next(iter(deciding))
    block = next((block for block in blocks if block.target == "package"), None)
    if block is None:
        raise PolicyError("the rule has no METADATA", f"{module.name}:{line}", 'write "# METADATA" above the package')
    custom = _mapping(block.values.get("custom"), module, block.line)
    needed = {"title": block.values.get("title"), **{key: custom.get(key) for key in ("severity", "reason", "remediation")}}
    missing = [key for key, value in needed.items() if not isinstance(value, str) or not value]
    if missing:
        raise PolicyError(
            f"METADATA lacks {', '.join(missing)}", f"{module.name}:{block.line}", "title, and under custom: severity, reason, remediation"
        )
    severity = _severity(custom["severity"], module, block.line)
    if (name == "warn") != (severity is not Severity.ERROR):
        raise PolicyError(
            f"the rule is named {name} and its severity is {severity}",
            f"{module.name}:{block.line}",
            "deny means error, warn means warning or info, so that conftest says the same",
        )
    if custom.get("input", "document") not in _INPUTS:
        raise PolicyError(f"input is {custom['input']!r}", f"{module.name}:{block.line}", f"choose one of: {', '.join(_INPUTS)}")
    scope, written = _INPUTS[custom.get("input", "document")]
    reasons = {
        str(code): {str(key): str(value) for key, value in _mapping(given, module, block.line).items()}
        for code, given in _mapping(custom.get("reasons"), module, block.line).items()
    }
    return Rule(
        id="/".join(outline.package[1:]).replace("_", "-"),
        package=outline.package,
        name=name,
        severity=severity,
        reason=custom["reason"],
        file=module.name,
        line=line,
        title=block.values["title"],
        description=str(block.values.get("description", "")).strip(),
        remediation=custom["remediation"],
        link=_link(block.values),
        reasons=reasons,
        scope=scope,
        written=written,
    )


def _mapping(value: Any, module: Module, line: int) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise PolicyError("METADATA has a text where a mapping belongs", f"{module.name}:{line}", 'write "custom:" and indented lines')
    return value


def _severity(value: Any, module: Module, line: int) -> Severity:
    try:
        return Severity(value)
    except ValueError:
        choices = ", ".join(Severity)
        raise PolicyError(f"severity is {value!r}", f"{module.name}:{line}", f"choose one of: {choices}") from None


def _link(values: dict[str, Any]) -> str:
    related = values.get("related_resources")
    first = related[0] if isinstance(related, list) and related else ""
    return str(first.get("ref", "")) if isinstance(first, dict) else str(first)
