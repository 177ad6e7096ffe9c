"""What a real Crossplane on a real API server made of claims (claims.json; the README of the vectors says how it was recorded)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document, Identity
from crossgate.render.claims import NAME_PREFIX_LABEL, composite_for
from crossgate.render.known import Known
from crossgate.render.selection import select
from crossgate.render.single import render_single
from crossgate.schema import Schemas

VECTORS = json.loads((Path(__file__).parent / "claims.json").read_text(encoding="utf-8"))
DOCUMENTS = [Document(body, "vectors.yaml") for body in (*VECTORS["xrds"], *VECTORS["compositions"])]
KNOWN = Known.of(DOCUMENTS)
SCHEMAS = Schemas.load(()).including(DOCUMENTS)
CASES = VECTORS["cases"]
ACCEPTED = [case for case in CASES if "rejected" not in case["expect"]]
CONTROLLERS_OWN = ("compositionRef", "compositionRevisionRef", "resourceRefs")


def ids(cases: list[dict[str, Any]]) -> list[str]:
    return [case["name"] for case in cases]


def generic(name: str, wanted: str) -> str:
    """Replace the ending that the cluster draws at random; ours is drawn from a hash."""
    return f"{name[:-5]}XXXXX" if wanted.endswith("XXXXX") else name


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_the_api_server_takes_or_rejects_the_claim(case: dict[str, Any]) -> None:
    assert bool(SCHEMAS.validate(case["claim"])) is ("rejected" in case["expect"])


@pytest.mark.parametrize("case", ACCEPTED, ids=ids(ACCEPTED))
def test_the_xr(case: dict[str, Any]) -> None:
    api = KNOWN.apis.claimed(case["claim"])
    assert api is not None
    wanted = case["expect"]["xr"]
    xr = composite_for(case["claim"], api, SCHEMAS).body
    metadata = xr["metadata"]
    labels = {key: value for key, value in metadata["labels"].items() if key != NAME_PREFIX_LABEL}
    assert {
        "name": generic(metadata["name"], wanted["name"]),
        "labels": labels,
        "annotations": metadata.get("annotations", {}),
        "spec": {key: value for key, value in xr["spec"].items() if key not in CONTROLLERS_OWN},
    } == wanted


@pytest.mark.parametrize("case", ACCEPTED, ids=ids(ACCEPTED))
def test_the_choice_of_composition(case: dict[str, Any]) -> None:
    api = KNOWN.apis.claimed(case["claim"])
    assert api is not None
    expect = case["expect"]
    chosen = select(composite_for(case["claim"], api, SCHEMAS).body, KNOWN.compositions, api)
    wanted = expect["candidates"] if "candidates" in expect else [expect["composition"]] if expect["composition"] else []
    assert [Identity.of(document.body).name for document in chosen.candidates] == wanted
    assert bool(chosen.why) is (len(wanted) != 1)


COMPOSED = [case for case in ACCEPTED if "composed" in case["expect"]]


@pytest.mark.parametrize("case", COMPOSED, ids=ids(COMPOSED))
def test_the_composed_resources(case: dict[str, Any]) -> None:
    made = render_single(Document(case["claim"], "claim.yaml"), KNOWN, SCHEMAS)
    xr_name = case["expect"]["xr"]["name"]
    composed = []
    for body in made.rendering.composed:
        labels = dict(body["metadata"]["labels"])
        labels[NAME_PREFIX_LABEL] = generic(labels[NAME_PREFIX_LABEL], xr_name)
        composed.append({"labels": labels, "annotations": body["metadata"]["annotations"], "forProvider": body["spec"]["forProvider"]})
    assert composed == case["expect"]["composed"]
