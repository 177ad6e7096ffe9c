"""function-environment-configs, run in process: EnvironmentConfigs of the cluster become the pipeline's environment.

Where the real function crashes (a reference without ``ref``, a selector without ``selector``, a matcher
without its value) the input is refused with the place at fault.
"""

from __future__ import annotations

from typing import Any

from crossgate.paths import Path, format_path
from crossgate.render import metadata
from crossgate.render.decode import TYPE_META, Shape, decode, pairs, string, unsigned
from crossgate.render.faults import Fault, InputFault, NotFound
from crossgate.render.fieldpath import get, parse, put
from crossgate.render.gojson import objects, raw, wire
from crossgate.render.state import ENVIRONMENT_KEY, State, Step

_INPUT: dict[str, Shape] = {
    **TYPE_META,
    "spec": {
        "defaultData": pairs,
        "environmentConfigs": [
            {
                "type": string,
                "ref": {"name": string},
                "selector": {
                    "mode": string,
                    "maxMatch": unsigned,
                    "minMatch": unsigned,
                    "sortByFieldPath": string,
                    "matchLabels": [
                        {"type": string, "key": string, "valueFromFieldPath": string, "fromFieldPathPolicy": string, "value": string},
                    ],
                },
                "toFieldPath": string,
            },
        ],
        "policy": {"resolution": string},
    },
}
_API_VERSION = "apiextensions.crossplane.io/v1beta1"
_KIND = "EnvironmentConfig"

Config = dict[str, Any]


def compile_step(given: Any, name: str, at: Path) -> Step:
    """Compile an input; raises InputFault for one on which the real function fails or crashes."""
    spec = decode(_INPUT, {} if given is None else given).get("spec", {})
    sources: list[Config] | None = spec.get("environmentConfigs")
    for index, source in enumerate(sources or ()):
        _check(source, ("spec", "environmentConfigs", index))
    optional = spec.get("policy", {}).get("resolution") == "Optional"
    defaults = objects(spec.get("defaultData"))

    def run(state: State) -> None:
        if sources is None:
            return
        selected = _select(sources, state)
        # Crossplane calls the function again only with resources that it asked for; asking for none ends it here.
        if not selected:
            return
        merged: dict[str, Any] = {}
        for source, found in selected:
            for config in _chosen(source, found, optional):
                merged = _merge(merged, _data(source.get("toFieldPath", ""), config))
        present = state.context.get(ENVIRONMENT_KEY)
        if ENVIRONMENT_KEY in state.context:
            merged = _merge(present if isinstance(present, dict) else {}, merged)
        if defaults is not None:
            merged = _merge(defaults, merged)
        if not any(metadata.identity(merged)):
            merged.update({"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"})
        state.context = {**state.context, ENVIRONMENT_KEY: objects(merged)}

    return run


def _kind(source: Config) -> str:
    return source.get("type") or "Reference"


def _check(source: Config, at: Path) -> None:
    crash = "function-environment-configs crashes without it"
    if _kind(source) == "Reference" and "ref" not in source:
        raise InputFault(f"invalid Function input: {format_path((*at, 'ref'))}: Required value: {crash}", place=at)
    if _kind(source) != "Selector":
        return
    if "selector" not in source:
        raise InputFault(f"invalid Function input: {format_path((*at, 'selector'))}: Required value: {crash}", place=at)
    for index, matcher in enumerate(source["selector"].get("matchLabels", ())):
        here = (*at, "selector", "matchLabels", index)
        needed = {"Value": "value", "FromCompositeFieldPath": "valueFromFieldPath"}.get(matcher.get("type") or "FromCompositeFieldPath")
        if needed is not None and needed not in matcher:
            raise InputFault(f"invalid Function input: {format_path((*here, needed))}: Required value: {crash}", place=here)


