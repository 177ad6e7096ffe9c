"""What leads a rule over related objects from one author's object to another's, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.model import Document, Place, Resource, Role
from crossgate.policy.gathering import linked, ties_of


def made(kind: str, name: str, external: str) -> Resource:
    body: dict[str, Any] = {
        "kind": kind,
        "metadata": {"name": name, "annotations": {"crossplane.io/external-name": external}},
        "spec": {"forProvider": {"labels": {"pool": external}}},
    }
    return Resource(body, Role.COMPOSED, Document({}, "a.yaml", 1, lambda _: Place("a.yaml", 1)))


@pytest.mark.parametrize(("kind", "together"), [("Bucket", True), ("NodeGroup", False), ("NodePool", False)])
def test_objects_of_one_name_in_the_cloud_hang_together_but_for_pools(kind: str, together: bool) -> None:
    """Ten thousand clusters have a pool called ``gpu`` each: as one group, a change of one would be a change of all."""
    units = {unit: ties_of([made(kind, f"{unit}-x7k2p", "gpu")], [0]) for unit in ("one", "two")}
    groups = linked({unit: (ties.offers, ties.follows) for unit, ties in units.items()})
    assert groups == ([["one", "two"]] if together else [])
