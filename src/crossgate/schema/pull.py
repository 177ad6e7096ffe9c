"""``crossgate schema pull``: the definitions of a Crossplane package, straight from its registry.

As crossplane-runtime's ``pkg/xpkg`` (August 2026): the layer annotated ``io.crossplane.xpkg: base`` holds
``package.yaml``; without the annotation the topmost layer that has the file counts. Everything that is read is
compared with its digest.
"""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass

from crossgate.errors import SchemaError
from crossgate.schema.archive import BROKEN, unzipped
from crossgate.schema.registry import Image, Registry

_ANNOTATION = "io.crossplane.xpkg"
_STREAM = "package.yaml"
_LIMIT = 256 * 2**20
"""Bytes that a layer of a package may come to; the largest provider families have about 30 MB."""


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
    registry = Registry(reference, insecure=insecure)
    image = registry.image()
    return Package(image.name, image.version, image.digest, _stream(registry, image, reference))


def _stream(registry: Registry, image: Image, reference: str) -> bytes:
    marked = [layer for layer in image.layers if (layer.get("annotations") or {}).get(_ANNOTATION) == "base"]
    for layer in marked or reversed(image.layers):
        try:
            stream = _file_of(registry.blob(layer["digest"]))
        except BROKEN as error:
            raise SchemaError(f"cannot read the package: {error}", reference, "do not use this package") from error
        if stream is not None:
            return stream
    raise SchemaError(f"the image holds no {_STREAM}: it is no Crossplane package", reference)


def _file_of(layer: bytes) -> bytes | None:
    tar = unzipped(layer, _LIMIT)
    if len(tar) > _LIMIT:
        message = f"a layer comes to more than {_LIMIT >> 20} MiB"
        raise ValueError(message)
    with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
        for member in archive:
            if member.isfile() and member.name.rpartition("/")[2] == _STREAM:
                file = archive.extractfile(member)
                return file.read() if file else None
    return None
