"""Who may call: a consumer of the Kong gateway for each calling team, with a key that an ExternalSecret brings.

Keys are kept in the platform's secret store, under ``modelservice/<namespace>/<service>/<team>`` with the property ``key``; the team that
calls reads its own from there.
"""

from __future__ import annotations

from mlplatform.blocks.kubernetes import MANIFEST, kubernetes_object
from mlplatform.blocks.managed import TEAM_NAMESPACE
from mlplatform.core import Composition, Model, Ref, Template, kept
from mlplatform.core import transforms as t

from .facts import Facts


class _Caller(Model):
    team: str


def consumer(composition: Composition, known: Facts, index: int, team: Ref, *, store: Ref) -> Template:
    """Add the consumer number ``index`` for ``team``: the field that names the calling team, or its namespace. Return its key."""
    caller = kept(f"caller{index}", _Caller).team
    composition.into_environment(team, caller, t.trim_prefix(TEAM_NAMESPACE))
    secret = kubernetes_object(
        composition,
        f"key-{index}",
        {
            "apiVersion": "external-secrets.io/v1",
            "kind": "ExternalSecret",
            "spec": {
                "refreshInterval": "15m",
                "secretStoreRef": {"kind": "ClusterSecretStore"},
                "target": {
                    "creationPolicy": "Owner",
                    "deletionPolicy": "Delete",  # a key that is withdrawn from the store stops working
                    "template": {"metadata": {"labels": {"konghq.com/credential": "key-auth"}}},
                },
                "data": [{"secretKey": "key", "remoteRef": {"property": "key"}}],
            },
        },
        suffix=f"key-{index}",
        readiness="DeriveFromObject",
    )
    secret.patch(store, f"{MANIFEST}.spec.secretStoreRef.name")
    secret.combine("modelservice/%s/%s/%s", [known.namespace, known.name, caller], f"{MANIFEST}.spec.data[0].remoteRef.key", required=True)
    labels = composition.api.metadata.labels
    secret.patch(labels["crossplane.io/claim-name"], f"{MANIFEST}.spec.target.name", t.fmt(f"%s-key-{index}"))
    person = kubernetes_object(
        composition,
        f"caller-{index}",
        {
            "apiVersion": "configuration.konghq.com/v1",
            "kind": "KongConsumer",
            "metadata": {"annotations": {"kubernetes.io/ingress.class": "kong"}},
        },
        suffix=f"caller-{index}",
    )
    group = kubernetes_object(
        composition,
        f"group-{index}",
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"labels": {"konghq.com/credential": "acl"}}},
        suffix=f"group-{index}",
    )
    group.combine("%s.%s", [known.name, known.namespace], f"{MANIFEST}.stringData.group", required=True)
    # names of consumers are known to the whole gateway
    person.combine("%s.%s.%s", [caller, known.name, known.namespace], f"{MANIFEST}.username", required=True)
    for place, secret_name in enumerate((f"key-{index}", f"group-{index}")):
        person.patch(labels["crossplane.io/claim-name"], f"{MANIFEST}.credentials[{place}]", t.fmt(f"%s-{secret_name}"))
    return secret
