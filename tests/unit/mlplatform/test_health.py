"""The health checks of Argo CD, run by a real Lua 5.1 with the libraries that Argo CD gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lupa import lua51

from mlplatform.argocd.settings import health

SANDBOX = """
debug.setmetatable("", nil)
for _, name in ipairs({"string", "math", "io", "debug", "coroutine", "load", "loadstring", "dofile", "loadfile"}) do
  _G[name] = nil
end
"""
"""Argo CD's scripts have no string library (nor its methods) unless its settings open it, and these do not."""

Check = Callable[[dict[str, Any]], tuple[str, str]]


def check(name: str) -> Check:
    def run(body: dict[str, Any]) -> tuple[str, str]:
        runtime = lua51.LuaRuntime(unpack_returned_tuples=True)
        runtime.execute(SANDBOX)
        runtime.globals().obj = runtime.table_from(body, recursive=True)
        found = runtime.execute(health(name))
        return found["status"], found["message"]

    return run


def condition(type_: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def conditions(*found: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"status": {"conditions": list(found)}, **more}


SYNCED = condition("Synced", "True", "ReconcileSuccess")
INSTALLED = condition("Installed", "True", "ActivePackageRevision")
INACTIVE = condition("Installed", "False", "InactivePackageRevision")
ESTABLISHED = condition("Established", "True", "WatchingCompositeResource")


@pytest.mark.parametrize(
    ("state", "body", "status", "message"),
    [
        ("just applied", {}, "Progressing", "Waiting for Crossplane"),
        ("seen, nothing said yet", {"status": {}}, "Progressing", "Waiting for Crossplane"),
        ("synced, no word about readiness", conditions(SYNCED), "Progressing", "Waiting for its resources"),
        (
            "waiting for the composite",
            conditions(SYNCED, condition("Ready", "False", "Waiting", "Claim is waiting for composite resource to become Ready")),
            "Progressing",
            "Claim is waiting for composite resource to become Ready",
        ),
        ("being made", conditions(SYNCED, condition("Ready", "False", "Creating")), "Progressing", "Creating"),
        ("being deleted", conditions(SYNCED, condition("Ready", "False", "Deleting")), "Progressing", "Deleting"),
        ("all there", conditions(SYNCED, condition("Ready", "True", "Available")), "Healthy", "Everything is there"),
        ("not available any more", conditions(SYNCED, condition("Ready", "False", "Unavailable", "gone")), "Degraded", "gone"),
        (
            "cannot be reconciled, though an older state is ready",
            conditions(condition("Synced", "False", "ReconcileError", "cannot compose resources"), condition("Ready", "True", "Available")),
            "Degraded",
            "cannot compose resources",
        ),
        ("paused", conditions(condition("Synced", "False", "ReconcilePaused"), condition("Ready", "True")), "Suspended", "ReconcilePaused"),
        ("Crossplane does not know", conditions(condition("Synced", "Unknown")), "Progressing", "Waiting for Crossplane"),
        ("order of conditions", conditions(condition("Ready", "True", "Available"), SYNCED), "Healthy", "Everything is there"),
    ],
)
def test_a_claim(state: str, body: dict[str, Any], status: str, message: str) -> None:
    assert check("claim")(body) == (status, message), state


@pytest.mark.parametrize(
    ("state", "body", "status", "message"),
    [
        ("just applied", {}, "Progressing", "Waiting for the package"),
        ("unpacking", conditions(condition("Installed", "False", "UnpackingPackage")), "Progressing", "UnpackingPackage"),
        (
            "cannot be pulled",
            conditions(condition("Installed", "False", "UnpackingPackage", "cannot pull image")),
            "Progressing",
            "cannot pull image",
        ),
        (
            "a revision that somebody must activate",
            conditions(INACTIVE, spec={"revisionActivationPolicy": "Manual"}),
            "Suspended",
            "InactivePackageRevision",
        ),
        ("a revision that becomes active", conditions(INACTIVE, spec={}), "Progressing", None),
        ("installed, health not known", conditions(INSTALLED, condition("Healthy", "Unknown")), "Progressing", None),
        ("installed, no word about health", conditions(INSTALLED), "Progressing", "Waiting for the package to run"),
        (
            "does not run yet, which Crossplane says in the same words as that it does not run any more",
            conditions(INSTALLED, condition("Healthy", "False", "UnhealthyPackageRevision", "CrashLoopBackOff")),
            "Progressing",
            "CrashLoopBackOff",
        ),
        ("runs", conditions(INSTALLED, condition("Healthy", "True", "HealthyPackageRevision")), "Healthy", "Installed and running"),
        ("sleeps until it is needed", conditions(INSTALLED, condition("Healthy", "True", "AwaitingActivation")), "Healthy", None),
    ],
)
def test_a_package(state: str, body: dict[str, Any], status: str, message: str | None) -> None:
    found = check("package")(body)
    assert found == (status, message if message is not None else found[1]), state


@pytest.mark.parametrize(
    ("state", "body", "status"),
    [
        ("just applied", {"spec": {}}, "Progressing"),
        ("without claims it is enough to be established", conditions(ESTABLISHED, spec={}), "Healthy"),
        ("claims are not offered yet", conditions(ESTABLISHED, spec={"claimNames": {"kind": "X"}}), "Progressing"),
        (
            "claims are offered",
            conditions(ESTABLISHED, condition("Offered", "True", "WatchingCompositeResourceClaim"), spec={"claimNames": {"kind": "X"}}),
            "Healthy",
        ),
        ("goes", conditions(condition("Established", "False", "TerminatingCompositeResource"), spec={}), "Progressing"),
        ("cannot be established", conditions(condition("Established", "False", "Failed", "name is taken"), spec={}), "Degraded"),
    ],
)
def test_a_definition(state: str, body: dict[str, Any], status: str) -> None:
    assert check("definition")(body)[0] == status, state


SYNC = {"status": "Synced", "revision": "b"}
LATE = {"status": "OutOfSync", "revision": "b"}


@pytest.mark.parametrize(
    ("state", "status", "health_status"),
    [
        ("just made", None, "Progressing"),
        ("before its first sync", {"health": {"status": "Missing"}, "sync": {"status": "OutOfSync"}}, "Progressing"),
        ("synced and healthy", {"health": {"status": "Healthy"}, "sync": SYNC}, "Healthy"),
        ("a new version waits to be synced", {"health": {"status": "Healthy"}, "sync": LATE}, "Progressing"),
        (
            "a new version is being synced",
            {
                "health": {"status": "Healthy"},
                "sync": LATE,
                "operationState": {"phase": "Succeeded", "syncResult": {"revision": "a"}},
            },
            "Progressing",
        ),
        (
            "synced, and a controller changed something since: the next wave must not wait for ever",
            {
                "health": {"status": "Healthy"},
                "sync": LATE,
                "operationState": {"phase": "Succeeded", "syncResult": {"revision": "b"}},
            },
            "Healthy",
        ),
        ("broken", {"health": {"status": "Degraded"}, "sync": SYNC}, "Degraded"),
        ("stopped on purpose", {"health": {"status": "Suspended"}, "sync": SYNC}, "Suspended"),
    ],
)
def test_an_application(state: str, status: dict[str, Any] | None, health_status: str) -> None:
    assert check("application")({"status": status} if status else {})[0] == health_status, state
