"""Twins of rules in CEL: ``<rule>.cel`` beside the rule's Rego, a YAML document.

```yaml
use: [pods]                     # policies/lib/pods.cel: its kinds and variables come first
kinds: [apps/Deployment]        # group/Kind; of the core group the kind alone
partial: what it leaves out     # empty: on these kinds it refuses exactly what the Rego refuses
not_seen: which kinds it leaves # said in the export; on the kinds that it names nothing is left out
variables:                      # lazy, as in a ValidatingAdmissionPolicy
- {name: names, expression: "…"}
faults:                         # each a list of texts; one text refuses the object
- "variables.names.filter(n, n == '').map(n, 'a name is empty')"
```

``lists.<file>.<name>`` stands for a list or limit of ``policies/data/``, ``lists.<file>.<name>.<key>`` for what the entries of a list
have under a key. There is no translation from Rego: a twin is written by hand, and
``agreement`` compares both on documents before it is exported.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgate.errors import PolicyError
from crossgate.policy.bundle import Bundle
from crossgate.policy.rules import Rule
from crossgate.policy.values import values_of

_LIST = re.compile(r"\blists\.([a-z_]+)\.([a-z_]+)\b(?!\()(?:\.([a-z_]+)\b(?!\())?")
_KIND = re.compile(r"(?:[a-z0-9.-]+/)?[A-Z][A-Za-z0-9]*")
_FIELDS = {"use", "kinds", "partial", "not_seen", "variables", "faults"}


@dataclass(frozen=True, slots=True)
class Twin:
    """What a twin says.

    ``kinds`` are pairs of API group and kind, ``partial`` is what it leaves out of what the Rego says of them (empty: nothing),
    ``not_seen`` what the Rego looks at besides, with the reason.
    """

    file: str
    kinds: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    faults: tuple[str, ...]
    partial: str = ""
    not_seen: str = ""

    @property
    def left_out(self) -> str:
        """Return all that is not enforced where the twin is."""
        return " ".join(text for text in (self.partial, self.not_seen) if text)


def twin_of(bundle: Bundle, rule: Rule, lists: dict[str, Any]) -> Twin | None:
    """Read the twin of a rule; None when it has none.

    Raises:
        PolicyError: the twin is not in form, or names a list that there is not.
    """
    module = next(module for module in bundle.modules if module.name == rule.file)
    file = module.path.with_suffix(".cel")
    if not file.is_file():
        return None
    values = _read(file)
    kinds: list[str] = []
    variables: list[dict[str, str]] = []
    for name in values.get("use", []):
        shared = _read(_library(bundle, str(name), file))
        kinds += shared.get("kinds", [])
        variables += shared.get("variables", [])
    kinds += values.get("kinds", [])
    variables += values.get("variables", [])
    strange = [kind for kind in kinds if not isinstance(kind, str) or not _KIND.fullmatch(kind)]
    faults = values.get("faults")
    if strange or not kinds or not isinstance(faults, list) or not faults:
        what = f"{strange[0]!r} is no group/Kind" if strange else "the twin names no kinds" if not kinds else "the twin has no faults"
        raise PolicyError(what, str(file), "docs/policies.md shows the form")
    try:
        written = tuple((each["name"], _with_lists(each["expression"], lists, file)) for each in variables)
        said = tuple(_with_lists(fault, lists, file) for fault in faults)
    except (AttributeError, KeyError, TypeError) as error:
        raise PolicyError("a variable or fault of the twin is not in form", str(file), "docs/policies.md shows the form") from error
    left_out = (str(values.get(name, "")).strip() for name in ("partial", "not_seen"))
    return Twin(str(file), tuple(_pair(kind) for kind in dict.fromkeys(kinds)), written, said, *left_out)


def _pair(kind: str) -> tuple[str, str]:
    group, _, name = kind.rpartition("/")
    return group, name


def _read(file: Path) -> dict[str, Any]:
    try:
        values = values_of(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"cannot read the twin: {error}", str(file), "mend the file or its permissions") from error
    except PolicyError as error:
        raise PolicyError(error.what.replace("the data", "the twin", 1), error.where, "write it as YAML") from error
    if not set(values) <= _FIELDS or not all(isinstance(values.get(name, []), list) for name in ("use", "kinds", "variables")):
        raise PolicyError("the twin is not in form", str(file), f"it is a mapping of {', '.join(sorted(_FIELDS))}")
    return values


def _library(bundle: Bundle, name: str, file: Path) -> Path:
    """Find ``lib/<name>.cel`` beside a module of the libraries."""
    for module in bundle.modules:
        if module.path.parent.name == "lib" and (found := module.path.parent / f"{name}.cel").is_file():
            return found
    raise PolicyError(f"there is no lib/{name}.cel", str(file), "name a file of the libraries' folder under use")


def _with_lists(text: str, lists: dict[str, Any], file: Path) -> str:
    def literal(match: re.Match[str]) -> str:
        try:
            value = lists[match[1]][match[2]]
            return json.dumps([entry[match[3]] for entry in value] if match[3] else value, ensure_ascii=False)
        except (KeyError, TypeError):
            raise PolicyError(f"there is no {match[0]}", str(file), "name a list of policies/data") from None

    return _LIST.sub(literal, text.strip())
