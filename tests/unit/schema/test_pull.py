"""Packages are read from a real registry (Debian's docker-registry) on this machine; the package is built here."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import socket
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

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


class Registry:
    """A registry that packages can be put into."""

    def __init__(self, host: str) -> None:
        self.host = host

    def push(self, repository: str, tag: str, layers: list[tuple[bytes, dict[str, str]]], *, index: bool = False) -> str:
        """Put an image with these gzipped layers and annotations under a tag; return its digest."""
        config = self._blob(repository, b"{}")
        described = [{**self._blob(repository, data), "annotations": annotations} for data, annotations in layers]
        manifest = json.dumps(
            {
                "schemaVersion": 2,
                "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **config},
                "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", **layer} for layer in described],
            }
        ).encode()
        if not index:
            return self._manifest(repository, tag, manifest, "application/vnd.oci.image.manifest.v1+json")
        digest = self._manifest(repository, "one-platform", manifest, "application/vnd.oci.image.manifest.v1+json")
        entry = {"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest, "size": len(manifest)}
        listed = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]}
        return self._manifest(repository, tag, json.dumps(listed).encode(), "application/vnd.oci.image.index.v1+json")

    def _blob(self, repository: str, data: bytes) -> dict[str, object]:
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        start = self._send("POST", f"/v2/{repository}/blobs/uploads/", b"", "application/octet-stream")
        separator = "&" if "?" in start else "?"
        self._send("PUT", f"{start}{separator}digest={digest}", data, "application/octet-stream")
        return {"digest": digest, "size": len(data)}

    def _manifest(self, repository: str, tag: str, data: bytes, media_type: str) -> str:
        self._send("PUT", f"/v2/{repository}/manifests/{tag}", data, media_type)
        return f"sha256:{hashlib.sha256(data).hexdigest()}"

    def _send(self, method: str, where: str, data: bytes, media_type: str) -> str:
        url = where if where.startswith("http") else f"http://{self.host}{where}"
        request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": media_type})
        with urllib.request.urlopen(request, timeout=10) as response:
            return str(response.headers.get("Location", ""))


def _layer(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


@pytest.fixture(scope="module")
def registry(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    program = tool("docker-registry")
    folder = tmp_path_factory.mktemp("registry")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config.yml").write_text(
        f"version: 0.1\nstorage: {{filesystem: {{rootdirectory: {folder / 'data'}}}}}\nhttp: {{addr: '127.0.0.1:{port}'}}\n"
    )
    process = subprocess.Popen([program, "serve", str(folder / "config.yml")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/", timeout=1).close()
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        yield Registry(f"127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(10)


def test_a_package_becomes_compact_schemas_with_version_and_digest(registry: Registry, tmp_path: Path) -> None:
    layers = [(_layer({"bin/provider": b"\x7fELF"}), {}), (_layer({"package.yaml": STREAM}), {"io.crossplane.xpkg": "base"})]
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


def test_an_image_for_several_platforms_and_without_annotation_is_read_too(registry: Registry) -> None:
    registry.push("acme/multi", "v1", [(_layer({"other": b"x"}), {}), (_layer({"./package.yaml": STREAM}), {})], index=True)
    assert pull(f"{registry.host}/acme/multi:v1", insecure=True).stream == STREAM


def test_a_package_can_be_named_by_its_digest(registry: Registry) -> None:
    digest = registry.push("acme/pinned", "v1", [(_layer({"package.yaml": STREAM}), {"io.crossplane.xpkg": "base"})])
    pulled = pull(f"{registry.host}/acme/pinned@{digest}", insecure=True)
    assert (pulled.digest, pulled.version) == (digest, "")


def test_a_manifest_that_was_changed_behind_its_digest_is_refused(registry: Registry, tmp_path_factory: pytest.TempPathFactory) -> None:
    digest = registry.push("acme/changed", "v1", [(_layer({"package.yaml": STREAM + b"\n"}), {"io.crossplane.xpkg": "base"})])
    blobs = next(tmp_path_factory.getbasetemp().glob("registry*/data/docker/registry/v2/blobs"))
    stored = blobs / "sha256" / digest[7:9] / digest[7:] / "data"
    stored.write_bytes(stored.read_bytes().replace(b'"schemaVersion"', b' "schemaVersion"'))
    with pytest.raises(SchemaError, match=r"digest does not match|answers"):
        pull(f"{registry.host}/acme/changed@{digest}", insecure=True)


def test_an_image_that_is_no_package_is_refused(registry: Registry) -> None:
    registry.push("acme/app", "v1", [(_layer({"app": b"x"}), {})])
    with pytest.raises(SchemaError, match="no Crossplane package"):
        pull(f"{registry.host}/acme/app:v1", insecure=True)


def test_a_package_that_does_not_exist_says_so(registry: Registry) -> None:
    with pytest.raises(SchemaError) as raised:
        pull(f"{registry.host}/acme/nothing:v1", insecure=True)
    assert "404" in raised.value.what
    assert raised.value.where.endswith("/acme/nothing:v1")
