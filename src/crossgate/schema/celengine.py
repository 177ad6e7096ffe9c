"""The CEL engine (``common-expression-language``) with the functions that Kubernetes adds.

Only the extension module is loaded: the package's own ``__init__`` imports its command line and with it
half a second of libraries. What the engine cannot parse or does not have is ``Unsupported``; an error while a
rule runs (a missing key, a division by zero) is a ValueError, as it is an answer of the API server too.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import logging
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from crossgate.errors import SchemaError
from crossgate.schema.celfunctions import STRINGS_AND_LISTS
from crossgate.schema.celtypes import kubernetes_types


class Unsupported(Exception):  # noqa: N818 (a verdict on the engine, not on the rule)
    """The engine cannot run this rule."""


_ANSWERS = (KeyError, IndexError, TypeError, OverflowError, ZeroDivisionError, ValueError)


@lru_cache(maxsize=1)
def _engine() -> ModuleType:
    name = "cel.cel"
    if name in sys.modules:
        return sys.modules[name]
    package = importlib.util.find_spec("cel")
    for directory in (package.submodule_search_locations or ()) if package else ():
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = Path(directory) / f"cel{suffix}"
            spec = importlib.util.spec_from_file_location(name, file) if file.exists() else None
            if spec and spec.loader:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                # It logs every error of a rule, which is an answer here and nothing to warn of.
                logging.getLogger("cel").setLevel(logging.CRITICAL)
                return module
    raise SchemaError("the CEL engine is not installed", "common-expression-language", "pip install common-expression-language")


@lru_cache(maxsize=4096)
def _program(source: str) -> Any:
    try:
        return _engine().compile(source)
    except Exception as error:
        raise Unsupported(_short(error)) from error


@lru_cache(maxsize=1)
def _context() -> Any:
    optionals = _engine().OptionalValue
    types = kubernetes_types(lambda value: optionals.none() if value is None else optionals.of(value))
    return _engine().Context({}, {**STRINGS_AND_LISTS, **types})


def evaluate(source: str, variables: dict[str, Any], *, old_self: bool) -> Any:
    """Evaluate a rule. ``old_self`` gives it an optional ``oldSelf`` without a value, as on a create.

    Raises Unsupported when the engine cannot run the rule, ValueError when it fails as it would on the server.
    """
    program = _program(source)
    context = _context()
    for name, value in variables.items():
        context.add_variable(name, value)
    if old_self:
        context.add_variable("oldSelf", _engine().OptionalValue.none())
    try:
        return program.execute(context)
    except RuntimeError as error:
        if "Undefined variable or function" in str(error):
            raise Unsupported(_short(error)) from error
        raise ValueError(_short(error)) from error
    except KeyError as error:
        raise ValueError(f"no such key: {error.args[0] if error.args else error}") from error
    except _ANSWERS as error:
        raise ValueError(_short(error)) from error


def _short(error: BaseException) -> str:
    lines = str(error).splitlines()
    if not lines:
        return type(error).__name__
    # What our own functions say stands behind the engine's account of the call.
    own = lines[0].partition("call failed: ValueError: ")[2]
    return (own or lines[0]).split(". Check ")[0].split(". CEL does")[0]
