"""The project's settings: ``crossgate.toml``, or ``[tool.crossgate]`` of ``pyproject.toml``.

Every setting has a default, so a project without either file works. Paths are relative to the project.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crossgate.errors import UsageError
from crossgate.model import Severity
from crossgate.paths import MISSING, follow

PLAN_IGNORE = (
    "**.labels[helm.sh/chart]",
    "**.labels[app.kubernetes.io/version]",
    "**.annotations[checksum/*]",
    "**.annotations[kubectl.kubernetes.io/last-applied-configuration]",
)
"""Changes that ``plan`` leaves out when the settings do not say otherwise: they follow from others."""

SETTINGS = Path(__file__).with_name("settings.schema.json")
"""The JSON Schema of the settings, for editors; a test holds it and this module together."""

ENGINES = ("embedded", "opa")
"""What may judge: the engine in this process, or a server of OPA."""

POLICY_LOCK = "policies.lock.toml"
"""In the project's folder: what the policies elsewhere are (`crossgate policy lock`)."""


def _on_disk(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Config:
    """Where a project keeps its things, and what makes a check fail.

    ``root`` is the project's folder; the other folders are absolute once read. ``dist`` is what is checked when
    nothing is named, and where APIs and Compositions are found that the checked files need. ``functions`` says which function is
    behind a ``functionRef`` name that does not tell. ``plan_ignore`` are path patterns
    (``[plan] ignore``) of changes that a plan counts but does not show: ``*`` is any part of one step, ``**`` any steps.

    ``[policy]`` says how the rules judge: ``engine`` is ``embedded`` or ``opa`` (the server at ``opa_url``), ``data`` further data files,
    ``namespaces`` the packages that may decide (none: all), ``combine`` whether rules in conftest's style see all documents at once,
    ``rego_v0`` whether they are written in Rego's first version.

    ``bundles`` are policies that stand elsewhere (``git+https://…``, ``oci://…`` among ``policies``), and ``policy_lock`` is the file
    that says which content of them may judge; None without any.
    """

    root: Path
    dist: Path
    policies: tuple[Path, ...]
    schemas: tuple[Path, ...]
    fail_on: Severity = Severity.ERROR
    functions: Mapping[str, str] = field(default_factory=dict)
    plan_ignore: tuple[str, ...] = PLAN_IGNORE
    engine: str = "embedded"
    opa_url: str = ""
    data: tuple[Path, ...] = ()
    namespaces: tuple[str, ...] = ()
    combine: bool = False
    rego_v0: bool = False
    bundles: tuple[str, ...] = ()
    policy_lock: Path | None = None

    @classmethod
    def find(cls, start: Path | None = None, *, read: Callable[[Path], bytes | None] = _on_disk) -> Config:
        """Read the settings of the project around ``start`` (default: the working folder).

        The project is the nearest folder upwards with ``crossgate.toml``, ``[tool.crossgate]`` or ``.git``. ``read`` returns
        the content of a file, None where there is none; a commit's files can be read so.

        Raises:
            UsageError: a settings file cannot be read, or holds an unknown or malformed setting.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            own, shared = folder / "crossgate.toml", folder / "pyproject.toml"
            if (settings := _read(own, read)) is not None:
                return cls._of(folder, settings, _Source(own, read))
            if (project := _read(shared, read)) is not None:
                settings = follow(project, ("tool", "crossgate"))
                settings = None if settings is MISSING else settings
                if settings is not None:
                    return cls._of(folder, settings, _Source(shared, read))
            if (folder / ".git").exists():
                return cls._of(folder, {}, _Source(own, read))
        return cls._of(start, {}, _Source(start / "crossgate.toml", read))

    def with_policies(self, given: Iterable[str], folder: Path, where: str = "--policy") -> Config:
        """Return the settings with other policies: folders and files as seen from ``folder``, and places elsewhere.

        Raises:
            UsageError: a place (whatever has ``://`` in it) is not understood; ``where`` names who gave it.
        """
        texts = tuple(dict.fromkeys(given))
        places = tuple(text for text in texts if "://" in text)
        if places:
            from crossgate.policy.remote.source import Source  # noqa: PLC0415 - most projects keep their policies themselves

            for text in places:
                try:
                    Source.parse(text)
                except UsageError as error:
                    raise UsageError(error.what, f"{where}: {error.where}", error.hint) from None
        return replace(
            self,
            policies=tuple(folder / text for text in texts if "://" not in text),
            bundles=places,
            policy_lock=self.root / POLICY_LOCK if places else None,
        )

    @classmethod
    def _of(cls, root: Path, settings: Any, source: _Source) -> Config:
        if not isinstance(settings, dict):
            raise UsageError(f"crossgate is {settings!r}", source.line("crossgate"), "write [tool.crossgate] and settings below it")
        known = ["dist", "policies", "schemas", "fail-on", "functions", "plan", "policy"]
        for name in settings:
            if name not in known:
                raise UsageError(f"unknown setting {name!r}", source.line(name), f"settings are: {', '.join(known)}")
        schemas = root / "schemas"
        config = cls(root, root / "dist", (root / "policies",), (schemas,) if schemas.is_dir() else ())
        if "dist" in settings:
            config = replace(config, dist=root / _text(settings["dist"], "dist", source))
        if "policies" in settings:
            config = config.with_policies(_names(settings["policies"], "policies", source), root, source.line("policies"))
        if "schemas" in settings:
            config = replace(config, schemas=_folders(root, settings["schemas"], "schemas", source))
        if "fail-on" in settings:
            try:
                config = replace(config, fail_on=Severity(settings["fail-on"]))
            except ValueError:
                choices = ", ".join(Severity)
                raise UsageError(f"fail-on is {settings['fail-on']!r}", source.line("fail-on"), f"choose one of: {choices}") from None
        if "functions" in settings:
            config = replace(config, functions=_functions(settings["functions"], source))
        if "plan" in settings:
            config = replace(config, plan_ignore=_ignored(settings["plan"], source))
        if "policy" in settings:
            config = replace(config, **_policy(root, settings["policy"], source))
        return config


@dataclass(frozen=True, slots=True)
class _Source:
    """The file that the settings stand in."""

    path: Path
    read: Callable[[Path], bytes | None]

    def line(self, setting: str) -> str:
        """Return the file and, where it is plain to see, the line of a setting (``policy.engine``: that of ``engine``)."""
        text = (self.read(self.path) or b"").decode("utf-8", "replace")
        name = re.escape(setting.rpartition(".")[2])
        found = re.search(rf"""^[ \t]*(?:\[[^\]\n]*["']?{name}["']?\]|["']?{name}["']?[ \t]*=)""", text, re.MULTILINE)
        return f"{self.path}:{text.count(chr(10), 0, found.start()) + 1}" if found else str(self.path)


def _read(path: Path, read: Callable[[Path], bytes | None]) -> dict[str, Any] | None:
    try:
        data = read(path)
        return tomllib.loads(data.decode("utf-8")) if data is not None else None
    except (OSError, ValueError, RecursionError) as error:  # what is no TOML, no UTF-8, or a number that Python does not read
        raise UsageError(
            f"cannot read the settings: {error}", str(path), "mend the file, or remove it to work with the defaults"
        ) from error


def _text(value: Any, name: str, source: _Source) -> str:
    if not isinstance(value, str) or not value:
        several = "; several are named on the command line" if isinstance(value, list) else ""
        raise UsageError(f"{name} is {value!r}", source.line(name), f'write {name} = "folder"{several}')
    return value


def _functions(value: Any, source: _Source) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(function, str) for function in value.values()):
        advice = 'write [functions] and a line: my-name = "function-patch-and-transform"'
        raise UsageError(f"functions is {value!r}", source.line("functions"), advice)
    return dict(value)


def _folders(root: Path, value: Any, name: str, source: _Source) -> tuple[Path, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{name} is {value!r}", source.line(name), f'write {name} = ["folder", …]')
    return tuple(root / _text(item, name, source) for item in value)


def _ignored(value: Any, source: _Source) -> tuple[str, ...]:
    patterns = value.get("ignore", list(PLAN_IGNORE)) if isinstance(value, dict) else None
    if not isinstance(patterns, list) or not set(value) <= {"ignore"}:
        raise UsageError(f"plan is {value!r}", source.line("plan"), '[plan] holds ignore = ["path pattern", …] and nothing else')
    return tuple(_text(item, "ignore", source) for item in patterns)


def _policy(root: Path, value: Any, source: _Source) -> dict[str, Any]:
    """Read ``[policy]`` into fields of the settings."""
    if not isinstance(value, dict):
        raise UsageError(f"policy is {value!r}", source.line("policy"), 'write [policy] and a line: engine = "opa"')
    readers: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "engine": ("engine", lambda item: _one_of(item, "policy.engine", ENGINES, source)),
        "opa-url": ("opa_url", lambda item: _text(item, "policy.opa-url", source)),
        "data": ("data", lambda item: _folders(root, item, "policy.data", source)),
        "namespaces": ("namespaces", lambda item: _names(item, "policy.namespaces", source)),
        "combine": ("combine", lambda item: bool(_one_of(item, "policy.combine", (True, False), source))),
        "rego-version": ("rego_v0", lambda item: _one_of(item, "policy.rego-version", ("v0", "v1"), source) == "v0"),
    }
    for name in value:
        if name not in readers:
            raise UsageError(f"unknown setting 'policy.{name}'", source.line(name), f"settings of [policy] are: {', '.join(readers)}")
    return {field_name: read(value[name]) for name, (field_name, read) in readers.items() if name in value}


def _names(value: Any, name: str, source: _Source) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise UsageError(f"{name} is {value!r}", source.line(name), f'write {name} = ["name", …]')
    return tuple(_text(item, name, source) for item in value)


def _one_of(value: Any, name: str, choices: tuple[Any, ...], source: _Source) -> Any:
    if not any(value is choice or (isinstance(choice, str) and value == choice) for choice in choices):
        listed = ", ".join(str(choice).lower() for choice in choices)
        raise UsageError(f"{name} is {value!r}", source.line(name), f"choose one of: {listed}")
    return value
