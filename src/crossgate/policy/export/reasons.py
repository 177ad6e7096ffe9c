"""Why a rule is not enforced at admission."""

from __future__ import annotations

from crossgate.policy.bundle import Bundle
from crossgate.policy.metadata import read_annotations
from crossgate.policy.rules import Rule

ESTATE = "it needs more than one object, and admission sees one"

PROGRAMS = "system:serviceaccount:"
"""How the names of those begin who run in the cluster: only what they apply may have been made by a controller."""


def git_only(bundle: Bundle, rule: Rule) -> str:
    """Return why a rule speaks of Git alone (``custom.git_only`` of its METADATA), or the empty string."""
    for module in bundle.modules:
        if module.name == rule.file:
            for block in read_annotations(module.text, module.name):
                custom = block.values.get("custom")
                if block.target == "package" and isinstance(custom, dict):
                    return str(custom.get("git_only", ""))
    return ""
