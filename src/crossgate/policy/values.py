"""Read a data file of a bundle: what ``data`` holds below its folder, as OPA reads it.

OPA reads YAML through sigs.k8s.io/yaml, as the API server does, so the reader of manifests is the right one here too: it bounds
what aliases come to, how deep values are nested, and refuses what JSON cannot hold.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from crossgate.errors import LoadError, PolicyError
from crossgate.load import load_text

MAX_DEPTH = 100
"""How deep data may be nested: the embedded engine reads no more than 128 levels, those of the folders among them."""


def values_of(text: str | bytes, name: str) -> dict[str, Any]:
    """Return the object that a data file holds; a name that ends in ``.json`` is read as JSON, any other as YAML.

    Raises:
        PolicyError: the text cannot be read, is nested too deep, consists of aliases, or is no object.
    """
    try:
        value = _json(text) if name.endswith(".json") else _yaml(text, name)
    except LoadError as error:
        raise PolicyError(f"cannot read the data: {error.what}", error.where or name, error.hint or "write it as JSON or YAML") from error
    except RecursionError as error:
        raise PolicyError("cannot read the data: it is nested too deep", name, "no rule needs that: write it flat") from error
    except ValueError as error:
        raise PolicyError(f"cannot read the data: {error}".splitlines()[0], name, "write it as JSON or YAML") from error
    if _deeper(value, MAX_DEPTH):
        raise PolicyError(f"the data is nested more than {MAX_DEPTH} deep", name, "no rule needs that: write it flat")
    if not isinstance(value, dict):
        raise PolicyError("the data is not an object", name, "data files hold a mapping from names to values")
    return value


def _deeper(value: Any, levels: int) -> bool:
    """Say whether collections are nested more than ``levels`` deep."""
    if not isinstance(value, (dict, list)):
        return False
    return levels == 0 or any(_deeper(item, levels - 1) for item in (value.values() if isinstance(value, dict) else value))


def _yaml(text: str | bytes, name: str) -> Any:
    documents = load_text(text, name)
    if len(documents) > 1:
        message = "it holds several documents; OPA reads the first alone"
        raise ValueError(message)
    return documents[0].body if documents else None


def _json(text: str | bytes) -> Any:
    return json.loads(text, parse_constant=_no_number, parse_float=_finite)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _no_number(text)
    return number


def _no_number(text: str) -> NoReturn:
    message = f"{text} is no number of JSON that a rule can work with"
    raise ValueError(message)
