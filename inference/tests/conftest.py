"""Fixtures shared by all tests. torch is prepared before anything imports it, as the server does."""

from __future__ import annotations

from modelserver.model import exact

exact.prepare()

from collections.abc import Iterator  # noqa: E402
from pathlib import Path  # noqa: E402

import pytest  # noqa: E402
from starlette.testclient import TestClient  # noqa: E402

import made_models  # noqa: E402
import served  # noqa: E402


@pytest.fixture(scope="session")
def table_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_models.write(made_models.table(), tmp_path_factory.mktemp("table") / "model")


@pytest.fixture(scope="session")
def image_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_models.write(made_models.image(), tmp_path_factory.mktemp("image") / "model")


@pytest.fixture(scope="session")
def table_client(table_model: Path) -> Iterator[TestClient]:
    with served.inside(table_model, max_rows=100, max_body_bytes=200_000) as client:
        yield client


@pytest.fixture(scope="session")
def image_client(image_model: Path) -> Iterator[TestClient]:
    with served.inside(image_model, max_body_bytes=2_000_000, image_max_pixels=1_000_000) as client:
        yield client
