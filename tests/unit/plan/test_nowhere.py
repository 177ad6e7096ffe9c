"""A path that is nowhere must not make an empty plan: "No changes" about a name with a typing error reads like a pass."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from crossgate.config import Config
from crossgate.errors import UsageError
from crossgate.plan.make import plan

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: a}\n"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "settings.yaml").write_text(CONFIG_MAP)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.email=a@example.org", "-c", "user.name=a", "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return Config.find(tmp_path)


def test_a_path_that_is_nowhere_is_refused(config: Config) -> None:
    with pytest.raises(UsageError, match="there is no such file or folder, here or in the base"):
        plan([config.root / "manifest"], config=config, base="HEAD")


def test_a_project_without_the_folder_that_settings_name_is_told_where_to_say_it(config: Config) -> None:
    with pytest.raises(UsageError) as raised:
        plan(config=config, base="HEAD")
    assert "crossgate.toml" in raised.value.hint


def test_a_path_outside_of_the_repository_has_no_base(config: Config, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(UsageError, match="outside of the repository"):
        plan([tmp_path_factory.mktemp("elsewhere")], config=config, base="HEAD")


@pytest.mark.parametrize("gone", [True, False])
def test_a_path_on_one_side_is_a_change(config: Config, gone: bool) -> None:
    """What was deleted is in the base alone, what is new only on disk."""
    folder = config.root / "manifests"
    if gone:
        (folder / "settings.yaml").unlink()
        folder.rmdir()
    else:
        folder = config.root / "more"
        folder.mkdir()
        (folder / "other.yaml").write_text(CONFIG_MAP.replace("settings", "other"))
    [change] = plan([folder], config=config, base="HEAD").claims
    assert change.action == ("delete" if gone else "create")
