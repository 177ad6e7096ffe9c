"""Brings the committed platform to a real API server with a real Crossplane, and compares what claims become with what crossgate renders.

Run by ``tests/e2e/test_control_plane.py`` inside a network namespace: ``main.py crossplane|argocd ROOT CRDS FOLDER``. CRDS is the folder
of Crossplane's own CRDs; those of everything else are made of ``schemas/``, or read from the files of ``CROSSGATE_CONTROL_PLANE_CRDS``
when that is set.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from argo import synced
from stack import Broken, Stack

from crossgate import render
from crossgate.load import load_paths
from crossgate.model import Document, Resource, Role
from crossgate.render.estate import expand
from crossgate.schema import Schemas

Body = dict[str, Any]

OWN = ("apiextensions.crossplane.io", "pkg.crossplane.io", "protection.crossplane.io", "ops.crossplane.io")
TEMPLATE = "crossplane.io/composition-resource-name"
BINARIES = {
    "function-auto-ready": "function-auto-ready",
    "function-environment-configs": "function-environment-configs",
    "function-patch-and-transform": "function-pt",
}


def main(what: str, root: Path, crds: Path, folder: Path) -> int:
    """Bring everything up, and return how much of it is not as it should be."""
    stack = Stack(folder)
    documents = load_paths([root / "dist"], root=root).documents
    schemas = Schemas.load([root / "schemas"]).including(documents)
    estate = expand(documents, schemas)
    stack.api_server()
    made = _crds(root, schemas, {*_kinds(documents, estate.resources)})
    for crd in made:
        stack.apply([crd])
    stack.await_(
        f"{len(made)} CRDs are established", lambda: stack.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    )
    stack.crossplane(crds)
    bodies: list[Body] = [document.body for document in documents if isinstance(document.body, dict)]
    functions = {body["metadata"]["name"]: body["spec"]["package"] for body in bodies if body["kind"] == "Function"}
    stack.functions(functions, BINARIES)
    if what == "argocd":
        providers = {body["metadata"]["name"]: body["spec"]["package"] for body in bodies if body["kind"] == "Provider"}
        return synced(stack, root / "dist", functions, providers)
    for namespace in sorted({body["metadata"].get("namespace") for body in bodies} - {None, "crossplane-system"}):
        stack.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}])
    refused = 0
    for part in sorted((root / "dist").iterdir()):
        if part.is_dir():
            refused += _sync(stack, part, functions)
    different = _compare(stack, documents, estate.resources, schemas)
    stack.say(f"{refused} objects refused, {different} differences")
    return refused + different


def _kinds(documents: Iterable[Document], resources: Iterable[Resource]) -> Iterator[tuple[str, str]]:
    for body in (*(document.body for document in documents), *(resource.body for resource in resources)):
        group = str(body.get("apiVersion", "")).rpartition("/")[0] if isinstance(body, dict) else ""
        if "." in group and group not in OWN:
            yield group, str(body["kind"])


def _crds(root: Path, schemas: Schemas, kinds: set[tuple[str, str]]) -> list[Body]:
    """Return the CRDs of kinds: the real files where they are given, else made of the compact schemas."""
    given: dict[tuple[str, str], Body] = {}
    for file in Path(os.environ.get("CROSSGATE_CONTROL_PLANE_CRDS") or root / "no").rglob("*.yaml"):
        for document in load_paths([file], root=file.parent).documents:
            body: Any = document.body
            if body["kind"] == "CustomResourceDefinition":
                given[body["spec"]["group"], body["spec"]["names"]["kind"]] = body
    found = []
    for group, kind in sorted(kinds):
        known = [one for one in schemas.versions(group, kind) if one.made_by == "crd"]
        if (group, kind) in given:
            # Crossplane's package manager fills in the service that converts
            spec = {key: value for key, value in given[group, kind]["spec"].items() if key != "conversion"}
            found.append({**given[group, kind], "spec": spec})
        elif known:
            found.append(_crd(known))
    return found


def _crd(versions: list[Any]) -> Body:
    newest = versions[0]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{newest.plural}.{newest.group}", "annotations": {"api-approved.kubernetes.io": "unapproved, for a test"}},
        "spec": {
            "group": newest.group,
            "scope": newest.scope,
            "names": {"kind": newest.kind, "plural": newest.plural, "singular": newest.kind.lower(), "listKind": f"{newest.kind}List"},
            "versions": [
                {
                    "name": one.version,
                    "served": one.served,
                    "storage": one is newest,
                    "schema": {"openAPIV3Schema": one.schema},
                    "subresources": {**({"status": {}} if one.status else {}), **({"scale": one.scale} if one.scale else {})},
                }
                for one in versions
            ],
        },
    }


def _sync(stack: Stack, part: Path, functions: dict[str, str]) -> int:
    """Apply a folder of ``dist/`` as Argo CD would, and wait for what the next one needs."""
    refused = 0
    for document in load_paths([part], root=part).documents:
        for attempt in range(20):
            try:
                stack.apply([document.body] if isinstance(document.body, dict) else [])
                break
            except Broken as error:
                # the API server learns of new kinds a moment after their CRDs are established
                if "no matches for kind" in str(error) and attempt < 19:
                    time.sleep(1)
                    continue
                stack.say(f"REFUSED {document.file}: {error}")
                refused += 1
                break
    stack.say(f"applied {part.name}")
    if part.name.endswith("packages"):
        stack.installed(functions)
    if part.name.endswith("xrds"):
        for condition in ("Established", "Offered"):
            names = [
                f"xrd/{body['metadata']['name']}"
                for body in (document.body for document in load_paths([part], root=part).documents)
                if isinstance(body, dict) and (condition == "Established" or body["spec"].get("claimNames"))
            ]
            command = ("wait", f"--for=condition={condition}", *names, "--timeout=2s")
            stack.await_(f"{len(names)} XRDs are {condition}", lambda command=command: stack.kubectl(*command))  # type: ignore[misc]
    return refused


def _compare(stack: Stack, documents: Iterable[Document], resources: tuple[Resource, ...], schemas: Schemas) -> int:
    """Compare what each composite became on the cluster with what crossgate renders of it."""
    compositions = {document.body["metadata"]["name"]: document.body for document in documents if document.body["kind"] == "Composition"}
    environments = [document.body for document in documents if document.body["kind"] == "EnvironmentConfig"]
    expected = {str(resource.identity) for resource in resources if resource.role is Role.XR}
    settled = _settled(stack, len(expected))
    different = 0
    for composite, composed in settled:
        name = composite["spec"]["compositionRef"]["name"]
        made = render(
            composite, compositions[name], observed=composed, required=environments, legacy="crossplane" not in composite["spec"]
        ).composed
        different += _differences(stack, f"{composite['kind']} {composite['metadata']['name']} by {name}", made, composed, schemas)
    stack.say(f"compared {len(settled)} composites, {sum(len(composed) for _, composed in settled)} composed resources")
    return different + abs(len(settled) - len(expected))


def _settled(stack: Stack, wanted: int) -> list[tuple[Body, list[Body]]]:
    """Wait until nothing changes any more, and return composites with what they are composed of."""
    last = ""
    end = time.monotonic() + 300
    found: list[tuple[Body, list[Body]]] = []
    while time.monotonic() < end:
        composites = stack.get("composite")["items"]
        parts: dict[str, list[Body]] = defaultdict(list)
        kinds = sorted({_resource(reference) for composite in composites for reference in composite["spec"].get("resourceRefs") or ()})
        for body in stack.get(",".join(kinds), "-A")["items"] if kinds else ():
            for owner in body["metadata"].get("ownerReferences") or ():
                parts[owner["uid"]].append(body)
        found = [(composite, parts[composite["metadata"]["uid"]]) for composite in composites]
        state = json.dumps(
            sorted((body["metadata"]["uid"], body["metadata"].get("generation")) for pair in found for body in (pair[0], *pair[1]))
        )
        stack.say(f"{len(found)} of {wanted} composites, {sum(len(pair[1]) for pair in found)} composed")
        if state == last and len(found) >= wanted:
            return found
        last = state
        time.sleep(15)
    return found


def _resource(reference: Body) -> str:
    group, _, version = reference["apiVersion"].rpartition("/")
    return f"{reference['kind']}.{version}.{group}" if group else reference["kind"]


def _differences(stack: Stack, where: str, made: list[Body], composed: list[Body], schemas: Schemas) -> int:
    here = {_template(body): _plain(schemas.defaulted(body)) for body in made}
    there = {_template(body): _plain(body) for body in composed}
    different = 0
    for template in sorted({*here, *there}):
        if here.get(template) != there.get(template):
            different += 1
            for path, ours, theirs in _unequal(here.get(template), there.get(template), ""):
                stack.say(f"DIFFERENT {where}: {template}{path}: crossgate {ours!r}, Crossplane {theirs!r}")
    return different


def _template(body: Body) -> str:
    return str((body["metadata"].get("annotations") or {}).get(TEMPLATE))


def _plain(body: Body) -> Body:
    """Leave out what only a cluster writes, and the names that are random."""
    metadata = body.get("metadata") or {}
    kept = {key: metadata.get(key) or {} for key in ("labels", "annotations")}
    generated = metadata.get("generateName")
    name = {} if generated else {"name": metadata.get("name")}
    spec = {
        key: value
        for key, value in (body.get("spec") or {}).items()
        if key not in ("resourceRefs", "compositionRevisionRef", "compositionRef")
    }
    rest = {key: value for key, value in body.items() if key not in ("metadata", "status", "spec")}
    return {**rest, "metadata": {**kept, **name}, "spec": spec}


def _unequal(ours: Any, theirs: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted({*ours, *theirs}):
            yield from _unequal(ours.get(key), theirs.get(key), f"{path}.{key}")
    elif ours != theirs:
        yield path, ours, theirs


if __name__ == "__main__":
    if os.environ.get("CROSSGATE_CONTROL_PLANE"):
        os.environ["PATH"] = f"{os.environ['CROSSGATE_CONTROL_PLANE']}:{os.environ['PATH']}"
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    try:
        sys.exit(1 if main(sys.argv[1], *map(Path, sys.argv[2:5])) else 0)
    except Broken as error:
        print(f"BROKEN {error}")
        sys.exit(2)
