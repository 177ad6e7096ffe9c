"""A pull request that means harm: it changes no verdict, learns nothing, and breaks no report."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from crossgate.model import Report
from crossgate.report import write

Repo = Any
"""The fixture of conftest.py, which tests cannot import."""

ORDERS = "dist/40-claims/shop/orders.yaml"
BAD = "  network: 0.0.0.0/0\n"
CANARY = "canary-4711"

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: shop}}\ndata: {data}\n"


BOMB = "b0: &b0 [x, x]\n" + "".join(f"b{n}: &b{n} [*b{n - 1}, *b{n - 1}]\n" for n in range(1, 40))


def findings(report: dict[str, Any]) -> list[str]:
    return [finding["rule"] for finding in report["findings"] if not finding["rule"].startswith("gate/")]


def everything(repo: Repo) -> str:
    """All that the gate and the plan write about a pull request."""
    return "\n".join(repo.reports().values())


def worsen(repo: Repo) -> None:
    repo.write(ORDERS, (repo.root / ORDERS).read_text() + BAD)


def test_links_out_of_the_tree_are_not_followed(repo: Repo, tmp_path: Any) -> None:
    (tmp_path / "secret.yaml").write_text(CONFIG_MAP.format(name="x", data=f"{{a: {CANARY}}}"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.yaml").write_text(CONFIG_MAP.format(name="y", data=f"{{a: {CANARY}}}"))
    for name, target in (("a", "../../secret.yaml"), ("b", str(tmp_path / "secret.yaml")), ("c", "/proc/self/environ"), ("d", "gone.yaml")):
        (repo.root / "dist" / f"{name}.yaml").symlink_to(target)
    (repo.root / "dist" / "folder").symlink_to(tmp_path / "outside")
    repo.commit()
    code, report = repo.check()
    assert code == 3, "what is not read is not passed"
    unread = {item["where"] for item in report["couldNotCheck"]}
    assert unread >= {"dist/a.yaml", "dist/b.yaml", "dist/c.yaml", "dist/d.yaml", "dist/folder"}
    assert repo.plan()["summary"]["exitCode"] == 3
    assert CANARY not in everything(repo)


def test_a_link_that_hides_a_claim_does_not_hide_its_finding(repo: Repo) -> None:
    worsen(repo)
    (repo.root / ORDERS).rename(repo.root / "hidden.txt")
    (repo.root / ORDERS).symlink_to("../../../hidden.txt")
    repo.commit()
    code, report = repo.check()
    assert (code, findings(report)) == (1, ["network/open-cidr"])


def test_the_gates_own_files_as_links(repo: Repo, tmp_path: Any) -> None:
    """Policies that are a link to a weaker folder, or to the outside, are not the base's."""
    worsen(repo)
    weak = tmp_path / "weak"
    weak.mkdir()
    (weak / "p.rego").write_text('package x\nimport rego.v1\ndeny contains {"msg": "a"} if input.never\n')
    repo.git("mv", "policies", "kept")
    (repo.root / "policies").symlink_to(weak)
    code, report = repo.check()
    assert (code, findings(report)) == (1, ["network/open-cidr"])
    assert any(finding["rule"].startswith("gate/changed-") for finding in report["findings"])


