"""The same platform for Crossplane 2: composite resources in the team's namespace instead of claims, and namespaced managed resources.

One switch, read by ``Platform``; nothing of an API, a block or a claim is written twice. What an object becomes:

- XRD: version v2, scope Namespaced; what teams write has the claim's kind without "Claim", and there are no claims.
- Composition: what it reads of the claim it reads of the composite resource, whose name and namespace they are; managed resources are
  those of the groups with ``.m.``, and stand in the composite resource's namespace with their secrets.
- claim: a composite resource; Crossplane's own fields are below ``spec.crossplane``.
- ProviderConfig: ClusterProviderConfig, for every namespace uses it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SWITCH = "CROSSPLANE_APIS"
"""Environment variable: ``v2`` for namespaced composite resources; anything else for claims."""

NAMESPACE = "crossplane-system"
"""Where managed resources stand that no team asked for."""

Body = dict[str, Any]

_CLAIM_NAMESPACE = "metadata.labels[crossplane.io/claim-namespace]"
_CLAIM_NAME = "metadata.labels[crossplane.io/claim-name]"
_ROOT = "metadata.labels[crossplane.io/composite]"
"""Crossplane writes the name of the outermost composite resource there, on that one too: nested ones have names of their own."""

_DROPPED = re.compile(r"spec\.(?!forProvider\.(manifest|values)\b)(.*\.)?(\w*SecretRef|secretKeyRef|writeConnectionSecretToRef)\.namespace")
"""Patches to the namespace of a secret: it is the resource's own. What a wrapped manifest or a chart says is not meant."""
_VERSIONS = {"kubernetes.crossplane.io": "v1alpha1"}
_KINDS = {"ProviderConfig": "ClusterProviderConfig"}


def wanted() -> bool:
    """Say whether this run is for namespaced composite resources."""
    return os.environ.get(SWITCH) == "v2"


@dataclass(frozen=True)
class _Kind:
    """A composite kind in its own words, in the claim's, and in those of version 2."""

    group: str
    composite: str
    claim: str
    kind: str
    claim_plural: str
    plural: str


