"""A report is read by more people than the manifests: no message in it quotes a secret."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from crossgate import Config, check
from crossgate.report import write
from crossgate.sensitive import MASK, hiding

SECRET = "hunter2-quite-long"
HEAD = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: n}\n"
OBJECTS = {
    "data that is no base64": f'{HEAD}data: {{k: "{SECRET}!"}}\n',
    "a tag that does not fit": f"{HEAD}data: {{k: !!int {SECRET}}}\n",
    "a time that is none": f"{HEAD}data: {{k: !!timestamp {SECRET}}}\n",
    "a document on the separator's line": f"--- {{kind: Secret, stringData: {{k: {SECRET}}}}}\n",
    "a kind that is a whole object": f"apiVersion: v1\nkind: {{stringData: {{k: {SECRET}}}}}\n",
    "a list of secrets": f"{HEAD}stringData: {{k: [{SECRET}]}}\n",
    "an environment": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: n}\nspec:\n  containers:\n"
        f"  - {{name: c, image: i, env: [{{name: DB_PASSWORD, value: {{a: {SECRET}}}}}]}}\n"
    ),
    "cut off by the message": (f"{HEAD}stringData: {{k: [{'x' * 55}, {SECRET}{'y' * 80}]}}\n"),
    "quoted by JSON": (f"{HEAD}stringData: {{k: ['{SECRET}\"\\']}}\n"),
    "in an embedded manifest": (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a, namespace: n}\n"
        f"  stringData: {{k: [{SECRET}]}}\n"
    ),
    "an alias that was meant as a text": f"{HEAD}stringData:\n  k: *{SECRET}\n",
}


def config_of(project: Path, root: Path, policies: Path) -> Config:
    return Config(root=project, dist=project / "dist", policies=(policies,), schemas=(root / "schemas",))


@pytest.mark.parametrize("text", OBJECTS.values(), ids=OBJECTS)
def test_no_report_quotes_a_secret(text: str, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(text)
    report = check(["a.yaml"], config=config_of(tmp_path, root, root / "policies"))
    assert report.findings or report.could_not_check, "there must be something to say"
    for form in ("text", "json", "markdown", "html", "sarif", "junit", "github"):
        assert SECRET[:8] not in write(report, form), form


RULE = """\
# METADATA
# title: Passwords are long
# custom:
#   severity: warning
#   reason: SHORT
#   input: {scope}
#   remediation: Take a longer one.
package crossgate.secret.{scope}

import rego.v1

warn contains {{"msg": sprintf("%v is short", [found.contents.data.password]), "path": [0, "contents", "data"]}} if {{
	is_array(input)
	some found in input
}}

warn contains {{"msg": sprintf("%v is short", [input.data.password]), "path": ["data"]}} if is_object(input)
"""


@pytest.mark.parametrize("scope", ["document", "related", "estate"])
def test_what_a_rule_quotes_is_hidden_too(scope: str, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(f"{HEAD}data: {{password: {SECRET}}}\n".replace("Secret", "ConfigMap"))
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "a.rego").write_text(RULE.format(scope=scope))
    findings = check(["a.yaml"], config=config_of(tmp_path, root, tmp_path / "rules")).findings
    assert {finding.message for finding in findings if finding.rule == f"secret/{scope}"} == {f"{MASK} is short"}


def test_what_is_short_or_no_secret_stays() -> None:
    assert hiding({"abc"})('found string "abc", expected string "abcd…') == 'found string "abc", expected string "abcd…'
    assert hiding({SECRET})(f"{SECRET}, {SECRET[:6]}…") == f"{MASK}, {MASK}…"


def test_many_secrets_take_time_in_proportion_to_their_number() -> None:
    """A pull request may bring a Secret of a hundred thousand texts, and each of its findings is looked through for all of them."""
    hide = hiding({f"secret-number-{number}" for number in range(100_000)})
    start = time.process_time()
    for number in range(30):
        assert hide(f"found ['secret-number-{number}', 'secret-number-999999', 'secret-numb…") == f"found ['{MASK}', '{MASK}9', '{MASK}…"
    assert time.process_time() - start < 10
