"""Packages are read from a real registry (Debian's docker-registry) on this machine; the package is built here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crossgate.cli.schema import command
from crossgate.errors import SchemaError
from crossgate.schema import Schemas
from crossgate.schema.pull import pull

pytestmark = pytest.mark.tools

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "disks.store.example.org"},
    "spec": {
        "group": "store.example.org",
        "names": {"kind": "Disk", "plural": "disks"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
                    }
                },
            }
        ],
    },
}
META = {"apiVersion": "meta.pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "provider-store"}}
STREAM = f"{json.dumps(META)}\n---\n{json.dumps(CRD)}\n".encode()


def test_a_package_becomes_compact_schemas_with_version_and_digest(registry: Any, tmp_path: Path) -> None:
    layers = [
        (registry.archive({"bin/provider": b"\x7fELF"}), {}),
        (registry.archive({"package.yaml": STREAM}), {"io.crossplane.xpkg": "base"}),
    ]
    digest = registry.push("acme/provider-store", "v1.2.3", layers)
    done = CliRunner().invoke(
        command, ["pull", f"{registry.host}/acme/provider-store:v1.2.3", "--insecure", "--into", str(tmp_path)], catch_exceptions=False
    )
    assert done.output == "acme/provider-store v1.2.3: 1 schemas\n"
    lock = (tmp_path / "lock.toml").read_text()
    assert 'version = "v1.2.3"' in lock
    assert f'digest = "{digest}"' in lock
    assert "127.0.0.1" not in lock, "where a package was fetched from is nobody's business"
    schemas = Schemas.load([tmp_path])
    (problem,) = schemas.validate({"apiVersion": "store.example.org/v1", "kind": "Disk", "metadata": {"name": "d"}, "spec": {"size": "1"}})
    assert problem.path == "spec.size"


def test_an_image_for_several_platforms_and_without_annotation_is_read_too(registry: Any) -> None:
    registry.push(
        "acme/multi", "v1", [(registry.archive({"other": b"x"}), {}), (registry.archive({"./package.yaml": STREAM}), {})], index=True
    )
    assert pull(f"{registry.host}/acme/multi:v1", insecure=True).stream == STREAM


def test_a_package_can_be_named_by_its_digest(registry: Any) -> None:
    digest = registry.push("acme/pinned", "v1", [(registry.archive({"package.yaml": STREAM}), {"io.crossplane.xpkg": "base"})])
    pulled = pull(f"{registry.host}/acme/pinned@{digest}", insecure=True)
    assert (pulled.digest, pulled.version) == (digest, "")


def test_a_manifest_that_was_changed_behind_its_digest_is_refused(registry: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    digest = registry.push("acme/changed", "v1", [(registry.archive({"package.yaml": STREAM + b"\n"}), {"io.crossplane.xpkg": "base"})])
    blobs = next(tmp_path_factory.getbasetemp().glob("registry*/data/docker/registry/v2/blobs"))
    stored = blobs / "sha256" / digest[7:9] / digest[7:] / "data"
    stored.write_bytes(stored.read_bytes().replace(b'"schemaVersion"', b' "schemaVersion"'))
    with pytest.raises(SchemaError, match=r"digest does not match|answers"):
        pull(f"{registry.host}/acme/changed@{digest}", insecure=True)


def test_an_image_that_is_no_package_is_refused(registry: Any) -> None:
    registry.push("acme/app", "v1", [(registry.archive({"app": b"x"}), {})])
    with pytest.raises(SchemaError, match="no Crossplane package"):
        pull(f"{registry.host}/acme/app:v1", insecure=True)


def test_a_package_that_does_not_exist_says_so(registry: Any) -> None:
    with pytest.raises(SchemaError) as raised:
        pull(f"{registry.host}/acme/nothing:v1", insecure=True)
    assert "404" in raised.value.what
    assert raised.value.where.endswith("/acme/nothing:v1")
