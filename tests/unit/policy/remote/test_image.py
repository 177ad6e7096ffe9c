"""Images are read from a real registry; the real conftest pushes one of them."""

from __future__ import annotations

import json
import subprocess

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.remote import lock, pull
from crossgate.policy.remote.image import fetch_image
from crossgate.policy.remote.source import Source

pytestmark = pytest.mark.tools

REGO = b'package main\n\nimport rego.v1\n\ndeny contains "x" if input.x\n'
POLICY_LAYER = "application/vnd.cncf.openpolicyagent.policy.layer.v1+rego"
TITLE = "org.opencontainers.image.title"


def files(registry, name: str, resolved: str = ""):
    return fetch_image(Source.parse(f"oci+http://{registry.host}/{name}"), resolved)


def test_what_conftest_pushes_is_understood(registry, tool, tmp_path):
    """Policies are files by their titles; data layers are data from the root, whatever they are called."""
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "main.rego").write_bytes(REGO)
    (tmp_path / "limits.yaml").write_text("most: 3\n")
    command = [tool("conftest"), "push", f"{registry.host}/acme/conftest:v1", "--policy", "policy", "--data", "limits.yaml"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    digest, found = files(registry, "acme/conftest:v1")
    assert digest.startswith("sha256:")
    assert found["policy/main.rego"] == REGO
    assert found["data.json"] == b'{"most": 3}'


def test_a_bundle_of_opa_and_a_folder_of_oras_are_archives(registry):
    registry.push("acme/bundle", "v1", [(registry.archive({"a/main.rego": REGO, "data.json": b"{}", ".manifest": b"{}"}), {})])
    assert sorted(files(registry, "acme/bundle:v1")[1]) == ["a/main.rego", "data.json"]


def test_a_lock_holds_while_the_tag_moves(registry, store):
    source = f"oci+http://{registry.host}/acme/moves:v1"
    registry.push("acme/moves", "v1", [(REGO, {TITLE: "main.rego"})], media_type=POLICY_LAYER)
    (entry,) = lock([source], {}, store)
    registry.push("acme/moves", "v1", [(b"package main", {TITLE: "main.rego"})], media_type=POLICY_LAYER)
    store.get(entry.digest).rename(store.folder / "gone")
    assert pull([entry], store) == [entry]
    assert (store.get(entry.digest) / "main.rego").read_bytes() == REGO
    assert lock([source], {source: entry}, store, update=True)[0].resolved != entry.resolved


@pytest.mark.parametrize("title", ["../main.rego", "/main.rego", "a/../../main.rego"])
def test_a_title_that_leads_elsewhere_is_refused(registry, title):
    registry.push("acme/title", "v1", [(REGO, {TITLE: title})], media_type=POLICY_LAYER)
    with pytest.raises(PolicyError, match="leads out of the bundle"):
        files(registry, "acme/title:v1")


def test_a_layer_that_is_neither_is_refused(registry):
    """What is passed over could be the rule that refuses."""
    registry.push("acme/odd", "v1", [(REGO, {})], media_type=POLICY_LAYER)
    with pytest.raises(PolicyError, match="no title and is no archive"):
        files(registry, "acme/odd:v1")


def test_an_image_that_is_not_there_is_an_error(registry):
    with pytest.raises(PolicyError, match="404"):
        files(registry, "acme/none:v1")


@pytest.mark.parametrize(
    "manifest",
    [
        {"layers": 1},
        {"layers": ["x"]},
        {"layers": [{}]},
        {"layers": [{"digest": "sha256:1", "annotations": []}, {"digest": 1}]},
        {"layers": [{"digest": f"sha256:{'0' * 64}", "size": 1 << 40, "annotations": {TITLE: "a.rego"}}]},
        {"manifests": [1]},
        {"manifests": [{}]},
        [],
    ],
)
def test_a_manifest_out_of_form_is_an_error(monkeypatch, manifest):
    """A registry of somebody else may answer anything; none of it is a fault of crossgate's own."""
    data = json.dumps(manifest).encode()
    monkeypatch.setattr("crossgate.schema.registry.Registry._get", lambda *_: data)
    with pytest.raises(PolicyError):
        fetch_image(Source.parse("oci://registry.example.org/a:v1"))
