"""The composed resources that exist already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crossgate.render import metadata
from crossgate.render.connection import fetch
from crossgate.render.faults import Fault
from crossgate.render.gojson import wire
from crossgate.render.state import Observed


def read(given: Iterable[Mapping[str, Any]], xr: dict[str, Any], large: list[bool]) -> list[dict[str, Any]]:
    """Return the observed resources in wire form; raises Fault for one that Crossplane would not take for the XR's."""
    bodies = []
    namespace = metadata.get(xr, "namespace")
    for resource in given:
        body = wire(resource, large, 0.0)
        if not isinstance(body, dict):
            raise Fault("an observed resource is not an object")
        name = metadata.get(body, "name")
        controller = metadata.controller_of(body)
        if controller is not None and controller["uid"] != metadata.get(xr, "uid"):
            raise Fault(f"observed resource {name} has a controller ref but is not controlled by the XR")
        if namespace and metadata.get(body, "namespace") != namespace:
            raise Fault(f"observed resource {name} is not in the same namespace as the XR")
        bodies.append(body)
    return bodies


def refer(bodies: Sequence[dict[str, Any]], xr: dict[str, Any], machinery: dict[str, Any] | None) -> None:
    """Note the observed resources in the XR, where functions can read them."""
    if not bodies or machinery is None:
        return
    namespaced = bool(metadata.get(xr, "namespace"))
    references = []
    for body in bodies:
        group, version, kind = metadata.identity(body)
        api_version = f"{group}/{version}" if group else version
        namespace = "" if namespaced else metadata.get(body, "namespace")
        found = {"apiVersion": api_version, "kind": kind, "name": metadata.get(body, "name"), "namespace": namespace}
        references.append({key: value for key, value in found.items() if value})
    machinery["resourceRefs"] = references


def by_template(bodies: Sequence[dict[str, Any]], cluster: Sequence[Mapping[str, Any]]) -> dict[str, Observed]:
    """Return the observed resources by the template that made them, with their connection details."""
    found: dict[str, Observed] = {}
    for body in bodies:
        name = metadata.get(body, "name")
        if not name:
            continue
        template = metadata.mapping(body, "annotations").get(metadata.TEMPLATE_ANNOTATION, "")
        if not template:
            raise Fault(
                f"observed resource {name} has no annotation {metadata.TEMPLATE_ANNOTATION}",
                hint="the annotation names the template that made the resource",
            )
        found[template] = Observed(body, fetch(body, cluster))
    return found
