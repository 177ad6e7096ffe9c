"""Rules about pods, wherever a template of one stands, and about label selectors.

As ``k8s.io/kubernetes/pkg/apis/core/validation`` and apimachinery's ``ValidateLabelSelector`` (1.36).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema import names
from crossgate.schema.problem import Problem
from crossgate.schema.values import shown

Object = dict[str, Any]

_HANDLERS = ("exec", "grpc", "httpGet", "sleep", "tcpSocket")
_VALUE_SOURCES = ("configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef")
_NATIVE = frozenset({"cpu", "memory", "ephemeral-storage", "storage"})
_CONTAINERS = ("initContainers", "containers")


def check_template(template: Object, at: Path, restart: tuple[str, ...], claims: Iterable[str] = ()) -> Iterator[Problem]:
    """Check a pod or a pod's template.

    ``restart`` are the restart policies that its owner takes, ``claims`` the volumes that its owner adds.
    """
    labels = (template.get("metadata") or {}).get("labels")
    # The server names the labels of a template without their metadata.
    yield from label_problems(labels, (*at, "metadata", "labels"), named=(*at, "labels")) if at else ()
    spec = template.get("spec") or {}
    here = (*at, "spec")
    if not spec.get("containers"):
        yield Problem.schema((*here, "containers"), "missing; a pod needs at least one container")
    policy = spec.get("restartPolicy") or "Always"
    if policy not in restart:
        yield Problem.schema((*here, "restartPolicy"), f"found {shown(policy)}, expected {' or '.join(restart)}")
    if spec.get("dnsPolicy") == "None" and not spec.get("dnsConfig"):
        yield Problem.schema((*here, "dnsConfig"), "missing; the dnsPolicy None needs it")
    yield from label_problems(spec.get("nodeSelector"), (*here, "nodeSelector"))
    yield from _volumes(spec.get("volumes") or [], (*here, "volumes"))
    yield from _containers(spec, here, claims)
    yield from _scheduling(spec, here)


def _volumes(volumes: list[Object], at: Path) -> Iterator[Problem]:
    yield from duplicates([volume.get("name") for volume in volumes], at, "name")
    for index, volume in enumerate(volumes):
        sources = [key for key in volume if key != "name"]
        if len(sources) > 1:
            yield Problem.schema((*at, index, sources[1]), f"found {' and '.join(sources)}, expected one source for a volume")


def _containers(spec: Object, here: Path, claims: Iterable[str]) -> Iterator[Problem]:
    volumes = {*claims, *(volume.get("name") for volume in spec.get("volumes") or ())}
    known: set[Any] = set()
    ports: set[Any] = set()
    for field in _CONTAINERS:
        for index, container in enumerate(spec.get(field) or ()):
            at = (*here, field, index)
            name = container.get("name")
            if name in known:
                yield Problem.schema((*at, "name"), f"found {shown(name)} twice, expected different names")
            known.add(name)
            yield from _mounts(container, at, volumes)
            yield from _environment(container, at)
            yield from _resources(container.get("resources") or {}, (*at, "resources"))
            for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
                if probe in container:
                    yield from _one_of(container[probe], _HANDLERS, (*at, probe), "a handler")
            for moment in ("postStart", "preStop"):
                if moment in (container.get("lifecycle") or {}):
                    yield from _one_of(container["lifecycle"][moment], _HANDLERS, (*at, "lifecycle", moment), "a handler")
            for place, port in enumerate(container.get("ports") or ()):
                if port.get("name") and (at, port["name"]) in ports:
                    yield Problem.schema((*at, "ports", place, "name"), f"found {shown(port['name'])} twice, expected different names")
                ports.add((at, port.get("name")))


def _mounts(container: Object, at: Path, volumes: set[Any]) -> Iterator[Problem]:
    paths: set[Any] = set()
    for place, mount in enumerate(container.get("volumeMounts") or ()):
        where = (*at, "volumeMounts", place)
        if mount.get("name") and mount["name"] not in volumes:
            yield Problem.schema((*where, "name"), f"found {shown(mount['name'])}, which is none of the pod's volumes")
        if mount.get("mountPath") in paths:
            yield Problem.schema((*where, "mountPath"), f"found {shown(mount['mountPath'])} twice, expected different paths")
        paths.add(mount.get("mountPath"))


def _environment(container: Object, at: Path) -> Iterator[Problem]:
    for place, variable in enumerate(container.get("env") or ()):
        source = variable.get("valueFrom")
        if source is not None:
            yield from _one_of(source, _VALUE_SOURCES, (*at, "env", place, "valueFrom"), "a source")
            if variable.get("value"):
                yield Problem.schema((*at, "env", place, "valueFrom"), "value and valueFrom exclude each other")
    for place, source in enumerate(container.get("envFrom") or ()):
        yield from _one_of(source, ("configMapRef", "secretRef"), (*at, "envFrom", place), "a source", named=(*at, "envFrom", place))


def _resources(resources: Object, at: Path) -> Iterator[Problem]:
    for kind in ("limits", "requests"):
        for name in resources.get(kind) or {}:
            if "/" not in name and name not in _NATIVE and not name.startswith("hugepages-"):
                yield Problem.schema(
                    (*at, kind, name), f"found {shown(name)}, expected cpu, memory, ephemeral-storage or a name with a domain"
                )


def _scheduling(spec: Object, here: Path) -> Iterator[Problem]:
    for index, toleration in enumerate(spec.get("tolerations") or ()):
        at = (*here, "tolerations", index)
        operator = toleration.get("operator") or "Equal"
        if not toleration.get("key") and operator != "Exists":
            yield Problem.schema((*at, "operator"), "expected Exists: without a key a toleration is for all taints")
        if operator == "Exists" and toleration.get("value"):
            yield Problem.schema((*at, "operator"), f"found value {shown(toleration['value'])}, expected none with the operator Exists")
    seen: list[Any] = []
    for index, spread in enumerate(spec.get("topologySpreadConstraints") or ()):
        pair = (spread.get("topologyKey"), spread.get("whenUnsatisfiable"))
        if pair in seen:
            where = (*here, "topologySpreadConstraints", index)
            yield Problem.schema(where, f"found {' with '.join(map(str, pair))} twice, expected different constraints")
        seen.append(pair)
        yield from selector_problems(spread.get("labelSelector"), (*here, "topologySpreadConstraints", index, "labelSelector"))
    affinity = spec.get("affinity") or {}
    node = (affinity.get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    at = (*here, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    for index, term in enumerate(node.get("nodeSelectorTerms") or ()):
        yield from _expressions(term.get("matchExpressions") or [], (*at, index, "matchExpressions"))
    for kind in ("podAffinity", "podAntiAffinity"):
        terms = affinity.get(kind) or {}
        for index, term in enumerate(terms.get("requiredDuringSchedulingIgnoredDuringExecution") or ()):
            base = (*here, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution", index)
            yield from selector_problems(term.get("labelSelector"), (*base, "labelSelector"))
        for index, weighted in enumerate(terms.get("preferredDuringSchedulingIgnoredDuringExecution") or ()):
            base = (*here, "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution", index, "podAffinityTerm")
            yield from selector_problems((weighted.get("podAffinityTerm") or {}).get("labelSelector"), (*base, "labelSelector"))


def _one_of(value: Object, choices: tuple[str, ...], at: Path, what: str, *, named: Path | None = None) -> Iterator[Problem]:
    given = [choice for choice in choices if value.get(choice) is not None]
    if not given:
        yield Problem.schema(at, f"expected {what}: one of {', '.join(choices)}", named=named)
    elif len(given) > 1:
        yield Problem.schema((*at, given[1]), f"found {' and '.join(given)}, expected one of them")


def selector_problems(selector: Object | None, at: Path) -> Iterator[Problem]:
    """Check a label selector."""
    if selector:
        yield from label_problems(selector.get("matchLabels"), (*at, "matchLabels"))
        yield from _expressions(selector.get("matchExpressions") or [], (*at, "matchExpressions"))


def _expressions(expressions: list[Object], at: Path) -> Iterator[Problem]:
    for index, expression in enumerate(expressions):
        operator, values = expression.get("operator"), expression.get("values") or []
        where = (*at, index, "values")
        if operator in ("In", "NotIn") and not values:
            yield Problem.schema(where, f"missing; the operator {operator} needs values")
        if operator in ("Exists", "DoesNotExist") and values:
            yield Problem.schema(where, f"found {shown(values)}, expected none with the operator {operator}")
        for place, value in enumerate(values):
            wrong = names.label_value(value)
            if wrong:
                yield Problem.schema((*where, place), f"found {shown(value)}, expected {wrong}")


def label_problems(labels: Object | None, at: Path, *, named: Path | None = None) -> Iterator[Problem]:
    """Check labels, wherever they stand."""
    for key, value in (labels or {}).items():
        for wrong, found in ((names.label_key(key), key), (names.label_value(value), value)):
            if wrong:
                yield Problem.schema((*at, key), f"found {shown(found)}, expected {wrong}", named=named or at)


def duplicates(values: list[Any], at: Path, key: str) -> Iterator[Problem]:
    """Say which named entries of a list have the name of an earlier one."""
    for index, value in enumerate(values):
        if value and value in values[:index]:
            yield Problem.schema((*at, index, key), f"found {shown(value)} twice, expected different names")
