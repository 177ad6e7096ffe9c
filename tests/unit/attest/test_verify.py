from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crossgate.attest import attest, read, verify, write
from crossgate.attest.verify import MOST_BYTES
from crossgate.cli import crossgate
from crossgate.errors import CrossgateError


@pytest.fixture
def statement(project: Path) -> dict[str, Any]:
    return attest().statement


def differences(statement: dict[str, Any], folder: Path | None = None) -> list[str]:
    return verify(statement, folder=folder)[0]


def test_what_was_attested_is_verified(statement):
    assert differences(json.loads(write(statement))) == []


def test_a_copy_elsewhere_is_verified_too(statement, project, tmp_path):
    shutil.copytree(project / "dist", tmp_path / "rendered")
    assert differences(statement, tmp_path / "rendered") == []


def test_each_difference_is_said(statement, project):
    (project / "dist" / "a.yaml").write_text("changed: 1\n")
    (project / "dist" / "b" / "a.yaml").unlink()
    (project / "dist" / "new.yaml").write_text("")
    with (project / "policies" / "main.rego").open("a") as opened:
        opened.write("# more\n")
    (project / "policies" / "waivers.yaml").write_text("waivers:\n- {}\n")
    (project / "schemas" / "more.yaml").write_text("")
    said = [line.split(":")[0] for line in differences(statement)]
    assert said == ["file a.yaml", "file b/a.yaml", "file new.yaml", "policies", "schemas", "settings policies/waivers.yaml"]


def test_a_check_that_did_not_pass_is_a_difference(statement):
    statement["predicate"]["check"]["verdict"] = "findings"
    assert differences(statement) == ["check: its verdict was findings"]


def test_changes_that_were_not_committed_are_noted(statement):
    statement["predicate"]["commit"]["clean"] = False
    assert "with changes that were not committed" in verify(statement)[1][-1]


def test_a_link_in_the_place_of_a_file_is_refused(statement, project, tmp_path):
    """Its content would be verified, and another one be applied."""
    file = project / "dist" / "a.yaml"
    file.rename(tmp_path / "a.yaml")
    file.symlink_to(tmp_path / "a.yaml")
    with pytest.raises(CrossgateError, match="link or device"):
        verify(statement)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../a.yaml", "b/../../a.yaml", "a\\b", "a\nb", "", "./a.yaml", "b//a.yaml", None, 1, ["a"]]
)
def test_names_that_lead_elsewhere_are_refused(statement, name):
    statement["subject"][0]["name"] = name
    with pytest.raises(CrossgateError, match="name"):
        verify(statement)


def test_a_name_twice_is_refused(statement):
    """Which digest counts would be a matter of luck."""
    statement["subject"].append(statement["subject"][0])
    with pytest.raises(CrossgateError, match="twice"):
        verify(statement)


@pytest.mark.parametrize("digest", [None, {}, {"sha256": 1}, {"sha256": "A" * 64}, {"sha256": "0" * 63}, {"md5": "0" * 32}, "x"])
def test_a_digest_that_is_none_is_refused(statement, digest):
    statement["subject"][0]["digest"] = digest
    with pytest.raises(CrossgateError):
        verify(statement)


@pytest.mark.parametrize(
    "path",
    ["subject", "predicate", "predicate.judges", "predicate.judges.schemas", "predicate.settings", "predicate.check", "predicate.tool"],
)
@pytest.mark.parametrize("value", [None, 1, "x", [1], {"a": 1}])
def test_wrong_types_are_clear_errors_or_differences(statement, path, value):
    """Never a traceback, and never a pass."""
    *above, last = path.split(".")
    holder = statement
    for key in above:
        holder = holder[key]
    holder[last] = value
    try:
        assert differences(statement) or path == "predicate.tool"
    except CrossgateError as error:
        assert error.where


