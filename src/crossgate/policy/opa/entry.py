"""The module through which a server of OPA is asked: it goes into the server's bundle beside the rules.

``state`` says which bundle the server has and what rules declare about themselves. ``answer`` judges every document of a batch in one
query: for each question its rules, with the document as ``input``, so that the policies stay as they are. Each answer names the
bundle again, because a server may take another one between two batches.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from crossgate.policy.bundle import Bundle
from crossgate.policy.rules import DECLARED, find_rules, reference

PACKAGE = "crossgate_entry"
ASKED = "crossgate_asked"
"""Where in ``data`` the indexes of the rules stand that are asked about a document; nothing else stands there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The module, the digest of the bundle that it belongs to, and which index it gives each rule and each package with an exception."""

    text: str
    digest: str
    rules: dict[tuple[tuple[str, ...], str], int]
    packages: tuple[tuple[str, ...], ...]


def entry_of(bundle: Bundle, *, rego_v0: bool = False) -> Entry:
    """Write the entry of a bundle. It covers all rules whatever a check asks for, so that one server serves all checks.

    Raises:
        PolicyError: the bundle holds no rule, or METADATA is wrong.
    """
    rules = find_rules(bundle)
    exempting = {module.outline.package for module in bundle.modules if "exception" in module.outline.rules}
    packages = tuple(dict.fromkeys(rule.package for rule in rules if rule.package in exempting))
    lines = [
        'state := {"bundle": bundle, "declared": declared}',
        "",
        'answer := {"bundle": bundle, "answers": [said |',
        "\tsome question in input.questions",
        f"\tsaid := asked with input as question.body with data.{ASKED} as question.rules",
        "]}",
        "",
        'asked := {"values": values, "exempted": exempted}',
        "",
        "declared contains [-1, null, null] if false",
        "values contains [-1, null] if false",
        "exempted contains [-1, null] if false",
    ]
    declaring = {(module.outline.package, name) for module in bundle.modules for name in DECLARED & module.outline.rules.keys()}
    for index, rule in enumerate(rules):
        lines.append(f"values contains [{index}, value] if {{ {index} in data.{ASKED}; value := {rule.reference}; value != set() }}")
        lines += [
            f"declared contains [{index}, {json.dumps(name)}, {reference('data', *rule.package, name)}]"
            for name in sorted(DECLARED)
            if rule.own and (rule.package, name) in declaring
        ]
    for number, package in enumerate(packages):
        asked = json.dumps([index for index, rule in enumerate(rules) if rule.package == package])
        names = f"some names in {reference('data', *package, 'exception')}; some name in names"
        lines.append(f"exempted contains [{number}, name] if {{ some index in {asked}; index in data.{ASKED}; {names} }}")
    text = "\n".join(lines)
    digest = hashlib.sha256(f"{bundle.digest}\0{'v0' if rego_v0 else 'v1'}\0{text}".encode()).hexdigest()
    head = f"package {PACKAGE}\n\nimport rego.v1\n\nbundle := {json.dumps(digest)}\n\n"
    return Entry(head + text + "\n", digest, {(rule.package, rule.name): index for index, rule in enumerate(rules)}, packages)
