from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document, Judgement, Place, Resource, Role
from crossgate.policy import Limits, Policies

HEAD = "package main\n\nimport rego.v1\n\n"


def _resource(body: Any, file: str = "a.yaml") -> Resource:
    return Resource(body, Role.DOCUMENT, Document(body, file, 1, lambda _path: Place(file, 1)))


@pytest.fixture
def resource() -> Callable[..., Resource]:
    """Make a document of its own, whose fields all stand on line 1."""
    return _resource


@pytest.fixture
def policy(tmp_path: Path) -> Callable[..., Policies]:
    """Load one Rego text (with package and import before it, unless it has its own)."""

    def load(text: str, **options: Any) -> Policies:
        (tmp_path / "main.rego").write_text(text if text.lstrip().startswith(("package", "#")) else HEAD + text)
        return Policies.load([tmp_path], **options)

    return load


@pytest.fixture
def judge(policy: Callable[..., Policies]) -> Callable[..., Judgement]:
    """Judge inputs by one Rego text; a rule may take half a second."""

    def run(text: str, *inputs: Any, **options: Any) -> Judgement:
        options.setdefault("limits", Limits(seconds=0.5))
        return policy(text, **options).judge(_resource(body) for body in inputs)

    return run
