from __future__ import annotations

from typing import Any

import pytest

from crossgate.render import conditions, metadata
from crossgate.render.faults import Fault
from crossgate.render.literal import Copies

OWNER = {"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u-1", "controller": True, "blockOwnerDeletion": True}
LABELS = {"crossplane.io/composite": "fraud"}


def adopted(**given: Any) -> dict[str, Any]:
    body: dict[str, Any] = {"metadata": given}
    metadata.adopt(body, "r", LABELS, "", OWNER)
    found: dict[str, Any] = body["metadata"]
    return found


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("fraud-", "fraud-c676940edefe"),
        ("fraud", "fraud-c676940edefe"),
        ("", "c676940edefe"),
        ("x" * 60 + "-", "x" * 50 + "-c676940edefe"),
        ("x" * 50 + "-yyyy-", "x" * 50 + "-c676940edefe"),
    ],
)
def test_names_are_cut_to_63_with_one_hyphen(prefix: str, name: str) -> None:
    assert metadata.child_name(prefix, "uid", "r") == name


def test_a_label_that_is_no_string_loses_them_all() -> None:
    """Kubernetes' accessor gives up on the whole map; null counts as the empty string."""
    assert adopted(labels={"a": "b"})["labels"] == {"a": "b", **LABELS}
    assert adopted(labels={"a": 1, "b": "c"})["labels"] == LABELS
    assert adopted(labels={"a": None})["labels"] == {"a": "", **LABELS}
    assert adopted(annotations=["x"])["annotations"] == {metadata.TEMPLATE_ANNOTATION: "r"}


def test_owners_are_added_replaced_or_refused() -> None:
    other = {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u-9"}
    assert adopted(ownerReferences=[other])["ownerReferences"] == [other, OWNER]
    assert adopted(ownerReferences=[{"uid": "u-1", "name": "old"}, other])["ownerReferences"] == [OWNER, other]
    assert adopted(ownerReferences=[other, "x"])["ownerReferences"] == [OWNER]
    with pytest.raises(Fault, match="already controlled by K n"):
        adopted(ownerReferences=[{**other, "controller": True}])


def test_metadata_that_is_no_object_is_left_alone() -> None:
    """The setters of Kubernetes fail silently; the missing name is what is refused then."""
    body: dict[str, Any] = {"metadata": "text"}
    metadata.adopt(body, "r", LABELS, "ns", OWNER)
    assert body == {"metadata": "text"}
    with pytest.raises(Fault, match='invalid name ""'):
        metadata.check_name(body, "r")


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("g/v1", ("g", "v1", "K")),
        ("v1", ("", "v1", "K")),
        ("", ("", "", "K")),
        (3, ("", "", "K")),
        ("a/b/c", ("", "", "")),
    ],
)
def test_an_api_version_of_three_parts_hides_the_kind_too(given: Any, found: tuple[str, str, str]) -> None:
    assert metadata.identity({"apiVersion": given, "kind": "K"}) == found


def test_the_uid_is_made_of_the_identity() -> None:
    xr = {"apiVersion": "platform.example.org/v1alpha1", "kind": "XModel", "metadata": {"name": "fraud-x7k2p"}}
    assert metadata.uid(xr) == "6dba92aa-1d8a-535b-afc1-9d6c0b5940e0"
    assert metadata.uid({**xr, "metadata": {"name": "x", "uid": "own"}}) == "own"


def test_conditions_that_cannot_be_read_are_none_at_all() -> None:
    def status(*given: Any) -> str:
        return conditions.status_of({"status": {"conditions": list(given)}}, "Ready")

    assert status({"type": "Ready", "status": "True"}) == "True"
    assert status() == "Unknown"
    assert status({"type": "Ready", "status": "True", "lastTransitionTime": "yesterday"}) == ""
    assert status({"type": "Ready", "status": "True", "lastTransitionTime": "2023-02-29T00:00:00Z"}) == ""
    assert status({"type": "Ready", "status": "True", "observedGeneration": 1.5}) == ""
    assert status({"type": "Ready", "status": True}) == ""
    assert conditions.status_of({"status": "text"}, "Ready") == ""
    assert conditions.status_of({}, "Ready") == ""
    assert conditions.status_of({"status": None}, "Ready") == "Unknown"


def test_a_condition_that_says_the_same_keeps_its_time() -> None:
    old = {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "2020-01-01T00:00:00Z"}
    found = [dict(old)]
    conditions.put(found, conditions.make("Ready", "True", "Available"))
    assert found == [old]
    conditions.put(found, conditions.make("Ready", "False", "Creating"))
    assert found[0]["lastTransitionTime"] == conditions.NOW


def test_copies_share_nothing_however_often_they_are_made() -> None:
    """The first ones are walked, the later ones come from a compiled literal."""
    copies = Copies({"a": [{"b": "c", "n": None, "f": 2.5, "t": True}], "e": {}})
    for _ in range(6):
        made = copies()
        assert made == {"a": [{"b": "c", "n": None, "f": 2.5, "t": True}], "e": {}}
        assert made["a"][0]["t"] is True
        made["a"][0].clear()
        made["e"]["x"] = 1


def test_what_is_too_deep_for_a_literal_is_still_copied() -> None:
    value: Any = "x"
    for _ in range(300):
        value = [value]
    copies = Copies(value)
    assert all(copies() == value for _ in range(6))
