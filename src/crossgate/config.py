"""The project's settings: ``crossgate.toml``, or ``[tool.crossgate]`` of ``pyproject.toml``.

Every setting has a default, so a project without either file works. Paths are relative to the project.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from crossgate.errors import UsageError
from crossgate.model import Severity


@dataclass(frozen=True, slots=True)
class Config:
    """Where a project keeps its things, and what makes a check fail.

    ``root`` is the project's folder; the other folders are absolute once read. ``dist`` is what is checked when
    nothing is named, and where APIs and Compositions are found that the checked files need.
    """

    root: Path
    dist: Path
    policies: tuple[Path, ...]
    schemas: tuple[Path, ...]
    fail_on: Severity = Severity.ERROR

    @classmethod
    def find(cls, start: Path | None = None) -> Config:
        """Read the settings of the project around ``start`` (default: the working folder).

        The project is the nearest folder upwards with ``crossgate.toml``, ``[tool.crossgate]`` or ``.git``.

        Raises:
            UsageError: a settings file cannot be read, or holds an unknown or malformed setting.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            own = folder / "crossgate.toml"
            if own.is_file():
                return cls._of(folder, _read(own), own)
            shared = folder / "pyproject.toml"
            if shared.is_file():
                settings = _read(shared).get("tool", {}).get("crossgate")
                if settings is not None:
                    return cls._of(folder, settings, shared)
            if (folder / ".git").exists():
                return cls._of(folder, {}, own)
        return cls._of(start, {}, start / "crossgate.toml")

    @classmethod
    def _of(cls, root: Path, settings: dict[str, Any], source: Path) -> Config:
        known = [field.name.replace("_", "-") for field in fields(cls) if field.name != "root"]
        for name in settings:
            if name not in known:
                raise UsageError(f"unknown setting {name!r}", str(source), f"settings are: {', '.join(known)}")
        config = cls(root, root / "dist", (root / "policies",), (root / "schemas",))
        if "dist" in settings:
            config = replace(config, dist=root / _text(settings["dist"], "dist", source))
        if "policies" in settings:
            config = replace(config, policies=_folders(root, settings["policies"], "policies", source))
        if "schemas" in settings:
            config = replace(config, schemas=_folders(root, settings["schemas"], "schemas", source))
        if "fail-on" in settings:
            try:
                config = replace(config, fail_on=Severity(settings["fail-on"]))
            except ValueError:
                choices = ", ".join(Severity)
                raise UsageError(f"fail-on is {settings['fail-on']!r}", str(source), f"choose one of: {choices}") from None
        return config


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"cannot read the settings: {error}", str(path), "mend the file, or remove it to work with the defaults"
        ) from error


def _text(value: Any, name: str, source: Path) -> str:
    if not isinstance(value, str) or not value:
        raise UsageError(f"{name} is {value!r}", str(source), f'write {name} = "folder"')
    return value


def _folders(root: Path, value: Any, name: str, source: Path) -> tuple[Path, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{name} is {value!r}", str(source), f'write {name} = ["folder", …]')
    return tuple(root / _text(item, name, source) for item in value)
