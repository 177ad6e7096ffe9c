"""The files of a new rule, which compile, pass their test and say what to write where."""

from __future__ import annotations

import re
from pathlib import Path

from crossgate.errors import UsageError

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*/[a-z][a-z0-9]*(?:-[a-z0-9]+)*\Z")

_RULE = """\
# METADATA
# title: Say in one line what must hold
# description: >-
#   Say what is refused and where it is looked for.
# custom:
#   severity: error
#   reason: {reason}
#   remediation: Say what to write instead.
package crossgate.{package}

import rego.v1

deny contains {{"msg": sprintf("%v is not allowed", [input.spec.example]), "path": ["spec", "example"]}} if {{
	input.kind == "Example"
	input.spec.example
}}
"""

_TEST = """\
package crossgate.{package}_test

import rego.v1

import data.crossgate.{package}

paths(document) := {{finding.path | some finding in {name}.deny with input as document}}

test_refuses if paths({{"kind": "Example", "spec": {{"example": true}}}}) == {{["spec", "example"]}}

test_lets_pass if paths({{"kind": "Example", "spec": {{}}}}) == set()

test_silent_about_the_estate if paths([{{"path": "a.yaml", "contents": {{"kind": "Example"}}}}]) == set()
"""

_README = """\
# {rule}

Say in one line what must hold.

**Severity** error · **Reason code** `{reason}`

## What

## Why

## Avoid

```yaml
kind: Example
spec:
  example: true
```

## Prefer

```yaml
kind: Example
spec: {{}}
```

## Options

None.
"""


def new_rule(directory: Path, rule: str) -> tuple[Path, ...]:
    """Write rule, test and README page of ``category/rule`` below ``directory`` and return their paths.

    Raises:
        UsageError: the name is none, or the rule exists.
    """
    if not _NAME.match(rule):
        raise UsageError(f"{rule!r} is no name for a rule", hint="write category/rule in lower case with dashes: network/open-cidr")
    category, _, name = rule.replace("-", "_").partition("/")
    folder = directory / rule
    if folder.exists():
        raise UsageError(f"the rule {rule} exists", str(folder), "choose another name")
    values = {"rule": rule, "name": name, "package": f"{category}.{name}", "reason": name.upper()}
    files = {
        folder / f"{name}.rego": _RULE,
        folder / f"{name}_test.rego": _TEST,
        folder / "README.md": _README,
    }
    folder.mkdir(parents=True)
    for path, text in files.items():
        path.write_text(text.format(**values), encoding="utf-8")
    return tuple(files)