class Namespaced:
    """Turns the objects of a platform; ``bodies`` are all of them, for the names of the APIs are in the XRDs."""

    def __init__(self, bodies: Iterable[Body]) -> None:
        self.kinds = [_kind(body["spec"]) for body in bodies if body["kind"] == "CompositeResourceDefinition"]

    def turn(self, body: Body) -> Body:
        """Return the object as Crossplane 2 has it; what has no part in the difference stays as it is."""
        kind, group = body["kind"], _group(body["apiVersion"])
        if kind == "CompositeResourceDefinition":
            return self._definition(body)
        if kind == "Composition":
            return self._composition(body)
        found = next((each for each in self.kinds if each.group == group and each.claim == kind), None)
        if found:
            return {**body, "kind": found.kind, "spec": _machinery(body["spec"])}
        if modern_group(group) != group:
            turned = self._base(body)
            metadata = body["metadata"] if kind == "ProviderConfig" else {**body["metadata"], "namespace": NAMESPACE}
            return {**turned, "metadata": metadata}
        around: Body = self._words(body)
        return around

    def _definition(self, body: Body) -> Body:
        spec = body["spec"]
        kind = _kind(spec)
        names = {**spec.get("claimNames", spec["names"]), "kind": kind.kind, "plural": kind.plural}
        rest = {key: value for key, value in spec.items() if key not in ("group", "names", "claimNames", "connectionSecretKeys")}
        metadata = {**body["metadata"], "name": f"{kind.plural}.{kind.group}"}
        turned = {"group": spec["group"], "scope": "Namespaced", "names": names, **rest}
        return {**body, "apiVersion": "apiextensions.crossplane.io/v2", "metadata": metadata, "spec": turned}

    def _composition(self, body: Body) -> Body:
        spec = {key: value for key, value in body["spec"].items() if key != "writeConnectionSecretsToNamespace"}
        reference = spec["compositeTypeRef"]
        spec["compositeTypeRef"] = {**reference, "kind": self._composite(_group(reference["apiVersion"]), reference["kind"])}
        spec["pipeline"] = [self._step(step) for step in spec["pipeline"]]
        return {**body, "spec": spec}

    def _step(self, step: Body) -> Body:
        given = step.get("input", {})
        if given.get("kind") != "Resources":
            return step
        environment = given.get("environment", {})
        turned = {**given, "resources": with_own_secrets([self._template(template) for template in given["resources"]])}
        if environment:
            turned["environment"] = {**environment, "patches": [_patch(patch) for patch in environment["patches"]]}
        if any(template.get("connectionDetails") for template in given["resources"]):
            # version 2 has no connection details of its own: the function writes them into a secret of the claim's namespace
            name = {"type": "FromCompositeFieldPath", "fromFieldPath": "metadata.name", "toFieldPath": "name"}
            suffix = {"type": "string", "string": {"type": "Format", "fmt": "%s-connection"}}
            turned["writeConnectionSecretToRef"] = {"patches": [{**name, "transforms": [suffix]}]}
        return {**step, "input": turned}

    def _template(self, template: Body) -> Body:
        patches = [_patch(patch) for patch in template.get("patches", ()) if not _DROPPED.fullmatch(patch.get("toFieldPath", ""))]
        return {**template, "base": self._base(template["base"]), **({"patches": patches} if patches else {})}

    def _base(self, base: Body) -> Body:
        """Turn a composed resource: a managed one, or a composite one of the platform."""
        group, version = _group(base["apiVersion"]), base["apiVersion"].rpartition("/")[2]
        spec = base.get("spec", {})
        if any(each.group == group for each in self.kinds):
            return {**base, "kind": self._composite(group, base["kind"]), "spec": _machinery(spec)}
        modern = modern_group(group)
        if modern == group:
            return base
        if base["kind"] != "ProviderConfig":
            version = _VERSIONS.get(group, "v1beta1")
            spec = {key: _local(key, value) for key, value in spec.items() if key != "deletionPolicy"}
            if "providerConfigRef" in spec:
                spec["providerConfigRef"] = {"kind": "ClusterProviderConfig", **spec["providerConfigRef"]}
        return {**base, "apiVersion": f"{modern}/{version}", "kind": _KINDS.get(base["kind"], base["kind"]), "spec": spec}

    def _composite(self, group: str, kind: str) -> str:
        return next((each.kind for each in self.kinds if each.group == group and each.composite == kind), kind)

    def _words(self, value: Any) -> Any:
        """Put the new names of kinds where Argo CD, roles and quotas name them."""
        if isinstance(value, dict):
            if "group" in value and "kind" in value:
                value = self._named(value)
            if "apiGroups" in value and "resources" in value:
                value = {**value, "resources": [self._plural(value["apiGroups"], name) for name in value["resources"]]}
            return {self._text(key): self._words(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._words(inner) for inner in value]
        return self._text(value) if isinstance(value, str) else value

    def _named(self, value: Body) -> Body:
        found = next((each for each in self.kinds if each.group == value["group"] and each.claim == value["kind"]), None)
        if not found:
            return value
        turned = {**value, "kind": found.kind}
        if "jsonPointers" in value:
            turned["jsonPointers"] = ["/spec/crossplane", "/status"]
        return turned

    def _plural(self, groups: list[str], name: str) -> str:
        return next((each.plural for each in self.kinds if each.group in groups and each.claim_plural == name), name)

    def _text(self, text: str) -> str:
        for each in self.kinds:
            if each.claim:
                text = text.replace(f"{each.group}/{each.claim}:", f"{each.group}/{each.kind}:")
                text = text.replace(f"count/{each.claim_plural}.{each.group}", f"count/{each.plural}.{each.group}")
        return text


def modern_group(group: str) -> str:
    """Return the group of a managed kind's namespaced twin (``s3.aws.upbound.io`` → ``s3.aws.m.upbound.io``); others as they are."""
    if group in ("helm.crossplane.io", "kubernetes.crossplane.io"):
        return group.replace(".", ".m.", 1)
    return group.replace(".upbound.io", ".m.upbound.io") if group.endswith(".upbound.io") and ".m." not in group else group


def with_own_secrets(templates: list[Body]) -> list[Body]:
    """Bring secrets that an ExternalSecret makes in another namespace to the resources that refer to them.

    A namespaced resource reads the secrets of its own namespace only. So each ExternalSecret that one refers to is made there once more,
    from the same entry of the store; its name is made of the composite resource's, for all claims of a team share the namespace.
    """
    makers = {
        template["base"]["spec"]["forProvider"]["manifest"]["spec"]["target"]["name"]: template
        for template in templates
        if _secret(template)
    }
    out, needed = [], {}
    for template in templates:
        patches = []
        for path, name in _references(template["base"].get("spec", {}), "spec"):
            if name in makers:
                needed[name] = makers[name]
                patches.append(_local_name(name, f"{path}.name"))
        out.append({**template, "patches": [*template.get("patches", ()), *patches]} if patches else template)
    return [*out, *(_once_more(name, template) for name, template in needed.items())]


def _secret(template: Body) -> bool:
    manifest = template["base"].get("spec", {}).get("forProvider", {}).get("manifest", {})
    return bool(manifest.get("kind") == "ExternalSecret" and manifest["spec"].get("target", {}).get("name"))


def _references(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Return path and name of each reference to a secret of a fixed name."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if key in ("manifest", "values"):
            continue
        at = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}"
        if str(key).endswith(("SecretRef", "secretKeyRef")) and isinstance(inner, dict) and "name" in inner:
            yield at, inner["name"]
        yield from _references(inner, at)


def _once_more(name: str, template: Body) -> Body:
    at = "spec.forProvider.manifest"
    own = (f"{at}.metadata.name", f"{at}.metadata.namespace", f"{at}.spec.target.name", "metadata.name")
    published = re.compile(r"spec\.(connectionDetails|writeConnectionSecretToRef)\b.*")
    patches = [
        patch
        for patch in template["patches"]
        if patch["toFieldPath"] not in own and not published.fullmatch(patch["toFieldPath"]) and patch["type"] != "ToCompositeFieldPath"
    ]
    spec = {key: value for key, value in template["base"]["spec"].items() if not published.fullmatch(f"spec.{key}")}
    namespace = {"type": "FromCompositeFieldPath", "fromFieldPath": "metadata.namespace", "toFieldPath": own[1]}
    named = [_local_name(name, path) for path in (own[0], own[2], own[3])]
    rest = {key: value for key, value in template.items() if key != "connectionDetails"}
    base = {**template["base"], "spec": spec}
    return {**rest, "name": f"{template['name']}-local", "base": base, "patches": [*patches, namespace, *named]}


def _local_name(name: str, to: str) -> Body:
    suffix = {"type": "string", "string": {"type": "Format", "fmt": f"%s-{name}"}}
    return {"type": "FromCompositeFieldPath", "fromFieldPath": "metadata.name", "toFieldPath": to, "transforms": [suffix]}


def _kind(spec: Body) -> _Kind:
    names, claim = spec["names"], spec.get("claimNames", {})
    kind = claim["kind"].removesuffix("Claim") if claim else names["kind"]
    plural = names["plural"] if kind == names["kind"] else claim["plural"]
    return _Kind(spec["group"], names["kind"], claim.get("kind", ""), kind, claim.get("plural", ""), plural)


def _machinery(spec: Mapping[str, Any]) -> Body:
    """Move Crossplane's own fields of a claim or composite resource to where version 2 has them."""
    own = {key: value for key, value in spec.items() if key.startswith("composition")}
    rest = {key: value for key, value in spec.items() if key not in own and key != "writeConnectionSecretToRef"}
    return {**rest, **({"crossplane": own} if own else {})}


def _local(key: str, value: Any) -> Any:
    """Drop the namespaces of references to secrets, but not in a wrapped manifest or the values of a chart."""
    if key in ("manifest", "values"):
        return value
    if isinstance(value, list):
        return [_local("", inner) for inner in value]
    if not isinstance(value, dict):
        return value
    secret = key.endswith(("SecretRef", "secretKeyRef")) or key == "writeConnectionSecretToRef"
    return {name: _local(name, inner) for name, inner in value.items() if not (secret and name == "namespace")}


def _patch(patch: Body) -> Body:
    turned = dict(patch)
    for field in ("fromFieldPath", "toFieldPath"):
        if field in turned:
            turned[field] = _path(turned[field])
    if "combine" in turned:
        variables = [{**each, "fromFieldPath": _path(each["fromFieldPath"])} for each in turned["combine"]["variables"]]
        turned["combine"] = {**turned["combine"], "variables": variables}
    return turned


def _path(path: str) -> str:
    if path.startswith("spec.composition"):
        return path.replace("spec.", "spec.crossplane.", 1)
    return {_CLAIM_NAMESPACE: "metadata.namespace", _CLAIM_NAME: _ROOT}.get(path, path)


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
