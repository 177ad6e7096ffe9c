"""Unknown fields: what the API server would prune, which strict field validation refuses.

The rules are those of apiextensions-apiserver (``pkg/apiserver/schema/pruning``, 1.36). Below
``x-kubernetes-preserve-unknown-fields`` only what the schema names is looked at again; the metadata,
apiVersion and kind of an embedded resource belong to the metadata rules.
"""

from __future__ import annotations

from typing import Any

from crossgate.paths import Path, format_path
from crossgate.schema.nearest import nearest
from crossgate.schema.problem import Problem, ProblemKind

_META = frozenset({"apiVersion", "kind", "metadata"})

Schema = dict[str, Any]


def unknown_fields(value: Any, schema: Schema | None, at: Path = (), *, root: bool = True) -> list[Problem]:
    """Return a problem for every field that the schema does not know, in the order of the document."""
    found: list[Problem] = []
    _prune(value, schema, at, root or bool(schema and schema.get("x-kubernetes-embedded-resource")), found)
    return found


MOST_ADVISED = 100
"""Unknown fields of one object that get a hint; in an object with more, nobody reads them, and each costs a comparison with every name."""


def unknown_field(at: Path, names: Any, count: int) -> Problem:
    """Make the problem of one unknown field; ``names`` are the fields known beside it, ``count`` is that of the problems before."""
    text = format_path(at)
    if count >= MOST_ADVISED:
        return Problem(text, at, ProblemKind.UNKNOWN_FIELD, f'unknown field "{text}"', "")
    near = nearest(str(at[-1]), names)
    known = ", ".join(sorted(map(str, names))[:12])
    hint = f"did you mean {near!r}?" if near else f"known here: {known}" if known else "no fields are known here"
    return Problem(text, at, ProblemKind.UNKNOWN_FIELD, f'unknown field "{text}"; {hint}', hint)


def _prune(value: Any, schema: Schema | None, at: Path, embedded: bool, found: list[Problem]) -> None:
    if isinstance(value, dict):
        keeps = bool(schema and schema.get("x-kubernetes-preserve-unknown-fields"))
        properties = (schema.get("properties") if schema else None) or {}
        rest = schema.get("additionalProperties") if schema else None
        for key, child in value.items():
            if embedded and key in _META:
                continue
            inner = properties.get(key)
            if inner is None and rest is not None and rest is not False:
                # "additionalProperties: true" names the field but nothing below it.
                inner = rest if isinstance(rest, dict) else _NOTHING
            if inner is not None:
                if isinstance(child, (dict, list)):
                    _prune(
                        child,
                        inner if inner is not _NOTHING else None,
                        (*at, key),
                        bool(inner.get("x-kubernetes-embedded-resource")),
                        found,
                    )
            elif not keeps:
                found.append(unknown_field((*at, key), properties, len(found)))
    elif isinstance(value, list):
        items = schema.get("items") if schema else None
        keeps = bool(schema and schema.get("x-kubernetes-preserve-unknown-fields"))
        if items is None and keeps:
            return
        for index, child in enumerate(value):
            if isinstance(child, (dict, list)):
                inside = bool(items and items.get("x-kubernetes-embedded-resource"))
                _prune(
                    child,
                    {**items, "x-kubernetes-preserve-unknown-fields": True} if items and keeps else items,
                    (*at, index),
                    inside,
                    found,
                )


_NOTHING: Schema = {}
