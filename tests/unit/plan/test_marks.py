"""Dangerous changes are marked, harmless ones are not: a list of alarms that cries wolf is not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Identity
from crossgate.paths import MISSING
from crossgate.plan.fields import Look, changed_fields
from crossgate.plan.immutable import BUILTIN, FORCED, provider_group
from crossgate.plan.marks import quantity
from crossgate.plan.model import Danger
from crossgate.schema import Schemas


def marks(kind: str, before: Any, after: Any, schemas: Schemas | None = None) -> list[str]:
    api_version, _, name = kind.rpartition("/")
    found = changed_fields(Identity(api_version, name, "", "x"), before, after, Look(schemas or Schemas.load(()), ("**",)))
    return [str(mark.danger) for change in found.changes for mark in change.marks]


def spec(**fields: Any) -> dict[str, Any]:
    return {"spec": {"forProvider": fields}}


BUCKET = "storage.gcp.upbound.io/v1beta2/Bucket"
SQL = "sql.gcp.m.upbound.io/v1beta1/DatabaseInstance"
NODES = "container.gcp.upbound.io/v1beta1/NodePool"
CLAIM = "v1/PersistentVolumeClaim"


def disk(size: int, **more: Any) -> dict[str, Any]:
    return spec(settings=[{"diskSize": size, **more}])


def volume(size: str) -> dict[str, Any]:
    return {"spec": {"resources": {"requests": {"storage": size}}}}


def named(name: str) -> dict[str, Any]:
    return {"metadata": {"annotations": {"crossplane.io/external-name": name}}}


@pytest.mark.parametrize(
    ("kind", "before", "after", "expected"),
    [
        (BUCKET, spec(location="EU"), spec(location="US"), [Danger.REPLACES]),
        (BUCKET, spec(storageClass="STANDARD"), spec(storageClass="NEARLINE"), []),
        (BUCKET, spec(forceDestroy=False), spec(forceDestroy=True), [Danger.LESS_PROTECTION]),
        (BUCKET, spec(versioning=[{"enabled": True}]), spec(versioning=[{"enabled": False}]), [Danger.LESS_PROTECTION]),
        (SQL, spec(databaseVersion="POSTGRES_14"), spec(databaseVersion="POSTGRES_15"), [Danger.VERSION]),
        (SQL, spec(deletionProtection=True), spec(), [Danger.LESS_PROTECTION]),
        (SQL, disk(100, tier="a"), disk(50, tier="b"), [Danger.STORAGE_SHRINKS, Danger.MACHINE_TYPE]),
        (SQL, disk(50), disk(100), []),
        (SQL, {"spec": {"deletionPolicy": "Orphan"}}, {"spec": {"deletionPolicy": "Delete"}}, [Danger.LESS_PROTECTION]),
        (NODES, spec(nodeConfig=[{"machineType": "a"}]), spec(nodeConfig=[{"machineType": "b"}]), [Danger.MACHINE_TYPE]),
        (NODES, spec(nodeConfig={"spot": True}), spec(nodeConfig={"spot": False}), [Danger.REPLACES]),
        (NODES, spec(nodeConfig=[{"spot": True}]), spec(nodeConfig=[{"spot": False}]), [Danger.REPLACES]),
        (CLAIM, volume("1Ti"), volume("500Gi"), [Danger.STORAGE_SHRINKS]),
        (CLAIM, {"spec": {"storageClassName": "a"}}, {"spec": {"storageClassName": "b"}}, [Danger.REPLACES]),
        ("v1/Service", {"spec": {"type": "ClusterIP"}}, {"spec": {"type": "LoadBalancer"}}, [Danger.WIDER_NETWORK]),
        (BUCKET, named("a"), named("b"), [Danger.REPLACES]),
    ],
)  # fmt: skip
def test_a_change(kind: str, before: Any, after: Any, expected: list[Danger]) -> None:
    assert sorted(marks(kind, before, after)) == sorted(map(str, expected))


def networks(*cidrs: str) -> dict[str, Any]:
    return spec(settings=[{"ipConfiguration": [{"authorizedNetworks": [{"name": cidr, "value": cidr} for cidr in cidrs]}]}])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (networks("10.0.0.0/8"), networks("10.0.0.0/8", "0.0.0.0/0"), 1),
        (networks("10.0.0.0/8"), networks("10.1.0.0/16"), 0),
        (networks("10.1.0.0/16"), networks("10.0.0.0/8"), 1),
        (networks("0.0.0.0/0"), networks("10.0.0.0/8"), 0),
        (networks("10.0.0.0/8"), networks("::/0"), 1),
        (MISSING, networks("10.0.0.0/8"), 0),
        (MISSING, networks("0.0.0.0/0"), 1),
        (spec(ipCidrRange="10.0.0.0/20"), spec(ipCidrRange="10.0.0.0/16"), 0),
    ],
)  # fmt: skip
def test_a_network_is_wider_when_somebody_new_is_let_in(before: Any, after: Any, expected: int) -> None:
    assert marks(SQL, before, after).count(str(Danger.WIDER_NETWORK)) == expected


@pytest.mark.parametrize(
    ("kind", "before", "after", "expected"),
    [
        ("container.gcp.upbound.io/v1beta2/Cluster", spec(masterAuthorizedNetworksConfig={"cidrBlocks": [{"cidrBlock": "10.0.0.0/8"}]}),
         spec(masterAuthorizedNetworksConfig={"cidrBlocks": [{"cidrBlock": "0.0.0.0/0"}]}), 1),
        ("ec2.aws.upbound.io/v1beta1/NetworkACL", spec(ingress=[{"cidrBlock": "10.0.0.0/9"}]),
         spec(ingress=[{"cidrBlock": "10.0.0.0/8"}]), 1),
        ("ec2.aws.upbound.io/v1beta1/VPC", spec(cidrBlock="10.0.0.0/16"), spec(cidrBlock="10.0.0.0/8"), 0),
    ],
)  # fmt: skip
def test_a_block_of_addresses_lets_in_only_in_a_list_of_who_may_enter(kind: str, before: Any, after: Any, expected: int) -> None:
    """``cidrBlock`` is a network's own addresses in a VPC, and who may reach its masters in a cluster."""
    assert marks(kind, before, after).count(str(Danger.WIDER_NETWORK)) == expected


