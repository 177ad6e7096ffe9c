"""From the project's app to judged manifests."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from crossgate.config import Config
from crossgate.load import load_paths, sourcemap
from crossgate.model import Judgement, Resource, Role
from crossgate.schema import Schemas
from crossgate.static import check_composition
from crossgate.synth import app, output


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What an app made: ``files`` of the folder ``name``, and what was found wrong with them."""

    name: str
    files: dict[str, bytes]
    judgement: Judgement


def synthesize(config: Config) -> Synthesis:
    """Run the project's app into a folder of its own and judge what it wrote.

    Every document is validated against its schema, and every Composition's patches against the XRD that they read and the kinds that
    they write; findings stand at the author's line.

    Raises:
        SynthError: the app failed.
        SchemaError: the project's schemas cannot be read.
    """
    command, name = app.settings(config.root)
    with tempfile.TemporaryDirectory(prefix="crossgate-synth-") as folder:
        made = Path(folder) / name
        app.run(command, config.root, made)
        return Synthesis(name, output.read(made), _judge(Path(folder), made, config))


def _judge(root: Path, made: Path, config: Config) -> Judgement:
    inventory = load_paths([made], root=root)
    documents = sourcemap.Sources(root, config.root).placed(inventory.documents)
    schemas = Schemas.load([path for path in config.schemas if path.is_dir()]).including(documents)
    resources = [Resource(document.body, Role.DOCUMENT, document) for document in documents if isinstance(document.body, dict)]
    judgement = inventory.judgement + schemas.judge(resources)
    for document in documents:
        if isinstance(document.body, dict) and document.body.get("kind") == "Composition":
            judgement += check_composition(document, schemas)
    return judgement
