"""The page of rules and the code say the same."""

from __future__ import annotations

import re
from pathlib import Path

INTERNAL = {"UNKNOWN_FIELD", "NOT_AN_OBJECT", "NOT_A_LIST", "EXTRA", "MISSING", "NOVERB"}
"""Words of the code that are no reason codes."""


def test_every_rule_and_reason_is_documented_and_nothing_else(root: Path) -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "src/crossgate/static").glob("*.py")))
    page = (root / "docs" / "composition-checks.md").read_text(encoding="utf-8")
    assert set(re.findall(r'"(crossplane/[a-z-]+)"', code)) == set(re.findall(r"`(crossplane/[a-z-]+)`", page))
    reasons = set(re.findall(r'"([A-Z][A-Z_]{3,})"', code)) - INTERNAL
    built = {"NOT_IN_XRD"}  # written as f"NOT_IN_{…}" too
    assert reasons | built == set(re.findall(r"`([A-Z][A-Z_]{3,})`", page))
