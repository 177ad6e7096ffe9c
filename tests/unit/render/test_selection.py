from __future__ import annotations

from typing import Any

import pytest

from crossgate.model import Document, Identity
from crossgate.render.apis import Api, read_api
from crossgate.render.selection import Compositions, Selection, select, settled

TYPE = {"apiVersion": "example.org/v1", "kind": "XThing"}


def api(version: str = "v1", **spec: Any) -> Api:
    body = {
        "apiVersion": f"apiextensions.crossplane.io/{version}",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xthings.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "XThing", "plural": "xthings"},
            "versions": [
                {"name": "v1alpha1", "served": True, "referenceable": False},
                {"name": "v1", "served": True, "referenceable": True},
            ],
            **spec,
        },
    }
    found = read_api(Document(body, "xrd.yaml"))
    assert found is not None
    return found


def composition(name: str, type_: dict[str, str] | None = None, kind: str = "Composition", **labels: str) -> Document:
    body: dict[str, Any] = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": kind,
        "metadata": {"name": name, "labels": labels},
        "spec": {"compositeTypeRef": type_ or TYPE, "mode": "Pipeline", "pipeline": []},
    }
    return Document(body, f"{name}.yaml")


def revision(name: str, number: int, **labels: str) -> Document:
    document = composition(name, kind="CompositionRevision", **labels)
    document.body["spec"]["revision"] = number
    return document


ALL = Compositions.of(
    [
        composition("aws", provider="aws", tier="standard"),
        composition("gold", provider="aws", tier="gold"),
        composition("gcp", provider="gcp"),
        composition("other", {"apiVersion": "example.org/v1", "kind": "XOther"}, provider="aws", only="here"),
        composition("old", {"apiVersion": "example.org/v1alpha1", "kind": "XThing"}, provider="old"),
    ]
)


def xr(**machinery: Any) -> dict[str, Any]:
    return {**TYPE, "metadata": {"name": "x"}, "spec": machinery}


def names(selection: Selection) -> list[str]:
    return [Identity.of(document.body).name for document in selection.candidates]


@pytest.mark.parametrize(
    ("reason", "machinery", "xrd", "wanted"),
    [
        ("the XR names one", {"compositionRef": {"name": "gold"}}, {}, ["gold"]),
        (
            "a reference wins over a selector",
            {"compositionRef": {"name": "gcp"}, "compositionSelector": {"matchLabels": {"provider": "aws"}}},
            {},
            ["gcp"],
        ),
        ("labels leave one", {"compositionSelector": {"matchLabels": {"provider": "gcp"}}}, {}, ["gcp"]),
        ("all labels must match", {"compositionSelector": {"matchLabels": {"provider": "aws", "tier": "gold"}}}, {}, ["gold"]),
        ("labels leave several, of this type only", {"compositionSelector": {"matchLabels": {"provider": "aws"}}}, {}, ["aws", "gold"]),
        ("no label matches every one of the type", {"compositionSelector": {"matchLabels": {}}}, {}, ["aws", "gcp", "gold"]),
        ("nothing asked is the same", {}, {}, ["aws", "gcp", "gold"]),
        ("an absent label is not the empty one", {"compositionSelector": {"matchLabels": {"tier": ""}}}, {}, []),
        ("labels of another type's Composition do not help", {"compositionSelector": {"matchLabels": {"only": "here"}}}, {}, []),
        ("the default counts when nothing is asked", {}, {"defaultCompositionRef": {"name": "gcp"}}, ["gcp"]),
        (
            "a selector, even an empty one, switches the default off",
            {"compositionSelector": {"matchLabels": {}}},
            {"defaultCompositionRef": {"name": "gcp"}},
            ["aws", "gcp", "gold"],
        ),
        ("a reference switches it off", {"compositionRef": {"name": "aws"}}, {"defaultCompositionRef": {"name": "gcp"}}, ["aws"]),
        (
            "enforced wins over everything",
            {"compositionRef": {"name": "aws"}},
            {"enforcedCompositionRef": {"name": "gcp"}, "defaultCompositionRef": {"name": "gold"}},
            ["gcp"],
        ),
        ("a missing name chooses nothing, other Compositions or not", {"compositionRef": {"name": "nope"}}, {}, []),
        ("a Composition of another type cannot be used", {"compositionRef": {"name": "other"}}, {}, []),
        ("nor one of a version that is not referenceable", {"compositionRef": {"name": "old"}}, {}, []),
        (
            "an enforced one that does not exist cannot be used",
            {"compositionRef": {"name": "aws"}},
            {"enforcedCompositionRef": {"name": "nope"}},
            [],
        ),
        ("a default that does not exist cannot be used", {}, {"defaultCompositionRef": {"name": "nope"}}, []),
    ],
)
def test_choice(reason: str, machinery: dict[str, Any], xrd: dict[str, Any], wanted: list[str]) -> None:
    chosen = select(xr(**machinery), ALL, api(**xrd))
    assert names(chosen) == wanted, reason
    assert bool(chosen.why) is (len(wanted) != 1), "one candidate needs no word, none and several do"