def test_a_submodule_is_not_judged_and_not_passed(repo: Repo) -> None:
    """Argo CD clones submodules: what stands in one reaches the cluster."""
    other = repo.at(repo.root.parent / "other")
    other.root.mkdir()
    other.git("init", "-q")
    other.write("x.yaml", CONFIG_MAP.format(name="x", data="{}"))
    other.commit()
    repo.git("submodule", "add", "-q", str(other.root), "dist/sub")
    repo.commit()
    for populated in (True, False):
        if not populated:
            shutil.rmtree(repo.root / "dist/sub")
            (repo.root / "dist/sub").mkdir()
        code, report = repo.check()
        assert code == 3
        assert "dist/sub" in [item["where"] for item in report["couldNotCheck"]]
        assert repo.plan()["summary"]["exitCode"] == 3


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: " + "x" * (11 * 1024 * 1024), id="large"),
        pytest.param("a: " + "[" * 50_000 + "]" * 50_000, id="deep list"),
        pytest.param("\n".join(" " * depth + "a:" for depth in range(3000)), id="deep mapping"),
        pytest.param("{" * 50_000, id="unclosed"),
        pytest.param(BOMB, id="bomb"),
        pytest.param("\x00\x01\x02", id="binary"),
        pytest.param("a: b\n---\n" * 5_000, id="documents"),
    ],
)  # fmt: skip
def test_files_that_are_made_to_exhaust_a_reader(repo: Repo, text: str) -> None:
    worsen(repo)
    repo.write("dist/evil.yaml", text)
    repo.commit()
    start = time.process_time()
    code, report = repo.check()
    plan = repo.plan()
    assert time.process_time() - start < 60
    assert code in (1, 3)
    assert "network/open-cidr" in findings(report), "the others are still judged"
    assert "orders" in [each["after"]["name"] for each in plan["claims"] if each.get("after")], "and planned"


def test_deep_objects_and_texts_within_texts(repo: Repo) -> None:
    deep = "x"
    for _ in range(400):
        deep = f"{{a: {deep}}}"
    texts = CANARY
    for _ in range(12):
        texts = json.dumps({"password": texts})
    data = "{a: " + json.dumps(texts) + "}"
    repo.write("dist/deep.yaml", CONFIG_MAP.format(name="x", data=data) + f"---\n{HEAD}b: {deep}\n")
    repo.commit()
    text = everything(repo)
    assert CANARY not in text.partition('"findings"')[0]
    assert repo.check()[0] in (1, 3)


SETTINGS = (
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "diff.evil.command", "diff.external"),
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "uploadpack.packObjectsHook", "gpg.program"),
    *("pager.cat-file", "pager.rev-parse", "pager.ls-tree", "alias.cat-file", "credential.helper"),
)


def test_attributes_and_configuration_run_nothing(repo: Repo, tmp_path: Any) -> None:
    """Whoever can write .gitattributes of a pull request and the configuration of a clone must not run anything through the gate."""
    ran = tmp_path / "ran"
    repo.write(".gitattributes", "* filter=evil diff=evil merge=evil text eol=crlf export-subst ident\n")
    worsen(repo)
    repo.commit()
    for key in SETTINGS:
        repo.git("config", key, f"sh -c 'touch {ran}'")
    hooks = repo.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    code, report = repo.check()
    repo.plan()
    assert (code, findings(report)) == (1, ["network/open-cidr"])
    assert not ran.exists()


