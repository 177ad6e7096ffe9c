"""The string transform: formats, letter case, hashes, trimming, expressions, joining and replacing."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable
from typing import Any

from crossgate.render.faults import Fault, checked_size
from crossgate.render.gofmt import Format, text_of
from crossgate.render.gojson import raw, unraw
from crossgate.render.gotext import decode_base64, lower, upper
from crossgate.render.jsontext import marshal
from crossgate.render.refusal import Transform, refuse
from crossgate.render.regexps import compile_regexp


def compile_string(given: dict[str, Any]) -> Transform:
    """Compile a string transform."""
    kind = given.get("type", "")
    maker = _STRINGS.get(kind)
    if maker is None:
        return refuse(f"type {kind} is not supported for string transform type")
    name, make = maker
    if name not in given:
        return refuse(f"string transform of type {kind} {name} is not set")
    return make(given[name])


def _format(form: str) -> Transform:
    compiled = Format(form)
    return lambda value: compiled([value])


def _convert_string(kind: str) -> Transform:
    return _CONVERSIONS.get(kind) or refuse(f"type {kind} is not supported for string convert")


def _hashable(value: Any) -> bytes:
    return raw(value) if value.__class__ is str else raw(marshal(value))


_CONVERSIONS: dict[str, Transform] = {
    "ToUpper": lambda value: upper(text_of(value)),
    "ToLower": lambda value: lower(text_of(value)),
    "ToJson": marshal,
    "ToBase64": lambda value: base64.b64encode(raw(text_of(value))).decode(),
    "FromBase64": lambda value: decode_base64(raw(text_of(value))),
    "ToSha1": lambda value: hashlib.sha1(_hashable(value), usedforsecurity=False).hexdigest(),
    "ToSha256": lambda value: hashlib.sha256(_hashable(value)).hexdigest(),
    "ToSha512": lambda value: hashlib.sha512(_hashable(value)).hexdigest(),
    "ToAdler32": lambda value: str(zlib.adler32(_hashable(value))),
}


def _trim_prefix(trim: str) -> Transform:
    return lambda value: unraw(raw(text_of(value)).removeprefix(raw(trim)))


def _trim_suffix(trim: str) -> Transform:
    return lambda value: unraw(raw(text_of(value)).removesuffix(raw(trim)))


def _regexp(given: dict[str, Any]) -> Transform:
    pattern, group = given.get("match", ""), given.get("group", 0)

    def first(value: Any) -> Any:
        groups = compile_regexp(pattern).groups(text_of(value))
        if not groups or group >= len(groups):
            raise Fault(f'regexp "{pattern}" had no matches for group {group}')
        if group < 0:
            raise Fault(
                f"group {group} is negative: function-patch-and-transform crashes on it", hint="groups count from 0, the whole match"
            )
        return groups[group]

    return first


def _join(given: dict[str, Any]) -> Transform:
    separator = given.get("separator", "")

    def join(value: Any) -> Any:
        if not isinstance(value, list):
            raise Fault("could not parse input array", hint="join takes a list")
        if not value:
            return ""
        texts = [text_of(item) for item in value]
        checked_size(sum(map(len, texts)) + len(texts) * len(separator))
        joined = raw("".join(text + separator for text in texts))
        # The function cuts one byte off, however long the separator is.
        return unraw(joined[:-1] if separator else joined)

    return join


def _replace(given: dict[str, Any]) -> Transform:
    search, replacement = given.get("search", ""), given.get("replace", "")

    def replace(value: Any) -> Any:
        text = unraw(raw(text_of(value)))
        checked_size(len(text) + text.count(search) * max(0, len(replacement) - len(search)))
        return text.replace(search, replacement)

    return replace


_STRINGS: dict[str, tuple[str, Callable[[Any], Transform]]] = {
    "Format": ("fmt", _format),
    "Convert": ("convert", _convert_string),
    "TrimPrefix": ("trim", _trim_prefix),
    "TrimSuffix": ("trim", _trim_suffix),
    "Regexp": ("regexp", _regexp),
    "Join": ("join", _join),
    "Replace": ("replace", _replace),
}