def test_xrs_of_crossplane_2_ask_under_spec_crossplane() -> None:
    modern = api("v2")
    body = {
        **TYPE,
        "spec": {"compositionRef": {"name": "aws"}, "crossplane": {"compositionSelector": {"matchLabels": {"provider": "gcp"}}}},
    }
    chosen = select(body, ALL, modern)
    assert names(chosen) == ["gcp"]
    assert select({**TYPE, "spec": {}}, ALL, modern).at == ("spec", "crossplane", "compositionSelector", "matchLabels")
    assert settled(body, chosen.candidates[0], modern)["spec"]["crossplane"]["compositionRef"] == {"name": "gcp"}


def test_without_an_xrd_the_xr_itself_shows_its_generation() -> None:
    assert names(select({**TYPE, "spec": {"crossplane": {"compositionRef": {"name": "gcp"}}}}, ALL, None)) == ["gcp"]
    assert names(select({**TYPE, "spec": {"compositionRef": {"name": "aws"}}}, ALL, None)) == ["aws"]


@pytest.mark.parametrize(
    ("machinery", "part_of_why", "part_of_hint"),
    [
        ({"compositionRef": {"name": "gol"}}, "'gol'", "gold"),
        ({"compositionRef": {"name": "other"}}, "XOther", "aws, gcp, gold"),
        ({"compositionSelector": {"matchLabels": {"provider": "azure"}}}, "provider=azure", "gcp has provider=gcp"),
        ({"compositionSelector": {"matchLabels": {"provider": "aws"}}}, "aws, gold", "compositionRef"),
    ],
)
def test_the_words_name_what_was_asked_and_what_there_is(machinery: dict[str, Any], part_of_why: str, part_of_hint: str) -> None:
    chosen = select(xr(**machinery), ALL, api())
    assert part_of_why in chosen.why
    assert part_of_hint in chosen.hint


def test_a_composition_for_another_version_is_named_in_the_hint() -> None:
    only = Compositions.of([composition("old", {"apiVersion": "example.org/v1alpha1", "kind": "XThing"})])
    assert "old is for example.org/v1alpha1" in select(xr(), only, api()).hint


def test_a_pinned_revision_is_used_when_it_is_known() -> None:
    known = Compositions.of([composition("aws"), revision("aws-1234567", 1)])
    chosen = select(xr(compositionUpdatePolicy="Manual", compositionRevisionRef={"name": "aws-1234567"}), known, api())
    assert names(chosen) == ["aws-1234567"]


def test_a_pinned_revision_that_is_unknown_could_not_be_checked() -> None:
    known = Compositions.of([composition("aws")])
    chosen = select(xr(compositionUpdatePolicy="Manual", compositionRevisionRef={"name": "aws-1234567"}), known, api())
    assert names(chosen) == ["aws"], "what can be checked still is"
    assert chosen.could_not_check is not None
    assert "aws-1234567" in chosen.could_not_check.what


def test_under_policy_automatic_the_newest_revision_counts_whatever_is_pinned() -> None:
    known = Compositions.of([composition("aws"), revision("aws-1234567", 1)])
    chosen = select(xr(compositionUpdatePolicy="Automatic", compositionRevisionRef={"name": "aws-1234567"}), known, api())
    assert names(chosen) == ["aws"]
    assert chosen.could_not_check is None


def test_a_revision_selector_asks_for_the_labels_that_the_composition_had() -> None:
    label = {"crossplane.io/composition-name": "aws"}
    known = Compositions.of(
        [composition("aws", channel="new"), revision("r1", 1, channel="stable", **label), revision("r2", 2, channel="stable", **label)]
    )
    for channel, wanted in (("new", ["aws"]), ("stable", ["r2"]), ("none", [])):
        machinery = {"compositionUpdatePolicy": "Automatic", "compositionRevisionSelector": {"matchLabels": {"channel": channel}}}
        assert names(select(xr(**machinery), known, api())) == wanted, channel


def test_the_xrds_default_revision_selector_is_written_into_the_xr() -> None:
    xrd = api(defaultCompositionRevisionSelector={"matchLabels": {"channel": "stable"}})
    known = Compositions.of([composition("aws", channel="stable")])
    body = xr(compositionUpdatePolicy="Automatic")
    chosen = select(body, known, xrd)
    assert names(chosen) == ["aws"]
    assert settled(body, chosen.candidates[0], xrd)["spec"] == {
        "compositionUpdatePolicy": "Automatic",
        "compositionRef": {"name": "aws"},
        "compositionRevisionSelector": {"matchLabels": {"channel": "stable"}},
    }
    assert body["spec"] == {"compositionUpdatePolicy": "Automatic"}, "the input is left alone"


@pytest.mark.parametrize(
    "spec", [None, 3, [], {"compositionRef": 3}, {"compositionSelector": {"matchLabels": 3}}, {"compositionRef": {"name": []}}]
)
def test_malformed_fields_choose_without_crashing(spec: Any) -> None:
    select({**TYPE, "spec": spec}, ALL, api())
    select({**TYPE, "spec": {"crossplane": spec}}, ALL, api("v2"))
