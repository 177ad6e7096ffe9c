"""The cdk8s app: writes every folder, in the bytes that are committed, with the map back to its sources."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from crossgate.errors import SynthError
from crossgate.load.sourcemap import NAME, Entry, SourceMap
from crossgate.load.write import to_yaml
from crossgate.model import Identity
from crossgate.synth.output import install

from . import node  # noqa: F401  # isort: skip - it must run before cdk8s is imported
import cdk8s

from .manifest import Folder, Manifest
from .namespaced import Namespaced, wanted
from .origin import caller

WAVE = "argocd.argoproj.io/sync-wave"
OPTIONS = "argocd.argoproj.io/sync-options"
LATER_CRD = "SkipDryRunOnMissingResource=true"


class Platform(cdk8s.App):
    """The whole platform; ``synth()`` writes it to the folder that cdk8s names (``CDK8S_OUTDIR``, else ``dist``)."""

    def __init__(self) -> None:
        # read here, for Node keeps the environment that it was started with
        super().__init__(outdir=os.environ.get("CDK8S_OUTDIR", "dist"))
        self.folders: list[Folder] = []
        self.notes: dict[str, str] = {}

    def folder(self, path: str) -> Folder:
        """Add a folder of the output, numbered in sync order: ``40-claims/fraud``."""
        folder = Folder(self, path)
        self.folders.append(folder)
        return folder

    def note(self, file: str, text: str) -> None:
        """Write a text for people into the output; Argo CD leaves alone what does not end like a manifest."""
        if file.endswith((".yaml", ".yml", ".json")):
            raise SynthError(f"Argo CD would take the note {file} for a manifest", str(caller()), "name it like README.md")
        self.notes[file] = text

    def synth(self) -> None:
        """Write the manifests and their source map; files of an earlier run that are no longer written are removed."""
        files: dict[str, bytes] = {}
        entries: list[Entry] = []
        for manifest in (manifest for folder in self.folders for manifest in folder.manifests):
            manifest.finish()
        made = [(folder, body) for folder in self.folders for body in folder.to_json()]
        modern = Namespaced(body for _, body in made) if wanted() else None
        known = {(folder.path, _identity(manifest)): manifest for folder in self.folders for manifest in folder.manifests}
        for folder, written in made:
            manifest_ = known.get((folder.path, Identity.of(written)))
            body = modern.turn(written) if modern else written
            file = f"{folder.path}/{manifest_.file if manifest_ else _file(body)}"
            if file in files:
                raise SynthError(f"two objects go to {file}", str(manifest_.sources[()]) if manifest_ else "", "give one another name")
            files[file] = (_header(manifest_) + to_yaml([_for_argo(body, folder.wave, manifest_)])).encode()
            if manifest_:
                entries.append(_entry(file, files[file], body, manifest_, moved=modern is not None))
        for file, text in self.notes.items():
            files[file] = text.encode()
            # a text has no identity, but the map says which files are synth's own
            entries.append(Entry(file, hashlib.sha256(files[file]).hexdigest(), Identity("", "", "", ""), ()))
        sources = SourceMap.of(entries, FilePath.cwd())
        install({**files, NAME: sources.text().encode()}, FilePath(self.outdir))


def _identity(manifest: Manifest) -> Identity:
    return Identity.of(manifest.body)


def _file(body: Mapping[str, Any]) -> str:
    return f"{body['kind'].lower()}-{body['metadata']['name']}.yaml"


def _header(manifest: Manifest | None) -> str:
    source = manifest.sources[()].file if manifest else ""
    return f"# written by crossgate synth{f' from {source}' if source else ''}; do not edit\n"


def _for_argo(body: dict[str, Any], wave: str, manifest: Manifest | None) -> dict[str, Any]:
    """Add the sync wave and sync options of Argo CD to an object, after those of its author."""
    metadata = body["metadata"]
    annotations = dict(metadata.get("annotations", {}))
    options = [option for option in str(annotations.pop(OPTIONS, "")).split(",") if option]
    options += manifest.options if manifest else ()
    if "." in body["apiVersion"].partition("/")[0] and not body["apiVersion"].partition("/")[0].endswith(".k8s.io"):
        options.append(LATER_CRD)  # its CRD is made by something that the same sync installs
    annotations[WAVE] = wave
    if options:
        annotations[OPTIONS] = ",".join(dict.fromkeys(options))
    ordered = {key: metadata[key] for key in ("name", "namespace", "labels") if key in metadata}
    return {**body, "metadata": {**ordered, "annotations": annotations}}


def _entry(file: str, content: bytes, body: dict[str, Any], manifest: Manifest, *, moved: bool) -> Entry:
    # where patches were left out, those after them stand at other places than their authors'
    places = {(): manifest.sources[()]} if moved and body["kind"] == "Composition" else manifest.sources
    return Entry(
        file=file,
        digest=hashlib.sha256(content).hexdigest(),
        identity=Identity.of(body),
        places=tuple(places.items()),
        written_in=manifest.written_in,
    )
