"""METADATA comments of Rego files, as OPA defines them: a YAML document in the comment lines after ``# METADATA``.

Its scope is what follows: the package, or the rule. They are the only place of a rule's title, severity,
reason code, remediation and link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from crossgate.errors import PolicyError

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_START = re.compile(r"^[ \t]*#[ \t]*METADATA[ \t]*$")
_COMMENT = re.compile(r"^[ \t]*#(.*)$")
_WORD = re.compile(r"^[ \t]*(?:default[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Annotations:
    """One METADATA block: what it is about (``package`` or a rule's name), its line and its values."""

    target: str
    line: int
    values: dict[str, Any]


def read_annotations(text: str, file: str) -> list[Annotations]:
    """Return the METADATA blocks of a Rego file, in order.

    Raises:
        PolicyError: a block is not a YAML mapping, or nothing follows it.
    """
    return list(_blocks(text, file)) if "METADATA" in text else []


def _blocks(text: str, file: str) -> Iterator[Annotations]:
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        if not _START.match(lines[index]):
            index += 1
            continue
        start = index + 1
        index += 1
        block: list[str] = []
        while index < len(lines) and (match := _COMMENT.match(lines[index])):
            block.append(match.group(1))
            index += 1
        while index < len(lines) and (not lines[index].strip() or _COMMENT.match(lines[index])):
            index += 1
        word = _WORD.match(lines[index]) if index < len(lines) else None
        if word is None:
            raise PolicyError("METADATA stands before nothing", f"{file}:{start}", "put it directly above the package or the rule")
        yield Annotations(word.group(1), start, _values(block, file, start))


def _values(block: list[str], file: str, line: int) -> dict[str, Any]:
    # ``# key: value``: the one space after the comment sign belongs to the sign in every line or in none.
    text = "\n".join(line_[1:] if line_.startswith(" ") else line_ for line_ in block)
    try:
        values = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader, the one written in C where there is one
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = line + 1 + (mark.line if mark else 0)
        raise PolicyError(
            f"METADATA is not YAML: {getattr(error, 'problem', error)}", f"{file}:{at}", "write it as YAML comments"
        ) from error
    if not isinstance(values, dict):
        raise PolicyError("METADATA is not a mapping", f"{file}:{line}", 'write "# title: …" lines below it')
    return values
