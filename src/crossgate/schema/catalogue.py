"""All schemas that a run knows, and the questions that it is asked.

Kinds come from compact directories, which are read file by file when a kind is first asked for, and from
CRDs, XRDs and packages, which are read when they are given. What is given later wins over what was there:
the XRD of the pull request over the one that was imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from crossgate.errors import SchemaError
from crossgate.model import CouldNotCheck, Judgement, gathered
from crossgate.schema.compact import CORE, LOCK, file_of, is_name, read
from crossgate.schema.crd import is_crd, kinds_of_crd
from crossgate.schema.defaulting import copy_json
from crossgate.schema.kinds import KindSchema, group_of
from crossgate.schema.metadata import OBJECT_META
from crossgate.schema.nearest import nearest
from crossgate.schema.plain import ANY
from crossgate.schema.problem import Problem, ProblemKind
from crossgate.schema.shape import check_shape
from crossgate.schema.validation import Checker
from crossgate.schema.values import type_name
from crossgate.schema.xrd import is_xrd, kinds_of_xrd

if TYPE_CHECKING:
    from crossgate.model import Document, Resource

Key = tuple[str, str, str]


class Schemas:
    """The kinds that are known. Immutable: ``including`` makes a new one."""

    def __init__(
        self,
        kinds: dict[Key, KindSchema],
        directories: Sequence[File] = (),
        known: Mapping[tuple[str, str], Checker] | None = None,
        unusable: tuple[CouldNotCheck, ...] = (),
    ) -> None:
        """Use ``load`` instead; ``known`` carries over what was read and compiled already."""
        self.unusable = unusable
        """CRDs and XRDs among the included documents of which no schema could be made."""
        self._kinds = kinds
        self._directories = tuple(directories)
        self._checkers: dict[tuple[str, str], Checker | None] = dict(known or {})

    @classmethod
    def load(cls, paths: Iterable[str | os.PathLike[str]]) -> Schemas:
        """Read schemas from compact directories, and from files and directories with CRDs, XRDs and packages.

        Raises SchemaError for a path that does not exist or a definition that cannot be used.
        """
        from crossgate.schema.sources import is_compact, kinds_below  # noqa: PLC0415 (compact directories alone need no YAML reader)

        kinds: dict[Key, KindSchema] = {}
        directories: list[File] = []
        for path in map(File, paths):
            if is_compact(path):
                directories.append(path)
                continue
            for kind in kinds_below(path):
                kinds[kind.group, kind.version, kind.kind] = kind
        return cls(kinds, directories)

    def including(self, documents: Iterable[Document]) -> Schemas:
        """Return the same schemas plus those of the CRDs and XRDs among the documents.

        A definition that cannot be used is left out and stands in ``unusable``.
        """
        added: dict[Key, KindSchema] = {}
        unusable: list[CouldNotCheck] = []
        for document in documents:
            try:
                for kind in kinds_of(document.body, document.file):
                    added[kind.group, kind.version, kind.kind] = kind
            except SchemaError as error:
                unusable.append(CouldNotCheck(error.what, str(document.place(())), error.hint))
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                # a part of the wrong type, where no other rule has named it yet
                what = f"this {document.body.get('kind')} is malformed: {error}"
                unusable.append(CouldNotCheck(what, str(document.place(())), "compare it with one that the API server takes"))
        if not added and not unusable:
            return self
        known = {asked: checker for asked, checker in self._checkers.items() if _key(*asked) not in added and checker is not None}
        return Schemas({**self._kinds, **added}, self._directories, known, (*self.unusable, *unusable))

    @cached_property
    def digest(self) -> str:
        """A digest of everything that is known: of the locks of the directories, and of each kind that was given otherwise."""
        import hashlib  # noqa: PLC0415 (OpenSSL costs 10 ms that only a report pays)
        import json  # noqa: PLC0415

        state = hashlib.sha256()
        for directory in self._directories:
            state.update((directory / LOCK).read_bytes())
        for key in sorted(self._kinds):
            kind = self._kinds[key]
            state.update(json.dumps([kind.head(), kind.schema], sort_keys=True, separators=(",", ":")).encode())
        return f"sha256:{state.hexdigest()}"

    def find(self, api_version: str, kind: str) -> KindSchema | None:
        """Return what is known about a kind in a version, served or not."""
        checker = self._checker(api_version, kind)
        return checker.kind if checker else None

    def structural(self, api_version: str, kind: str) -> dict[str, Any] | None:
        """Return the structural schema of a served version, with the fields that every object has; None when there is none.

        The schema is shared: do not change it.
        """
        found = self.find(api_version, kind)
        if found is None or not found.served:
            return None
        properties = found.schema.get("properties") or {}
        own = ((properties.get("metadata") or {}).get("properties")) or {}
        metadata = {**OBJECT_META, "properties": {**OBJECT_META["properties"], **own}}
        frame = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": metadata}
        return {**found.schema, "type": "object", "properties": {**properties, **frame}}

    def defaulted(self, resource: dict[str, Any]) -> dict[str, Any]:
        """Return a copy with nulls dropped and defaults added as the API server does; an unknown kind is only copied."""
        checker = self._checker(str(resource.get("apiVersion", "")), str(resource.get("kind", "")))
        if checker is not None:
            return checker.defaulted(resource)
        copy: dict[str, Any] = copy_json(resource)
        return copy

    def validate(self, resource: Any) -> list[Problem]:
        """Answer as kube-apiserver 1.36 answers a create with ``dryRun=All`` and ``fieldValidation=Strict``.

        An empty list means that the server would take the resource. Problems of the kinds ``missingSchema``
        and ``couldNotCheck`` say that it was not, or not wholly, judged.
        """
        faults = _type_meta(resource)
        if faults:
            return faults
        checker = self._checker(resource["apiVersion"], resource["kind"])
        if checker is None or not checker.kind.served:
            return [self._missing(resource["apiVersion"], resource["kind"])]
        return checker.check(resource)

    def judge(self, resources: Iterable[Resource]) -> Judgement:
        """Validate every resource and make findings that point at their authors' lines."""
        from crossgate.schema.judge import judge  # noqa: PLC0415 (judge needs this class)

        said = judge(self, resources)
        return Judgement(said.findings, gathered((*self.unusable, *said.could_not_check)))

    def versions_served(self, resource: dict[str, Any]) -> list[str]:
        """Return the apiVersions in which the resource's kind is served, the newest first."""
        group = str(resource.get("apiVersion", "")).rpartition("/")[0]
        return [known.api_version for known in self.versions(group, str(resource.get("kind", ""))) if known.served]

    def deprecation(self, resource: dict[str, Any]) -> str:
        """Return the server's warning about the version that the resource is written in, or the empty string."""
        found = self.find(str(resource.get("apiVersion", "")), str(resource.get("kind", "")))
        return found.deprecation if found is not None and found.served else ""

    def versions(self, group: str, kind: str) -> list[KindSchema]:
        """Return all versions of a kind that are known, the newest first."""
        found = {
            version: known
            for (known_group, version, known_kind), known in self._kinds.items()
            if (known_group, known_kind) == (group, kind)
        }
        for directory in self._directories if is_name(group or CORE) and is_name(kind) else ():
            for file in (directory / (group or CORE)).glob(f"*/{kind}.json"):
                found.setdefault(file.parent.name, read(file))
        return [found[version] for version in sorted(found, key=_age, reverse=True)]

    def kinds(self) -> list[KindSchema]:
        """Return everything that is known, sorted by group, kind and version. Reads every file."""
        found = dict(self._kinds)
        for directory in self._directories:
            for file in sorted(directory.glob("*/*/*.json")):
                kind = read(file)
                found.setdefault((kind.group, kind.version, kind.kind), kind)
        return [found[key] for key in sorted(found, key=lambda key: (key[0], key[2], key[1]))]

    def _checker(self, api_version: str, kind: str) -> Checker | None:
        asked = (api_version, kind)
        if asked not in self._checkers:
            key = _key(*asked)
            found = self._kinds.get(key) or self._read(key) or self._plain(key)
            self._checkers[asked] = Checker(found) if found else None
        return self._checkers[asked]

    def _read(self, key: Key) -> KindSchema | None:
        if not all(map(is_name, (key[0] or CORE, *key[1:]))):
            return None
        for directory in reversed(self._directories):
            file = directory / file_of(*key)
            if file.exists():
                return read(file)
        return None

    def _plain(self, key: Key) -> KindSchema | None:
        name = key[2].lower()
        return self._kinds.get((key[0], key[1], name)) or self._kinds.get((ANY, ANY, name))

    def _missing(self, api_version: str, kind: str) -> Problem:
        group, _ = group_of(api_version) if api_version.count("/") <= 1 else (api_version.rpartition("/")[0], "")
        known = self.versions(group, kind)
        served = [version.api_version for version in known if version.served]
        if served:
            message = f"{self._origin(known[0])} serves {kind} as {' and '.join(served)}, not {api_version}"
            return Problem("apiVersion", ("apiVersion",), ProblemKind.MISSING_SCHEMA, message, f"write apiVersion: {served[0]}")
        near = nearest(kind, self._names(group))
        if near:
            return Problem(
                "kind",
                ("kind",),
                ProblemKind.MISSING_SCHEMA,
                f"no schema for {api_version} {kind}; did you mean {near}?",
                f"write kind: {near}",
            )
        return Problem(
            "apiVersion",
            ("apiVersion",),
            ProblemKind.MISSING_SCHEMA,
            f"no schema for {api_version} {kind}",
            "import its CRD: crossgate schema import FILE, or crossgate schema pull PACKAGE",
        )

    def _origin(self, kind: KindSchema) -> str:
        """Name what a kind was imported from, as the lock has it."""
        from crossgate.schema.lock import read_lock  # noqa: PLC0415 (only a complaint needs the lock)

        if not all(map(is_name, (kind.group or CORE, kind.version, kind.kind))):
            return "the cluster"  # no file of a directory can be called so
        place = file_of(kind.group, kind.version, kind.kind)
        for directory in reversed(self._directories):
            for source in read_lock(directory).values():
                if place in source.files and kind.source == str(directory / place):
                    return f"{source.name} {source.version}".rstrip()
        return "the cluster"

    def _names(self, group: str) -> set[str]:
        names = {kind for known_group, _, kind in self._kinds if known_group == group}
        for directory in self._directories if is_name(group or CORE) else ():
            names.update(file.stem for file in (directory / (group or CORE)).glob("*/*.json"))
        return names