@pytest.mark.parametrize("wrap", ["plain", "envelope", "bundle"])
def test_envelopes_are_opened(statement, project, wrap):
    text = write(statement)
    envelope = {"payloadType": "application/vnd.in-toto+json", "payload": base64.b64encode(text.encode()).decode(), "signatures": []}
    given = {"plain": text, "envelope": json.dumps(envelope), "bundle": json.dumps({"mediaType": "x", "dsseEnvelope": envelope})}[wrap]
    (project / "attestation.json").write_text(given)
    assert read(project / "attestation.json") == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "not json",
        "[" * 100_000,
        '{"_type": "https://in-toto.io/Statement/v0.1"}',
        '{"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1"}',
        '{"payload": "AA==", "payloadType": "text/plain"}',
        '{"payload": "%%", "payloadType": "application/vnd.in-toto+json"}',
        '{"payload": 1, "payloadType": "application/vnd.in-toto+json"}',
    ],
)
def test_what_is_no_attestation_is_an_error(project, text):
    (project / "attestation.json").write_text(text)
    with pytest.raises(CrossgateError):
        read(project / "attestation.json")


def test_a_huge_file_is_not_read_into_memory(project):
    with (project / "attestation.json").open("wb") as opened:
        opened.truncate(1 << 40)
    with pytest.raises(CrossgateError, match=f"{MOST_BYTES >> 20} MiB"):
        read(project / "attestation.json")


def test_the_commands_say_it_by_their_exit_codes(project):
    run = CliRunner()
    made = run.invoke(crossgate, ["attest", "-o", "build/attestation.json"])
    assert (made.exit_code, made.stderr) == (0, "2 files attested; the check: passed\n")
    assert run.invoke(crossgate, ["attest"]).stdout == (project / "build" / "attestation.json").read_text()
    assert run.invoke(crossgate, ["verify", "build/attestation.json"]).exit_code == 0
    file = project / "dist" / "a.yaml"
    file.write_text(file.read_text().replace("fine", "forbidden"))
    verified = run.invoke(crossgate, ["verify", "build/attestation.json"])
    assert verified.exit_code == 1
    assert "file a.yaml: attested" in verified.stdout
    assert verified.stdout.endswith("2 files attested, 1 difference\n")
    assert run.invoke(crossgate, ["attest"]).exit_code == 1


@pytest.mark.parametrize("names", [("payload", "Payload"), ("Payload", "payload"), ("payload", "payload")])
def test_an_envelope_with_two_payloads_is_refused(statement, project, names):
    """cosign takes the last one in any letter case: what is compared here must be what was signed."""
    forged = write({**statement, "subject": []})
    first, second = (json.dumps(base64.b64encode(text.encode()).decode()) for text in (write(statement), forged))
    text = f'{{"payloadType": "application/vnd.in-toto+json", "{names[0]}": {first}, "{names[1]}": {second}, "signatures": []}}'
    (project / "attestation.json").write_text(text)
    with pytest.raises(CrossgateError, match="stands twice"):
        read(project / "attestation.json")


def test_a_folder_that_cannot_be_read_is_no_empty_one(statement, project, monkeypatch):
    """What stands there was not attested. (Who runs tests as root may read everything.)"""

    def walk(folder: Path, onerror: Any) -> list[Any]:
        onerror(PermissionError(13, "Permission denied", str(folder / "closed")))
        return []

    monkeypatch.setattr("crossgate.attest.digests.os.walk", walk)
    with pytest.raises(CrossgateError, match="cannot read the folder") as refused:
        verify(statement)
    assert refused.value.where.endswith("closed")


def test_what_stands_behind_a_link_among_the_policies_counts(project, tmp_path):
    """Rules, freezes and prices are read through links; what they say is part of how it was checked."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "freezes.yaml").write_text("freezes: []\n")
    (project / "policies" / "more").symlink_to(tmp_path / "elsewhere")
    statement = attest().statement
    assert differences(statement) == []
    (tmp_path / "elsewhere" / "freezes.yaml").write_text("freezes: [] # another\n")
    assert [line.partition(":")[0] for line in differences(statement)] == ["settings policies/more/freezes.yaml"]
