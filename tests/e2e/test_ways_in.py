"""The ways into a repository (GitHub, GitLab, Jenkins, Argo CD, pre-commit): each is read by its own linter or run as it stands."""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from crossgate.schema import Schemas

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

ORDERS = "dist/40-claims/shop/orders.yaml"
BAD = "  network: 0.0.0.0/0\n"
ROOT = Path(__file__).parent.parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # `on:` stays a text


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for workflow in WORKFLOWS:
        for name, job in read(workflow)["jobs"].items():
            yield from ((f"{workflow.name} {name}", step) for step in job["steps"])
    yield from (("action.yml", step) for step in read(ROOT / "action.yml")["runs"]["steps"])


@pytest.mark.tools
def test_zizmor_finds_nothing(tool: Callable[[str], str]) -> None:
    """Its auditor persona, which says everything; what it may not look up on the network it leaves out."""
    done = subprocess.run(
        [
            tool("zizmor"),
            "--offline",
            "--no-progress",
            "--persona",
            "auditor",
            "--format",
            "json",
            str(ROOT / ".github"),
            str(ROOT / "action.yml"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout) == [], done.stdout
    assert done.returncode == 0


@pytest.mark.tools
def test_actionlint_finds_nothing(tool: Callable[[str], str]) -> None:
    checker = tool("shellcheck")
    done = subprocess.run(
        [tool("actionlint"), "-shellcheck", checker, *map(str, WORKFLOWS)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    scripts = [*(ROOT / "scripts").rglob("*.sh"), ROOT / "examples/argocd/generate.sh", ROOT / ".ci/run"]
    done = subprocess.run([checker, *map(str, scripts)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_actions_are_pinned_by_digest_and_scripts_take_values_as_variables() -> None:
    for where, step in steps():
        if "uses" in step and not step["uses"].startswith("./"):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]), f"{where}: {step['uses']}"
        assert "${{" not in step.get("run", ""), f"{where}: what an expression holds would become a part of the script"


def test_workflows_hold_no_right_that_they_do_not_need() -> None:
    for workflow in WORKFLOWS:
        body = read(workflow)
        assert not {"pull_request_target", "workflow_run"} & set(body["on"])
        assert body["permissions"] == {}, "each job says what it needs"
        for name, job in body["jobs"].items():
            assert int(job["timeout-minutes"]) <= 60
            written = {right for right, level in job["permissions"].items() if level == "write"}
            runs_the_change = any("make" in step.get("run", "") or step.get("uses") == "./gate" for step in job["steps"])
            assert not (written and runs_the_change), f"{workflow.name} {name} reads the pull request with a token that may write"
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] == "false"


def test_the_gate_of_a_pull_request_is_the_bases() -> None:
    gate = read(ROOT / ".github/workflows/gate.yml")["jobs"]["gate"]["steps"]
    assert gate[0]["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"
    assert gate[2]["uses"] == f"./{gate[0]['with']['path']}"
    assert gate[2]["with"]["directory"] == gate[1]["with"]["path"]


def test_the_packages_of_the_action_are_those_of_the_project() -> None:
    """Its pins are a part of the developers' pins: what is tested is what judges."""
    pins = [
        dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", (ROOT / f"constraints/{name}.txt").read_text(), re.MULTILINE)) for name in ("run", "dev")
    ]
    assert pins[0].items() <= pins[1].items()
    project = (ROOT / "pyproject.toml").read_text()
    needed = re.findall(r'^    "([a-z0-9-]+)', project.partition("dependencies = [")[2].partition("]")[0], re.MULTILINE)
    assert set(needed) <= set(pins[0])


def run(repo: Repo, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI", "CROSSGATE_"))}
    return subprocess.run(
        ["bash", str(ROOT / script)],
        cwd=repo.root,
        env=kept | {"CROSSGATE_PYTHON": sys.executable, "CROSSGATE_REPORTS": str(repo.root.parent / "reports")} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def worsen(repo: Repo) -> None:
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + BAD)
    repo.commit()


def test_the_actions_script_judges_and_reports(repo: Repo, tmp_path: Path) -> None:
    worsen(repo)
    output, summary = tmp_path / "output", tmp_path / "summary"
    done = run(
        repo,
        "scripts/ci/check.sh",
        CROSSGATE_BASE="main",
        GITHUB_ACTIONS="true",
        GITHUB_OUTPUT=str(output),
        GITHUB_STEP_SUMMARY=str(summary),
    )
    assert done.returncode == 1, done.stderr
    assert re.search(rf"^::error file={ORDERS},line=\d+", done.stdout, re.MULTILINE)
    assert output.read_text() == f"exit-code=1\nreports={tmp_path}/reports\n"
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == [
        "report.html",
        "report.json",
        "report.md",
        "report.sarif",
        "report.xml",
    ]
    assert "network/open-cidr" in summary.read_text()
    assert summary.read_text() == (tmp_path / "reports/report.md").read_text()


def test_a_clean_change_passes_with_the_base_of_the_pull_request(repo: Repo) -> None:
    """GitHub, GitLab and Jenkins each name the target branch in a variable of their own."""
    repo.git("update-ref", "refs/remotes/origin/main", "main")
    for name in ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET"):
        done = run(repo, "scripts/ci/check.sh", **{name: "main"})
        assert done.returncode == 0, done.stdout + done.stderr
    done = run(repo, "scripts/ci/check.sh")
    assert done.returncode == 2
    assert "CROSSGATE_BASE" in done.stderr


def test_what_a_pull_request_can_name_is_not_run(repo: Repo, tmp_path: Path) -> None:
    """Branches, paths and modules that mean harm: they are values, and nothing of the folder is imported."""
    ran = tmp_path / "ran"
    for name in ("json", "yaml", "click", "crossgate/__init__", "sitecustomize"):
        repo.write(f"{name}.py", f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n")
    worsen(repo)
    evil = f"$(touch {ran})"
    for environment in (
        {"CROSSGATE_BASE": evil},
        {"CROSSGATE_BASE": "main", "CROSSGATE_PATHS": f"{evil}\n; touch {ran}\n"},
        {"CROSSGATE_BASE": "main", "CROSSGATE_PATHS": "--base=HEAD"},
        {"CROSSGATE_BASE": "--output=x"},
        {"GITHUB_BASE_REF": f"`touch {ran}`"},
        {"CROSSGATE_BASE": "main", "CROSSGATE_FAIL_ON": evil},
    ):
        assert run(repo, "scripts/ci/check.sh", **environment).returncode == 2, environment
    done = run(repo, "scripts/ci/check.sh", CROSSGATE_BASE="main", CROSSGATE_PATHS=f"{ORDERS}\n")
    assert done.returncode == 1
    assert not ran.exists()


GH = """\
#!/usr/bin/env bash
printf '%s\\n' "$*" >>"$CALLS"
for argument in "$@"; do [ "$argument" != POST ] && [ "$argument" != PATCH ] || cp "${@: -2:1}" "$CALLS.body"; done
[ "$1 $2" != "api --paginate" ] || printf '%s' "$MINE"
"""


@pytest.mark.parametrize(("mine", "method"), [("", "POST repos/a/b/issues/7/comments"), ("41\n", "PATCH repos/a/b/issues/comments/41")])
def test_one_comment_is_kept(tmp_path: Path, mine: str, method: str) -> None:
    """``gh`` is played by a script that notes what it is asked."""
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "report.md").write_text('hello "$(x)" `y`\n')
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "CALLS": str(tmp_path / "calls"),
        "MINE": mine,
        "GITHUB_REPOSITORY": "a/b",
        "CROSSGATE_COMMENT": str(tmp_path / "report.md"),
    }
    script = ["bash", str(ROOT / "scripts/ci/comment.sh")]
    assert subprocess.run(script, env=environment | {"CROSSGATE_NUMBER": "7;x"}, capture_output=True, check=False).returncode == 2
    assert not (tmp_path / "calls").exists()
    subprocess.run(script, env=environment | {"CROSSGATE_NUMBER": "7"}, check=True)
    asked, written = (tmp_path / "calls").read_text().splitlines()
    assert asked.startswith("api --paginate repos/a/b/issues/7/comments")
    assert f"--method {method}" in written
    assert json.loads((tmp_path / "calls.body").read_text()) == {"body": '<!-- crossgate -->\nhello "$(x)" `y`\n'}


def heredoc(text: str) -> str:
    return text.partition("<<'PYTHON'\n")[2].rpartition("PYTHON")[0]


def test_gitlab_gets_code_quality_and_tests(repo: Repo, tmp_path: Path) -> None:
    worsen(repo)
    assert run(repo, "scripts/ci/check.sh", CROSSGATE_BASE="main").returncode == 1
    job = read(ROOT / "examples/gitlab/.gitlab-ci.yml")["crossgate"]
    assert job["variables"]["GIT_DEPTH"] == "0"
    assert job["script"] == ['bash "$CI_BUILDS_DIR/crossgate/scripts/ci/check.sh"']
    subprocess.run([sys.executable, "-c", heredoc(job["after_script"][0]), str(tmp_path / "reports")], check=True)
    issues = json.loads((tmp_path / "reports/code-quality.json").read_text())
    assert {"description", "check_name", "fingerprint", "severity", "location"} == set(issues[0])
    assert (issues[0]["check_name"], issues[0]["location"]["path"]) == ("network/open-cidr", ORDERS)
    reports = job["artifacts"]["reports"]
    assert {Path(path).name for path in reports.values()} <= {path.name for path in (tmp_path / "reports").iterdir()}


@pytest.mark.parametrize("noted", [False, True])
def test_gitlab_keeps_one_note(tmp_path: Path, noted: bool) -> None:
    """The script of the job against a server that answers as GitLab's API does; another's note with the marker is left alone."""
    asked: list[tuple[str, str, Any]] = []
    notes = [{"id": 1, "author": {"id": 66}, "body": "<!-- crossgate -->\nnot mine"}]
    notes += [{"id": 2, "author": {"id": 5}, "body": "<!-- crossgate -->\nold"}] if noted else []

    class GitLab(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append((self.command, self.path, json.loads(body) if body else None))
            assert self.headers["PRIVATE-TOKEN"] == "t"
            found: Any = {"id": 5} if self.path.endswith("/user") else notes
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(found).encode())

        do_GET = do_POST = do_PUT = answer

        def log_message(self, *arguments: Any) -> None:
            pass

    (tmp_path / "crossgate-reports").mkdir()
    (tmp_path / "crossgate-reports/report.md").write_text("new")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitLab) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        environment = {
            "CI_API_V4_URL": f"http://127.0.0.1:{server.server_address[1]}/api/v4",
            "CI_MERGE_REQUEST_PROJECT_ID": "3",
            "CI_MERGE_REQUEST_IID": "9",
            "CROSSGATE_TOKEN": "t",
        }
        script = heredoc(read(ROOT / "examples/gitlab/.gitlab-ci.yml")["crossgate-note"]["script"][0])
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)
        server.shutdown()
    notes_at = "/api/v4/projects/3/merge_requests/9/notes"
    assert asked[-1] == ("PUT" if noted else "POST", f"{notes_at}/2" if noted else notes_at, {"body": "<!-- crossgate -->\nnew"})


def test_jenkins_runs_the_same_script(repo: Repo) -> None:
    """Groovy is not here: its shell commands are run as they stand, and no double quote lets Groovy write into a script."""
    text = (ROOT / "examples/jenkins/Jenkinsfile").read_text()
    plain = re.sub(r"//.*|'(?:[^'\\]|\\.)*'|\"[^\"]*\"", "", text)
    assert plain.count("{") == plain.count("}") > 5
    assert not re.search(r'^\s*sh "', text, re.MULTILINE)
    commands = re.findall(r"^\s*sh '(.*)'$", text, re.MULTILINE)
    assert len(commands) == 3
    worsen(repo)
    repo.git("remote", "add", "origin", str(repo.root))
    script = "\n".join(["set -eu", commands[0], commands[2]])
    environment = os.environ | {
        "CHANGE_TARGET": "main",
        "CROSSGATE": str(ROOT),
        "CROSSGATE_PYTHON": sys.executable,
        "CROSSGATE_REPORTS": str(repo.root.parent / "reports"),
        "GITHUB_ACTIONS": "",
    }
    done = subprocess.run(["sh", "-c", script], cwd=repo.root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    for name in re.findall(r"crossgate-reports/([\w.]+)'", text):
        assert (repo.root.parent / "reports" / name).is_file()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """What the sidecar's image holds, as its Dockerfile copies it; read in place where it is large."""
    gate = tmp_path / "gate"
    gate.mkdir()
    for source, target in re.findall(r"^COPY (\S+) /gate/(\w+)$", (ROOT / "examples/argocd/Dockerfile").read_text(), re.MULTILINE):
        (gate / target).symlink_to(ROOT / source)
    (gate / "crossgate.toml").write_text("")
    return gate


def test_the_plugin_of_argo_cd_prints_what_the_gate_passes(tmp_path: Path, image: Path) -> None:
    plugin = read(ROOT / "examples/argocd/plugin.yaml")
    assert (plugin["kind"], plugin["spec"]["generate"]["command"]) == ("ConfigManagementPlugin", ["bash", "/gate/scripts/generate.sh"])
    assert "COPY examples/argocd/generate.sh /gate/scripts/generate.sh" in (ROOT / "examples/argocd/Dockerfile").read_text()
    source = tmp_path / "source"
    source.mkdir()
    claim = (ROOT / "dist/40-claims/fraud").rglob("*.yaml")
    shutil.copy(next(iter(sorted(claim))), source / "a.yaml")
    (source / "crossgate.toml").write_text('fail-on = "info"\npolicies = []\n')
    (source / "json.py").write_text("raise SystemExit(0)\n")
    script = ["bash", str(ROOT / "examples/argocd/generate.sh")]
    environment = os.environ | {"GATE": str(image), "PYTHON": sys.executable}
    done = subprocess.run(script, cwd=source, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(yaml.safe_load_all(done.stdout)) == list(yaml.safe_load_all((source / "a.yaml").read_text()))
    (source / "a.yaml").write_text((source / "a.yaml").read_text().replace("gpuType", "gpuTipe").replace("name:", "nmae:", 1))
    done = subprocess.run(script, cwd=source, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 3)
    assert done.stdout == "", "Argo CD must get nothing that the gate refuses"
    assert "error" in done.stderr


def test_the_manifests_of_the_examples_are_valid(root: Path) -> None:
    """The Application by the project's own check, the sidecar as a part of a Deployment."""
    done = subprocess.run(
        [sys.executable, "-m", "crossgate", "check", "examples/argocd/application.yaml"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    template = read_typed(root / "examples/argocd/sidecar.yaml")["spec"]["template"]
    labels = {"app": "argocd-repo-server"}
    template["metadata"] = {"labels": labels}
    template["spec"]["volumes"] += [{"name": name, "emptyDir": {}} for name in ("var-files", "plugins")]
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "argocd-repo-server", "namespace": "argocd"},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
    assert Schemas.load([root / "schemas"]).validate(deployment) == []


def read_typed(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_the_hooks_of_pre_commit_are_commands_that_there_are(root: Path) -> None:
    for hook in read(root / ".pre-commit-hooks.yaml"):
        assert {"id", "name", "entry", "language"} <= set(hook)
        words = hook["entry"].split()
        done = subprocess.run([sys.executable, "-m", *words, "--help"], cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0
