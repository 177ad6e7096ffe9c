"""Connection details: what a composed resource hands to its XR, and the Secret that carries them.

An XR of an XRD with scope LegacyCluster (v1, with claims) publishes them itself. Any other XR gets a
Secret as one more composed resource.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crossgate.paths import Path
from crossgate.render import metadata
from crossgate.render.faults import Fault
from crossgate.render.fieldpath import get, parse
from crossgate.render.gojson import raw
from crossgate.render.jsontext import marshal
from crossgate.render.patches import Patch, Target
from crossgate.render.state import Desired, Observed, State
from crossgate.render.validate import kind as kind_of

Details = dict[str, bytes]
_SECRET_TYPE = "connection.crossplane.io/v1alpha1"  # noqa: S105 - the type of a Secret, not one


def extract(details: Sequence[dict[str, Any]], observed: Observed) -> Details:
    """Return the connection details that a template asks of its observed resource; what is not there (yet) is left out."""
    found: Details = {}
    for detail in details:
        name = detail["name"]
        if detail["type"] == "FromValue":
            found[name] = raw(detail["value"])
        elif detail["type"] == "FromConnectionSecretKey":
            if detail["fromConnectionSecretKey"] in observed.connection:
                found[name] = observed.connection[detail["fromConnectionSecretKey"]]
        else:
            try:
                value = get(observed.body, parse(detail["fromFieldPath"]))
            except Fault:
                continue
            found[name] = raw(value if isinstance(value, str) else marshal(value))
    return found


def secret_reference(body: dict[str, Any]) -> tuple[str, str] | None:
    """Return name and namespace of ``spec.writeConnectionSecretToRef``; None if there is none or it cannot be read."""
    try:
        found = get(body, ("spec", "writeConnectionSecretToRef"))
    except Fault:
        return None
    found = {} if found is None else found
    if not isinstance(found, dict):
        return None
    name, namespace = (found.get(key) or "" if found.get(key) is None else found.get(key) for key in ("name", "namespace"))
    return (name, namespace) if isinstance(name, str) and isinstance(namespace, str) else None


def fetch(body: dict[str, Any], cluster: Iterable[Mapping[str, Any]]) -> Details:
    """Return the content of a resource's connection secret, if it is among the given resources of the cluster."""
    reference = secret_reference(body)
    if reference is None:
        return {}
    name, namespace = reference
    namespace = metadata.get(body, "namespace") or namespace
    for other in cluster:
        if (
            other.get("kind") == "Secret"
            and other.get("apiVersion") == "v1"
            and (metadata.get(other, "name"), metadata.get(other, "namespace")) == (name, namespace)
        ):
            data = other.get("data") or {}
            if not isinstance(data, dict):
                raise Fault(f"cannot get connection secret {namespace}/{name}: data is not an object")
            return {key: _decode(value, f"{namespace}/{name}") for key, value in data.items() if value is not None}
    return {}


def _decode(value: Any, name: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        raise Fault(f"cannot get connection secret {name}: illegal base64 data") from None


def is_modern(xr: dict[str, Any]) -> bool:
    """Say whether an XR has Crossplane's fields under ``spec.crossplane``: then it publishes no connection details itself."""
    try:
        get(xr, ("spec", "crossplane"))
    except Fault:
        return False
    return True


def _fits(patch: dict[str, Any]) -> bool:
    """Say whether a patch may change the reference; the function validates nothing here before it runs."""
    combine = patch.get("combine", {})
    sound = combine.get("strategy") == "string" and "string" in combine and "toFieldPath" in patch
    return kind_of(patch) == "FromCompositeFieldPath" or (kind_of(patch) == "CombineFromComposite" and sound)


class SecretWriter:
    """The ``writeConnectionSecretToRef`` of a function's input, with its patches compiled."""

    def __init__(self, given: dict[str, Any] | None, at: Path) -> None:
        self._given = given or {}
        self._patches: list[Patch | None] = []
        for index, patch in enumerate(self._given.get("patches", ())):
            self._patches.append(Patch(patch, index, (*at, "patches", index)) if _fits(patch) else None)

    def compose(self, state: State) -> None:
        """Add the Secret to the desired resources."""
        body: dict[str, Any] = {"apiVersion": "v1", "kind": "Secret"}
        name, namespace = self._reference(state)
        metadata.put(body, "name", name)
        metadata.put(body, "namespace", namespace)
        body["data"] = {key: base64.b64encode(value).decode() for key, value in state.connection.items()}
        body["type"] = _SECRET_TYPE
        state.desired[f"{metadata.get(state.xr, 'name')}-connection-secret"] = Desired(body, ready=True)

    def _reference(self, state: State) -> tuple[str, str]:
        given = self._given.get("name", ""), self._given.get("namespace", "")
        own = secret_reference(state.xr)
        if own is not None:
            name, namespace = own
        elif any(given):
            name, namespace = given
        else:
            name, namespace = f"{metadata.get(state.xr, 'name')}-connection", metadata.get(state.xr, "namespace")
        if not self._patches:
            return name, namespace
        target = Target({"apiVersion": "v1", "kind": "SecretReference", "name": name, "namespace": namespace}, state.large)
        for index, patch in enumerate(self._patches):
            self._apply(index, patch, state, target)
        patched = [target.body.get(key) for key in ("name", "namespace")]
        return tuple(new if isinstance(new, str) else old for new, old in zip(patched, (name, namespace), strict=True))  # type: ignore[return-value]

    def _apply(self, index: int, patch: Patch | None, state: State, target: Target) -> None:
        given = self._given["patches"][index]
        place: Path = ("writeConnectionSecretToRef", "patches", index)
        what = "cannot compose connection secret: cannot generate connection secret reference: cannot apply connection secret patches"
        if patch is None:
            raise Fault(f"{what}: unsupported patch type {kind_of(given)} at index {index}", place=place)
        try:
            patch.apply(state.xr, target)
        except Fault as fault:
            if patch.kind == "FromCompositeFieldPath" and patch.optional:
                return
            raise Fault(
                f"{what}: cannot apply patch type {patch.kind} at index {index}: {fault.what}", hint=fault.hint, place=place
            ) from None