def _select(sources: list[Config], state: State) -> list[tuple[Config, list[dict[str, Any]]]]:
    """Return the sources that ask for something, with what the cluster has for them in wire form."""
    configs = [config for config in state.required if config.get("apiVersion") == _API_VERSION and config.get("kind") == _KIND]
    found: list[tuple[Config, list[dict[str, Any]]]] = []
    for source in sources:
        if _kind(source) == "Reference":
            wanted = source["ref"].get("name", "")
            matching = [config for config in configs if metadata.get(config, "name") == wanted and not metadata.get(config, "namespace")][
                :1
            ]
        elif _kind(source) == "Selector" and (labels := _labels(source, state)):
            matching = [config for config in configs if labels.items() <= metadata.mapping(config, "labels").items()]
            matching.sort(key=lambda config: raw(f"{metadata.get(config, 'namespace')}/{metadata.get(config, 'name')}"))
        else:
            continue
        found.append((source, [wire(config, state.large) for config in matching]))
    return found


def _labels(source: Config, state: State) -> dict[str, str]:
    labels: dict[str, str] = {}
    for matcher in source["selector"].get("matchLabels", ()):
        kind = matcher.get("type") or "FromCompositeFieldPath"
        if kind == "Value":
            labels[matcher.get("key", "")] = matcher["value"]
        elif kind == "FromCompositeFieldPath":
            path = matcher["valueFromFieldPath"]
            try:
                value = get(state.xr, parse(path))
                if not isinstance(value, str):
                    raise Fault(f"{path}: not a string")
            except Fault as fault:
                if matcher.get("fromFieldPathPolicy") == "Optional":
                    continue
                raise Fault(
                    f'cannot build requirements: cannot get value from field path "{path}": {fault.what}', hint=fault.hint
                ) from None
            labels[matcher.get("key", "")] = value
    return labels


def _chosen(source: Config, found: list[dict[str, Any]], optional: bool) -> list[dict[str, Any]]:
    what = "cannot get selected environment configs"
    if _kind(source) == "Reference":
        name = source["ref"].get("name", "")
        if not found and not optional:
            raise Fault(
                f'{what}: Required environment config "{name}" not found',
                hint="put it into dist/ or hand it in (on the command line: --required FILE), or set spec.policy.resolution: Optional",
            )
        return found
    selector = source["selector"]
    mode = selector.get("mode") or "Single"
    if mode == "Single":
        if len(found) != 1:
            raise Fault(f"{what}: expected exactly one required resource, got {len(found)}")
        return found
    if mode != "Multiple":
        raise Fault(f'{what}: unknown selector mode "{mode}"', hint="one of Single, Multiple")
    if len(found) < selector.get("minMatch", 0):
        raise Fault(f"{what}: expected at least {selector['minMatch']} required resources, got {len(found)}")
    return _sorted(found, selector.get("sortByFieldPath") or "metadata.name")[: selector.get("maxMatch")]


def _sorted(found: list[dict[str, Any]], path: str) -> list[dict[str, Any]]:
    """Sort by a field; a missing one counts as the empty string or zero."""
    values = [_value(config, path) for config in found]
    kinds = {value.__class__ for value in values if value is not None}
    if not kinds:
        return found
    if len(kinds) > 1:
        raise Fault(f"cannot sort values of different types at {path}")
    kind = kinds.pop()
    if kind is not str and kind is not float:
        if len(found) < 2:
            return found
        raise Fault(f"unsupported type for sorting at {path}")
    keys: list[Any] = [kind() if value is None else value for value in values]
    order = sorted(range(len(found)), key=lambda index: raw(keys[index]) if kind is str else keys[index])
    return [found[index] for index in order]


def _value(config: dict[str, Any], path: str) -> Any:
    try:
        return get(config, parse(path))
    except NotFound:
        return None


def _data(path: str, config: dict[str, Any]) -> dict[str, Any]:
    name = metadata.get(config, "name")
    if path:
        placed: dict[str, Any] = {}
        try:
            put(placed, parse(path), config.get("data"))
        except Fault as fault:
            raise Fault(f'cannot get data from environment config {name} into path "{path}": {fault.what}') from None
        return placed
    if "data" not in config:
        raise Fault(f'cannot merge environment data: cannot get data from environment config "{name}": data: no such field')
    data = config["data"]
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise Fault(f'cannot merge environment data: cannot get data from environment config "{name}": data is not an object')
    return data


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return a deep merge of two objects; the second one wins."""
    merged = dict(base)
    for key, value in over.items():
        present = merged.get(key)
        merged[key] = _merge(present, value) if isinstance(value, dict) and isinstance(present, dict) else value
    return merged
