"""An image in an OCI registry, read as it was asked for: everything that is read is compared with its digest."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from dataclasses import dataclass
from typing import Any

from crossgate.errors import SchemaError

_MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_DIGEST = re.compile("sha256:[0-9a-f]{64}")
_MOST_OF_MANIFEST = 4 * 2**20
"""Bytes of a manifest: registries take no larger ones (distribution-spec, "Pushing Manifests")."""
MOST_BYTES = 512 * 2**20
"""Bytes of a layer."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image's name and version as they were asked for, the digest of what the name led to, and the image's manifest."""

    name: str
    version: str
    digest: str
    manifest: dict[str, Any]

    @property
    def layers(self) -> list[dict[str, Any]]:
        """Return the descriptors of the layers, the lowest first."""
        return self.manifest.get("layers") or []


class Registry:
    """The registry that holds ``reference`` (``registry/repository:tag`` or ``…@sha256:…``)."""

    def __init__(self, reference: str, *, insecure: bool = False) -> None:
        """Find the registry; ``insecure`` speaks plain HTTP, for one on this machine.

        Raises SchemaError when no client is installed or the reference is none.
        """
        try:
            import oras.container  # type: ignore[import-untyped]  # noqa: PLC0415 (only pulling needs a registry client)
            import oras.provider  # type: ignore[import-untyped]  # noqa: PLC0415

            from crossgate.schema.transport import NoTls, Transport  # noqa: PLC0415
        except ImportError as error:
            raise SchemaError("the registry client is not installed", reference, "pip install 'crossgate[pull]'") from error
        self._reference = reference
        try:
            self._container = oras.container.Container(reference)
            self._client = oras.provider.Registry(self._container.registry, insecure=insecure)
            self._transport = Transport()
            self._client.session.mount("https://", self._transport)
            self._client.session.mount("http://", self._transport if insecure else NoTls())
        except Exception as error:
            raise _failed(error, reference) from error

    def image(self) -> Image:
        """Read the manifest; of an index the first one. Raises SchemaError when it cannot be read or a digest does not match."""
        wanted = self._container.digest or self._container.tag
        image, digest = self._manifest(wanted)
        if entries := image.get("manifests"):
            # every platform of a package has the same content
            first = entries[0].get("digest") if isinstance(entries, list) and isinstance(entries[0], dict) else None
            if not isinstance(first, str) or ":" not in first:
                raise SchemaError("the registry's answer is no manifest", self._reference)
            image, _ = self._manifest(first)
        layers = image.get("layers") or []
        if not isinstance(layers, list) or not all(isinstance(layer, dict) and _in_form(layer) for layer in layers):
            raise SchemaError("the registry's answer is no manifest", self._reference)
        name = "/".join(filter(None, (self._container.namespace, self._container.repository)))
        return Image(name, "" if self._container.digest else self._container.tag, digest, image)

    def blob(self, digest: str, most: int = MOST_BYTES) -> bytes:
        """Read the content of a layer. Raises SchemaError when it cannot be read, has more than ``most`` bytes or another digest."""
        self._refuse_unknown(digest)
        data = self._get(f"blobs/{digest}", {}, most)
        self._compare(digest, f"sha256:{hashlib.sha256(data).hexdigest()}")
        return data

    def _manifest(self, wanted: str) -> tuple[dict[str, Any], str]:
        named = ":" in wanted  # of a tag nobody knows what it leads to
        if named:
            self._refuse_unknown(wanted)
        data = self._get(f"manifests/{wanted}", {"Accept": ", ".join(_MANIFESTS)}, _MOST_OF_MANIFEST)
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        if named:
            self._compare(wanted, digest)
        try:
            manifest = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise SchemaError("the registry's answer is no manifest", self._reference) from error
        if not isinstance(manifest, dict):
            raise SchemaError("the registry's answer is no manifest", self._reference)
        return manifest, digest

    def _get(self, what: str, headers: dict[str, str], most: int) -> bytes:
        url = f"{self._client.prefix}://{self._container.registry}/v2/{self._container.api_prefix}/{what}"
        self._transport.most = most
        try:
            # as it is written: the library's own retries sleep for two minutes where nobody listens
            response = inspect.unwrap(type(self._client).do_request)(self._client, url, "GET", headers=headers)
        except Exception as error:
            self._client.session.close()
            raise _failed(error, self._reference) from error
        if response.status_code != 200:
            raise SchemaError(
                f"the registry answers {response.status_code}",
                self._reference,
                "check the name and the tag; of a package that needs a login import the package.yaml",
            )
        data: bytes = response.content
        return data

    def _refuse_unknown(self, digest: str) -> None:
        if not _DIGEST.fullmatch(digest):
            raise SchemaError(f"{digest[:80]!r} is no SHA-256", self._reference, "name the image by its tag, or by sha256:…")

    def _compare(self, wanted: str, found: str) -> None:
        if wanted != found:
            raise SchemaError(f"the digest does not match: expected {wanted}, found {found}", self._reference, "do not use this package")


def _in_form(layer: dict[str, Any]) -> bool:
    return isinstance(layer.get("digest"), str) and isinstance(layer.get("annotations") or {}, dict)


def _failed(error: Exception, reference: str) -> SchemaError:
    """Name what the client raises: whatever its libraries do (unknown hosts, refused logins, broken answers)."""
    said = str(error).splitlines()
    return SchemaError(
        f"cannot read the package: {said[0] if said else type(error).__name__}", reference, "check the name, and that its registry answers"
    )
