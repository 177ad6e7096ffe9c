"""Patches, each compiled once into a function that reads one object and writes another.

A patch goes from the observed XR, the environment or an observed composed resource (``Side``) to the
environment, a desired composed resource or the desired XR.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from crossgate.model import Flow
from crossgate.paths import Path
from crossgate.render import fieldpath, merge
from crossgate.render.faults import Fault
from crossgate.render.gofmt import Format
from crossgate.render.gojson import EXACT, number, objects
from crossgate.render.merge import POLICIES
from crossgate.render.refusal import Transform
from crossgate.render.state import ENVIRONMENT
from crossgate.render.transforms import compile_chain
from crossgate.render.validate import kind as kind_of


class Side(Enum):
    """What a patch reads or writes."""

    XR = "XR"
    COMPOSED = "composed resource"
    ENVIRONMENT = "environment"


_ENDS = {
    "FromCompositeFieldPath": (Side.XR, Side.COMPOSED),
    "CombineFromComposite": (Side.XR, Side.COMPOSED),
    "FromEnvironmentFieldPath": (Side.ENVIRONMENT, Side.COMPOSED),
    "CombineFromEnvironment": (Side.ENVIRONMENT, Side.COMPOSED),
    "ToCompositeFieldPath": (Side.COMPOSED, Side.XR),
    "CombineToComposite": (Side.COMPOSED, Side.XR),
    "ToEnvironmentFieldPath": (Side.COMPOSED, Side.ENVIRONMENT),
    "CombineToEnvironment": (Side.COMPOSED, Side.ENVIRONMENT),
}
"""From where to where each patch of a composed resource goes."""

_ENVIRONMENT_ENDS = {
    "FromCompositeFieldPath": (Side.XR, Side.ENVIRONMENT),
    "ToEnvironmentFieldPath": (Side.XR, Side.ENVIRONMENT),
    "CombineFromComposite": (Side.XR, Side.ENVIRONMENT),
    "ToCompositeFieldPath": (Side.ENVIRONMENT, Side.XR),
    "FromEnvironmentFieldPath": (Side.ENVIRONMENT, Side.XR),
    "CombineToComposite": (Side.ENVIRONMENT, Side.XR),
}
"""The same for the patches of ``environment.patches``."""


class Target:
    """An object that patches write.

    ``wire`` says that its numbers are all still floats, as they came from an earlier step: the first
    patch brings it into object form. ``large`` gets an entry when a number beyond 53 bits is written,
    ``odd`` the texts in which Go says that it could not format a value.
    """

    __slots__ = ("body", "large", "odd", "wire")

    def __init__(self, body: dict[str, Any], large: list[bool], *, wire: bool = False) -> None:
        self.body = body
        self.large = large
        self.odd: list[str] = []
        self.wire = wire

    def settle(self) -> None:
        """Finish a patch: Kubernetes reads the object anew, and refuses one without a kind."""
        if self.wire:
            self.body = objects(self.body)
            self.wire = False
        check_kind(self.body)


def check_kind(body: dict[str, Any]) -> None:
    """Refuse an object that Kubernetes would not read: one without a kind, or with an apiVersion of three parts."""
    kind, api_version = body.get("kind"), body.get("apiVersion")
    if kind.__class__ is not str or not kind or (api_version.__class__ is str and api_version.count("/") > 1):
        raise Fault("Object 'Kind' is missing", hint="a template's base needs apiVersion and kind, and no patch may spoil them")


Write = Callable[[Target, Any], Any]
"""Writes a value in object form to a target and finishes the patch."""

Apply = Callable[[Any, Target], tuple[Flow, ...]]
"""Reads its value from an object, writes it to a target, and returns what flowed."""


class Patch:
    """A compiled patch. ``index`` is its place among its template's patches once PatchSets are resolved."""

    __slots__ = ("apply", "index", "kind", "label", "optional", "place", "required", "source", "target")

    def __init__(self, given: dict[str, Any], index: int, place: Path, *, environment: bool = False) -> None:
        self.kind = kind_of(given)
        self.index = index
        self.place = place
        self.source, self.target = (_ENVIRONMENT_ENDS if environment else _ENDS)[self.kind]
        policy = given.get("policy", {})
        self.required = policy.get("fromFieldPath") == "Required"
        self.optional = policy.get("fromFieldPath", "Optional") == "Optional"
        self.apply = _compile(given, place, self.source)
        sources = [variable.get("fromFieldPath", "") for variable in given.get("combine", {}).get("variables", ())]
        read = " + ".join(sources) if self.kind.startswith("Combine") else given.get("fromFieldPath", "")
        self.label = f"patch {index} ({self.kind}: {read} → {given.get('toFieldPath', read)})"


def _compile(given: dict[str, Any], place: Path, source: Side) -> Apply:
    prefix: Path = (ENVIRONMENT,) if source is Side.ENVIRONMENT else ()
    if "combine" in given and kind_of(given).startswith("Combine"):
        return _combine(given, place, prefix)
    from_path = given.get("fromFieldPath", "")
    to_path = given.get("toFieldPath", from_path)
    chain = compile_chain(given.get("transforms", ()))
    if "[*]" in to_path or chain is not None or given.get("policy", {}).get("toFieldPath", "Replace") != "Replace":
        return _general(from_path, to_path, chain, given, place, prefix)
    return _plain(from_path, to_path, place, prefix)


