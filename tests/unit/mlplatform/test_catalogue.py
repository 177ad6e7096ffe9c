"""The catalogue's pages say what the platform is: they are made of it, and committed as they are made."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document
from crossgate.schema import Schemas
from mlplatform.core.catalogue import examples, pages

Pages = Mapping[str, str]


@pytest.fixture(scope="module")
def apis(root: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root))
        return import_module("apps.platform").APIS


@pytest.fixture(scope="module")
def written(root: Path, apis: Any, platform_documents: tuple[Document, ...]) -> Pages:
    return pages(apis, platform_documents, Schemas.load([root / "schemas"]))


def test_the_committed_pages_are_those_of_the_platform(root: Path, written: Pages) -> None:
    """If this fails: make catalogue."""
    committed = {path.name: path.read_text(encoding="utf-8") for path in (root / "docs" / "catalogue").glob("*.md")}
    assert sorted(committed) == sorted(written)
    assert [name for name, text in written.items() if committed[name] != text] == []


def test_every_api_that_teams_claim_has_a_page_with_fields_tree_status_and_runbook(apis: Any, written: Pages) -> None:
    for api in apis:
        if not api.claim_kind:
            continue
        page = written[f"{api.claim_kind.removesuffix('Claim').lower()}.md"]
        for part in ("## A claim", "## Fields", "## What it becomes", "```mermaid", "└── ", "## Status", "## When it is not ready"):
            assert part in page, (api.kind, part)
        assert api.runbook, api.kind
        assert f"kind: {api.claim_kind}" in page


def test_every_composition_that_a_team_can_choose_has_a_claim_that_renders_through_it(
    platform_documents: tuple[Document, ...], platform_schemas: Schemas
) -> None:
    bodies: list[Any] = [document.body for document in platform_documents]
    claimed = {
        (body["spec"]["group"], body["spec"]["names"]["kind"])
        for body in bodies
        if body["kind"] == "CompositeResourceDefinition" and "claimNames" in body["spec"]
    }
    wanted = {
        body["metadata"]["name"]
        for body in bodies
        if body["kind"] == "Composition"
        and (body["spec"]["compositeTypeRef"]["apiVersion"].partition("/")[0], body["spec"]["compositeTypeRef"]["kind"]) in claimed
    }
    shown = examples(platform_documents, platform_schemas)
    assert {example.name for example in shown} == wanted
    for example in shown:
        for resource in example.resources:
            assert platform_schemas.validate(resource.body) == [], (example.name, resource.template)


def test_the_three_platforms_are_claimed_word_for_word_alike(root: Path) -> None:
    texts = {path.read_text(encoding="utf-8") for path in (root / "apps" / "claims").glob("*/training.yaml")}
    assert len(texts) == 3
    for provider in ("gcp", "aws", "azure"):
        [mine] = [text for text in texts if f"provider: {provider}" in text]
        assert {mine.replace(f"provider: {provider}", f"provider: {other}") for other in ("gcp", "aws", "azure")} == texts


def test_the_page_of_the_platform_shows_what_each_cloud_makes_of_it(written: Pages) -> None:
    [header] = [line for line in written["mlplatform.md"].splitlines() if line.startswith("|  | ")]
    assert [cell.strip() for cell in header.strip("|").split("|")] == ["", "aws", "azure", "gcp"]


def test_the_pages_say_what_must_be_in_the_secret_store(written: Pages) -> None:
    assert "`modelregistry/NAMESPACE/NAME` | `database-password`" in written["modelregistry.md"]
    assert "`vectordatabase/NAMESPACE/NAME` | `api-key`" in written["vectordatabase.md"]
