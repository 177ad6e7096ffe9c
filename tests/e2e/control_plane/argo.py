"""A real Argo CD that syncs ``dist/`` from a local Git repository: the Application ``ml-infrastructure``, wave after wave.

Providers are packages that hold nothing, and what a provider or external-secrets would make ready is said to be ready here: Argo CD
starts a wave when everything of the one before is healthy, which it finds out by the health checks in ``dist/`` itself. Left out are the
Applications of Helm charts, since there is nothing to fetch charts from, and the ApplicationSet's controller, which the binary lacks.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from stack import Broken, Stack

from crossgate.load import load_paths

PLAYED = ("externalsecrets.external-secrets.io", "clustersecretstores.external-secrets.io")
MANAGED = ("globaladdresses.compute.gcp.upbound.io", "connections.servicenetworking.gcp.upbound.io")
APPLICATION = "ml-infrastructure"


def synced(stack: Stack, dist: Path, functions: dict[str, str], providers: dict[str, str]) -> int:
    """Sync what follows Argo CD's own folders, and return how many of its objects are not synced."""
    stack.rewritten(providers)
    for name, image in providers.items():
        stack.push({"apiVersion": "meta.pkg.crossplane.io/v1", "kind": "Provider", "spec": {"controller": {"image": image}}}, name, image)
    address = _repository(stack, dist)
    stack.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("argocd",)])
    for part in ("00-argocd", "03-infrastructure"):
        for document in load_paths([dist / part], root=dist).documents:
            stack.apply([json.loads(json.dumps(document.body).replace(_written(dist), address))])
            if part == "00-argocd" and document.body["kind"] == "ConfigMap":
                _start(stack)
    return _watched(stack, functions)


def _written(dist: Path) -> str:
    [document] = load_paths([dist / "03-infrastructure"], root=dist).documents
    body: Any = document.body
    return str(body["spec"]["source"]["repoURL"])


def _repository(stack: Stack, dist: Path) -> str:
    folder = stack.folder / "git"
    shutil.copytree(dist, folder / "dist")
    address = f"file://{folder}"
    for file in folder.rglob("*.yaml"):
        file.write_text(file.read_text(encoding="utf-8").replace(_written(dist), address), encoding="utf-8")
    who = ("-c", "user.name=e2e", "-c", "user.email=e2e@example.org")
    for command in (("init", "-q", "-b", "main", "."), ("add", "-A"), (*who, "commit", "-qm", "dist")):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return address


def _start(stack: Stack) -> None:
    labels = {"app.kubernetes.io/part-of": "argocd"}
    rbac = {"name": "argocd-rbac-cm", "namespace": "argocd", "labels": labels}
    key = {"server.secretkey": secrets.token_hex(16)}
    stack.apply(
        [
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": rbac},
            {"apiVersion": "v1", "kind": "Secret", "metadata": {**rbac, "name": "argocd-secret"}, "stringData": key},
        ]
    )
    for name in ("tls", "ssh", "gpg/source", "gpg/keys", "plugins", "tmp"):
        (stack.folder / "argo" / name).mkdir(parents=True)
    here = stack.folder / "argo"
    environment = {
        "ARGOCD_FAKE_IN_CLUSTER": "true",
        "ARGOCD_TLS_DATA_PATH": str(here / "tls"),
        "ARGOCD_SSH_DATA_PATH": str(here / "ssh"),
        "ARGOCD_GPG_ENABLED": "false",
        "ARGOCD_GPG_DATA_PATH": str(here / "gpg/source"),
        "ARGOCD_GNUPGHOME": str(here / "gpg/keys"),
        "ARGOCD_PLUGINSOCKFILEPATH": str(here / "plugins"),
        "ARGOCD_ASK_PASS_SOCK": str(here / "askpass.sock"),
        "TMPDIR": str(here / "tmp"),
        "HOSTNAME": "e2e-0",
        "KUBECONFIG": str(stack.folder / "kubeconfig"),
    }
    stack.start(
        "redis", "redis-server", "--bind", "127.0.0.1", "--port", "6379", "--save", "", "--appendonly", "no", "--dir", str(here / "tmp")
    )
    repositories = ("--address", "127.0.0.1", "--port", "8181", "--metrics-address", "127.0.0.1", "--metrics-port", "8184")
    redis = ("--redis", "127.0.0.1:6379")
    stack.start("argocd-repo-server", "argocd-e2e", *repositories, *redis, **environment, ARGOCD_BINARY_NAME="argocd-repo-server")
    stack.await_("Argo CD's repository server listens", _listens)
    controller = ("--namespace", "argocd", "--metrics-port", "8182", "--repo-server", "127.0.0.1:8181", "--app-resync", "10")
    environment["ARGOCD_BINARY_NAME"] = "argocd-application-controller"
    stack.start("argocd-application-controller", "argocd-e2e", *controller, *redis, "--app-resync-jitter", "0", **environment)


def _listens() -> bool:
    with socket.create_connection(("127.0.0.1", 8181), timeout=2):
        return True


def _watched(stack: Stack, functions: dict[str, str]) -> int:
    """Play what is not there until the Application is synced; say what each wave was."""
    seen = ""
    end = time.monotonic() + float(os.environ.get("CROSSGATE_CONTROL_PLANE_PATIENCE", "420"))
    installed: set[str] = set()
    application: Any = {}
    while time.monotonic() < end:
        application = stack.get("application.argoproj.io", "-n", "argocd", APPLICATION)
        status = application.get("status") or {}
        operation = status.get("operationState") or {}
        state = f"{(status.get('sync') or {}).get('status')} {operation.get('phase')} {operation.get('message')}"
        if state != seen:
            stack.say(state[:200])
            seen = state
        if (status.get("sync") or {}).get("status") == "Synced" and operation.get("phase") == "Succeeded":
            break
        _play(stack, functions, installed)
        time.sleep(3)
    resources = (application.get("status") or {}).get("resources") or []
    bad = [one for one in resources if one.get("status") != "Synced"]
    for one in bad:
        stack.say(f"NOT SYNCED {one.get('kind')} {one.get('name')}: {one.get('status')} {one.get('health')}")
    for condition in (application.get("status") or {}).get("conditions") or []:
        stack.say(f"CONDITION {condition.get('type')}: {condition.get('message')}")
    stack.say(f"Argo CD synced {len(resources) - len(bad)} objects, {len(bad)} not")
    return len(bad) + (not resources)


def _play(stack: Stack, functions: dict[str, str], installed: set[str]) -> None:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        for kind in ("functionrevision", "providerrevision"):
            for revision in stack.get(f"{kind}.pkg.crossplane.io")["items"]:
                stack.run_package(revision, functions, installed)
        for kind in (*PLAYED, *MANAGED):
            for body in stack.get(kind, "-A")["items"]:
                if body["metadata"]["uid"] not in installed:
                    ready = [
                        {"type": name, "status": "True", "reason": "Played", "lastTransitionTime": now}
                        for name in (("Ready", "Synced") if kind in MANAGED else ("Ready",))
                    ]
                    made = {key: body["metadata"][key] for key in ("name", "namespace") if key in body["metadata"]}
                    played = {"apiVersion": body["apiVersion"], "kind": body["kind"], "metadata": made, "status": {"conditions": ready}}
                    stack.apply([played], "--field-manager=played", "--subresource=status")
                    installed.add(body["metadata"]["uid"])
    except Broken as error:
        if "no matches" not in str(error) and "NotFound" not in str(error):
            stack.say(str(error)[:300])
