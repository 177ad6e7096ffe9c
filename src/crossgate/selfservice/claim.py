"""A claim as text: what was chosen, and beside it, as comments, what could be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crossgate.load.write import to_yaml
from crossgate.wrapping import wrapped

from .apis import ClaimApi
from .fields import bounds, is_section

_WIDTH = 100


def claim_text(
    api: ClaimApi,
    name: str,
    values: Mapping[tuple[str, ...], Any],
    *,
    namespace: str = "",
    select: Mapping[str, str] | None = None,
    secret: str = "",
) -> str:
    """Return a claim in YAML.

    ``values`` are by their path below ``spec``. Each field has its description above it; fields that were not given stand in comments with
    their default, and take effect when their ``#`` is removed.
    """
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    head = {"apiVersion": api.api_version, "kind": api.kind, "metadata": metadata}
    lines = [
        *_comment(api.description, ""),
        *_comment("A field behind a # shows its default or an example: remove the # to use it.", ""),
        to_yaml([head]).rstrip("\n"),
        "spec:",
        *_section(api.schema, _filled(api.schema, _nested(values)), "  "),
    ]
    if select:
        lines += ["  # Which of the API's Compositions makes it.", *_value({"compositionSelector": {"matchLabels": dict(select)}}, "  ")]
    if secret:
        lines += ["  # Secret in the team's namespace that the connection details go to.", *_value({_SECRET: {"name": secret}}, "  ")]
    return "\n".join(lines) + "\n"


_SECRET = "writeConnectionSecretToRef"  # noqa: S105 - a field's name


def _nested(values: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path, value in values.items():
        *above, last = path
        at = tree
        for step in above:
            at = at.setdefault(step, {})
        at[last] = value
    return tree


def _filled(schema: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Add what must not stay empty: sections that are required, and in a section of nothing but defaults one that is written out."""
    tree = dict(chosen)
    for name, inner in schema.get("properties", {}).items():
        if is_section(inner) and (name in tree or (name in schema.get("required", ()) and "default" not in inner)):
            tree[name] = _filled(inner, tree.get(name, {}))
    if not tree:
        defaults = {name: inner["default"] for name, inner in schema.get("properties", {}).items() if "default" in inner}
        tree |= dict([*defaults.items()][:1])
    return tree


def _section(schema: Mapping[str, Any], chosen: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Write the fields of a section that is used."""
    for name, inner in schema.get("properties", {}).items():
        yield from _comment(_about(inner), indent)
        if not is_section(inner):
            yield from _value({name: chosen.get(name, _example(inner))}, indent if name in chosen else f"{indent}# ")
        elif chosen.get(name):
            yield f"{indent}{name}:"
            yield from _section(inner, chosen[name], f"{indent}  ")
        elif name in chosen:
            yield f"{indent}{name}: {{}}"
        else:
            # laid out as if it were used, and then every line a comment: without its # it is right
            yield f"{indent}# {name}:"
            for line in _section(inner, _filled(inner, _examples(inner)), "  "):
                yield f"{indent}# {line}"


def _examples(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _examples(inner) if is_section(inner) else _example(inner)
        for name, inner in schema.get("properties", {}).items()
        if name in schema.get("required", ())
    }


def _example(schema: Mapping[str, Any]) -> Any:
    """Return the default of a field, or the least that its schema allows."""
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("type") in ("integer", "number"):
        return schema.get("minimum", 1)
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}))]
    return {"boolean": False, "object": {}}.get(str(schema.get("type")), "…")


def _about(schema: Mapping[str, Any]) -> str:
    text = " ".join(str(schema.get("description", "")).split())
    rules = "; ".join(bounds(schema))
    messages = "; ".join(str(rule.get("message", "")) for rule in schema.get("x-kubernetes-validations", ()))
    return " ".join(part for part in (text, f"({rules})" if rules else "", f"Rules: {messages}." if messages else "") if part)


def _comment(text: str, indent: str) -> list[str]:
    return [f"{indent}# {line}" for line in wrapped(text, _WIDTH - len(indent))]


def _value(body: Mapping[str, Any], indent: str) -> list[str]:
    return [f"{indent}{line}" for line in to_yaml([dict(body)]).splitlines()]
