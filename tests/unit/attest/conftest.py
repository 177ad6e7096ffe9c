from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

POLICY = 'package main\n\nimport rego.v1\n\ndeny contains "no forbidden" if input.data.a == "forbidden"\n'


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
"""


def manifest(name: str = "a", value: str = "fine") -> str:
    return f"apiVersion: example.org/v1\nkind: Thing\nmetadata: {{name: {name}, namespace: b}}\ndata: {{a: {value}}}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed project of two manifests and one rule, as the working folder."""
    folder = tmp_path / "project"
    for name, text in {
        "crossgate.toml": "",
        "schemas/crd.yaml": CRD,
        "policies/main.rego": POLICY,
        "policies/waivers.yaml": "waivers: []\n",
        "policies/data/prices.yaml": "{}\n",
        "dist/b/a.yaml": manifest("b"),
        "dist/a.yaml": manifest(),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-qb", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    monkeypatch.chdir(folder)
    return folder
