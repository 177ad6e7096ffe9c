"""Read policy folders: Rego modules, their tests, and data.

What counts is the same as for ``opa`` and conftest: every ``.rego`` file at any depth; files that end in
``_test.rego`` are tests and judge nothing. Of data, bundle rules hold: ``data.json``, ``data.yaml`` and
``data.yml`` stand in ``data`` at the path of their folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from crossgate.errors import PolicyError
from crossgate.policy.syntax import Outline, outline
from crossgate.policy.values import values_of

LISTS = ("crossgate", "lists")
"""The package under which lists and limits stand as constants."""

MOST_FOLDERS = 10_000
"""Folders of one pack: with links that lead to one another, a few make more than anybody can read."""

_DATA_NAMES = ("data.json", "data.yaml", "data.yml")
_NAME_ONE = "name a folder of .rego files that are not tests: --policy DIR, or policies = [...] in crossgate.toml"


@dataclass(frozen=True, slots=True)
class Module:
    """One Rego file: the name shown to people, where it is, its text and what it holds."""

    name: str
    path: Path
    text: str
    outline: Outline


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that judges: modules, their tests, data, and a digest over modules and data.

    ``data_digest`` is over the data alone: what data files hold, and the lists and limits that stand as constants in Rego.
    """

    modules: tuple[Module, ...]
    tests: tuple[Module, ...]
    data: dict[str, Any]
    digest: str
    data_digest: str = ""


def read_bundle(
    directories: Iterable[Path | str], data: Iterable[Path | str] = (), *, tests: bool = False, root: Path | None = None
) -> Bundle:
    """Read policy folders (or single ``.rego`` files) and extra data files or folders.

    Args:
        directories: folders of Rego files; a name that does not exist is an error, so is none at all.
        data: further JSON or YAML files, or folders of them, merged into ``data`` from its root.
        tests: read the tests too; they judge nothing and are left out of the digest.
        root: the project's folder, which files are named from; default: the working folder.

    Raises:
        PolicyError: a folder is missing or holds no Rego, a file cannot be read, two data files disagree.
    """
    roots = [Path(directory) for directory in directories]
    if not roots:
        raise PolicyError("no policies found: no policy folder was named", hint=_NAME_ONE)
    modules: list[Module] = []
    read_tests: list[Module] = []
    values: dict[str, Any] = {}
    digest, data_digest = hashlib.sha256(), hashlib.sha256()
    for folder in roots:
        files = files_below(folder)
        for file in files:
            inside = file.relative_to(folder).as_posix() if file != folder else file.name
            if file.name.endswith("_test.rego"):
                if tests:
                    read_tests.append(_module(file, _text(file), root))
                continue
            if file.suffix == ".rego":
                text = _text(file)
                modules.append(_module(file, text, root))
                if modules[-1].outline.package[:2] == LISTS:
                    _add(data_digest, inside, text)
            elif file.name in _DATA_NAMES:
                text = _text(file)
                _merge(values, _nested(values_of(text, _shown(file)), Path(inside).parent.parts), str(file))
                _add(data_digest, inside, text)
            else:
                continue
            _add(digest, inside, text)
    for extra in data:
        for file in files_below(Path(extra)):
            if file.suffix in (".json", ".yaml", ".yml"):
                text = _text(file)
                _merge(values, values_of(text, _shown(file)), str(file))
                _add(digest, file.name, text)
                _add(data_digest, file.name, text)
    if not modules:
        raise PolicyError("no policies found", ", ".join(_shown(root) for root in roots), _NAME_ONE)
    return Bundle(tuple(modules), tuple(read_tests), values, digest.hexdigest(), data_digest.hexdigest())


def _module(file: Path, text: str, root: Path | None) -> Module:
    return Module(_named(file, root), file, text, outline(text))


def _named(file: Path, root: Path | None) -> str:
    """Name a file from the project's folder, so that a report says the same wherever it was asked for."""
    place = Path(os.path.abspath(file))  # noqa: PTH100 - a link in the project is named as it stands there
    return place.relative_to(root).as_posix() if root is not None and place.is_relative_to(root) else _shown(file)


def _add(digest: Any, name: str, text: str) -> None:
    digest.update(f"{name}\0{len(text)}\0{text}".encode())


def _shown(path: Path) -> str:
    """Name a file from the working folder where that is shorter; never by a parent of it."""
    shown = os.path.relpath(path) if path.is_absolute() else str(path)
    return os.path.normpath(path) if shown.startswith("..") else Path(shown).as_posix()


def files_below(root: Path) -> Sequence[Path]:
    """Return the file, or the files at any depth below a folder, links followed, in the order of their names.

    Raises:
        PolicyError: there is none, a folder cannot be read, or links lead to one another without end.
    """
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise PolicyError("no policies found: there is no such folder", _shown(root), _NAME_ONE)
    found: list[Path] = []
    above: dict[str, frozenset[str]] = {}  # of each folder: where it and those above it really are
    for folder, folders, names in os.walk(root, onerror=_refuse, followlinks=True):
        real, parents = os.path.realpath(folder), above.get(os.path.dirname(folder), frozenset())  # noqa: PTH120 - as os.walk names it
        if real in parents:  # a link to a folder that it stands in
            folders.clear()
            continue
        above[folder] = parents | {real}
        if len(above) > MOST_FOLDERS:
            raise PolicyError(
                f"the policies have more than {MOST_FOLDERS:,} folders", _shown(root), "remove links that lead to one another"
            )
        folders.sort()
        found += [Path(folder, name) for name in sorted(names)]
    return found


def _refuse(error: OSError) -> NoReturn:
    """Stop where a folder cannot be read: what stands there could be the rule that refuses."""
    where = _shown(Path(os.fsdecode(error.filename)))
    raise PolicyError(f"cannot read the folder of policies: {error.strerror}", where, "mend its permissions") from error


def _text(file: Path) -> str:
    if not file.is_file():
        # to read a pipe would wait for ever
        raise PolicyError("this is no file, but a device, socket, pipe or broken link", _shown(file), "remove it from the policies")
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise PolicyError(f"cannot read the policy: {reason}", _shown(file), "mend the file or its permissions") from error


def _nested(value: Any, folders: tuple[str, ...]) -> dict[str, Any]:
    for folder in reversed(folders):
        value = {folder: value}
    return dict(value)


def _merge(into: dict[str, Any], value: dict[str, Any], where: str) -> None:
    for key, item in value.items():
        if key not in into:
            into[key] = item
        elif isinstance(into[key], dict) and isinstance(item, dict):
            _merge(into[key], item, where)
        elif into[key] != item:
            raise PolicyError(f"two data files give {key!r} different values", where, "keep one of them")