def test_code_of_the_head_is_not_run(repo: Repo, tmp_path: Any) -> None:
    """Python beside the manifests (a conftest, a sitecustomize, a module of a known name) stays unread."""
    ran = tmp_path / "ran"
    code = f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n"
    for name in (
        "sitecustomize",
        "usercustomize",
        "yaml",
        "json",
        "git/__init__",
        "crossgate/__init__",
        "apps/main",
        "conftest",
        "constructs/x",
    ):
        repo.write(f"{name}.py", code)
    repo.commit()
    script = "import sys; sys.path[0:1] = []; from crossgate.cli import main; main()"
    for arguments in (("check", "--base", "main"), ("plan", "--base", "main")):
        done = subprocess.run([sys.executable, "-c", script, *arguments], cwd=repo.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert not ran.exists()


def test_a_repository_within_the_tree_is_not_the_repository(repo: Repo) -> None:
    """HEAD, objects/ and refs/ at the root of a pull request look like a bare repository: its base would be the attacker's."""
    worsen(repo)
    repo.git("commit", "-qam", "worse")
    bare = repo.root.parent / "bare"
    repo.git("clone", "-q", "--bare", str(repo.root), str(bare))
    repo.at(bare).git("update-ref", "refs/heads/main", repo.git("rev-parse", "HEAD").strip())
    for name in ("HEAD", "objects", "refs", "config"):
        (bare / name).rename(repo.root / name)
    repo.commit()
    code, report = repo.check()
    assert (code, findings(report)) == (1, ["network/open-cidr"])


NAMES = [
    "a\nb.yaml",
    "::error file=x::owned.yaml",
    "%0A::error::x.yaml",
    "\x1b[2J.yaml",
    "\u202eevil.yaml",
    "<img src=x onerror=alert(1)>.yaml",
    "[x](https:evil).yaml",
    "|table|.yaml",
    " .yaml",
    "-o.yaml",
    "--base.yaml",
    "$(touch ran).yaml",
    "`touch ran`.yaml",
    "'\".yaml",
    "..yaml",
    "a" * 200 + ".yaml",
]


def test_names_of_files(repo: Repo) -> None:
    """Line breaks, control characters, commands of CI logs, markup and options in file names."""
    for number, name in enumerate(NAMES):
        text = (repo.root / "dist/40-claims/shop/users.yaml").read_text().replace("users", f"evil-{number}") + BAD
        repo.write(f"dist/40-claims/shop/{name}", text)
    (repo.root / "dist" / os.fsdecode(b"\xff\xfe.yaml")).write_text(CONFIG_MAP.format(name="x", data="{}"))
    repo.commit()
    code, report = repo.check()
    assert code == 1
    assert findings(report).count("network/open-cidr") == len(NAMES)
    assert len([each for each in repo.plan()["claims"] if each["after"]["name"].startswith("evil")]) == len(NAMES)
    inert(repo)
    assert not list(repo.root.rglob("ran"))


VALUES = [
    "::error file=a.py,line=1::owned",
    "\n::set-output name=x::y",
    "\r::stop-commands::x",
    "##[error]owned",
    "##vso[task.setvariable variable=x]y",
    "\x1b]0;title\x07\x1b[31mred",
    "\u202e\u2066\u200b",
    "</script><script>alert(1)</script>",
    "<details><summary>x</summary>",
    "![](https://evil.example/x.png)",
    "| a | b |\n|---|---|",
    "]]><!--",
    "{{ .Values.x }} ${{ github.token }}",
]


def test_values_and_object_names(repo: Repo) -> None:
    for number, value in enumerate(VALUES):
        quoted = json.dumps(value)
        named = f"metadata: {{name: {quoted}, namespace: shop, labels: {{a: {quoted}}}}}"
        asks = f"spec: {{bucket: {quoted}, network: 0.0.0.0/0, {quoted}: 1}}"
        body = f"apiVersion: shop.example.org/v1\nkind: Store\n{named}\n{asks}\n"
        repo.write(f"dist/40-claims/shop/evil-{number}.yaml", body)
    repo.commit()
    assert repo.check()[0] in (1, 3)
    inert(repo)


def inert(repo: Repo) -> None:
    """Every report is whole, holds no control character, and starts no command of a CI log but its own."""
    reports = repo.reports()
    for name in ("json", "sarif", "plan.json"):
        json.loads(reports[name])
    ET.fromstring(reports["junit"])
    for name in ("markdown", "plan.markdown"):
        plain_markdown(reports[name])
    for name in ("html", "plan.html"):
        plain_page(reports[name])
    for name, text in reports.items():
        assert text
        quiet(text, own=name == "github")
    for verb in ("check", "plan"):
        done = repo.run(verb, "--base", "main")
        quiet(done.stdout + done.stderr)


def plain_markdown(text: str) -> None:
    """A reader of CommonMark sees no picture, no link that a value brought, and no tag but those that fold."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for inner in (token, *(token.children or ())):
            assert inner.type != "image", inner
            if inner.type in ("html_block", "html_inline"):
                tags = set(re.findall(r"<\s*/?\s*(\w+)", inner.content))
                assert tags <= {"details", "summary", "b", "br", "sub", "code", "pre", "kbd"}, inner.content
                assert not re.search(r"<[^>]*\s(?:on\w+|src|href)\s*=", inner.content), inner.content
            if inner.type == "link_open":
                assert "evil" not in str(inner.attrGet("href")), inner


class Page(HTMLParser):
    """The elements of a page that could act: scripts, and attributes that run or load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts = 0
        self.acting: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.acting |= {tag} & {"img", "iframe", "object", "embed", "form", "base", "link"}
        self.acting |= {f"{tag} {name}" for name, _ in attrs if name.startswith("on") or name in ("src", "srcdoc", "action", "formaction")}
        self.acting |= {
            f"{tag} {value}" for name, value in attrs if name == "href" and re.match(r"\s*(?:javascript|data|vbscript):", value or "")
        }


def plain_page(text: str) -> None:
    """No value became an element: nothing acts but the page's own script and data, as in a page about nothing."""
    page, empty = Page(text), Page(write(Report(), "html"))
    assert page.acting <= empty.acting, page.acting
    assert page.scripts == empty.scripts


OWN = re.compile(r"::(error|warning|notice) (file=[^,:]*,)?line=\d+,col=\d+,title=[^:,]*::")


def quiet(text: str, *, own: bool = False) -> None:
    controls = re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert not controls, controls
    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
    if own:
        commands = [line for line in commands if not OWN.match(line)]
    assert not commands, commands
    assert "##[" not in text
    assert "##vso[" not in text


def test_paths_that_climb_out_of_the_tree_of_a_commit(repo: Repo, tmp_path: Any) -> None:
    """Git makes no tree with such names, but an object can be written by hand; the base's policies are written to a folder from it."""

    def made(*command: str, of: bytes) -> str:
        return subprocess.run(["git", *command], cwd=repo.root, input=of, capture_output=True, check=True).stdout.decode().strip()

    blob = repo.git("hash-object", "-w", "CODEOWNERS").strip()
    entries = b"".join(b"100644 " + name + b"\0" + bytes.fromhex(blob) for name in (b"..", b".git", b"a"))
    tree = made("hash-object", "-t", "tree", "-w", "--literally", "--stdin", of=entries)
    inner = made("mktree", of=(repo.git("ls-tree", "main:policies") + f"040000 tree {tree}\tevil\n").encode())
    above = [line for line in repo.git("ls-tree", "main").splitlines() if "\tpolicies" not in line]
    whole = made("mktree", of="\n".join([*above, f"040000 tree {inner}\tpolicies", ""]).encode())
    commit = repo.git("commit-tree", whole, "-p", "main", "-m", "evil").strip()
    worsen(repo)
    done = repo.run("check", "--base", commit, TMPDIR=str(tmp_path))
    assert done.returncode in (1, 3), done.stderr
    assert "network/open-cidr" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repo"]


def test_settings_further_down_do_not_move_the_project(repo: Repo) -> None:
    """A crossgate.toml in a folder between the working folder and the project would make that folder the project."""
    worsen(repo)
    repo.write("dist/crossgate.toml", 'dist = "none"\n')
    done = repo.at(repo.root / "dist").run("check", "--base", "main")
    assert done.returncode == 1
    assert "network/open-cidr" in done.stdout


def test_settings_that_cannot_be_read_do_not_pass(repo: Repo) -> None:
    worsen(repo)
    repo.write("crossgate.toml", "= broken [")
    assert repo.run("check", "--base", "main").returncode not in (0,)


def test_a_deleted_dist_is_no_pass(repo: Repo) -> None:
    repo.git("rm", "-rq", "dist")
    done = repo.run("check", "--base", "main")
    assert done.returncode in (2, 3)
    assert [each["action"] for each in repo.plan()["claims"]] == ["delete"] * 4
