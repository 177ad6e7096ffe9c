"""Judging one template at a time, against the small platform of ``platform.yaml``."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.model import Document, Judgement
from crossgate.schema import Schemas
from crossgate.static import check_composition

Bucket = dict[str, Any]

BUCKET: Bucket = {"apiVersion": "store.example.org/v1beta2", "kind": "Bucket", "spec": {"forProvider": {"location": "EU"}}}


@pytest.fixture(scope="session")
def schemas(root: Path) -> Schemas:
    """The kinds of ``platform.yaml`` and Kubernetes' own."""
    text = (Path(__file__).parent / "platform.yaml").read_text(encoding="utf-8")
    return Schemas.load([root / "schemas"]).including(load_text(text, "platform.yaml"))


@pytest.fixture
def bucket() -> Bucket:
    """A base without faults, to be changed."""
    return copy.deepcopy(BUCKET)


@pytest.fixture
def composition() -> Callable[..., Document]:
    """Make a Composition for XStore of templates, or of one template's ``base`` and ``patches``."""

    def make(
        patches: list[dict[str, Any]] | None = None,
        base: dict[str, Any] | None = None,
        *,
        templates: list[dict[str, Any]] | None = None,
        steps: list[dict[str, Any]] | None = None,
        serves: tuple[str, str] = ("example.org/v1alpha1", "XStore"),
        **parts: Any,
    ) -> Document:
        if templates is None:
            templates = [{"name": "bucket", "base": base or BUCKET, "patches": patches or []}]
        function = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": templates, **parts}
        patching = {"step": "patch", "functionRef": {"name": "function-patch-and-transform"}, "input": function}
        body = {
            "apiVersion": "apiextensions.crossplane.io/v1",
            "kind": "Composition",
            "metadata": {"name": "stores"},
            "spec": {
                "mode": "Pipeline",
                "compositeTypeRef": {"apiVersion": serves[0], "kind": serves[1]},
                "pipeline": [*(steps or []), patching],
            },
        }
        return Document(body=body, file="composition.yaml", line=1)

    return make


@pytest.fixture
def judge(schemas: Schemas, composition: Callable[..., Document]) -> Callable[..., Judgement]:
    """Judge what ``composition`` makes of the same arguments."""
    return lambda *args, **kwargs: check_composition(composition(*args, **kwargs), schemas)


@pytest.fixture
def faults(judge: Callable[..., Judgement]) -> Callable[..., list[str]]:
    """Return ``rule-name REASON`` of each finding; everything must have been judged."""

    def found(*args: Any, **kwargs: Any) -> list[str]:
        judgement = judge(*args, **kwargs)
        assert judgement.could_not_check == ()
        return [f"{finding.rule.removeprefix('crossplane/')} {finding.reason}" for finding in judgement.findings]

    return found
