"""Where a rule's first look, or what it knows to be good, spares the question, the rule has nothing to say.

The objects are made of what the looks of the pack tell apart: values that differ by a character from good ones, in fields that
differ by a letter from those that count, in lists, texts and JSON within texts.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgate.model import Document, Resource, Role
from crossgate.policy import Policies
from crossgate.policy.asked import Asked, json_text
from crossgate.policy.rules import Scope

DIGEST = "sha256:" + "0a" * 32
VALUES: list[Any] = [
    *(
        "",
        "nginx",
        "nginx:1",
        "nginx:latest",
        "a:5000/b",
        "x:",
        "x@",
        'a"b:latest',
        "a\\b:1",
        "a\nb:1",
        f"x@{DIGEST}",
        f"x:1@{DIGEST[:-1]}",
    ),
    *("registry.acme.com/x:v1", "registry.acme.com/x", "registry.acme.com/../x:1", f"registry.acme.com/x@{DIGEST.upper()}"),
    *("registry.k8s.io/a:main-1", "registry.k8s.io/a:main.x", "registry.k8s.io/a:v1-main", "docker.io/library/nginx:dev", "ghcr.io/a/b:1"),
    *(
        "10.0.0.0/8",
        "10.0.0.0/7",
        "0.0.0.0/0",
        "0.0.0.0/00",
        "128.0.0.0/1",
        "0.0.0.0/1",
        "10.0.0.0/33",
        "10.0.0/8",
        "300.0.0.0/8",
        "10.0.0.0/24 ",
    ),
    *("10.0.0.0/8,10.1.0.0/16", "::/0", "2000::/3", "::ffff:0.0.0.0/96", "fd00::/8", "/24", "*", "any", "{{x}}"),
    *("t4", "T4", "h100", " t4", " h100", "t4 ", "nvidia-tesla-t4", "NVIDIA-TESLA-A100", "nvidia-h100", "nvidia tesla t4", "amd-mi300"),
    *("zones/x/t4", "zones/x/h100", "g4dn.xlarge", "G4DN.XLARGE", "p5.48xlarge", "p4d.24xlarge", "g5.xlarge", "p5", "g4dn"),
    *("a2-highgpu-1g", "a3-highgpu-8g", "standard_nc6s_v3", "Standard_NC6s_v3", "standard_nd96isr_h100_v5", "x\ngpuType: h100\n"),
    *('{"gpuType":"t4"}', '{"gpuType":"h100"}', "gpuType=h100", '["10.0.0.0/8","x"]', 'a "t4" b "h100"', "true"),
    *("Prune=confirm,Delete=false", "Delete=confirm,x, Prune=false", "Delete=false,y,Prune=confirm,z", "Prune=confirm", "1.2.3", "v1.2"),
    *(1, 2, 0, 1.5, 0.5, 1e30, True, False, None),
]
KEYS = [
    *("image", "package", "gpuType", "gpu_type", "gpu.product", "nvidia.com/gpu.product", "nvidia.com/gpu", "nvidia.com/h100", "xgpuType"),
    *("requests.nvidia.com/gpu", "cloud.google.com/gke-accelerator", "accelerator_type", "type", "limits", "requests", "hard"),
    *("guestAccelerator", "accelerators", "instanceFamily", "instanceType", "machineType", "cidr", "cidrs", "cidrBlocks", "cidrIp"),
    *("sourceRanges", "source_ranges", "sourceAddressPrefix", "replicas", "hostNetwork", "hostPath", "privileged", "add", "hostPort"),
    *("procMount", "annotations", "argocd.argoproj.io/sync-wave", "x", "password", "credentials"),
    *("argocd.argoproj.io/sync-options", "owner", "cost-center", "chart", "version", "source"),
    *("destinationCidrBlock", "destinationIpv6CidrBlock", 'x"destinationCidrBlock'),
]
BETWEEN = (" ", ",", "/", '"', ":")
KINDS = [
    *("Pod", "Deployment", "ModelService", "Provider", "NodePool", "GPUClusterClaim", "Namespace", "Secret", "KongConsumer"),
    *("Release", "X"),
]


@pytest.fixture(scope="module")
def policies() -> Policies:
    return Policies.load([Path(__file__).parents[2] / "policies"])


def value(chance: random.Random, depth: int = 0) -> Any:
    form = chance.random()
    if depth < 3 and form < 0.25:
        return [value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    if depth < 3 and form < 0.5:
        return {chance.choice(KEYS): value(chance, depth + 1) for _ in range(chance.randint(0, 3))}
    one, other = chance.choice(VALUES), chance.choice(VALUES)
    if form < 0.55:
        return [{"type": one, "count": 1}]
    if form < 0.58:
        return {"key": chance.choice(KEYS), "operator": chance.choice(["In", "NotIn"]), "values": [one]}
    if form < 0.61:
        return json.dumps({chance.choice(KEYS): one})
    if form < 0.64:
        return f'{chance.choice(KEYS)}: {one}\n{chance.choice(KEYS)}: "{other}"'
    if form < 0.67:
        return f"{one}{chance.choice(BETWEEN)}{other}"
    return one


def body(chance: random.Random) -> dict[str, Any]:
    fields = {chance.choice(KEYS): value(chance) for _ in range(3)}
    kind = chance.choice(KINDS)
    containers = [{"name": "a", **{chance.choice(KEYS): value(chance) for _ in range(2)}}]
    pod = {"containers": containers, chance.choice(KEYS): value(chance)}
    spec: dict[str, Any] = {"Pod": pod, "Deployment": {"template": {"spec": pod}, "replicas": chance.choice(VALUES)}}.get(kind, {})
    return {
        "apiVersion": "pkg.crossplane.io/v1",
        "kind": kind,
        "metadata": {"name": "a", "annotations": fields, "labels": {name: value(chance, 2) for name in ("cost-center", "owner", "a")}},
        chance.choice(['x"credentials', "credentials"]): value(chance),
        "spec": {**spec, **fields},
    }


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_what_a_look_spares_has_nothing_said_about_it(policies, seed):
    made = body(random.Random(seed))
    text = json_text(made)
    asked = Asked(policies.rules).about(made, text)
    spared = tuple(index for index, rule in enumerate(policies.rules) if rule.scope is Scope.DOCUMENT and index not in asked)
    assert policies.engine.evaluate(text, spared).values == ()


def test_more_networks_than_could_be_counted_are_asked_about_though_each_is_good(policies):
    """All networks of the first byte are the whole Internet together."""
    blocks = [f"{number}.0.0.0/8" for number in range(256)]
    made = {"kind": "SecurityGroupRule", "spec": {"forProvider": {"cidrBlocks": blocks}}}
    judgement = policies.judge([Resource(made, Role.DOCUMENT, Document(made, "rule.yaml", 1))])
    assert [finding.rule for finding in judgement.findings] == ["network/open-cidr"]


_SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text() | st.just("\ud800") | st.just("a null")
_KEYS = st.text() | st.integers(0, 9) | st.booleans()
_BODIES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4), max_leaves=12)


@given(_BODIES)
def test_a_body_is_written_as_python_writes_it_or_refused_as_python_refuses_it(body: Any) -> None:
    """The fast writer makes null of what is no number; a rule would then judge another document than the cluster reads."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    try:
        wanted = plain.encode(body)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            json_text(body)
    else:
        assert json.loads(json_text(body)) == json.loads(wanted)
