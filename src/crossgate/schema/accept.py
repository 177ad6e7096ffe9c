"""A fast yes: a JSON Schema that holds only for resources without any problem.

``jsonschema-rs`` answers in a microsecond or two, so in bulk it takes what is plainly good, and only the rest
goes through the exact rules. The schema is made from the structural schema, which stays the one source,
and it is stricter wherever JSON Schema cannot say the same: what it does not hold for may still be good.
A default value never makes a resource bad, because a schema whose own defaults are bad has no fast yes.
"""

from __future__ import annotations

import re
from typing import Any

from crossgate.schema.defaulting import DefaultTree
from crossgate.schema.formats import enforced
from crossgate.schema.kinds import KindSchema
from crossgate.schema.values import Fault, check_value

Schema = dict[str, Any]

_NO: Schema = {"not": {}}
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_VALUE = "([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]"
_INT64 = {"minimum": 1 - 2**53, "maximum": 2**53 - 1}
"""Beyond these the server takes 64-bit integers, but no fractional notation of one: left to the exact rules."""
_INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
_SAFE_PATTERN = re.compile(r"(?:[^\\\[\](]|\\[^A-Za-z0-9]|\\[dw]|\[\^?(?:[^\\\[\]]|\\[^A-Za-z0-9]|\\[dw])+\]|\((?!\?)|\(\?:)*")
"""Patterns that mean the same to both engines: no look-around, flags, named classes or Unicode-dependent escapes."""

_FORMATS = {
    "datetime": r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3])(:[0-5][0-9]){2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
    "byte": r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$",
    "password": "",
}
_BOUNDS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems")
_BRANCH_KEYS = frozenset({"required", "properties", "not", "enum", "minLength", "maxLength", "minItems", "maxItems"})
"""What a branch of ``oneOf`` or ``not`` may say; there a stricter reading would be a laxer one."""

_QUANTITY = r"^[+-]?[0-9]+(\.[0-9]+)?([KMGTPE]i|[numkMGTPE])?$"


class Acceptance:
    """A fast yes for one kind, built when it is first asked."""

    def __init__(self, kind: KindSchema) -> None:
        """Build the validator. It takes a few milliseconds for a large kind."""
        import jsonschema_rs  # noqa: PLC0415 (50 ms that a run over few resources does not pay)

        self._validator: Any = None
        schema = accept_schema(kind)
        if schema is not None:
            try:
                self._validator = jsonschema_rs.Draft202012Validator(schema, pattern_options=jsonschema_rs.RegexOptions())
            except (jsonschema_rs.ValidationError, ValueError):
                # A pattern that does not compile, a field that is required twice: the exact rules know what that means.
                return

    def accepts(self, resource: dict[str, Any]) -> bool:
        """Say whether the resource is certainly good, leaving its CEL rules aside."""
        if self._validator is None:
            return False
        try:
            return bool(self._validator.is_valid(resource))
        except (ValueError, UnicodeError):
            # Keys that are no strings and half surrogates are not JSON; the exact rules say what they are.
            return False


def accept_schema(kind: KindSchema) -> Schema | None:
    """Return the JSON Schema of a fast yes, or None when the kind cannot have one."""
    if kind.scale is not None or not _defaults_hold(kind.schema, set()):
        return None
    builder = _Builder(kind.schema, builtin=kind.builtin)
    root = builder.node(kind.schema)
    if root is _NO:
        return None
    own = (kind.schema.get("properties") or {}).get("metadata") or {}
    named: Schema = {"required": ["name"]} if kind.builtin else {"anyOf": [{"required": ["name"]}, {"required": ["generateName"]}]}
    metadata = {**_metadata(namespaced=kind.scope == "Namespaced"), **named}
    root["properties"] = {
        **root.get("properties", {}),
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"allOf": [metadata, builder.branch(own)]},
    }
    root["required"] = sorted({*root.get("required", ()), "metadata"})
    if builder.definitions:
        root["$defs"] = builder.definitions
    return root


def _defaults_hold(schema: Schema, seen: set[int]) -> bool:
    if id(schema) in seen:
        return True
    seen.add(id(schema))
    if schema.get("default") is not None:
        faults: list[Fault] = []
        check_value(schema, DefaultTree.of(schema).applied(schema["default"]), (), faults)
        if faults:
            return False
    return all(_defaults_hold(child, seen) for child in _children(schema))


def _children(schema: Schema) -> list[Schema]:
    found = list((schema.get("properties") or {}).values())
    found += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    return found


