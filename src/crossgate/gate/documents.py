"""Read the manifests of a commit as they would be read from disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from crossgate.errors import UsageError
from crossgate.git import Commit
from crossgate.load import inventory_of
from crossgate.load.aside import Aside
from crossgate.load.files import MAX_FILE, is_manifest
from crossgate.load.platform import KINDS, mentions_platform
from crossgate.model import CouldNotCheck, Document, Judgement


def files_at(commit: Commit, paths: Iterable[Path], aside: Aside | None = None) -> Iterator[tuple[str, str]]:
    """Yield the manifests of ``commit`` under ``paths`` as (path in the repository, id of the content), each once.

    As on disk: a folder is searched for manifests, a file that is named itself is taken whatever it is called, and a search of the whole
    project leaves out what ``aside`` says.
    """
    seen: set[str] = set()
    entries = commit.tree.entries
    for path in paths:
        inside = commit.path(path)
        if inside is None:
            continue
        whole = aside if aside is not None and aside.searches_all(commit.top / inside) else None
        for asked, real in commit.tree.files(inside):
            if whole is not None and asked != inside and whole.leaves_out_file(commit.top / asked):
                continue
            if real not in seen and (asked == inside or is_manifest(asked)):
                seen.add(real)
                yield real, entries[real].blob


def refuse_nowhere(commit: Commit, paths: Iterable[Path]) -> None:
    """Refuse a path that is neither on disk nor in ``commit``: nothing compared with nothing is no change, whatever was meant.

    Raises:
        UsageError: a path is nowhere, or outside of the repository.
    """
    for path in paths:
        inside = commit.path(path)
        if inside is None:
            raise UsageError("it is outside of the repository, which is all that a base has", str(path), "name its files and folders")
        if not path.exists() and not path.is_symlink() and not any(commit.tree.files(inside)):
            hint = 'name files or folders that exist (. is the whole project), or say in crossgate.toml where manifests are (dist = "…")'
            raise UsageError("there is no such file or folder, here or in the base", str(path), hint)


def platform_at(commit: Commit, folder: Path, root: Path) -> tuple[Document, ...]:
    """Return the XRDs, Compositions, CRDs and EnvironmentConfigs of ``commit`` under ``folder``, as ``platform_inventory`` does on disk."""
    found: list[Document] = []
    name_of = naming(commit, root)
    for path, blob in files_at(commit, [folder]):
        data = commit.blob(blob, MAX_FILE)
        if mentions_platform(data):
            found += inventory_of(data, name_of(path)).documents
    return tuple(document for document in found if isinstance(document.body, dict) and document.body.get("kind") in KINDS)


def hidden(commit: Commit, paths: Iterable[Path]) -> Judgement:
    """Say what of ``paths`` is not in the repository although the cluster would get it: the content of submodules."""
    found = dict.fromkeys(name for path in paths if (inside := commit.path(path)) is not None for name in commit.tree.submodules(inside))
    hint = "put the manifests themselves here: what a submodule holds is judged neither now nor when it moves"
    return Judgement(could_not_check=tuple(CouldNotCheck("this is a submodule; its content is not judged", name, hint) for name in found))


def naming(commit: Commit, root: Path) -> Callable[[str], str]:
    """Return the names that files of the repository have in reports: relative to the project, or whole outside of it."""
    project = commit.path(root)
    before = f"{project}/" if project else ""

    def name(path: str) -> str:
        return path[len(before) :] if project is not None and path.startswith(before) else (commit.top / path).as_posix()

    return name
