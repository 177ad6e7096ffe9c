"""Settings: found upwards, and refused with the place and the way out when they cannot be followed."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from crossgate.config import PLAN_IGNORE, SETTINGS, Config
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
    assert caught.value.where == str(tmp_path / "crossgate.toml") + ("" if "cannot read" in says else ":1")
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


def test_a_bad_setting_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n\n[tool.crossgate]\n# fail-on = "x"\ndist = "dist"\n  fail-on = "x"\n')
    with pytest.raises(UsageError) as caught:
        Config.find(tmp_path)
    assert caught.value.where == f"{tmp_path / 'pyproject.toml'}:7"


@pytest.mark.parametrize("text", ["tool = 5\n", "[tool]\ncrossgate = 5\n", "x = " + "9" * 5000, "x = " + "[" * 5000], ids=range(4))
def test_a_pyproject_of_any_form_breaks_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    try:
        assert Config.find(tmp_path).dist == tmp_path / "dist"
    except UsageError as error:
        assert error.hint


GOOD = [
    "",
    'dist = "out"',
    'policies = ["a", "b"]',
    "policies = []",
    'schemas = ["a"]',
    *(f'fail-on = "{severity}"' for severity in Severity),
    '[functions]\nmine = "function-patch-and-transform"',
    '[plan]\nignore = ["a.b"]',
    "[plan]",
    '[policy]\nengine = "opa"\nopa-url = "http://localhost:8181"\ndata = ["more"]\nnamespaces = ["main"]\ncombine = true',
    '[policy]\nrego-version = "v0"',
]
BAD = [
    "dsit = 'x'",
    "dist = 3",
    "dist = ''",
    "policies = 'x'",
    "policies = ['']",
    "schemas = [3]",
    "fail-on = 'never'",
    "fail-on = 3",
    "functions = 5",
    "functions = {a = 5}",
    "plan = 5",
    "plan = {ignroe = []}",
    "plan = {ignore = 'x'}",
    "plan = {ignore = ['']}",
    "policy = 5",
    "policy = {engine = 'rego'}",
    "policy = {engin = 'opa'}",
    "policy = {combine = 1}",
    "policy = {namespaces = 'main'}",
    "policy = {opa-url = ''}",
    "policy = {rego-version = 'v2'}",
]


@pytest.mark.parametrize("text", [*GOOD, *BAD])
def test_the_schema_for_editors_takes_what_crossgate_takes(tmp_path: Path, text: str) -> None:
    (tmp_path / "crossgate.toml").write_text(text)
    valid = jsonschema.Draft7Validator(json.loads(SETTINGS.read_text())).is_valid(tomllib.loads(text))
    assert valid is (text in GOOD)
    if valid:
        Config.find(tmp_path)
    else:
        with pytest.raises(UsageError):
            Config.find(tmp_path)


def test_the_schema_for_editors_names_every_setting_and_its_default(tmp_path: Path) -> None:
    """The names that crossgate lists in its own errors, at both levels."""
    schema = json.loads(SETTINGS.read_text())["properties"]
    for text, names in (("x = 1", set(schema)), ("policy = {x = 1}", set(schema["policy"]["properties"]))):
        (tmp_path / "crossgate.toml").write_text(text)
        with pytest.raises(UsageError) as caught:
            Config.find(tmp_path)
        assert set(caught.value.hint.rpartition(": ")[2].split(", ")) == names
    assert schema["plan"]["properties"]["ignore"]["default"] == list(PLAN_IGNORE)
    assert set(schema["fail-on"]["enum"]) == {str(severity) for severity in Severity}


@pytest.mark.tools
def test_taplo_reads_the_schema(tmp_path: Path, tool: Callable[[str], str]) -> None:
    """The program behind the TOML support of editors finds the fault, by the line that names the schema."""
    taplo = tool("taplo")
    for text, code in (('dist = "out"\n', 0), ('dsit = "out"\n', 1)):
        (tmp_path / "crossgate.toml").write_text(f"#:schema {SETTINGS.as_uri()}\n{text}")
        assert subprocess.run([taplo, "lint", "crossgate.toml"], cwd=tmp_path, capture_output=True, check=False).returncode == code