@pytest.mark.parametrize(("before", "expected"), [(MISSING, 0), (spec(privateClusterConfig={"enablePrivateEndpoint": True}), 1)])
def test_the_usual_endpoint_of_a_new_cluster_is_no_danger(before: Any, expected: int) -> None:
    """Marked on every new GKE cluster, whose list of networks lets nobody else in, it taught reviewers to look past the mark."""
    after = spec(privateClusterConfig={"enablePrivateEndpoint": False})
    assert marks("container.gcp.upbound.io/v1beta2/Cluster", before, after).count(str(Danger.WIDER_NETWORK)) == expected


def test_another_version_of_an_api_is_a_change_that_is_shown() -> None:
    """A resource that changes and no field of it was all that the plan said of a move from v1beta1 to v1beta2."""
    identity = Identity("storage.gcp.upbound.io/v1beta2", "Bucket", "", "x")
    before, after = ({"apiVersion": f"storage.gcp.upbound.io/{version}", **spec(location="EU")} for version in ("v1beta1", "v1beta2"))
    look = Look(Schemas.load(()), ())
    assert [(c.name, c.before, c.after) for c in changed_fields(identity, before, after, look).changes] == [
        ("apiVersion", "storage.gcp.upbound.io/v1beta1", "storage.gcp.upbound.io/v1beta2")
    ]
    assert "apiVersion" not in [change.name for change in changed_fields(identity, MISSING, after, look).changes], "the head says it"


def test_a_marked_field_is_shown_although_the_settings_leave_it_out() -> None:
    """[plan] ignore keeps noise away; it must not be a way to hide the loss of a bucket."""
    identity = Identity("storage.gcp.upbound.io/v1beta1", "Bucket", "", "x")
    before, after = spec(location="EU", labels={"v": "1"}), spec(location="US", labels={"v": "2"})
    found = changed_fields(identity, before, after, Look(Schemas.load(()), ("**",)))
    assert [change.name for change in found.changes] == ["spec.forProvider.location"]
    assert found.ignored == 1


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("self == oldSelf", ("spec", "name"), True),
        ("oldSelf == self", ("spec", "name"), True),
        ("self == oldSelf || oldSelf == ''", ("spec", "name"), False),
        ("self >= oldSelf", ("spec", "name"), False),
    ],
)
def test_a_cel_rule_of_the_field_makes_it_immutable(tmp_path: Path, rule: str, path: tuple[str, ...], expected: bool) -> None:
    (tmp_path / "crd.yaml").write_text(
        f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: things.example.org}}
spec:
  group: example.org
  scope: Namespaced
  names: {{kind: Thing, plural: things}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              name:
                type: string
                x-kubernetes-validations: [{{rule: "{rule}", message: it stays}}]
"""
    )
    schemas = Schemas.load([tmp_path / "crd.yaml"])
    found = marks("example.org/v1/Thing", {"spec": {"name": "a"}}, {"spec": {"name": "b"}}, schemas)
    assert (str(Danger.REPLACES) in found) is expected


@pytest.mark.parametrize(
    ("value", "expected"), [("1Gi", 2**30), ("1G", 10**9), (5, 5), ("500m", 0.5), ("1e3x", None), (True, None), ("100GB", 10**11)]
)
def test_sizes(value: Any, expected: Any) -> None:
    found = quantity(value)
    assert (float(found) if found is not None else None) == expected


def test_every_field_of_the_tables_stands_in_a_schema(root: Path) -> None:
    """A table of names that nothing has would look like protection and be none."""
    schemas = Schemas.load([root / "schemas"])
    known: dict[tuple[str, str], list[Any]] = {}
    for kind in schemas.kinds():
        known.setdefault((provider_group(kind.group), kind.kind), []).append(kind.schema)
    wrong = []
    for key, patterns in FORCED.items():
        places = [schema["properties"]["spec"]["properties"]["forProvider"] for schema in known[key]]
        wrong += [f"{key}: {pattern}" for pattern in patterns if not any(stands(place, pattern.split(".")) for place in places)]
    assert not wrong
    assert all(schemas.find(f"{group}/v1" if group else "v1", kind) for group, kind in BUILTIN)


def stands(schema: dict[str, Any], names: list[str]) -> bool:
    while "items" in schema:
        schema = schema["items"]
    return not names or names[0] == "**" or (names[0] in schema.get("properties", {}) and stands(schema["properties"][names[0]], names[1:]))
