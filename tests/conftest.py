"""What every test may ask for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# what a test says must not depend on what an earlier run has kept; tests of the cache turn it on
os.environ["CROSSGATE_CACHE"] = "off"
# in CI the examples are always the same: a run that fails must fail because of its change
settings.register_profile("crossgate", deadline=None, print_blob=True, derandomize=bool(os.environ.get("CI")))
settings.load_profile("crossgate")

ROOT = Path(__file__).parent.parent
SECOND_OPINIONS = {"gator", "actionlint", "zizmor", "shellcheck", "taplo"}
"""Tools that `make tools` may go without (scripts/tools.sh)."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="write the golden files again instead of comparing with them")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def tool() -> Callable[[str], str]:
    """Find a real tool that `make tools` installs; skip without it, but fail where CI says that it must be there."""

    def find(name: str) -> str:
        folder = os.environ.get("CROSSGATE_TOOLS", "")
        found = shutil.which(name, path=os.pathsep.join([folder, os.environ.get("PATH", "")]))
        if found:
            return found
        if os.environ.get("CROSSGATE_REQUIRE_TOOLS") and name not in SECOND_OPINIONS:
            pytest.fail(f"{name} is missing although CROSSGATE_REQUIRE_TOOLS is set: run `make tools`")
        pytest.skip(f"{name} is not installed: run `make tools`")

    return find


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with tests/golden/NAME, or write it there with --update-goldens."""

    def compare(name: str, text: str) -> None:
        path = ROOT / "tests" / "golden" / name
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"no golden {name}: make it with `make goldens`"
        assert text == path.read_text(encoding="utf-8")

    return compare
