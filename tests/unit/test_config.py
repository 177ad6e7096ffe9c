"""Settings: found upwards, and refused with the place and the way out when they cannot be followed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crossgate.config import Config
from crossgate.errors import UsageError
from crossgate.model import Severity


def test_defaults_need_no_file(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    config = Config.find(tmp_path / "sub")
    assert (config.root, config.dist, config.policies, config.fail_on) == (
        tmp_path,
        tmp_path / "dist",
        (tmp_path / "policies",),
        Severity.ERROR,
    )


def test_pyproject_without_a_table_is_not_the_project(tmp_path: Path) -> None:
    """A monorepo has many pyproject files; only one that speaks of crossgate ends the search."""
    (tmp_path / "crossgate.toml").write_text('dist = "out"\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pyproject.toml").write_text("[project]\n")
    assert Config.find(tmp_path / "sub").dist == tmp_path / "out"
    (tmp_path / "sub" / "pyproject.toml").write_text('[tool.crossgate]\nfail-on = "warning"\n')
    assert Config.find(tmp_path / "sub").fail_on is Severity.WARNING


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("dist = [", "cannot read the settings"),
        ("dsit = 'x'", "unknown setting 'dsit'"),
        ("dist = 3", "dist is 3"),
        ("policies = 'x'", "policies is 'x'"),
        ("schemas = [3]", "schemas is 3"),
        ("fail-on = 'never'", "fail-on is 'never'"),
    ],
)
def test_bad_settings_name_the_file_and_the_way_out(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "crossgate.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        Config.find(tmp_path)
    assert says in caught.value.what
    assert caught.value.where == str(tmp_path / "crossgate.toml")
    assert caught.value.hint


def test_a_project_may_have_no_schemas_of_its_own(tmp_path: Path) -> None:
    """Its CRDs and XRDs may stand among the manifests; a kind without a schema is said one by one."""
    (tmp_path / ".git").mkdir()
    assert Config.find(tmp_path).schemas == ()
    (tmp_path / "schemas").mkdir()
    assert Config.find(tmp_path).schemas == (tmp_path / "schemas",)


def test_policy_says_how_the_rules_judge(tmp_path):
    settings = (
        'engine = "opa"\nopa-url = "http://localhost:8181"\ndata = ["more"]\nnamespaces = ["main"]\ncombine = true\nrego-version = "v0"\n'
    )
    (tmp_path / "crossgate.toml").write_text(f"[policy]\n{settings}")
    config = Config.find(tmp_path)
    assert (config.engine, config.opa_url, config.data) == ("opa", "http://localhost:8181", (tmp_path / "more",))
    assert (config.namespaces, config.combine, config.rego_v0) == (("main",), True, True)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('engine = "rego"', "policy.engine is 'rego'"),
        ('engin = "opa"', "unknown setting 'policy.engin'"),
        ("combine = 1", "policy.combine is 1"),
        ('namespaces = "main"', "policy.namespaces is 'main'"),
        ('rego-version = "v2"', "policy.rego-version is 'v2'"),
    ],
)
def test_a_wrong_setting_of_policy_is_refused(tmp_path, line, problem):
    (tmp_path / "crossgate.toml").write_text(f"[policy]\n{line}\n")
    with pytest.raises(UsageError, match=re.escape(problem)):
        Config.find(tmp_path)