def kinds_of(body: Any, source: str) -> list[KindSchema]:
    """Return the kinds that a document defines: those of a CRD or an XRD, none of any other. Raises SchemaError."""
    if is_crd(body):
        check_shape(body, source)
        return kinds_of_crd(body, source)
    if is_xrd(body):
        check_shape(body, source)
        return kinds_of_xrd(body, source)
    return []


def _key(api_version: str, kind: str) -> Key:
    group, _, version = api_version.rpartition("/")
    return group, version, kind


def _type_meta(resource: Any) -> list[Problem]:
    if not isinstance(resource, dict):
        return [Problem.schema((), f"found {type(resource).__name__}, expected an object with apiVersion and kind")]
    problems = []
    for key in ("apiVersion", "kind"):
        value = resource.get(key)
        if value is None or value == "":
            problems.append(Problem.schema((key,), f"missing '{key}' key; every object needs apiVersion and kind"))
        elif not isinstance(value, str):
            found = type_name(value) if isinstance(value, (dict, list)) else repr(value)  # what a whole part holds may be secret
            problems.append(Problem.schema((key,), f"found {found}, expected a string"))
        elif key == "apiVersion":
            try:
                group_of(value)
            except SchemaError as error:
                problems.append(Problem.schema((key,), error.what))
    return problems


def _age(version: str) -> tuple[int, int, int]:
    """Sort versions as Kubernetes does: v1 over v1beta2 over v1alpha1."""
    number, _, rest = version.removeprefix("v").partition("beta")
    if rest:
        return 1, _number(number), _number(rest)
    number, _, rest = version.removeprefix("v").partition("alpha")
    return (0, _number(number), _number(rest)) if rest else (2, _number(number), 0)


def _number(text: str) -> int:
    return int(text) if text.isdigit() and len(text) < 20 else 0
