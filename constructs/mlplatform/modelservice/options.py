"""The options of a service that are the same on every cloud: keys of callers, a rate limit, a disruption budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mlplatform.blocks.kubernetes import MADE, MANIFEST, kubernetes_object
from mlplatform.core import Composition, Folder, Ref
from mlplatform.core import transforms as t

from .entrance import KEY_AUTH, RATE_LIMIT
from .facts import facts
from .keys import consumer
from .option import COMPOSITION, MODEL_SERVICE_OPTION, NOTHING, option, option_composition
from .server import selected
from .spec import MAX_CALLERS

CALLERS = tuple(f"modelservice-callers-{others}.platform.acme.com" for others in range(MAX_CALLERS + 1))
"""Compositions with keys for the owner and so many other teams: there are no loops, so there is one for each number."""
LIMIT = "modelservice-rate-limit.platform.acme.com"
BUDGET = "modelservice-disruption-budget.platform.acme.com"


def add_options(composition: Composition, spec: Ref, parts: Ref, *, secret_store: Ref) -> None:
    """Add these options to a service, each nothing until the claim asks for it."""
    api = spec.api
    callers = option(composition, "callers", parts.callers)
    callers.patch(api.authentication.method, COMPOSITION, t.map_({KEY_AUTH: CALLERS[0], "none": NOTHING}))
    for index in range(MAX_CALLERS):  # each team that is there replaces the choice by one for a team more
        callers.patch(api.authentication.callers[index], COMPOSITION, t.always(CALLERS[index + 1]))
    callers.patch(api.authentication.callers, "spec.callers")
    callers.patch(secret_store, "spec.secretStore")

    limit = option(composition, RATE_LIMIT, parts.rate_limit)
    limit.patch(api.rate_limit.requests_per_minute, COMPOSITION, t.always(LIMIT))
    limit.patch(api.rate_limit.requests_per_minute, "spec.requestsPerMinute")

    budget = option(composition, "budget", parts.disruption_budget)
    # a single server must be allowed to move, or no node could ever be drained
    budget.patch(spec.compute.replicas, COMPOSITION, t.convert("string"), t.match([("^1$", NOTHING)], otherwise=BUDGET))


def callers_composition(others: int, folder: Folder) -> Composition:
    """Make keys for the team that owns the service and for ``others`` more."""
    composition = option_composition(folder, CALLERS[others])
    spec, status, known = MODEL_SERVICE_OPTION.spec, MODEL_SERVICE_OPTION.status, facts(composition)
    owner = composition.api.metadata.labels["crossplane.io/claim-namespace"]
    for index, team in enumerate([owner, *(spec.callers[number] for number in range(others))]):
        key = consumer(composition, known, index, team, store=spec.secret_store)
        if not index:
            key.say(
                status.message,
                waiting="Keys are fetched from the secret store.",
                done="The calling teams have their keys.",
                when="status.atProvider.manifest.status.refreshTime",
            )
    return composition


def rate_limit_composition(folder: Folder) -> Composition:
    """Make the plugin that counts the requests of each caller, or of each address where callers have no keys."""
    composition = option_composition(folder, LIMIT)
    spec, status = MODEL_SERVICE_OPTION.spec, MODEL_SERVICE_OPTION.status
    plugin = kubernetes_object(
        composition,
        "rate-limit-plugin",
        {
            "apiVersion": "configuration.konghq.com/v1",
            "kind": "KongPlugin",
            "plugin": "rate-limiting",
            "config": {"policy": "local", "limit_by": "consumer", "fault_tolerant": True},
        },
        suffix=RATE_LIMIT,
    )
    plugin.patch(spec.requests_per_minute, f"{MANIFEST}.config.minute")
    plugin.say(status.message, waiting="The limit is being set.", done="The limit of requests is set.", when=MADE)
    return composition


def disruption_budget_composition(folder: Folder) -> Composition:
    """Make the budget that lets one server at a time move to another node."""
    composition = option_composition(folder, BUDGET)
    budget = kubernetes_object(
        composition,
        "disruption-budget",
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "spec": {"maxUnavailable": 1}},
    )
    budget.say(
        MODEL_SERVICE_OPTION.status.message,
        waiting="The budget is being made.",
        done="Nodes are drained one server at a time.",
        when=MADE,
    )
    selected(budget, f"{MANIFEST}.spec.selector.matchLabels")
    return composition


OPTIONS: tuple[Callable[[Folder], Composition], ...] = (
    *(partial(callers_composition, others) for others in range(MAX_CALLERS + 1)),
    rate_limit_composition,
    disruption_budget_composition,
)
