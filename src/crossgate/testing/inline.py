"""Manifests that stand in the test itself, rendered or judged as the project's own files would be."""

from __future__ import annotations

from typing import Any

from crossgate.config import Config
from crossgate.errors import LoadError
from crossgate.load import Inventory, inventory_of
from crossgate.model import Document, Finding
from crossgate.render.single import Single, render_single
from crossgate.testing.run import Project

_NAME = "<test>"


def render_claim(claim: str | dict[str, Any], project: Project | None = None) -> Single:
    """Render one claim or XR, given as YAML or as an object, through the project's Compositions.

    Raises:
        LoadError: the text cannot be read, or is not one document.
        RenderError: it cannot be rendered.
    """
    documents = _documents(claim)
    if len(documents) != 1:
        raise LoadError(f"there are {len(documents)} documents, not one", _NAME, "give one claim or XR")
    project = project or Project.of()
    return render_single(documents[0], project.known, project.schemas)


def findings(manifests: str | dict[str, Any], config: Config | None = None) -> tuple[Finding, ...]:
    """Return what the gate says about manifests, given as YAML or as an object.

    Raises:
        AssertionError: something could not be checked, so that the findings are not all there are.
        LoadError: the text cannot be read.
    """
    from crossgate.check import check  # noqa: PLC0415 (`crossgate test` does without the gate)

    report = check([], config=config, given=Inventory(_documents(manifests)))
    if report.could_not_check:
        raise AssertionError("\n".join(f"could not check: {item.what} ({item.where})" for item in report.could_not_check))
    return report.findings


def _documents(given: str | dict[str, Any]) -> tuple[Document, ...]:
    if isinstance(given, dict):
        return (Document(given, _NAME),)
    inventory = inventory_of(given, _NAME)
    for fault in inventory.judgement.could_not_check:
        raise LoadError(fault.what, fault.where, fault.hint)
    return inventory.documents
