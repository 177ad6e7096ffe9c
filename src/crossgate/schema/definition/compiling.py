"""Whether a CEL rule compiles, and what it costs at most: cel-go's checker and its estimate (``checker/cost.go``, 0.26).

Both walk the same tree, so they are one walk here. A cost is the greatest that the estimate can have; a size is the least and the greatest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from crossgate.schema.definition.costs import UNKNOWN, Value, add, call_cost, times
from crossgate.schema.definition.declared import BOOL, DYN, INT, STRING, Type, escaped
from crossgate.schema.definition.expression import ExpressionError, Node
from crossgate.schema.definition.signatures import NAMESPACES, Shape, Signature, functions
from crossgate.schema.nearest import nearest
from crossgate.schema.patterns import pattern_fault

_LITERALS = {"bool": BOOL, "int": INT, "string": STRING}
_NULLABLE = ("object", "timestamp", "duration", "optional", "null", "dyn", "url", "quantity", "ip", "cidr", "semver", "format")
_TRANSFORMS = ("transformList", "transformMap", "transformMapEntry")
_ITERATION = dict.fromkeys(("all", "exists", "exists_one", "existsOne", "map", "filter"), (2, 3)) | dict.fromkeys(_TRANSFORMS, (3, 4))
"""Macros that go over lists and maps, and how many arguments they take: with one variable, or (Kubernetes 1.32 on) with two."""
_ORDERED = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes", "dyn")
"""Types by which ``sortBy`` sorts."""


@dataclass(slots=True)
class Checker:
    """One rule being checked: the type of ``self``, and the variables of the macros around the part that is looked at."""

    root: Type
    variables: dict[str, Value] = field(default_factory=dict)
    uses_old_self: bool = False

    def value(self, node: Node) -> Value:
        """Return the type and the cost of a part. Raises ExpressionError when it does not compile."""
        reading: dict[str, Callable[[Node], Value]] = {
            "literal": self._literal,
            "name": self._name,
            "select": self._select,
            "call": self._call,
            "list": self._list,
            "map": self._map,
        }
        if node.kind not in reading:
            raise ExpressionError(f"{node.value} is no type of which objects can be made")
        return reading[node.kind](node)

    def size(self, value: Value) -> tuple[int, int]:
        """Return the least and the greatest size of a value."""
        if value.size is not None:
            return value.size
        if value.path is not None:
            found = self._at(value.path)
            if found is not None:
                return 0, found.most
        if value.type.name in ("bool", "int", "uint", "double", "duration", "timestamp"):
            return 1, 1
        return value.local or UNKNOWN

    def _at(self, path: tuple[str, ...]) -> Type | None:
        """Follow a path; its first step is the variable, whichever it is, and all paths begin at ``self``."""
        here: Type | None = self.root if path else None
        for step in path[1:]:
            if here is None:
                return None
            here = here.elem if step in ("@items", "@values") else here.key if step == "@keys" else here.fields.get(step)
        return here

    def _literal(self, node: Node) -> Value:
        of = node.of
        long = len(node.value) if isinstance(node.value, str) else 1
        return Value(_LITERALS.get(of, Type(of)), 0, size=(long, long), literal=node.value)

    def _name(self, node: Node) -> Value:
        known = self.variables.get(node.value)
        if known is not None:
            return replace(known, cost=1)
        if node.value == "oldSelf":
            self.uses_old_self = True
        if node.value in ("self", "oldSelf"):
            kind = self.variables["@oldSelf"].type if node.value == "oldSelf" and "@oldSelf" in self.variables else self.root
            return Value(kind, 1, path=(node.value,))
        if node.value in ("int", "uint", "double", "string", "bytes", "bool", "list", "map", "type", "null_type"):
            return Value(Type("type"), 1, path=(node.value,))
        raise ExpressionError(f"undeclared reference to {node.value!r}; a rule knows self and oldSelf")

    def _select(self, node: Node) -> Value:
        assert node.target is not None  # noqa: S101 - the parser gives every selection one
        operand = self.value(node.target)
        kind = operand.type
        optional = node.of == "?" or kind.name == "optional"
        if kind.name == "optional":
            kind = kind.elem or DYN
        path = (*operand.path, node.value) if operand.path is not None else (node.value,)
        if kind.name == "object":
            found = kind.fields.get(node.value) or kind.fields.get(escaped(node.value))
            if found is None:
                raise ExpressionError(f"undefined field {node.value!r}{_meant(node.value, kind)}")
        elif kind.name in ("map", "dyn"):
            found = kind.elem or DYN
        else:
            raise ExpressionError(f"type {kind} has no fields, so no {node.value!r}")
        cost = operand.cost + (1 if kind.name in ("map", "object") or optional else 0)
        return Value(Type("optional", found) if optional else found, cost, path=path)

    def _list(self, node: Node) -> Value:
        values = [self.value(part) for part in node.parts]
        cost = add(10, *(value.cost for value in values))
        sizes = [self.size(value) for value in values]
        entry = (min((size[0] for size in sizes), default=0), max((size[1] for size in sizes), default=0))
        return Value(Type("list", _joined(values)), cost, size=(len(values), len(values)), entry=entry)

    def _map(self, node: Node) -> Value:
        values = [self.value(part) for part in node.parts]
        keys, inner = values[::2], values[1::2]
        sizes = [self.size(value) for value in inner]
        entry = (min((size[0] for size in sizes), default=0), max((size[1] for size in sizes), default=0))
        kind = Type("map", _joined(inner), _joined(keys))
        return Value(kind, add(30, *(value.cost for value in values)), size=(len(keys), len(keys)), entry=entry)

    def _call(self, node: Node) -> Value:
        name = node.value
        if name == "has" and node.target is None:
            return self._has(node)
        if node.target is not None and len(node.parts) in _ITERATION.get(name, ()):
            return self._macro(node)
        if node.target is not None and name == "sortBy" and len(node.parts) == 2:
            return self._sorted(node)
        if node.target is not None and name in ("optMap", "optFlatMap") and len(node.parts) == 2:
            return self._optional(node)
        target: Value | None = None
        if node.target is not None:
            if node.target.kind == "name" and node.target.value in NAMESPACES and f"{node.target.value}.{name}" in functions():
                name = f"{node.target.value}.{name}"
            else:
                target = self.value(node.target)
        arguments = [self.value(part) for part in node.parts]
        result = _resolved(name, target, arguments)
        _literals(name, arguments)
        made = call_cost(name, target, arguments, result, self.size)
        if name == "_[_]" and arguments[0].path is not None:
            step = "@values" if arguments[0].type.name == "map" else "@items"
            made = replace(made, path=(*arguments[0].path, step), size=arguments[0].entry)
        return made

    def _has(self, node: Node) -> Value:
        arguments = node.parts
        if len(arguments) != 1 or arguments[0].kind != "select":
            raise ExpressionError("has() takes one field, as in has(self.field)")
        self.value(arguments[0])
        assert arguments[0].target is not None  # noqa: S101 - it is a selection
        operand = self.value(arguments[0].target)
        return Value(BOOL, operand.cost)

    def _macro(self, node: Node) -> Value:
        assert node.target is not None  # noqa: S101 - the caller looked
        ranged = self.value(node.target)
        kind = ranged.type
        if kind.name not in ("list", "map", "dyn"):
            raise ExpressionError(f"{node.value}() goes over lists and maps, and not over {kind}")
        two = node.value in _TRANSFORMS or (len(node.parts) == 3 and node.value != "map")
        names = [part.value for part in node.parts[: 2 if two else 1] if part.kind == "name"]
        if not names or node.parts[0].kind != "name" or (two and len(names) != 2):
            raise ExpressionError(f"{node.value}() needs a name for what it goes over")
        count = self.size(ranged)[1]
        outer = dict(self.variables)
        if two:
            step = "@indices" if kind.name == "list" else "@keys"
            self.variables[names[0]] = Value(INT if kind.name == "list" else kind.key or DYN, 0, path=(*(ranged.path or ()), step))
            self.variables[names[1]] = self._item(ranged, kind, of_map="@values")
        else:
            self.variables[names[0]] = self._item(ranged, kind, of_map="@keys")
        try:
            bodies = [self.value(part) for part in node.parts[2 if two else 1 :]]
        finally:
            self.variables = outer
        return self._iterated(node.value, ranged, bodies, count)

    def _item(self, ranged: Value, kind: Type, *, of_map: str) -> Value:
        step = of_map if kind.name == "map" else "@items"
        inner = kind.key if step == "@keys" else kind.elem
        return Value(inner or DYN, 0, path=(*(ranged.path or ()), step), local=ranged.entry if step != "@keys" else None)

    def _iterated(self, name: str, ranged: Value, bodies: list[Value], count: int) -> Value:
        body = bodies[-1]
        condition = bodies[0] if len(bodies) > 1 else None
        if name not in ("map", *_TRANSFORMS) or condition is not None:
            judged = condition or body
            if judged.type.name not in ("bool", "dyn"):
                raise ExpressionError(f"{name}() needs a condition, found {judged.type}")
        if name in ("all", "exists"):
            return Value(BOOL, add(ranged.cost, 1, times(count, add(body.cost, 3 if name == "all" else 4))))
        if name in ("exists_one", "existsOne"):
            return Value(BOOL, add(ranged.cost, 2, times(count, add(body.cost, 2))))
        if name == "filter":
            made = add(ranged.cost, 11, times(count, add(body.cost, 13)))
            inner = ranged.type.key if ranged.type.name == "map" else ranged.type.elem
            entry = ranged.entry or ((0, self._most(ranged)) if ranged.path else None)
            return Value(Type("list", inner or DYN), made, size=(0, count), entry=entry)
        if name in ("transformMap", "transformMapEntry"):
            return self._entries(name, ranged, body, condition, count)
        step = add(12, body.cost)
        each = add(condition.cost, step) if condition else step
        return Value(Type("list", body.type), add(ranged.cost, 11, times(count, each)), size=(0, count), entry=(0, self.size(body)[1]))

    def _entries(self, name: str, ranged: Value, body: Value, condition: Value | None, count: int) -> Value:
        """Return the map that is made entry by entry (``cel.@mapInsert``): of a value for each key, or of maps of one entry."""
        if name == "transformMapEntry" and body.type.name not in ("map", "dyn"):
            raise ExpressionError(f"transformMapEntry() makes entries of maps, and not of {body.type}")
        key = INT if ranged.type.name == "list" else ranged.type.key or DYN
        kind = Type("map", body.type, key) if name == "transformMap" else body.type
        step = add(3 if name == "transformMap" else 2, body.cost)
        each = add(condition.cost, step) if condition else step
        return Value(kind, add(ranged.cost, 31, times(count, each)), size=(0, count))

    def _sorted(self, node: Node) -> Value:
        """Check ``sortBy`` (Kubernetes 1.34 on): the list is bound, keys are made of it, and it is sorted by them."""
        assert node.target is not None  # noqa: S101 - the caller looked
        ranged = self.value(node.target)
        if ranged.type.name not in ("list", "dyn") or node.parts[0].kind != "name":
            raise ExpressionError(f"sortBy() needs a list and a name for what it goes over, found {ranged.type}")
        count = self.size(ranged)[1]
        outer = dict(self.variables)
        self.variables[node.parts[0].value] = self._item(ranged, ranged.type, of_map="@keys")
        try:
            by = self.value(node.parts[1])
        finally:
            self.variables = outer
        if by.type.name not in _ORDERED:
            raise ExpressionError(f"sortBy() sorts by numbers, texts and times, and not by {by.type}")
        keys = Value(Type("list", by.type), add(12, times(count, add(12, by.cost))), size=(0, count))
        made = call_cost("sort", keys, [], ranged.type, self.size)
        return Value(ranged.type, add(11, ranged.cost, made.cost), size=self.size(ranged), entry=ranged.entry)

    def _most(self, ranged: Value) -> int:
        return self.size(self._item(ranged, ranged.type, of_map="@keys"))[1]

    def _optional(self, node: Node) -> Value:
        assert node.target is not None  # noqa: S101 - the caller looked
        target = self.value(node.target)
        if target.type.name not in ("optional", "dyn") or node.parts[0].kind != "name":
            raise ExpressionError(f"{node.value}() is for optional values, found {target.type}")
        outer = dict(self.variables)
        self.variables[node.parts[0].value] = Value(target.type.elem or DYN, 0)
        try:
            body = self.value(node.parts[1])
        finally:
            self.variables = outer
        kind = body.type if node.value == "optFlatMap" else Type("optional", body.type)
        return Value(kind, add(target.cost, body.cost, 15))


def _joined(values: list[Value]) -> Type:
    kinds = [value.type for value in values]
    for kind in kinds[1:]:
        if not kinds[0].same(kind):
            raise ExpressionError(f"expected type {kinds[0]} but found {kind}: a list or map has values of one type")
    return kinds[0] if kinds else DYN


def _meant(name: str, kind: Type) -> str:
    near = nearest(name, set(kind.fields))
    return f"; did you mean {near!r}?" if near else ""


def _resolved(name: str, target: Value | None, arguments: list[Value]) -> Type:
    known = functions().get(name)
    if known is None:
        near = nearest(name, set(functions())) if name.isidentifier() else ""
        raise ExpressionError(f"undeclared reference to {name!r}{f'; did you mean {near}?' if near else ''}")
    results: list[Type] = []
    for signature in known:
        found = _matched(signature, target, arguments)
        if found is not None:
            results.append(found)
    if not results:
        given = ", ".join(str(value.type) for value in arguments)
        on = f"{target.type}." if target else ""
        raise ExpressionError(f"found no matching overload for {name!r} applied to {on}({given})")
    first = results[0]
    return first if all(first.same(other) and other.name != "dyn" for other in results[1:]) else DYN


def _matched(signature: Signature, target: Value | None, arguments: list[Value]) -> Type | None:
    wanted = [*([signature.target] if signature.target else []), *signature.arguments]
    given = [*([target] if target else []), *arguments]
    if (signature.target is None) != (target is None) or len(wanted) != len(given):
        return None
    bound: dict[str, Type] = {}
    if not all(_fits(shape, value.type, bound) for shape, value in zip(wanted, given, strict=True)):
        return None
    return _made(signature.result, bound)


def _fits(shape: Shape, kind: Type, bound: dict[str, Type]) -> bool:
    if shape.name in ("A", "B"):
        known = bound.get(shape.name)
        if known is None or known.name == "dyn":
            bound[shape.name] = kind
            return True
        if kind.name == "null":
            return known.name in _NULLABLE
        if known.name == "null":
            bound[shape.name] = kind
            return kind.name in _NULLABLE
        return known.same(kind)
    if shape.name == "dyn" or kind.name == "dyn":
        for part in shape.parts:
            _fits(part, DYN, bound)
        return True
    if shape.name != kind.name:
        return False
    inner = [kind.elem] if len(shape.parts) == 1 else [kind.key, kind.elem]
    return all(_fits(part, found or DYN, bound) for part, found in zip(shape.parts, inner, strict=False))


def _made(shape: Shape, bound: dict[str, Type]) -> Type:
    if shape.name in ("A", "B"):
        return bound.get(shape.name, DYN)
    parts = [_made(part, bound) for part in shape.parts]
    if len(parts) == 2:
        return Type(shape.name, parts[1], parts[0])
    return Type(shape.name, parts[0] if parts else None)


def _literals(name: str, arguments: list[Value]) -> None:
    """Judge literals that the API server reads while it compiles: patterns."""
    if name == "matches" and arguments and isinstance(arguments[-1].literal, str) and (why := pattern_fault(arguments[-1].literal)):
        raise ExpressionError(f"invalid pattern {arguments[-1].literal!r}: {why}")


def cardinality(kind: Type) -> int:
    """Return how often a value of a type fits into a request at most."""
    return math.floor(3 * 1024 * 1024 / (kind.least + 1))
