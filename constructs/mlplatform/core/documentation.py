"""Parts of an API's page in the catalogue that its models hold: tables of fields, for the people who claim it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .api import Api


def fields_table(api: Api[Any]) -> str:
    """Return the fields of an API's spec as a Markdown table, in the order in which its model has them."""
    rows = _rows("spec", api.schema()["properties"]["spec"])
    return table(("field", "type", "default", "rule", "description"), rows)


def status_table(api: Api[Any]) -> str:
    """Return the fields of an API's status as a Markdown table."""
    rows = ((path, kind, text) for path, kind, _, _, text in _rows("status", api.schema()["properties"]["status"]))
    return table(("field", "type", "description"), rows)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; cells may hold anything."""
    titles = tuple(head)
    lines = [titles, ("---",) * len(titles), *rows]
    return "".join(f"| {' | '.join(_cell(cell) for cell in line)} |\n" for line in lines)


def _rows(path: str, schema: dict[str, Any]) -> Iterator[tuple[str, str, str, str, str]]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        at = f"{path}.{name}"
        default = f"`{field['default']}`" if "default" in field and field["type"] != "object" else "required" if name in required else ""
        yield f"`{at}`", _type(field), default, "; ".join(_bounds(field)), field.get("description", "")
        yield from _rows(at, field)
        if isinstance(field.get("items"), dict):
            yield from _rows(f"{at}[]", field["items"])


def _type(field: dict[str, Any]) -> str:
    if field["type"] == "array":
        return f"list of {_type(field['items'])}"
    if isinstance(field.get("additionalProperties"), dict):
        return f"map of {_type(field['additionalProperties'])}"
    return str(field["type"])


def _bounds(field: dict[str, Any]) -> Iterator[str]:
    if "enum" in field:
        yield "one of " + ", ".join(f"`{value}`" for value in field["enum"])
    if "pattern" in field:
        yield f"matches `{field['pattern']}`"
    if "minimum" in field or "maximum" in field:
        yield f"{field.get('minimum', '…')} to {field.get('maximum', '…')}"
    if "maxLength" in field:
        yield f"at most {field['maxLength']} characters"
    for rule in field.get("x-kubernetes-validations", ()):
        yield rule["message"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
