"""Policies in an OCI registry, as conftest, oras and OPA put them there.

``conftest push`` makes a layer of each file, named by its title: policies of the media type
``application/vnd.cncf.openpolicyagent.policy.layer.v1+rego``, data of ``…data.layer.v1+json`` (conftest 0.71, ``push.go``).
An OPA bundle, and a folder pushed by oras, is a layer that is a tar archive.
"""

from __future__ import annotations

import json
from typing import Any

from crossgate.errors import PolicyError, SchemaError
from crossgate.policy.remote.files import MOST_BYTES, MOST_FILES, Gathered
from crossgate.policy.remote.source import Source
from crossgate.policy.values import values_of
from crossgate.schema.registry import Registry

_TITLE = "org.opencontainers.image.title"
_UNPACK = "io.deis.oras.content.unpack"
_DATA_LAYER = "application/vnd.cncf.openpolicyagent.data.layer"


def fetch_image(source: Source, resolved: str = "") -> tuple[str, dict[str, bytes]]:
    """Return the digest of an image and the files of its policies.

    Args:
        source: its name.
        resolved: the digest to read, whatever the tag leads to now.

    Raises:
        PolicyError: the registry or the image cannot be read, a digest does not match, or a file is refused.
    """
    reference = source.place
    if resolved:
        reference = f"{_without_tag(reference)}@{resolved}"
    gathered = Gathered(source.text)
    data: dict[str, Any] = {}
    try:
        registry = Registry(reference, insecure=source.insecure)
        image = registry.image()
        if len(image.layers) > MOST_FILES:
            raise PolicyError(f"the bundle is refused: it has more than {MOST_FILES} layers", source.text, "do not use this bundle")
        for layer in image.layers:
            _take(layer, registry, gathered, data, source)
    except SchemaError as error:
        raise PolicyError(error.what, error.where or source.text, error.hint) from error
    if data:
        gathered.add("data.json", json.dumps(data, sort_keys=True).encode())
    return image.digest, gathered.files


def _take(layer: dict[str, Any], registry: Registry, gathered: Gathered, data: dict[str, Any], source: Source) -> None:
    digest, kind, annotations = layer["digest"], str(layer.get("mediaType", "")), layer.get("annotations") or {}
    if isinstance(size := layer.get("size"), int) and size > MOST_BYTES:
        raise PolicyError(f"the bundle is refused: a layer has more than {MOST_BYTES >> 20} MiB", source.text, "do not use this bundle")
    title = annotations.get(_TITLE)
    if kind.startswith(_DATA_LAYER):
        _merge(data, registry.blob(digest, MOST_BYTES), str(title), source)
    elif ".tar" in kind or "+gzip" in kind or annotations.get(_UNPACK) == "true":
        gathered.add_archive(registry.blob(digest, MOST_BYTES))
    elif isinstance(title, str) and title:
        gathered.add(title, registry.blob(digest, MOST_BYTES))
    else:
        raise PolicyError(
            f"a layer has no title and is no archive ({kind or 'no media type'})", source.text, "push it with conftest or oras"
        )


def _merge(data: dict[str, Any], layer: bytes, title: str, source: Source) -> None:
    """Add what a data layer says: its file stands at the root of ``data``, whatever it is called, as conftest's ``--data`` has it."""
    for key, value in values_of(layer, f"{source.text}: {title}").items():
        if data.setdefault(key, value) != value:
            raise PolicyError(f"two data files of the bundle give {key!r} different values", source.text, "keep one of them")


def _without_tag(reference: str) -> str:
    head, slash, last = reference.partition("@")[0].rpartition("/")
    return f"{head}{slash}{last.partition(':')[0]}"
