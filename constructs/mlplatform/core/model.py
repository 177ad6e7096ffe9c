"""Write an API's fields once, as pydantic models, and get their Kubernetes schema from them."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from crossgate.model import Place
from crossgate.paths import Path

from .origin import project_file


@dataclass(frozen=True)
class Rule:
    """A CEL rule over the fields of a model, with the sentence that a user reads when it fails."""

    rule: str
    message: str


def validations(rules: tuple[Rule, ...]) -> list[dict[str, str]]:
    """Return rules as a schema holds them."""
    return [{"rule": rule.rule, "message": rule.message} for rule in rules]


class Required:
    """Mark a field that stands in the schema's ``required`` list although it has a default: ``Annotated[int, Required()] = 1``."""


class Model(BaseModel):
    """Fields of an API. Python names are snake_case, the API's are camelCase; a field's docstring is its description.

    ``rules`` are CEL rules over the fields (``self``); the API server and crossgate evaluate them.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )
    rules: ClassVar[tuple[Rule, ...]] = ()

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add what pydantic does not know: CEL rules, and required fields with a default."""
        schema = handler(core_schema)
        body = handler.resolve_ref_schema(schema)
        body["required"] = [
            field.alias or name
            for name, field in cls.model_fields.items()
            if field.is_required() or any(isinstance(mark, Required) for mark in field.metadata)
        ]
        if cls.rules:
            body["x-kubernetes-validations"] = validations(cls.rules)
        return schema

    def manifest(self) -> dict[str, Any]:
        """Return the fields that were given, by their API names."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


@cache
def structural(model: type[Model]) -> dict[str, Any]:
    """Return the model's structural OpenAPI v3 schema as an XRD holds it: no references, no titles, keys in reading order.

    It is computed once: do not change it.
    """
    schema = model.model_json_schema(by_alias=True)
    inlined = _structural(schema, schema.get("$defs", {}))
    assert isinstance(inlined, dict)  # noqa: S101 - a model's schema is an object
    return inlined


_ORDER = ("description", "type", "format", "nullable", "default", "enum", "pattern", "minLength", "maxLength", "minimum", "maximum")
_LAST = ("required", "properties", "additionalProperties", "items", "x-kubernetes-validations")


def _structural(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        target = definitions[schema["$ref"].rpartition("/")[2]]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    if "anyOf" in schema:
        # X | None: an optional field of type X; Kubernetes leaves it out instead of writing null
        chosen = [option for option in schema["anyOf"] if option.get("type") != "null"]
        if len(chosen) != 1:
            raise TypeError(f"a Kubernetes schema holds one type a field, not {schema['anyOf']}")
        rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
        return _structural({**chosen[0], **rest}, definitions)
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            out[key] = {name: _structural(field, definitions) for name, field in value.items()}
        elif key == "items":
            out[key] = _structural(value, definitions)
        elif key == "additionalProperties":
            if isinstance(value, dict):  # a map; "no other fields" needs no word, the API server prunes them
                out[key] = _structural(value, definitions)
        elif key == "default" and isinstance(value, dict):  # a model's default: what it leaves open stays open
            out[key] = {name: field for name, field in value.items() if field is not None}
        elif key == "const":
            out["enum"] = [value]
        elif key in ("exclusiveMinimum", "exclusiveMaximum"):
            out["m" + key[len("exclusiveM") :].lower()] = value
            out[key] = True
        elif key == "required" and not value:
            continue
        elif key not in ("title", "$defs"):
            out[key] = value
    names = sorted(out, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER) + (name in _LAST and _LAST.index(name) + 1))
    return {name: out[name] for name in names}


def places(model: type[Model], root: str) -> dict[Path, Place]:
    """Return where each field of the model's schema was written, by its path within the schema.

    ``root`` is the project's folder; fields of models outside it have no place.
    """
    found: dict[Path, Place] = {}
    for owner in reversed(model.__mro__):
        if not (isinstance(owner, type) and issubclass(owner, Model)) or owner is Model:
            continue
        file = project_file(inspect.getsourcefile(owner) or "", root)
        lines, first = inspect.getsourcelines(owner)
        if not file:
            continue
        found[()] = Place(file, first)
        tree = ast.parse(inspect.cleandoc("".join(lines)) if lines[0][:1].isspace() else "".join(lines))
        for statement in ast.walk(tree):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                if name in owner.model_fields:
                    found["properties", owner.model_fields[name].alias or name] = Place(file, first + statement.lineno - 1)
    for name, field in model.model_fields.items():
        for inner, step in _nested(field.annotation):
            at: Path = ("properties", field.alias or name, *step)
            found |= {(*at, *path): place for path, place in places(inner, root).items() if path}
    return found


def _nested(annotation: Any) -> list[tuple[type[Model], Path]]:
    """Return the models inside an annotation, and the schema steps that lead to each."""
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [(annotation, ())]
    origin = getattr(annotation, "__origin__", None)
    step: Path = ("items",) if origin is list else ("additionalProperties",) if origin is dict else ()
    return [(model, (*step, *rest)) for argument in get_args(annotation) for model, rest in _nested(argument)]
