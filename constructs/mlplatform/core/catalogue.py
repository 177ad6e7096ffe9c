"""The catalogue: a page for each API, made of its models and of what the committed example claims really become."""

from __future__ import annotations

import inspect
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.load.write import to_yaml
from crossgate.model import Document, Resource, Role
from crossgate.paths import MISSING, follow
from crossgate.render.estate import expand
from crossgate.render.fieldpath import parse
from crossgate.schema import Schemas

from .api import Api
from .documentation import fields_table, status_table, table

GENERATED = "<!-- written by make catalogue; do not edit -->\n"


@dataclass(frozen=True)
class Example:
    """A claim with what it becomes through one Composition: (depth, resource) in the order of the templates."""

    claim: Document
    composition: Document
    made: tuple[tuple[int, Resource], ...]

    @property
    def name(self) -> str:
        """Return the name of the Composition."""
        return _name(self.composition.body)

    @property
    def provider(self) -> str:
        """Return what the Composition makes it of."""
        labels: Any = follow(self.composition.body, ("metadata", "labels"))
        return str(labels["provider"])

    @property
    def resources(self) -> list[Resource]:
        """Return everything that is made."""
        return [resource for _, resource in self.made]


def examples(documents: Sequence[Document], schemas: Schemas) -> list[Example]:
    """Render every claim of the platform: the one that makes most for each Composition; ``documents`` is all of ``dist/``."""
    resources = expand(documents, schemas.including(documents)).resources
    below: dict[int, list[Resource]] = defaultdict(list)
    for resource in resources:
        if resource.parent is not None:
            below[id(resource.parent)].append(resource)
    found: dict[str, Example] = {}
    for claim in resources:
        for xr in below[id(claim)] if claim.role is Role.CLAIM else ():
            composed = below[id(xr)]
            if composed and composed[0].composition is not None:
                example = Example(claim.document, composed[0].composition, tuple(_tree(composed, below, 0)))
                if example.name not in found or len(found[example.name].made) < len(example.made):
                    found[example.name] = example
    return [found[name] for name in sorted(found)]


def _tree(resources: Iterable[Resource], below: dict[int, list[Resource]], depth: int) -> Iterator[tuple[int, Resource]]:
    for resource in resources:
        if resource.role is Role.XR:  # a composed XR once more, as what it is rendered from
            yield from _tree(below[id(resource)], below, depth)
        else:
            yield depth, resource
            yield from _tree(below[id(resource)], below, depth + 1)


def pages(apis: Iterable[Api[Any]], documents: Sequence[Document], schemas: Schemas) -> dict[str, str]:
    """Return the pages of the catalogue by file name."""
    shown = examples(documents, schemas)
    made = {f"{api.claim_kind.removesuffix('Claim').lower()}.md": api for api in apis if api.claim_kind}
    written = {file: _page(api, [one for one in shown if _claimed(one, api)]) for file, api in made.items()}
    return {**written, "README.md": _index(made, shown)}


def _claimed(example: Example, api: Api[Any]) -> bool:
    body: Any = example.claim.body
    return bool(body["kind"] == api.claim_kind and body["apiVersion"] == api.api_version)


def _index(apis: dict[str, Api[Any]], shown: list[Example]) -> str:
    rows = []
    for file, api in apis.items():
        compositions = [f"`{one.name}`" for one in shown if _claimed(one, api)]
        rows.append((f"[{_title(api)}]({file})", _summary(api).partition(":")[2].strip() or _summary(api), ", ".join(compositions)))
    return (
        f"{GENERATED}# What the platform offers\n\n"
        "Each page has the fields of a claim, what becomes of it, what must be in the secret store first, and what to do when it is not\n"
        "ready. "
        "A claim is a file in `apps/claims/<team>/`; `crossgate claim new` writes one.\n\n"
        f"{table(('API', 'what it is', 'Compositions'), rows)}"
    )


def _page(api: Api[Any], shown: list[Example]) -> str:
    names = f"`kubectl get {api.claim_names['plural']}`" + (f" (short: `{api.short_names[0]}`)" if api.short_names else "")
    parts = [
        f"{GENERATED}# {_title(api)}\n\n{_about(api)}\n",
        f"\nKind `{api.claim_kind}` of `{api.api_version}`; {names} shows {', '.join(api.columns(api))}. "
        + ("Argo CD asks before it deletes one.\n" if api.stateful else "\n"),
        "\n## A claim\n" + "".join(_example(one) for one in shown[:1]),
        f"\n## Fields\n\n{fields_table(api)}",
        "\n## What it becomes\n" + (_picture(shown) if shown else "") + "".join(_becomes(one) for one in shown),
    ]
    if len(shown) > 1 and len({one.provider for one in shown}) == len(shown):
        parts.append(f"\n### The same on each cloud\n\n{clouds_table(shown)}")
    if secrets := list(_secrets(shown)):
        text = "An ExternalSecret reads each; until it is there, the part that needs it waits."
        parts.append(f"\n## What must be in the secret store\n\n{text}\n\n{table(('Composition', 'path', 'property'), secrets)}")
    if costs := list(_costs(shown)):
        parts.append(f"\n## What its price is made of\n\n{table(('Composition', 'part', 'kind', 'counted'), costs)}")
    parts.append(f"\n## Status\n\n{status_table(api)}")
    if api.connection_keys:
        keys = ", ".join(f"`{key}`" for key in api.connection_keys)
        parts.append(f"\n`spec.writeConnectionSecretToRef.name` names a Secret of the team's namespace that gets {keys}.\n")
    parts.append(_runbook(api))
    return "".join(parts)


