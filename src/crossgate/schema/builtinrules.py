"""Rules of Kubernetes' own kinds that tie several fields together.

As ``k8s.io/kubernetes/pkg/apis/*/validation`` (1.36) for the kinds that platforms write; what is about one
field alone stands in ``builtinfields``. A rule gets the object without nulls and says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema import names
from crossgate.schema.podrules import check_template, duplicates, label_problems, selector_problems
from crossgate.schema.problem import Problem
from crossgate.schema.values import shown

Object = dict[str, Any]
Rule = Callable[[Object], Iterator[Problem]]

_MIB = 2**20
_SECRET_KEYS = {
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
}
_RBAC = "rbac.authorization.k8s.io"


def _config_map(body: Object) -> Iterator[Problem]:
    yield from _keys(body, "data", "binaryData")
    both = set(body.get("data") or {}) & set(body.get("binaryData") or {})
    for key in sorted(both):
        yield Problem.schema(("data", key), "the key stands in data and in binaryData, expected in one of them")


def _secret(body: Object) -> Iterator[Problem]:
    yield from _keys(body, "data", "stringData")
    keys = {**(body.get("data") or {}), **(body.get("stringData") or {})}
    for key in _SECRET_KEYS.get(body.get("type") or "", ()):
        if key not in keys:
            yield Problem.schema(("data", key), f"missing; a Secret of type {body['type']} needs it")
    if body.get("type") == "kubernetes.io/basic-auth" and not {"username", "password"} & set(keys):
        yield Problem.schema(("data",), "missing username and password; a Secret of type kubernetes.io/basic-auth needs one of them")


def _keys(body: Object, *fields: str) -> Iterator[Problem]:
    size = 0
    for field in fields:
        for key, value in (body.get(field) or {}).items():
            size += len(str(value).encode())
            if not key or len(key) > names.MAX_SUBDOMAIN or key in (".", "..") or not names.is_config_key(key):
                yield Problem.schema((field, key), f"found key {shown(key)}, expected letters, digits, '-', '_' and '.', at most 253")
    if size > _MIB * 4 // 3:
        yield Problem.schema((fields[0],), f"found {size} bytes, expected at most {_MIB} of data")


def _service(body: Object) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    ports = spec.get("ports") or []
    kind = spec.get("type") or "ClusterIP"
    headless = spec.get("clusterIP") == "None"
    if not ports and not headless and kind != "ExternalName":
        yield Problem.schema(("spec", "ports"), "missing; a Service with an address needs at least one port")
    if kind == "ExternalName" and names.dns_subdomain((spec.get("externalName") or "").removesuffix(".")):
        yield Problem.schema(("spec", "externalName"), f"found {shown(spec.get('externalName'))}, expected a host name")
    if kind == "LoadBalancer" and headless:
        yield Problem.schema(("spec", "clusterIPs", 0), "a LoadBalancer needs an address: clusterIP may not be None")
    if spec.get("externalTrafficPolicy") and kind not in ("LoadBalancer", "NodePort") and not spec.get("externalIPs"):
        yield Problem.schema(("spec", "externalTrafficPolicy"), "may only be set for types that are reached from outside")
    yield from label_problems(spec.get("selector"), ("spec", "selector"))
    for index, port in enumerate(ports):
        if len(ports) > 1 and not port.get("name"):
            yield Problem.schema(("spec", "ports", index, "name"), "missing; with several ports each needs a name")
    yield from duplicates([port.get("name") for port in ports], ("spec", "ports"), "name")
    seen = [(port.get("port"), port.get("protocol") or "TCP") for port in ports]
    for index, one in enumerate(seen):
        if one in seen[:index]:
            yield Problem.schema(("spec", "ports", index), f"found port {one[0]}/{one[1]} twice, expected different ports")


def _ingress(body: Object) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    if not spec.get("rules") and not spec.get("defaultBackend"):
        yield Problem.schema(("spec",), "expected rules or a defaultBackend")
    if spec.get("defaultBackend"):
        yield from _backend(spec["defaultBackend"], ("spec", "defaultBackend"))
    for index, rule in enumerate(spec.get("rules") or ()):
        at = ("spec", "rules", index, "http", "paths")
        paths = (rule.get("http") or {}).get("paths")
        if rule.get("http") is not None and not paths:
            yield Problem.schema(at, "missing; expected at least one path")
        for place, path in enumerate(paths or ()):
            if path.get("pathType") in ("Exact", "Prefix"):
                yield from _path(path.get("path") or "", (*at, place, "path"))
            yield from _backend(path.get("backend") or {}, (*at, place, "backend"))


def _path(path: str, at: Path) -> Iterator[Problem]:
    if not path.startswith("/"):
        yield Problem.schema(at, f"found {shown(path)}, expected an absolute path")
    for part in ("//", "/./", "/../", "%2f", "%2F"):
        if part in path:
            yield Problem.schema(at, f"found {shown(path)}, expected a path without {part!r}")


def _backend(backend: Object, at: Path) -> Iterator[Problem]:
    service = backend.get("service")
    if (service is None) == (backend.get("resource") is None):
        yield Problem.schema(at, "expected exactly one of service and resource")
    if service is not None:
        port = service.get("port") or {}
        if bool(port.get("name")) == bool(port.get("number")):
            yield Problem.schema(at, "expected exactly one of service.port.name and service.port.number", named=at)


def _network_policy(body: Object) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    yield from selector_problems(spec.get("podSelector"), ("spec", "podSelector"))
    for direction, side in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(spec.get(direction) or ()):
            for place, peer in enumerate(rule.get(side) or ()):
                at = ("spec", direction, index, side, place)
                peers = [key for key in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(key) is not None]
                if not peers:
                    yield Problem.schema(at, "expected a podSelector, a namespaceSelector or an ipBlock")
                if "ipBlock" in peers and len(peers) > 1:
                    yield Problem.schema(at, "an ipBlock excludes the selectors beside it")
                for key in peers:
                    if key != "ipBlock":
                        yield from selector_problems(peer[key], (*at, key))


def _rules(body: Object, *, cluster: bool) -> Iterator[Problem]:
    for index, rule in enumerate(body.get("rules") or ()):
        if rule.get("nonResourceURLs"):
            if not cluster:
                yield Problem.schema(("rules", index, "nonResourceURLs"), "a namespaced Role cannot hold nonResourceURLs")
            if any(rule.get(key) for key in ("apiGroups", "resources", "resourceNames")):
                yield Problem.schema(("rules", index, "nonResourceURLs"), "a rule is either about resources or about nonResourceURLs")
            continue
        for key in ("apiGroups", "resources"):
            if not rule.get(key):
                yield Problem.schema(("rules", index, key), "missing; a rule about resources needs at least one")


def _binding(body: Object, *, cluster: bool) -> Iterator[Problem]:
    reference = body.get("roleRef") or {}
    if cluster and reference.get("kind") == "Role":
        yield Problem.schema(("roleRef", "kind"), "found Role, expected ClusterRole: a Role belongs to one namespace")
    for index, subject in enumerate(body.get("subjects") or ()):
        at = ("subjects", index)
        kind, group = subject.get("kind"), subject.get("apiGroup")
        expected = "" if kind == "ServiceAccount" else _RBAC
        if group and group != expected:
            yield Problem.schema((*at, "apiGroup"), f"found {shown(group)}, expected {shown(expected)}")
        if kind == "ServiceAccount":
            wrong = names.dns_subdomain(subject.get("name") or "")
            if wrong:
                yield Problem.schema((*at, "name"), f"found {shown(subject.get('name'))}, expected {wrong}")
            if cluster and not subject.get("namespace"):
                yield Problem.schema((*at, "namespace"), "missing; a ServiceAccount of a ClusterRoleBinding needs it")


def _workload(body: Object, claims: Iterable[str] = ()) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    selector, template = spec.get("selector"), spec.get("template") or {}
    at: Path = ("spec",)
    if selector is not None:
        yield from selector_problems(selector, (*at, "selector"))
        labels = (template.get("metadata") or {}).get("labels") or {}
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            yield Problem.schema((*at, "selector"), "found an empty selector, expected at least one label")
        elif not names.selects(selector, labels):
            yield Problem.schema((*at, "template", "metadata", "labels"), f"found {shown(labels)}, which the selector does not match")
    yield from check_template(template, (*at, "template"), ("Always",), claims)


def _deployment(body: Object) -> Iterator[Problem]:
    yield from _workload(body)
    strategy = (body.get("spec") or {}).get("strategy") or {}
    rolling = strategy.get("rollingUpdate")
    if strategy.get("type") == "Recreate" and rolling is not None:
        yield Problem.schema(("spec", "strategy", "rollingUpdate"), "may not be given when the strategy is Recreate")
    elif rolling and _is_zero(rolling.get("maxUnavailable")) and _is_zero(rolling.get("maxSurge")):
        yield Problem.schema(("spec", "strategy", "rollingUpdate", "maxUnavailable"), "may not be 0 when maxSurge is 0")


def _is_zero(value: Any) -> bool:
    return value in (0, "0%") and not isinstance(value, bool)


def _stateful_set(body: Object) -> Iterator[Problem]:
    claims = (body.get("spec") or {}).get("volumeClaimTemplates") or []
    yield from _workload(body, [(claim.get("metadata") or {}).get("name", "") for claim in claims])
    for index, claim in enumerate(claims):
        yield from _claim(claim, ("spec", "volumeClaimTemplates", index))


def _claim(body: Object, at: Path = ()) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    if not spec.get("accessModes"):
        yield Problem.schema((*at, "spec", "accessModes"), "missing; expected at least one access mode")
    if "storage" not in ((spec.get("resources") or {}).get("requests") or {}):
        yield Problem.schema((*at, "spec", "resources", "storage"), "missing; expected a request of storage")


def _job(body: Object) -> Iterator[Problem]:
    template = (body.get("spec") or {}).get("template") or {}
    yield from check_template(template, ("spec", "template"), ("OnFailure", "Never"))


def _cron_job(body: Object) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    schedule = spec.get("schedule") or ""
    if schedule and not schedule.startswith("@") and len(schedule.split()) != 5:
        yield Problem.schema(("spec", "schedule"), f"found {shown(schedule)}, expected five fields such as */5 * * * *")
    template = ((spec.get("jobTemplate") or {}).get("spec") or {}).get("template") or {}
    yield from check_template(template, ("spec", "jobTemplate", "spec", "template"), ("OnFailure", "Never"))


def _autoscaler(body: Object) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    if (spec.get("minReplicas") or 1) > spec.get("maxReplicas", 0) > 0:
        yield Problem.schema(("spec", "maxReplicas"), f"found {spec['maxReplicas']}, expected at least minReplicas ({spec['minReplicas']})")
    for index, metric in enumerate(spec.get("metrics") or ()):
        kind = metric.get("type") or ""
        field = kind[:1].lower() + kind[1:]
        if field and field not in metric:
            yield Problem.schema(("spec", "metrics", index, field), f"missing; a metric of type {kind} needs it")


def _disruption_budget(body: Object) -> Iterator[Problem]:
    spec = body.get("spec") or {}
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        yield Problem.schema(("spec",), "minAvailable and maxUnavailable exclude each other")
    yield from selector_problems(spec.get("selector"), ("spec", "selector"))


def _pod(body: Object) -> Iterator[Problem]:
    yield from check_template(body, (), ("Always", "OnFailure", "Never"))


RULES: dict[tuple[str, str], Rule] = {
    ("", "ConfigMap"): _config_map,
    ("", "PersistentVolumeClaim"): _claim,
    ("", "Pod"): _pod,
    ("", "Secret"): _secret,
    ("", "Service"): _service,
    ("apps", "DaemonSet"): _workload,
    ("apps", "Deployment"): _deployment,
    ("apps", "ReplicaSet"): _workload,
    ("apps", "StatefulSet"): _stateful_set,
    ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler,
    ("batch", "CronJob"): _cron_job,
    ("batch", "Job"): _job,
    ("networking.k8s.io", "Ingress"): _ingress,
    ("networking.k8s.io", "NetworkPolicy"): _network_policy,
    ("policy", "PodDisruptionBudget"): _disruption_budget,
    (_RBAC, "ClusterRole"): lambda body: _rules(body, cluster=True),
    (_RBAC, "ClusterRoleBinding"): lambda body: _binding(body, cluster=True),
    (_RBAC, "Role"): lambda body: _rules(body, cluster=False),
    (_RBAC, "RoleBinding"): lambda body: _binding(body, cluster=False),
}
"""Rules by group and kind."""
