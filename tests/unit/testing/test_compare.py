from __future__ import annotations

from typing import Any

import pytest

from crossgate.model import Document, Place
from crossgate.testing import compare

XR = {
    "apiVersion": "example.org/v1",
    "kind": "XThing",
    "metadata": {"name": "x"},
    "status": {"url": "u", "conditions": [{"type": "Ready"}]},
}


def bucket(template: str, name: str = "b", **spec: Any) -> dict[str, Any]:
    annotations = {"crossplane.io/composition-resource-name": template} if template else {}
    return {"apiVersion": "s3.io/v1", "kind": "Bucket", "metadata": {"name": name, "annotations": annotations}, "spec": spec}


def differences(expected: list[dict[str, Any]], composed: list[dict[str, Any]], *, exact: bool = False) -> list[str]:
    documents = [Document(body, "expected.yaml", 1, lambda path: Place("expected.yaml", len(path) + 1)) for body in expected]
    return [str(difference) for difference in compare(documents, XR, composed, exact=exact)]


def test_equal_outcomes_have_no_differences() -> None:
    assert differences([XR, bucket("a", size=1)], [bucket("a", size=1)], exact=True) == []


def test_resources_are_found_by_their_template_whatever_their_order_and_names() -> None:
    assert differences([bucket("b", size=2), bucket("a", size=1)], [bucket("a", size=1), bucket("b", size=2)], exact=True) == []


def test_without_a_template_kind_and_name_find_them() -> None:
    wanted = {"apiVersion": "s3.io/v1", "kind": "Bucket", "metadata": {"name": "two"}, "spec": {"size": 2}}
    assert differences([wanted], [bucket("a", "one", size=1), bucket("b", "two", size=2)]) == []
    assert differences([{"apiVersion": "s3.io/v1", "kind": "Bucket", "spec": {"size": 1}}], [bucket("a", "one", size=1)]) == []


def test_two_expected_ones_do_not_share_one_actual() -> None:
    wanted = {"apiVersion": "s3.io/v1", "kind": "Bucket"}
    assert differences([wanted, wanted], [bucket("a")]) == ["Bucket (no name): is missing at expected.yaml:1"]


def test_a_difference_names_the_field_both_values_and_the_line() -> None:
    assert differences([bucket("a", tags=["x", "y"])], [bucket("a", tags=["x", 3])]) == [
        "Bucket a spec.tags[1]: expected 'y', got 3 at expected.yaml:4"
    ]


@pytest.mark.parametrize(
    ("wanted", "got"),
    [(1, True), (0, False), ("1", 1), (None, ""), ([], {}), ([1], [1, 2]), ({"a": 1}, {}), ([True], [1]), ({"a": [1]}, {"a": [True]})],
)
def test_values_that_yaml_readers_mix_up_differ(wanted: Any, got: Any) -> None:
    assert len(differences([bucket("a", field=wanted)], [bucket("a", field=got)])) == 1
    assert len(differences([bucket("a", field=wanted)], [bucket("a", field=got)], exact=True)) == 1


def test_one_number_is_the_same_in_both_of_its_forms() -> None:
    assert differences([bucket("a", field=1)], [bucket("a", field=1.0)], exact=True) == []


def test_more_fields_and_resources_are_differences_only_when_exact() -> None:
    expected, actual = [bucket("a", size=1)], [bucket("a", size=1, more=2), bucket("b")]
    assert differences(expected, actual) == []
    assert differences(expected, actual, exact=True) == [
        "Bucket a spec.more: expected nothing, got 2 at expected.yaml:3",
        "Bucket b: was not expected",
    ]


def test_a_missing_resource_and_a_missing_field() -> None:
    assert differences([bucket("a", size=1), bucket("b")], [bucket("a")]) == [
        "Bucket a spec.size: expected 1, got nothing at expected.yaml:3",
        "Bucket b: is missing at expected.yaml:1",
    ]


def test_conditions_of_the_xr_count_only_when_they_are_expected() -> None:
    wanted = {**XR, "status": {"url": "u"}}
    assert differences([wanted], [], exact=True) == []
    assert differences([{**XR, "status": {"url": "u", "conditions": []}}], [], exact=True) != []
