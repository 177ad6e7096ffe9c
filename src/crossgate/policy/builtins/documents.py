"""``json.*`` and ``semver.*`` that the embedded engine lacks or has wrong, and digests."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable
from typing import Any

_SEMVER = re.compile(
    r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)"
    r"(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\Z",
    re.ASCII,
)


def is_valid(text: Any) -> bool:
    """``json.is_valid``: anything but a text is not."""
    if not isinstance(text, str):
        return False
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def match_schema(document: Any, schema: Any) -> list[Any]:
    """``json.match_schema``: whether it matches, and how not. The texts of the errors are not OPA's."""
    import jsonschema  # noqa: PLC0415 - 60 ms that only a policy with this built-in pays

    validator_class = jsonschema.validators.validator_for(_parsed(schema), default=jsonschema.Draft7Validator)
    errors = sorted(validator_class(_parsed(schema)).iter_errors(_parsed(document)), key=lambda error: list(map(str, error.absolute_path)))
    return [
        not errors,
        [
            {
                "desc": error.message,
                "error": f"{'.'.join(map(str, error.absolute_path)) or '(Root)'}: {error.message}",
                "field": ".".join(map(str, error.absolute_path)) or "(Root)",
                "type": str(error.validator),
            }
            for error in errors
        ],
    ]


def verify_schema(schema: Any) -> list[Any]:
    """``json.verify_schema``: whether it is a schema, and why not."""
    import jsonschema  # noqa: PLC0415 - see above

    try:
        parsed = _parsed(schema)
        jsonschema.validators.validator_for(parsed, default=jsonschema.Draft7Validator).check_schema(parsed)
    except (jsonschema.SchemaError, ValueError) as error:
        return [False, f"jsonschema: {getattr(error, 'message', error)}"]
    return [True, None]


def _parsed(value: Any) -> Any:
    """Return a document given as an object, or as a text in JSON."""
    value = json.loads(value) if isinstance(value, str) else value
    if not isinstance(value, (dict, list, bool)):
        raise ValueError("operand must be string or object")
    return value


def semver_is_valid(text: Any) -> bool:
    """``semver.is_valid``: anything but a text is not."""
    return isinstance(text, str) and _SEMVER.match(text) is not None


def _digest(name: str) -> Callable[[Any], str]:
    def digest(text: Any) -> str:
        return hashlib.new(name, _bytes(text)).hexdigest()

    return digest


def _hmac(name: str) -> Callable[[Any, Any], str]:
    def digest(text: Any, key: Any) -> str:
        return hmac.new(_bytes(key), _bytes(text), name).hexdigest()

    return digest


def _bytes(text: Any) -> bytes:
    if not isinstance(text, str):
        raise ValueError("operand must be string")
    return text.encode()


def hmac_equal(one: Any, two: Any) -> bool:
    """``crypto.hmac.equal``."""
    return hmac.compare_digest(_bytes(one), _bytes(two))


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "json.is_valid": (1, is_valid),
    "json.match_schema": (2, match_schema),
    "json.verify_schema": (1, verify_schema),
    "semver.is_valid": (1, semver_is_valid),
    "crypto.hmac.equal": (2, hmac_equal),
    **{f"crypto.{name}": (1, _digest(name)) for name in ("md5", "sha1", "sha256")},
    **{f"crypto.hmac.{name}": (2, _hmac(name)) for name in ("md5", "sha1", "sha256", "sha512")},
}
"""Built-in to the number of its operands and its function."""