def _title(api: Api[Any]) -> str:
    return api.claim_kind.removesuffix("Claim")


def _about(api: Api[Any]) -> str:
    """Return what the API's module says of it; an API of several modules has its word in their package."""
    name = api.spec_model.__module__
    package = name.rpartition(".")[0]
    module = sys.modules[package if package.count(".") else name]
    return inspect.cleandoc(module.__doc__ or "").partition("\n\n``")[0].replace("``", "`")


def _summary(api: Api[Any]) -> str:
    return _about(api).partition("\n\n")[0].replace("\n", " ")


def _example(example: Example) -> str:
    body: Any = example.claim.body
    metadata = {key: value for key, value in body["metadata"].items() if key in ("name", "namespace")}
    return f"\n```yaml\n{to_yaml([{**body, 'metadata': metadata}])}```\n"


def _becomes(example: Example) -> str:
    labels: Any = follow(example.composition.body, ("metadata", "labels"))
    chosen = ", ".join(f"`{key}: {value}`" for key, value in labels.items())
    claim: Any = example.claim.body
    head = f"{claim['kind']} {claim['metadata']['name']}"
    return f"\n### {example.name}\n\nChosen by {chosen}.\n\n```text\n{head}\n" + "\n".join(_branches(example)) + "\n```\n"


def _branches(example: Example) -> Iterator[str]:
    """Draw the tree: a resource is the last of its level when no later one comes before the level ends."""
    open_levels: list[bool] = []
    for index, (depth, resource) in enumerate(example.made):
        later = [other for other, _ in example.made[index + 1 :]]
        until = next((number for number, other in enumerate(later) if other < depth), len(later))
        last = depth not in later[:until]
        open_levels[depth:] = [not last]
        yield "".join("│   " if level else "    " for level in open_levels[:depth]) + ("└── " if last else "├── ") + _line(resource)


def _picture(shown: Sequence[Example]) -> str:
    """Return a Mermaid flowchart: the claim, the Compositions that it may choose, and what each makes, by area."""
    claim: Any = shown[0].claim.body
    lines = ["flowchart LR", f'  claim(["{claim["kind"]}"])']
    for number, example in enumerate(shown):
        lines.append(f'  claim --> c{number}["{example.name}"]')
        areas: dict[str, Counter[str]] = defaultdict(Counter)
        for resource in example.resources:
            if resource.role is not Role.WRAPPED:
                areas[_area(resource)][_kind(resource)] += 1
        for place, (area, kinds) in enumerate(sorted(areas.items())):
            lines.append(f'  c{number} --> c{number}a{place}["<b>{area}</b><br/>{"<br/>".join(_each(kinds))}"]')
    return "\n```mermaid\n" + "\n".join(lines) + "\n```\n"


def _line(resource: Resource) -> str:
    group = str(resource.body["apiVersion"]).partition("/")[0]
    template = f"{resource.template}: " if resource.template else ""
    return f"{template}{resource.body['kind']}" + (f" ({group})" if "." in group else "")


AREAS = {
    "network": ("ec2.aws.", "compute.gcp.", "network.azure.", "servicenetworking.gcp."),
    "cluster and nodes": ("eks.aws.", "container.gcp.", "containerservice.azure."),
    "accounts and roles": ("iam.aws.", "cloudplatform.gcp.", "managedidentity.azure."),
    "storage": ("s3.aws.", "storage.gcp.", "storage.azure."),
    "databases and caches": ("sql.gcp.", "elasticache.aws.", "cache.azure.", "dbforpostgresql.azure."),
    "Helm releases": ("helm.crossplane.io",),
    "objects on the platform's cluster": ("kubernetes.crossplane.io",),
    "options": ("platform.acme.com",),
}
"""What resources are for, by the beginning of their API group."""


