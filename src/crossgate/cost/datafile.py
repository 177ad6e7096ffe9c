"""Read a data file of the policies that is no Rego: YAML with exact numbers, checked against a JSON Schema of this package."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import yaml

from crossgate.errors import PolicyError


def read_checked(file: Path, schema: Path) -> Any:
    """Read a data file (YAML with exact numbers; times stay texts) and check it against a JSON Schema of this package.

    Raises:
        PolicyError: it cannot be read, or is not what the schema says; the place in the file is named.
    """
    try:
        value = yaml.load(file.read_text(encoding="utf-8"), Loader=_Exact)  # noqa: S506 - a safe loader with exact numbers
        plain = _floats(value, iter(range(_MOST)))
    except (OSError, ValueError, TypeError, yaml.YAMLError, RecursionError) as error:
        raise PolicyError(f"cannot read the data: {' '.join(str(error).split())}", str(file), "write it as YAML") from error
    import jsonschema_rs  # noqa: PLC0415 - 30 ms that only who asks for costs or releases pays

    validator = jsonschema_rs.validator_for(json.loads(schema.read_text(encoding="utf-8")), validate_formats=True)
    fault = next(iter(validator.iter_errors(plain)), None)
    if fault is not None:
        place = ".".join(str(step) for step in fault.instance_path)
        hint = "docs/cost.md and docs/release.md say what it may be"
        raise PolicyError(f"{place or 'the file'} is wrong: {fault.message}", str(file), hint)
    return value


_MOST = 1_000_000
"""Values of a file: a few aliases of aliases come to more than any machine can hold."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Exact(_Loader):  # type: ignore[misc] # libyaml's loader where there is one: it takes a tenth of the time
    """Reads numbers as decimals and times as texts. A name that stands twice in a mapping is refused: one of two prices would be lost."""


def _decimal(loader: yaml.SafeLoader, node: yaml.Node) -> Decimal:
    text = str(loader.construct_scalar(node))  # type: ignore[arg-type] # the tag is that of a scalar
    try:
        return Decimal(text.replace("_", ""))
    except InvalidOperation:
        message = f"{text} is no number"
        raise ValueError(message) from None


def _mapping(loader: yaml.SafeLoader, node: yaml.Node) -> dict[Any, Any]:
    assert isinstance(node, yaml.MappingNode)  # noqa: S101 - the tag is that of a mapping
    seen: dict[Any, Any] = {}
    for key, item in node.value:
        name = loader.construct_object(key, deep=True)
        if name in seen:
            raise yaml.constructor.ConstructorError(None, None, f"{name!r} stands twice", key.start_mark)
        seen[name] = loader.construct_object(item, deep=True)
    return seen


def _text(loader: yaml.SafeLoader, node: yaml.Node) -> str:
    return str(loader.construct_scalar(node))  # type: ignore[arg-type] # the tag is that of a scalar


_Exact.add_constructor("tag:yaml.org,2002:timestamp", _text)
_Exact.add_constructor("tag:yaml.org,2002:float", _decimal)
_Exact.add_constructor("tag:yaml.org,2002:map", _mapping)


def _floats(value: Any, left: Iterator[int]) -> Any:
    if next(left, None) is None:
        message = f"it comes to more than {_MOST:,} values; an alias stands for all that its anchor holds"
        raise ValueError(message)
    if isinstance(value, dict):
        return {str(key): _floats(item, left) for key, item in value.items()}
    if isinstance(value, list):
        return [_floats(item, left) for item in value]
    return value if isinstance(value, (str, int, float, type(None))) else float(value) if isinstance(value, Decimal) else str(value)
