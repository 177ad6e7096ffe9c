"""The fields of an API that can be given as one value each, and how they are called on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

COMMON = "parameters"
"""A section that many APIs put all of their fields into: it is no part of a flag's name."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field that is no section: ``path`` are the steps below ``spec``.

    ``needed`` says that a claim is not valid without it: it and each section above it are required. ``given`` is whether its schema has a
    default, which stands in where nothing is said.
    """

    path: tuple[str, ...]
    schema: Mapping[str, Any]
    needed: bool

    @property
    def flag(self) -> str:
        """Return its name on the command line: ``spec.parameters.gpuType`` is ``gpu-type``."""
        steps = self.path[1:] if len(self.path) > 1 and self.path[0] == COMMON else self.path
        return "-".join(_kebab(step) for step in steps)

    @property
    def given(self) -> bool:
        """Return whether there is a default."""
        return "default" in self.schema

    @property
    def summary(self) -> str:
        """Return its description and the rules that a value must keep, in one line."""
        text = " ".join(str(self.schema.get("description", "")).split())
        rules = [rule for rule in bounds(self.schema) if rule]
        return f"{text} ({'; '.join(rules)})" if rules and text else text or "; ".join(rules)


def fields(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """Return the fields of a spec's schema in the order in which it has them; objects without known fields are left out."""
    return tuple(_fields(schema, (), True))


def bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """Return what the schema asks of a value, in words."""
    if "enum" in schema:
        yield "one of " + ", ".join(str(value) for value in schema["enum"])
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        yield f"{least} to {most}"
    elif least is not None:
        yield f"at least {least}"
    elif most is not None:
        yield f"at most {most}"
    if "maxLength" in schema:
        yield f"at most {schema['maxLength']} characters"
    if "pattern" in schema:
        yield f"matches {schema['pattern']}"


def is_section(schema: Mapping[str, Any]) -> bool:
    """Say whether a schema is an object with known fields."""
    return bool(schema.get("properties"))


def _fields(schema: Mapping[str, Any], path: tuple[str, ...], needed: bool) -> Iterator[Field]:
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        wanted = needed and name in required
        if is_section(inner):
            yield from _fields(inner, (*path, name), wanted and "default" not in inner)
        elif _writable(inner):
            yield Field((*path, name), inner, wanted)


def _writable(schema: Mapping[str, Any]) -> bool:
    if schema.get("type") == "array":
        return schema.get("items", {}).get("type") in ("string", "integer", "number", "boolean")
    if schema.get("type") == "object":
        return schema.get("additionalProperties", {}).get("type") == "string" if schema.get("additionalProperties") else False
    return schema.get("type") in ("string", "integer", "number", "boolean") or bool(schema.get("x-kubernetes-int-or-string"))


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()
