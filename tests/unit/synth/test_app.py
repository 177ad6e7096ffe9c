"""An app that fails is one error at the author's line, whatever it printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.errors import SynthError
from crossgate.synth.app import explain, run, settings


def app(folder: Path, text: str) -> Path:
    (folder / "app.py").write_text(text)
    return folder / "dist"


def failure(folder: Path, text: str) -> SynthError:
    with pytest.raises(SynthError) as raised:
        run("python app.py", folder, app(folder, text))
    return raised.value


def test_the_app_runs_in_the_project_and_is_told_where_to_write(tmp_path: Path) -> None:
    out = app(
        tmp_path, "import os, pathlib\np = pathlib.Path(os.environ['CDK8S_OUTDIR'])\np.mkdir()\n(p / 'cwd').write_text(os.getcwd())\n"
    )
    run("python app.py", tmp_path, out)
    assert (out / "cwd").read_text() == str(tmp_path)


def test_python_is_the_one_that_crossgate_runs_on(tmp_path: Path) -> None:
    """Without an active virtual environment, `python` may be another one, or none."""
    out = app(tmp_path, "import click, os\nos.mkdir(os.environ['CDK8S_OUTDIR'])\n")
    run("python app.py", tmp_path, out)
    assert out.is_dir()


def test_an_exception_is_placed_at_the_innermost_line_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("import json\n\ndef f():\n    json.loads('{')\n")
    error = failure(tmp_path, "import part\npart.f()\n")
    assert error.where == "part.py:4"
    assert error.what.startswith("JSONDecodeError: Expecting property name")


def test_the_last_of_chained_exceptions_counts(tmp_path: Path) -> None:
    error = failure(tmp_path, "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('better') from e\n")
    assert (error.what, error.where) == ("ValueError: better", "app.py:4")


def test_an_error_of_ours_comes_through_as_it_was(tmp_path: Path) -> None:
    error = failure(tmp_path, "from crossgate.errors import SynthError\nraise SynthError('what', 'x.py:3', 'the way out')\n")
    assert (error.what, error.where, error.hint) == ("what", "x.py:3", "the way out")


def test_a_syntax_error_is_placed_too(tmp_path: Path) -> None:
    error = failure(tmp_path, "a = 1\nb = (\n")
    assert error.where == "app.py:2"
    assert "SyntaxError" in error.what


def test_a_script_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(SynthError) as raised:
        run("python nowhere.py", tmp_path, tmp_path / "dist")
    assert "nowhere.py" in raised.value.hint
    assert raised.value.where == "cdk8s.yaml"


def test_an_app_that_writes_nothing_is_no_success(tmp_path: Path) -> None:
    assert failure(tmp_path, "").what == "the app wrote nothing"


def test_the_stack_of_javascript_is_left_out(tmp_path: Path) -> None:
    """As jsii prints it: what a construct said, then its own stack, which tells an author nothing."""
    stderr = f"""Traceback (most recent call last):
  File "{tmp_path}/apps/main.py", line 12, in <module>
    build().synth()
  File "{tmp_path}/apps/platform.py", line 40, in build
    Manifest(folder, "a", body)
  File "{tmp_path}/.venv/lib/python3.11/site-packages/jsii/_kernel/__init__.py", line 300, in create
    raise RuntimeError(resp.error)
RuntimeError: Error: There is already a Construct with name 'a' in Folder [10-a]
    at Node.addChild (/tmp/jsii/constructs/lib/construct.js:432:13)
    at new Node (/tmp/jsii/constructs/lib/construct.js:71:17)
"""
    error = explain(stderr, tmp_path)
    assert error.what == "RuntimeError: Error: There is already a Construct with name 'a' in Folder [10-a]"
    assert error.where == "apps/platform.py:40"


def test_all_faults_of_a_model_are_told_and_the_links_are_not(tmp_path: Path) -> None:
    text = "from pydantic import BaseModel\nclass P(BaseModel):\n    a: int\n    b: int\nP(a='x')\n"
    error = failure(tmp_path, text)
    assert error.where == "app.py:5"
    assert "2 validation errors for P" in error.what
    assert "Field required" in error.what
    assert "://" not in error.what


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (None, "there is no cdk8s.yaml"),
        ("", "names no app"),
        ("language: python\n", "names no app"),
        ("app: [a]\n", "names no app"),
        ("app: x\noutput: 3\n", "names no app"),
    ],
)
def test_settings_that_name_no_app_are_refused(tmp_path: Path, text: str | None, what: str) -> None:
    if text is not None:
        (tmp_path / "cdk8s.yaml").write_text(text)
    with pytest.raises(SynthError, match=what):
        settings(tmp_path)


def test_settings_are_read(tmp_path: Path) -> None:
    (tmp_path / "cdk8s.yaml").write_text("app: python x.py\n")
    assert settings(tmp_path) == ("python x.py", "dist")
    (tmp_path / "cdk8s.yaml").write_text("app: python x.py\noutput: out\n")
    assert settings(tmp_path) == ("python x.py", "out")
