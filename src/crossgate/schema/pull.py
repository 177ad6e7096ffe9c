"""``crossgate schema pull``: the definitions of a Crossplane package, straight from its registry.

As crossplane-runtime's ``pkg/xpkg`` (August 2026): the layer annotated ``io.crossplane.xpkg: base`` holds
``package.yaml``; without the annotation the topmost layer that has the file counts. Everything that is read is
compared with its digest.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from dataclasses import dataclass
from typing import Any

from crossgate.errors import SchemaError

_ANNOTATION = "io.crossplane.xpkg"
_STREAM = "package.yaml"
_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_LIMIT = 256 * 2**20
"""Bytes that a package's stream may have; the largest provider families have about 30 MB."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package's stream of documents, the digest of its image, and its name and version as they were asked for."""

    name: str
    version: str
    digest: str
    stream: bytes


def pull(reference: str, *, insecure: bool = False) -> Package:
    """Fetch a package (``registry/repository:tag`` or ``…@sha256:…``); ``insecure`` speaks plain HTTP, for a registry on this machine.

    Raises SchemaError when the registry or the package cannot be read, or a digest does not match.
    """
    try:
        import oras.container  # type: ignore[import-untyped]  # noqa: PLC0415 (only pulling needs a registry client)
        import oras.provider  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError as error:
        raise SchemaError("the registry client is not installed", reference, "pip install 'crossgate[pull]'") from error
    try:
        container = oras.container.Container(reference)
        registry = oras.provider.Registry(container.registry, insecure=insecure)
        return _Registry(registry, container, reference).package()
    except SchemaError:
        raise
    except Exception as error:
        # The client raises whatever its libraries raise: unknown hosts, refused logins, broken answers.
        said = str(error).splitlines()
        raise SchemaError(f"cannot read the package: {said[0] if said else type(error).__name__}", reference) from error


class _Registry:
    def __init__(self, client: Any, container: Any, reference: str) -> None:
        self._client = client
        self._container = container
        self._reference = reference

    def package(self) -> Package:
        wanted = self._container.digest or self._container.tag
        manifest, digest = self._manifest(wanted)
        image = manifest
        if "manifests" in manifest:
            # Every platform of a package has the same stream.
            image, _ = self._manifest(manifest["manifests"][0]["digest"])
        version = "" if self._container.digest else self._container.tag
        name = "/".join(filter(None, (self._container.namespace, self._container.repository)))
        return Package(name, version, digest, self._stream(image))

    def _manifest(self, wanted: str) -> tuple[dict[str, Any], str]:
        url = f"{self._client.prefix}://{self._container.registry}/v2/{self._container.api_prefix}/manifests/{wanted}"
        data = self._get(url, {"Accept": ", ".join(_MANIFESTS)})
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        if wanted.startswith("sha256:"):
            self._compare(wanted, digest)
        manifest: dict[str, Any] = json.loads(data)
        return manifest, digest

    def _stream(self, image: dict[str, Any]) -> bytes:
        layers = image.get("layers") or []
        marked = [layer for layer in layers if (layer.get("annotations") or {}).get(_ANNOTATION) == "base"]
        for layer in marked or reversed(layers):
            url = f"{self._client.prefix}://{self._container.registry}/v2/{self._container.api_prefix}/blobs/{layer['digest']}"
            data = self._get(url, {})
            self._compare(layer["digest"], f"sha256:{hashlib.sha256(data).hexdigest()}")
            stream = _file_of(data)
            if stream is not None:
                return stream
        raise SchemaError(f"the image holds no {_STREAM}: it is no Crossplane package", self._reference)

    def _get(self, url: str, headers: dict[str, str]) -> bytes:
        response = self._client.do_request(url, "GET", headers=headers)
        if response.status_code != 200:
            raise SchemaError(
                f"the registry answers {response.status_code}",
                self._reference,
                "check the name and the tag; of a package that needs a login import the package.yaml",
            )
        data: bytes = response.content
        return data

    def _compare(self, wanted: str, found: str) -> None:
        if wanted != found:
            raise SchemaError(f"the digest does not match: expected {wanted}, found {found}", self._reference, "do not use this package")


def _file_of(layer: bytes) -> bytes | None:
    with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
        for member in archive:
            if member.isfile() and member.name.rpartition("/")[2] == _STREAM and member.size <= _LIMIT:
                file = archive.extractfile(member)
                return file.read() if file else None
    return None
