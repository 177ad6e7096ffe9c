"""What of the gate itself a pull request changes, and who must approve it."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from crossgate.config import POLICY_LOCK, Config
from crossgate.git import Commit
from crossgate.git.owners import FILES, Owners
from crossgate.git.worktree import changed_files
from crossgate.model import Finding, Identity, Place, Severity

_TOGETHER = 3
"""From so many changed schemas on they are one finding: an import changes hundreds."""

_PIPELINES = (".github/workflows", ".github/actions", ".gitlab-ci.yml", "Jenkinsfile", "action.yml", ".pre-commit-hooks.yaml")


def changes(judge: Commit, settings: Config, *, given: Config) -> tuple[Finding, ...]:
    """Return a finding for each file of the gate that stands on disk otherwise than in ``judge``.

    Args:
        judge: the commit whose files judge.
        settings: its settings: they say where policies and schemas are.
        given: the settings in force, with what the command line says.

    A file with owners is a warning: they approve on the pull request, which only its host knows. A file that nobody owns is an
    error: nobody would be asked.
    """
    owners = Owners.of(judge)
    root = judge.path(settings.root) or ""
    found = dict(_policies(judge, (*settings.policies, *settings.data, *given.policies, *given.data)))
    found |= {path: ("owners", how) for file in FILES for path, how in changed_files(judge, file).items()}
    found |= {path: ("settings", how) for path, how in _settings(judge, root)}
    found |= {path: ("pipeline", how) for path, how in _pipelines(judge)}
    findings = [_finding([path], kind, how, owners, judge) for path, (kind, how) in sorted(found.items())]
    return (*findings, *_schemas(judge, settings, owners))


def _policies(judge: Commit, folders: Iterable[Path]) -> Iterator[tuple[str, tuple[str, str]]]:
    for inside in {path for folder in folders if (path := judge.path(folder)) is not None}:
        for path, how in changed_files(judge, inside).items():
            name = PurePosixPath(path)
            if name.suffix == ".md":
                continue
            kind = "waivers" if name.stem.startswith("waiver") else "policy" if name.suffix == ".rego" else "data"
            yield path, (kind, how)


def _settings(judge: Commit, root: str) -> Iterator[tuple[str, str]]:
    for name in ("crossgate.toml", POLICY_LOCK):
        yield from changed_files(judge, str(PurePosixPath(root, name))).items()
    shared = str(PurePosixPath(root, "pyproject.toml"))
    for path, how in changed_files(judge, shared).items():
        before = judge.tree.read(path) or b""
        file = judge.top / path
        after = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
        if _section(before) != _section(after):
            yield path, how


def _section(text: bytes) -> Any:
    try:
        return tomllib.loads(text.decode("utf-8")).get("tool", {}).get("crossgate")
    except (ValueError, RecursionError, AttributeError):  # no TOML, no UTF-8, a number that Python does not read
        return hashlib.sha256(text).digest()


def _pipelines(judge: Commit) -> Iterator[tuple[str, str]]:
    """Yield changed files that run the gate: one that no longer does is the simplest way around it."""
    for place in _PIPELINES:
        for path, how in changed_files(judge, place).items():
            file = judge.top / path
            after = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
            if b"crossgate" in (judge.tree.read(path) or b"") + after:
                yield path, how


def _schemas(judge: Commit, settings: Config, owners: Owners) -> Iterator[Finding]:
    for inside in (judge.path(folder) for folder in settings.schemas):
        if inside is None:
            continue
        changed = changed_files(judge, inside)
        grouped: dict[tuple[str, ...], list[str]] = {}
        for path in changed:
            grouped.setdefault(owners.owners(path), []).append(path)
        for paths in grouped.values():
            if len(paths) < _TOGETHER:
                yield from (_finding([path], "schema", changed[path], owners, judge) for path in paths)
            else:
                yield _finding(paths, "schema", "changed", owners, judge)


def _finding(paths: list[str], kind: str, how: str, owners: Owners, judge: Commit) -> Finding:
    who = owners.together(paths)
    what = paths[0] if len(paths) == 1 else f"{len(paths)} files, the first {paths[0]},"
    needs = f"it needs the approval of {', '.join(who)} (CODEOWNERS)" if who else "nobody owns it in CODEOWNERS, so nobody would be asked"
    rule = f"gate/changed-{kind}"
    return Finding(
        rule=rule,
        reason=f"{how.upper()}_{kind.upper()}" if who else "UNOWNED_CHANGE",
        severity=Severity.WARNING if who else Severity.ERROR,
        message=f"{what} {'is' if len(paths) == 1 else 'are'} {how}; {judge} has judged, not this change; {needs}",
        place=Place(paths[0], 1),
        resource=Identity("", "File", "", paths[0]),
        remediation="ask the owners to look at it" if who else f"name its owners in CODEOWNERS in a change of its own: /{paths[0]} @owner",
        fingerprint=hashlib.sha256("\0".join([rule, *paths]).encode("utf-8", errors="surrogateescape")).hexdigest()[:32],
    )