def clouds_table(shown: Sequence[Example]) -> str:
    """Return what claims of one API become on each cloud, as a Markdown table: an area a line, a Composition a column."""
    cells: dict[str, list[Counter[str]]] = defaultdict(lambda: [Counter() for _ in shown])
    for column, example in enumerate(shown):
        for resource in example.resources:
            if resource.role is not Role.WRAPPED:
                cells[_area(resource)][column][_kind(resource)] += 1
    order = [*AREAS, *(area for area in cells if area not in AREAS)]
    rows = [(area, *(_counted(counter) for counter in cells[area])) for area in order if area in cells]
    return table(("", *(example.provider for example in shown)), rows)


def _area(resource: Resource) -> str:
    group = str(resource.body["apiVersion"])
    return next((area for area, starts in AREAS.items() if group.startswith(starts)), "other")


def _kind(resource: Resource) -> str:
    """Return the kind; of an Object, that of what it wraps."""
    inside = follow(resource.body, ("spec", "forProvider", "manifest", "kind"))
    return str(resource.body["kind"] if inside is MISSING else inside)


def _counted(kinds: Counter[str]) -> str:
    return ", ".join(_each(kinds))


def _each(kinds: Counter[str]) -> list[str]:
    return [f"{count} {kind}" if count > 1 else kind for kind, count in kinds.items()]


def _secrets(shown: Iterable[Example]) -> Iterator[tuple[str, str, str]]:
    for example in shown:
        for resource in example.resources:
            if resource.body["kind"] != "ExternalSecret":
                continue
            claim: Any = example.claim.body
            for entry in resource.body["spec"]["data"]:
                key, found = entry["remoteRef"]["key"], entry["remoteRef"]["property"]
                for name, stands in ((claim["metadata"]["namespace"], "NAMESPACE"), (claim["metadata"]["name"], "NAME")):
                    key = "/".join(stands if part == name else part for part in key.split("/"))
                yield f"`{example.name}`", f"`{key}`", f"`{found}`"


PRICED: dict[str, tuple[str, ...]] = {
    "NodePool": ("nodeConfig.machineType", "nodeConfig.guestAccelerator[0].type", "autoscaling", "nodeConfig.diskSizeGb"),
    "NodeGroup": ("instanceTypes[0]", "scalingConfig", "diskSize"),
    "KubernetesCluster": ("skuTier", "defaultNodePool.vmSize", "defaultNodePool.minCount", "defaultNodePool.maxCount"),
    "KubernetesClusterNodePool": ("vmSize", "minCount", "maxCount", "osDiskSizeGb"),
    "Cluster": ("location", "region"),
    "NATGateway": (),
    "DatabaseInstance": ("settings.tier", "settings.availabilityType", "settings.diskSize", "settings.diskType"),
    "ReplicationGroup": ("nodeType", "numCacheClusters"),
    "Bucket": ("storageClass", "lifecycleRule"),
    "Account": ("accountTier", "accountReplicationType"),
    "Release": ("values.replicas", "values.storage.size", "values.resources.requests"),
    "Deployment": ("replicas", "template.spec.nodeSelector", "template.spec.containers[0].resources.requests"),
}
"""The fields, below spec.forProvider or spec, that a price depends on."""


def _costs(shown: Iterable[Example]) -> Iterator[tuple[str, str, str, str]]:
    for example in shown:
        for resource in example.resources:
            kind = str(resource.body["kind"])
            if kind not in PRICED:
                continue
            settings = resource.body["spec"].get("forProvider", resource.body["spec"])
            values = [f"{path.rpartition('.')[2].partition('[')[0]} {_plain(found)}" for path, found in _found(settings, PRICED[kind])]
            part = resource.template or (resource.parent.template if resource.parent else "")
            yield f"`{example.name}`", part, kind, "; ".join(values) or "1"


def _found(settings: Any, paths: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for path in paths:
        value = follow(settings, parse(path))
        if value is not MISSING:
            yield path, value


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return f"{len(value)} rules"
    return f"`{value}`"


def _name(body: Any) -> str:
    return str(body["metadata"]["name"])


def _runbook(api: Api[Any]) -> str:
    plural = api.claim_names["plural"]
    steps = (
        f"1. `kubectl get {plural} -n NAMESPACE NAME -o jsonpath='{{.status.parts}}'` says in plain words how far each part is.\n"
        f"2. `kubectl describe {plural} -n NAMESPACE NAME`: a condition *Synced* that is False names what cannot be rendered or applied.\n"
        "3. `kubectl get managed,composite -l crossplane.io/claim-name=NAME,crossplane.io/claim-namespace=NAMESPACE` lists what it is\n"
        "   made of; `kubectl describe` of what is not READY has the cloud's own words.\n"
    )
    return f"\n## When it is not ready\n\n{steps}\n{table(('what one sees', 'what to do'), api.runbook.items())}"
