"""What a real Crossplane on a real API server made of claims and XRs.

claims.json was given (the README of the vectors says how it was recorded). claims-more.json was recorded for this project in the same
way: Crossplane core and function-patch-and-transform, main of August 2026, on kube-apiserver 1.36.1; the objects were created without
field validation, and ``strict`` says whether strict validation takes them too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document, Identity
from crossgate.render.admission import admitted
from crossgate.render.apis import Api
from crossgate.render.claims import NAME_PREFIX_LABEL, composite_for
from crossgate.render.known import Known
from crossgate.render.metadata import uid
from crossgate.render.selection import Selection, select, settled
from crossgate.render.single import render_single
from crossgate.schema import Schemas

CONTROLLERS_OWN = ("compositionRef", "compositionRevisionRef", "resourceRefs")


@dataclass(frozen=True)
class Case:
    name: str
    claim: dict[str, Any]
    expect: dict[str, Any]
    known: Known
    schemas: Schemas

    @property
    def accepted(self) -> bool:
        return "rejected" not in self.expect

    @property
    def api(self) -> Api:
        api = self.known.apis.claimed(self.claim) or self.known.apis.composed(self.claim)
        assert api is not None
        return api

    @property
    def xr(self) -> dict[str, Any]:
        """The XR before a Composition is chosen."""
        if self.known.apis.claimed(self.claim):
            return composite_for(self.claim, self.api, self.schemas).body
        return admitted(self.claim, self.api, self.schemas)

    @property
    def selection(self) -> Selection:
        return select(self.xr, self.known.compositions, self.api)

    def generic(self, name: str) -> str:
        """Replace the ending that the cluster draws at random; ours is drawn from a hash."""
        return f"{name[:-5]}XXXXX" if self.expect["xr"]["name"].endswith("XXXXX") and name == self.xr["metadata"]["name"] else name


def read(name: str) -> list[Case]:
    vectors = json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    documents = [Document(body, name) for body in (*vectors["xrds"], *vectors["compositions"])]
    known, schemas = Known.of(documents), Schemas.load(()).including(documents)
    return [Case(case["name"], case["claim"], case["expect"], known, schemas) for case in vectors["cases"]]


CASES = [*read("claims.json"), *read("claims-more.json")]
ACCEPTED = [case for case in CASES if case.accepted]
COMPOSED = [case for case in ACCEPTED if "composed" in case.expect]


def name_of(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_api_server_takes_or_rejects_the_claim(case: Case) -> None:
    assert bool(case.schemas.validate(case.claim)) is not case.expect.get("strict", case.accepted)


@pytest.mark.parametrize("case", ACCEPTED, ids=name_of)
def test_the_xr(case: Case) -> None:
    xr, wanted = case.xr, case.expect["xr"]
    metadata = xr["metadata"]
    own = metadata["name"]
    if case.selection.candidates:
        xr = settled(xr, case.selection.candidates[0], case.api)
    spec = json.loads(json.dumps(xr["spec"]))
    for machinery in (spec, spec.get("crossplane", {})):
        for field in CONTROLLERS_OWN:
            machinery.pop(field, None)
    if spec.get("writeConnectionSecretToRef", {}).get("name") == uid(xr):
        spec["writeConnectionSecretToRef"]["name"] = "UID"
    labels = {key: value for key, value in metadata.get("labels", {}).items() if (key, value) != (NAME_PREFIX_LABEL, own)}
    assert {
        "name": case.generic(own),
        "labels": labels,
        "annotations": metadata.get("annotations", {}),
        "spec": spec,
    } == wanted


@pytest.mark.parametrize("case", ACCEPTED, ids=name_of)
def test_the_choice_of_composition(case: Case) -> None:
    expect = case.expect
    wanted = expect["candidates"] if "candidates" in expect else [expect["composition"]] if expect["composition"] else []
    assert [Identity.of(document.body).name for document in case.selection.candidates] == wanted
    assert bool(case.selection.why) is (len(wanted) != 1)


@pytest.mark.parametrize("case", COMPOSED, ids=name_of)
def test_the_composed_resources(case: Case) -> None:
    made = render_single(Document(case.claim, "claim.yaml"), case.known, case.schemas)
    composed = []
    for body in made.rendering.composed:
        provider = body["spec"]["forProvider"]
        composed.append(
            {
                "labels": {key: case.generic(value) for key, value in body["metadata"]["labels"].items()},
                "annotations": body["metadata"]["annotations"],
                "forProvider": {**provider, "labels": {key: case.generic(value) for key, value in provider["labels"].items()}},
            }
        )
    assert composed == case.expect["composed"]
