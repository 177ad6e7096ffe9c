"""A real registry (Debian's docker-registry) on this machine, for what is pulled."""

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

import pytest

ARCHIVE = "application/vnd.oci.image.layer.v1.tar+gzip"


class Registry:
    """A registry that packages can be put into."""

    def __init__(self, host: str) -> None:
        self.host = host

    def push(
        self, repository: str, tag: str, layers: list[tuple[bytes, dict[str, str]]], *, index: bool = False, media_type: str = ARCHIVE
    ) -> str:
        """Put an image with these layers and annotations under a tag; return its digest."""
        config = self._blob(repository, b"{}")
        described = [{**self._blob(repository, data), "annotations": annotations} for data, annotations in layers]
        manifest = json.dumps(
            {
                "schemaVersion": 2,
                "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **config},
                "layers": [{"mediaType": media_type, **layer} for layer in described],
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

    @staticmethod
    def archive(files: dict[str, bytes]) -> bytes:
        """Pack files into a layer."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as written:
            for name, data in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                written.addfile(member, io.BytesIO(data))
        return gzip.compress(packed.getvalue(), mtime=0)


@pytest.fixture(scope="session")
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
