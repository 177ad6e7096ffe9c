"""How requests reach the servers: a Service, and the Ingress of the Kong gateway with its plugins."""

from __future__ import annotations

from mlplatform.blocks.kubernetes import MADE, MANIFEST, kubernetes_object, wait_for
from mlplatform.core import Composition, Model, Ref, Template, kept
from mlplatform.core import transforms as t

from .facts import Facts
from .server import selected

KEY_AUTH, ACL, RATE_LIMIT = "key-auth", "acl", "rate-limit"
"""Suffixes of the names of a service's plugins."""

PLUGINS = f"{MANIFEST}.metadata.annotations[konghq.com/plugins]"
URL = "platform.acme.com/url"


class _Plugin(Model):
    """The suffix of a plugin's name, there only when the claim asks for the plugin."""

    suffix: str | None = None


class _Route(Model):
    path: str


def service(composition: Composition, spec: Ref, known: Facts) -> Template:
    """Add the Service, port 80 to the server's; a rate limit is a plugin of it, so that it holds with and without keys."""
    limit = kept("limit", _Plugin)
    composition.into_environment(spec.api.rate_limit.requests_per_minute, limit.suffix, t.always(RATE_LIMIT))
    front = kubernetes_object(
        composition,
        "service",
        {
            "apiVersion": "v1",
            "kind": "Service",
            "spec": {"type": "ClusterIP", "ports": [{"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP"}]},
        },
    )
    front.combine("%s-%s", [known.name, limit.suffix], PLUGINS)
    return selected(front, f"{MANIFEST}.metadata.labels", f"{MANIFEST}.spec.selector")


def key_plugins(composition: Composition, known: Facts) -> None:
    """Add the plugins that ask for a key, and for one of a caller of this service: consumers are known to the whole gateway.

    They do nothing where no Ingress names them, so they are there for every service.
    """
    kubernetes_object(
        composition,
        KEY_AUTH,
        {
            "apiVersion": "configuration.konghq.com/v1",
            "kind": "KongPlugin",
            "plugin": "key-auth",
            "config": {"key_names": ["apikey"], "key_in_query": False, "hide_credentials": True},
        },
        suffix=KEY_AUTH,
    )
    callers = kubernetes_object(
        composition,
        ACL,
        {
            "apiVersion": "configuration.konghq.com/v1",
            "kind": "KongPlugin",
            "plugin": "acl",
            "config": {"hide_groups_header": True},
        },
        suffix=ACL,
    )
    callers.combine("%s.%s", [known.name, known.namespace], f"{MANIFEST}.config.allow[0]", required=True)


def ingress(composition: Composition, spec: Ref, status: Ref, known: Facts, *, host: Ref) -> Template:
    """Add the Ingress at the claim's path.

    The gateway opens a route whose plugin it does not find, so the Ingress waits until the plugins are there. The method becomes an
    object that has a suffix for key-auth and is empty for none: what reads the suffix applies to key-auth only.
    """
    chosen = kept("authentication", _Plugin)
    composition.into_environment(spec.api.authentication.method, chosen, t.map_({KEY_AUTH: {"suffix": KEY_AUTH}, "none": {}}))
    path = kept("route", _Route).path
    composition.into_environment(spec.api.path, path)
    route = kubernetes_object(
        composition,
        "ingress",
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress",
            "metadata": {
                "annotations": {
                    "konghq.com/strip-path": "true",
                    "konghq.com/protocols": "https",
                    "konghq.com/https-redirect-status-code": "308",
                }
            },
            "spec": {
                "ingressClassName": "kong",
                "rules": [{"http": {"paths": [{"pathType": "Prefix", "backend": {"service": {"port": {"number": 80}}}}]}}],
            },
        },
    )
    for plugin in (KEY_AUTH, ACL):
        wait_for(route, "configuration.konghq.com/v1", "KongPlugin", suffix=plugin)
    route.combine(f"%s-%s,%s-{ACL}", [known.name, chosen.suffix, known.name], PLUGINS)
    route.patch(host, f"{MANIFEST}.spec.rules[0].host", required=True)
    route.patch(host, f"{MANIFEST}.spec.tls[0].hosts[0]")
    route.patch(spec.api.path, f"{MANIFEST}.spec.rules[0].http.paths[0].path")
    name = composition.api.metadata.labels["crossplane.io/claim-name"]
    route.patch(name, f"{MANIFEST}.spec.rules[0].http.paths[0].backend.service.name")
    route.combine("https://%s%s", [host, path], f"metadata.annotations[{URL}]")
    route.report(f"metadata.annotations[{URL}]", status.url)
    route.connection("url", field=f"metadata.annotations[{URL}]")
    return route.say(
        status.parts.api,
        waiting="The address is being made.",
        done="The address is there; it answers as soon as a server does.",
        when=MADE,
    )
