"""The platform on a real API server, with a real Crossplane and a real Argo CD, which run as plain processes without containers.

Set CROSSGATE_CONTROL_PLANE to the folders (separated by colons) with ``etcd``, ``kube-apiserver``, ``kubectl``, ``crossplane-core``,
``function-pt``, ``function-environment-configs``, ``function-auto-ready`` and ``crane``; for Argo CD ``argocd-e2e`` (application controller
and repository server in one), ``git-verify-wrapper.sh`` and ``redis-server`` too; ``kube-controller-manager`` is used when it is there. In
one of them the folder ``crossplane-crds`` has Crossplane's own CRDs. Both tests take some minutes, and root for a network namespace.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CORE = (
    "etcd",
    "kube-apiserver",
    "kubectl",
    "crossplane-core",
    "function-pt",
    "function-environment-configs",
    "function-auto-ready",
    "crane",
)
ARGO = ("argocd-e2e", "git-verify-wrapper.sh", "redis-server")
NAMESPACE = ("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc")

pytestmark = pytest.mark.skipif(
    not os.environ.get("CROSSGATE_CONTROL_PLANE"), reason="CROSSGATE_CONTROL_PLANE names no folder with the programs of a control plane"
)


def brought_up(root: Path, folder: Path, what: str, programs: tuple[str, ...]) -> str:
    """Run the platform there, and return what was said; it fails when anything was not as it should be."""
    folders = f"{os.environ['CROSSGATE_CONTROL_PLANE']}{os.pathsep}{os.environ['PATH']}"
    missing = [program for program in programs if not shutil.which(program, path=folders)]
    crds = [Path(one) / "crossplane-crds" for one in os.environ["CROSSGATE_CONTROL_PLANE"].split(os.pathsep)]
    found = [one for one in crds if one.is_dir()]
    if missing or not found:
        pytest.skip(f"CROSSGATE_CONTROL_PLANE has no {', '.join(missing) or 'crossplane-crds'}")
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace can be made here")
    script = root / "tests/e2e/control_plane/main.py"
    command = [*NAMESPACE, sys.executable, str(script), what, str(root), str(found[0]), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": folders})
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


def test_claims_become_what_crossgate_renders(root: Path, tmp_path: Path) -> None:
    """Every object of dist/ is accepted, every XRD is established, and every composed resource is the one that was rendered."""
    said = brought_up(root, tmp_path, "crossplane", CORE)
    assert "0 objects refused, 0 differences" in said


def test_argo_cd_syncs_wave_after_wave(root: Path, tmp_path: Path) -> None:
    """The Application ml-infrastructure, from a Git repository, by the sync waves and health checks that are committed."""
    said = brought_up(root, tmp_path, "argocd", CORE + ARGO)
    assert " objects, 0 not" in said
