"""What is said about how manifests are written, and lists opened into their items."""

from __future__ import annotations

import pytest

from crossgate.load import Inventory, inventory_of
from crossgate.model import Severity


def said(inventory: Inventory) -> list[tuple[str, str, str]]:
    return [(finding.rule, finding.reason, str(finding.place)) for finding in inventory.judgement.findings]


OBJECT = "apiVersion: v1\nkind: ConfigMap\n"


def test_a_clean_object_needs_no_word() -> None:
    inventory = inventory_of(OBJECT, "f.yaml")
    assert said(inventory) == []
    assert inventory.files == 1


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("foo: bar\n", ["NO_KIND", "NO_API_VERSION"]),
        ("kind: A\n", ["NO_API_VERSION"]),
        ("apiVersion: 1\nkind: A\n", ["NO_API_VERSION"]),
        ("apiVersion: v1\nkind: ''\n", ["NO_KIND"]),
        ("apiVersion: v1\nkind: on\n", ["NO_KIND"]),
        ("- a\n", ["NOT_AN_OBJECT"]),
        ("just text\n", ["NOT_AN_OBJECT"]),
        ("42\n", ["NOT_AN_OBJECT"]),
    ],
)
def test_what_is_no_object_is_a_finding(text: str, reasons: list[str]) -> None:
    """A reader that passes over such documents reports success on a file that was meant to be checked."""
    inventory = inventory_of(text, "f.yaml")
    assert [finding.reason for finding in inventory.judgement.findings] == reasons
    assert all(finding.severity is Severity.ERROR and finding.place.line in (1, 2) for finding in inventory.judgement.findings)


def test_a_value_of_the_wrong_type_is_named() -> None:
    (finding,) = inventory_of("apiVersion: v1\nkind: on\n", "f.yaml").judgement.findings
    assert "True" in finding.message
    assert str(finding.place) == "f.yaml:2:1"


def test_empty_documents_are_passed_over() -> None:
    inventory = inventory_of("---\n---\n# only a comment\n---\n" + OBJECT + "---\n", "f.yaml")
    assert said(inventory) == []
    assert len(inventory.documents) == 1


def test_duplicate_keys_name_both_lines() -> None:
    inventory = inventory_of(OBJECT + "data:\n  a: '1'\n  b: '2'\n  a: '3'\n", "f.yaml")
    (finding,) = inventory.judgement.findings
    assert (finding.rule, finding.severity, finding.path) == ("manifest/duplicate-key", Severity.ERROR, "data.a")
    assert "line 4 and line 6" in finding.message
    assert str(finding.place) == "f.yaml:6:3"
    assert inventory.documents[0].body["data"] == {"a": "3", "b": "2"}


def test_a_merge_key_that_sets_a_key_twice_is_a_warning() -> None:
    """Strict reading refuses it, yet it is how merge keys are used; what surprises is that a merge key behind a key wins."""
    inventory = inventory_of(OBJECT + "x: &x {k: 1}\nz:\n  k: 2\n  <<: *x\n", "f.yaml")
    (finding,) = inventory.judgement.findings
    assert (finding.reason, finding.severity) == ("MERGED_KEY", Severity.WARNING)
    assert inventory.documents[0].body["z"] == {"k": 1}


def test_keys_that_become_the_same_text_are_a_finding_of_their_own() -> None:
    """To go-yaml 1 and "1" are two keys; sigs.k8s.io/yaml then keeps one of the two at random."""
    (finding,) = inventory_of(OBJECT + 'data: {1: a, "1": b}\n', "f.yaml").judgement.findings
    assert finding.rule == "manifest/colliding-keys"


def test_only_the_first_hundred_duplicates_are_told() -> None:
    inventory = inventory_of(OBJECT + "".join(f"k{i}: 1\nk{i}: 2\n" for i in range(150)), "f.yaml")
    assert len(inventory.judgement.findings) == 100


def test_ignored_text_is_a_finding_and_is_judged_all_the_same() -> None:
    inventory = inventory_of(OBJECT + "...\n" + OBJECT + "metadata: {name: hidden}\n", "f.yaml")
    assert said(inventory) == [("manifest/ignored-text", "IGNORED_TEXT", "f.yaml:4:1")]
    assert inventory.documents[1].body["metadata"] == {"name": "hidden"}


def test_a_text_that_cannot_be_read_to_its_end_could_not_be_checked() -> None:
    inventory = inventory_of(OBJECT + "---\na: [\n", "f.yaml")
    assert [document.body["kind"] for document in inventory.documents] == ["ConfigMap"]
    assert [item.where for item in inventory.judgement.could_not_check] == ["f.yaml:5:1"]


def test_a_list_is_opened_and_its_items_know_their_lines() -> None:
    inventory = inventory_of(
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  spec: {x: 1}\n- apiVersion: v1\n  kind: B\n", "f.yaml"
    )
    assert [document.body["kind"] for document in inventory.documents] == ["A", "B"]
    assert str(inventory.documents[0].place(("spec", "x"))) == "f.yaml:6:10"
    assert str(inventory.documents[1].place(("spec",))) == "f.yaml:7:3"
    assert said(inventory) == []


def test_lists_inside_lists_are_opened() -> None:
    inner = "apiVersion: v1\n    kind: List\n    items:\n    - {apiVersion: v1, kind: A}"
    inventory = inventory_of(f"apiVersion: v1\nkind: List\nitems:\n  - {inner}\n", "f.yaml")
    assert [document.body["kind"] for document in inventory.documents] == ["A"]


def test_items_of_a_typed_list_take_kind_and_version_from_it() -> None:
    inventory = inventory_of("apiVersion: v1\nkind: ConfigMapList\nitems:\n- data: {a: b}\n", "f.yaml")
    assert [document.body for document in inventory.documents] == [{"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}}]


def test_an_object_with_items_cannot_hide_objects_in_them() -> None:
    """Argo CD applies the items of anything that has a list of them, whatever it calls itself."""
    inventory = inventory_of(OBJECT + "items:\n- {apiVersion: v1, kind: Secret}\n- text\n", "f.yaml")
    assert [document.body["kind"] for document in inventory.documents] == ["ConfigMap", "Secret"]


def test_items_that_are_no_objects_are_findings() -> None:
    inventory = inventory_of("apiVersion: v1\nkind: List\nitems:\n- a\n- {kind: B}\n", "f.yaml")
    assert said(inventory) == [
        ("manifest/not-an-object", "NOT_AN_OBJECT", "f.yaml:4:3"),
        ("manifest/no-kind", "NO_API_VERSION", "f.yaml:5:3"),
    ]
