"""The estate for verbs that look at it without judging it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crossgate.config import Config
from crossgate.load import Inventory, load_paths, sourcemap
from crossgate.load.additions import whole
from crossgate.load.platform import platform_inventory
from crossgate.model import CouldNotCheck
from crossgate.render.estate import Estate, expand
from crossgate.schema import Schemas


def rendered(paths: Sequence[Path] | None, config: Config) -> tuple[Estate, tuple[CouldNotCheck, ...]]:
    """Render what stands under ``paths`` (default: the project's ``dist/``), and say what could not be read or rendered.

    Raises:
        UsageError: a path does not exist.
        SchemaError: an XRD or CRD cannot be used.
    """
    read = _sourced(load_paths(paths if paths is not None else [config.dist], root=config.root), config)
    inventory = replace(read, documents=whole(read.documents, config.root, config.dist))
    found = platform_inventory(config.dist, root=config.root)
    named = {document.file for document in inventory.documents}
    platform = tuple(document for document in _sourced(found, config).documents if document.file not in named)
    schemas = Schemas.load(config.schemas).including((*platform, *inventory.documents))
    estate = expand(inventory.documents, schemas, platform=platform, functions=config.functions)
    said = inventory.judgement + found.judgement + estate.judgement
    return estate, tuple(dict.fromkeys(said.could_not_check))


def _sourced(inventory: Inventory, config: Config) -> Inventory:
    return replace(inventory, documents=sourcemap.Sources(config.root).placed(inventory.documents))