def _parsed(path: str) -> Path | None:
    """Return a parsed path, or None for one whose error must come when the patch runs."""
    try:
        return fieldpath.parse(path)
    except Fault:
        return None


def _flow(prefix: Path, source: Path, target: Path | None, place: Path) -> tuple[Flow, ...]:
    return (Flow((*prefix, *source), target, place),) if target else ()


def _plain(from_path: str, to_path: str, place: Path, prefix: Path) -> Apply:
    """Copy a value: by far the most common patch."""
    read, written = _parsed(from_path), _parsed(to_path)
    if read is None or written is None:
        return _general(from_path, to_path, None, {}, place, prefix)
    flows = _flow(prefix, read, written, place)
    get, put, plain = fieldpath.reader(read), fieldpath.writer(written), _is_plain(written)

    def apply(source: Any, target: Target) -> tuple[Flow, ...]:
        value = get(source)
        if value.__class__ is float:
            value = number(value)
        elif value.__class__ is not str:
            value = objects(value)
        put(target.body, value)
        if target.wire or not plain:
            target.settle()
        return flows

    return apply


def _is_plain(path: Path) -> bool:
    """Say whether a patch to this path cannot touch apiVersion or kind."""
    return path[:1] not in ((), ("apiVersion",), ("kind",))


def _general(from_path: str, to_path: str, chain: Transform | None, given: dict[str, Any], place: Path, prefix: Path) -> Apply:
    name = given.get("policy", {}).get("toFieldPath", "Replace")
    read = _parsed(from_path)
    get = _reader(from_path)
    put = _wildcard_writer(to_path, name) if "[*]" in to_path else _writer(to_path, name)
    flows = _flow(prefix, read or (), _parsed(to_path), place)

    def apply(source: Any, target: Target) -> tuple[Flow, ...]:
        value = get(source)
        if chain is not None:
            value = _watched(chain(value), target)
        found = put(target, value if value.__class__ is str and value.isascii() else _settled(value, target))
        return flows if found is None else tuple(Flow(flow.source, path, place) for flow in flows for path in found)

    return apply


def _reader(path: str) -> Callable[[Any], Any]:
    """Return the reader of a path; one that cannot be parsed fails when it is used."""
    parsed = _parsed(path)
    return fieldpath.reader(parsed) if parsed is not None else lambda _value: fieldpath.parse(path)


def _writer(path: str, policy: str) -> Write:
    """Return the writer of a path with a policy; what is wrong with either shows when it is used."""
    parsed = _parsed(path)
    if parsed is None or policy not in POLICIES:
        if parsed is not None and policy == "Replace":
            put, plain = fieldpath.writer(parsed), _is_plain(parsed)

            def replace(target: Target, value: Any) -> None:
                put(target.body, value)
                if target.wire or not plain:
                    target.settle()

            return replace

        def refuse(_target: Target, _value: Any) -> None:
            merge.policy(policy)
            fieldpath.parse(path)

        return refuse
    merged = merge.policy(policy)

    def combine(target: Target, value: Any) -> None:
        fieldpath.merge(target.body, parsed, value, merged)
        target.settle()

    return combine


def _wildcard_writer(path: str, policy: str) -> Write:
    """Return the writer of a path with wildcards; it returns the paths that it wrote."""

    def spread(target: Target, value: Any) -> list[Path]:
        merged = merge.policy(policy)
        found = fieldpath.expand(target.body, fieldpath.parse(path))
        if not found:
            hint = "the list or object must be there and must not be empty, even for an Optional patch"
            raise Fault(f"cannot expand ToFieldPath {path}", hint=hint)
        for each in found:
            fieldpath.merge(target.body, each, objects(value), merged)
        target.settle()
        return found

    return spread


def _combine(given: dict[str, Any], place: Path, prefix: Path) -> Apply:
    combine, to_path = given["combine"], given["toFieldPath"]
    paths = [variable.get("fromFieldPath", "") for variable in combine.get("variables", ())]
    readers = [_reader(path) for path in paths]
    form = Format(combine["string"].get("fmt", ""))
    policy = given.get("policy", {}).get("toFieldPath", "Replace")
    chain = compile_chain(given.get("transforms", ()))
    put = _writer(to_path, policy)
    flows = tuple(flow for path in paths for flow in _flow(prefix, _parsed(path) or (), _parsed(to_path), place))

    def apply(source: Any, target: Target) -> tuple[Flow, ...]:
        value: Any = form([read(source) for read in readers])
        if chain is not None:
            value = chain(value)
        _watched(value, target)
        if policy == "Replace":
            put(target, value if value.__class__ is str and value.isascii() else _settled(value, target))
        else:
            # Merging sees the value before its JSON round trip: a float in it never equals an integer in the target.
            _settled(value, target)
            put(target, value)
        return flows

    return apply


def _watched(value: Any, target: Target) -> Any:
    """Note a text in which Go says that it could not format a value."""
    if value.__class__ is str and "%!" in value:
        target.odd.append(value)
    return value


def _settled(value: Any, target: Target) -> Any:
    """Bring a transformed value into object form, and note whether its numbers survive the way out."""
    value = objects(value)
    if _is_large(value):
        target.large.append(True)
    return value


def _is_large(value: Any) -> bool:
    if value.__class__ is int or value.__class__ is float:
        return not -EXACT <= value <= EXACT
    if value.__class__ is dict:
        return any(map(_is_large, value.values()))
    return value.__class__ is list and any(map(_is_large, value))
