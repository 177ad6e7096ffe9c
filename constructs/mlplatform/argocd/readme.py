"""The README of ``dist/``: what is synced when, by what, and what it waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby

from mlplatform.core import Folder

_HEAD = """\
# What Argo CD syncs, in this order

Written by `crossgate synth`; do not edit. The number of a folder is the sync wave of what is in it. Within an Application, a wave
starts when everything of the wave before is healthy. Argo CD finds out how by the health checks in `00-argocd/configmap-argocd-cm.yaml`.

| wave | folder | synced by | what is in it | it comes here because |
|---|---|---|---|---|
"""


def readme(folders: Iterable[Folder], *, synced_by: Mapping[str, str], because: Mapping[str, str], otherwise: str) -> str:
    """Return the table of the folders.

    ``synced_by`` and ``because`` are by the first part of a folder's path; others are synced by ``otherwise``.
    """
    rows = []
    ordered = sorted(folders, key=lambda folder: folder.path)
    for top, below in groupby(ordered, key=lambda folder: folder.path.partition("/")[0]):
        inside = list(below)
        kinds = Counter(manifest.kind for folder in inside for manifest in folder.manifests)
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        cells = (inside[0].wave, f"`{top}/`", synced_by.get(top, otherwise), listed, because.get(top, ""))
        rows.append(f"| {' | '.join(cells)} |\n")
    return _HEAD + "".join(rows)
