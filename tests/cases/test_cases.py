"""The catalogue's own cases, the same as ``crossgate test`` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.config import Config
from crossgate.testing import Case, Project, cases, check

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def project(root: Path) -> Project:
    return Project.of(Config.find(root))


@pytest.mark.parametrize("case", cases(HERE), ids=str)
def test_case(case: Case, project: Project) -> None:
    check(case, project)
