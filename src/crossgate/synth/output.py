"""Files of an output folder: read them, compare them, put them there."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from crossgate.load.sourcemap import NAME, SourceMap

_READ = (".yaml", ".yml", ".json", ".jsonnet")
"""What Argo CD reads in a folder, whoever put it there; ``Chart.yaml`` and ``kustomization.yaml`` even change how it reads the others."""
_KUSTOMIZATION = "kustomization"
"""The name of such a file may have no suffix."""


def read(folder: Path) -> dict[str, bytes]:
    """Read an output folder: the files that Argo CD would sync and those that synth calls its own, by their path in it."""
    own = {*SourceMap.read(folder).files, NAME}
    found = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name in own or _is_read(path)}


def _is_read(path: Path) -> bool:
    return path.suffix.lower() in _READ or path.name.lower() == _KUSTOMIZATION


def install(files: Mapping[str, bytes], folder: Path) -> None:
    """Write ``files`` into ``folder``, the source map among them; what synth wrote there earlier and no longer does is removed.

    A file that is not synth's own stays. Unchanged files are not touched.
    """
    for name in SourceMap.read(folder).files - set(files):
        (folder / name).unlink(missing_ok=True)
        _remove_empty((folder / name).parent, folder)
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _remove_empty(folder: Path, top: Path) -> None:
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def differences(committed: Mapping[str, bytes], made: Mapping[str, bytes], name: str) -> Iterator[str]:
    """Return the unified diff from the committed files of the folder ``name`` to those just made, file by file, in order."""
    for file in sorted({*committed, *made}):
        before, after = committed.get(file), made.get(file)
        if before == after:
            continue
        yield from difflib.unified_diff(
            _lines(before),
            _lines(after),
            "/dev/null" if before is None else f"a/{name}/{file}",
            "/dev/null" if after is None else f"b/{name}/{file}",
        )


def _lines(content: bytes | None) -> list[str]:
    lines = (content or b"").decode("utf-8", "replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return lines