def _metadata(*, namespaced: bool) -> Schema:
    """Return metadata that is good as most is written and composed; managed fields are left to the exact rules."""
    key = rf"^({_LABEL}(\.{_LABEL})*/)?{_VALUE}$"
    properties: dict[str, Any] = {
        "name": {"type": "string", "maxLength": 253, "pattern": rf"^{_LABEL}(\.{_LABEL})*$"},
        "generateName": {"type": "string", "maxLength": 58, "pattern": rf"^{_LABEL}(\.{_LABEL})*-?$"},
        "namespace": {"type": "string", "maxLength": 63, "pattern": rf"^{_LABEL}$"} if namespaced else {"type": "string"},
        "labels": {
            "type": "object",
            "propertyNames": {"maxLength": 253, "pattern": key},
            "additionalProperties": {"type": "string", "maxLength": 63, "pattern": rf"^({_VALUE})?$"},
        },
        # The limit of 256 KiB holds for whatever these bounds let through, at four bytes a character.
        "annotations": {
            "type": "object",
            "maxProperties": 16,
            "propertyNames": {"maxLength": 253, "pattern": key.replace("a-z0-9", "A-Za-z0-9")},
            "additionalProperties": {"type": "string", "maxLength": 3800},
        },
        # One owner cannot be the second controller; whatever is called Event is left to the exact rules.
        "ownerReferences": {"type": "array", "maxItems": 1, "items": _OWNER},
        "finalizers": {
            "type": "array",
            "items": {"type": "string", "maxLength": 253, "pattern": key, "not": {"enum": ["orphan", "foregroundDeletion"]}},
        },
        "creationTimestamp": {"type": "null"},
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


_OWNER: Schema = {
    "type": "object",
    "properties": {
        "apiVersion": {"type": "string", "pattern": "^[^/]+(/[^/]+)?$"},
        "kind": {"type": "string", "minLength": 1, "not": {"const": "Event"}},
        "name": {"type": "string", "minLength": 1},
        "uid": {"type": "string", "minLength": 1},
        "controller": {"type": "boolean"},
        "blockOwnerDeletion": {"type": "boolean"},
    },
    "required": ["apiVersion", "kind", "name", "uid"],
    "additionalProperties": False,
}
"""An owner reference as Crossplane writes it."""


class _Builder:
    """Turns structural schemas into strict JSON Schemas; parts that are used several times become definitions."""

    def __init__(self, schema: Schema, *, builtin: bool) -> None:
        self.definitions: dict[str, Schema] = {}
        self._builtin = builtin
        self._uses: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._count(schema)

    def _count(self, schema: Schema) -> None:
        self._uses[id(schema)] = self._uses.get(id(schema), 0) + 1
        if self._uses[id(schema)] == 1:
            for child in _children(schema):
                self._count(child)

    def inner(self, schema: Schema) -> Schema:
        """Return a part: a reference when it is a container that is used more than once."""
        if self._uses.get(id(schema), 0) < 2 or not ("properties" in schema or "items" in schema):
            return self.node(schema)
        name = self._names.get(id(schema))
        if name is None:
            name = self._names[id(schema)] = str(len(self._names))
            self.definitions[name] = self.node(schema)
        return {"$ref": f"#/$defs/{name}"}

    def node(self, schema: Schema) -> Schema:
        """Return the strict form of a part, its unknown fields refused."""
        made = self.value(schema)
        kind = schema.get("type")
        if made is _NO or schema.get("x-kubernetes-int-or-string") or kind not in (None, "object", "array"):
            return made
        keeps = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
        if kind != "array":
            self._fields(schema, made, keeps=keeps)
        if kind != "object":
            self._items(schema, made, keeps=keeps)
        return made

    def _fields(self, schema: Schema, made: Schema, *, keeps: bool) -> None:
        properties = {name: self.inner(child) for name, child in (schema.get("properties") or {}).items()}
        if schema.get("x-kubernetes-embedded-resource"):
            properties.update(_HEAD, metadata=_metadata(namespaced=True))
            made["required"] = sorted({*made.get("required", ()), *_HEAD})
        if properties:
            made["properties"] = properties
        rest = schema.get("additionalProperties")
        if isinstance(rest, dict):
            made["additionalProperties"] = self.inner(rest)
        elif rest:
            made["additionalProperties"] = _BARE
        elif not keeps:
            made["additionalProperties"] = False

    def _items(self, schema: Schema, made: Schema, *, keeps: bool) -> None:
        items = schema.get("items")
        if items is not None:
            made["items"] = self.node({**items, "x-kubernetes-preserve-unknown-fields": True}) if keeps else self.inner(items)
        elif not keeps:
            made["items"] = _BARE
        if self._builtin:
            return
        if schema.get("x-kubernetes-list-type") == "set":
            made["uniqueItems"] = True
        elif schema.get("x-kubernetes-list-type") == "map":
            made["maxItems"] = min(1, schema.get("maxItems", 1))

    def branch(self, schema: Schema) -> Schema:
        """Return a schema that only judges values (below ``anyOf`` and the like), where fields may be unknown."""
        made = self.value(schema)
        if made is _NO:
            return made
        if schema.get("properties"):
            made["properties"] = {name: self.branch(child) for name, child in schema["properties"].items()}
        for key in ("items", "additionalProperties"):
            if isinstance(schema.get(key), dict):
                made[key] = self.branch(schema[key])
        return made

    def value(self, schema: Schema) -> Schema:
        """Return what a part says about its value itself."""
        if schema.get("format") == "quantity":
            return {"type": ["string", "number"], "pattern": _QUANTITY}
        made: Schema = {key: schema[key] for key in _BOUNDS if schema.get(key) is not None}
        if schema.get("enum"):
            made["enum"] = [choice for choice in schema["enum"] if choice is not None]
        types = ["integer", "string"] if schema.get("x-kubernetes-int-or-string") else [schema["type"]] if schema.get("type") else []
        if types:
            types += ["null"] if schema.get("nullable") else []
            made["type"] = types if len(types) > 1 else types[0]
        defaults = {name for name, child in (schema.get("properties") or {}).items() if child.get("default") is not None}
        if defaults and (schema.get("minProperties") or schema.get("maxProperties") is not None):
            return _NO
        required = [name for name in schema.get("required") or () if name not in defaults]
        if required:
            made["required"] = required
        said = _text(schema, made) and _number(schema, types, made, builtin=self._builtin) and self._branches(schema, made)
        return made if said else _NO

    def _branches(self, schema: Schema, made: Schema) -> bool:
        if not any(schema.get(key) for key in ("allOf", "anyOf", "oneOf")) and schema.get("not") is None:
            return True
        if _has_default(schema, {}):
            return False
        for key in ("allOf", "anyOf"):
            if schema.get(key):
                made[key] = [*made.get(key, ()), *(self.branch(branch) for branch in schema[key])]
        exact = [*(schema.get("oneOf") or ()), *([schema["not"]] if schema.get("not") is not None else ())]
        if not all(_is_plain(branch) for branch in exact):
            return False
        if schema.get("oneOf"):
            made["oneOf"] = [self.branch(branch) for branch in schema["oneOf"]]
        if schema.get("not") is not None:
            made["not"] = self.branch(schema["not"])
        return True


def _has_default(schema: Schema, known: dict[int, bool]) -> bool:
    if id(schema) not in known:
        known[id(schema)] = any(child.get("default") is not None or _has_default(child, known) for child in _children(schema))
    return known[id(schema)]


def _text(schema: Schema, made: Schema) -> bool:
    pattern = schema.get("pattern")
    if pattern and not _SAFE_PATTERN.fullmatch(pattern):
        return False
    form = enforced(schema) if schema.get("type") not in ("integer", "number") else ""
    if form and form not in _FORMATS:
        return False
    wanted = [one for one in (pattern, _FORMATS.get(form)) if one]
    if len(wanted) == 1:
        made["pattern"] = wanted[0]
    elif wanted:
        made["allOf"] = [{"pattern": one} for one in wanted]
    return True


def _number(schema: Schema, types: list[str], made: Schema, *, builtin: bool) -> bool:
    if schema.get("multipleOf") is not None:
        return False
    if "integer" in types:
        # Go's IntOrString, which Kubernetes' own kinds are decoded into, holds 32 bits.
        small = schema.get("format") == "int32" or (builtin and "string" in types)
        made.update(_INT32 if small else _INT64)
    elif "number" in types:
        made.update(minimum=-1e38, maximum=1e38)
    for key, exclusive, stricter in (("minimum", "exclusiveMinimum", max), ("maximum", "exclusiveMaximum", min)):
        bound = schema.get(key)
        if bound is None:
            continue
        if schema.get(exclusive):
            if bound != int(bound):
                return False
            made[exclusive] = bound
        made[key] = stricter(made.get(key, bound), bound)
    return True


def _is_plain(schema: Schema) -> bool:
    """Say whether a branch means exactly the same in JSON Schema; in ``oneOf`` and ``not`` stricter is not enough."""
    strings = all(isinstance(choice, str) for choice in schema.get("enum") or ())
    if not strings or not set(schema) <= _BRANCH_KEYS:
        return False
    inside = [*(schema.get("properties") or {}).values(), *([schema["not"]] if "not" in schema else ())]
    return all(_is_plain(child) for child in inside)


_BARE: Schema = {"type": ["string", "number", "boolean"]}
"""What may stand where the schema names a field but says nothing of its inside: a scalar at least."""
_HEAD: dict[str, Schema] = {
    "apiVersion": {"type": "string", "pattern": "^[^/]+(/[^/]+)?$"},
    "kind": {"type": "string", "pattern": "^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$"},
}
"""What an embedded object must have."""
