"""The gate: load, render, validate, judge, and say it all in one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from crossgate import __version__
from crossgate.config import Config
from crossgate.errors import CrossgateError
from crossgate.load import Inventory, load_paths, sourcemap
from crossgate.load.platform import platform_documents
from crossgate.model import CouldNotCheck, Document, Finding, Judgement, Place, Report, Role, Subject
from crossgate.policy import Policies
from crossgate.render.estate import Estate, expand
from crossgate.schema import Schemas

STDIN = "-"

T = TypeVar("T")


def check(
    paths: Sequence[Path | str] | None = None,
    *,
    config: Config | None = None,
    documents: Iterable[Document] = (),
) -> Report:
    """Judge every manifest under ``paths`` (default: the project's ``dist/``) and every claim's rendering.

    Args:
        paths: files and folders; only they are judged. APIs and Compositions that they need are found
            in them first, then in the project's ``dist/``.
        config: the project's settings; default: those around the working folder.
        documents: documents that are judged too and stand in no file (standard input).

    Returns:
        The report. ``exit_code`` is 0 when clean, 1 with findings at or over ``fail_on``, 3 when anything
        could not be checked.

    Raises:
        UsageError: the settings cannot be followed, or a path does not exist.
    """
    config = config or Config.find()
    given = tuple(documents)
    inventory = _load(paths if paths is not None else ([] if given else [config.dist]), given, config)
    platform = _platform(config, inventory)
    said: list[Judgement] = [inventory.judgement]

    schemas = _stage(said, "schemas", lambda: Schemas.load(config.schemas).including((*platform, *inventory.documents)))
    policies = _stage(said, "policies", lambda: Policies.load(config.policies))
    estate = _stage(said, "rendering", lambda: expand(inventory.documents, schemas or Schemas.load(()), platform=platform)) or Estate()
    said.append(estate.judgement)
    if schemas is not None:
        said.append(schemas.judge(estate.resources))
        said += _compositions(inventory.documents, schemas)
    if policies is not None:
        said.append(policies.judge(estate.resources))
    if not inventory.documents and not any(part.could_not_check for part in said):
        said.append(_nothing(paths, config))
    return _report(said, inventory, estate, policies, schemas, config)


def _load(paths: Sequence[Path | str], given: tuple[Document, ...], config: Config) -> Inventory:
    inventory = load_paths(paths, root=config.root)
    documents = sourcemap.apply(inventory.documents, config.root)
    return Inventory(documents=(*given, *documents), judgement=inventory.judgement, files=inventory.files)


def _platform(config: Config, inventory: Inventory) -> tuple[Document, ...]:
    judged = {document.file for document in inventory.documents}
    found = platform_documents(config.dist, root=config.root) if config.dist.is_dir() else ()
    return tuple(document for document in sourcemap.apply(found, config.root) if document.file not in judged)


def _stage(said: list[Judgement], name: str, run: Callable[[], T]) -> T | None:
    """Run a stage; an error that stops it is "could not check", and the other stages still run."""
    try:
        return run()
    except CrossgateError as error:
        said.append(Judgement(could_not_check=(CouldNotCheck(error.what, error.where or name, error.hint),)))
        return None


def _compositions(documents: Iterable[Document], schemas: Schemas) -> list[Judgement]:
    compositions = [document for document in documents if _is_composition(document)]
    if not compositions:
        return []
    from crossgate.static import check_composition  # noqa: PLC0415 - a claim alone, the usual case, does not need it

    return [check_composition(document, schemas) for document in compositions]


def _is_composition(document: Document) -> bool:
    body = document.body
    return (
        isinstance(body, dict)
        and body.get("kind") == "Composition"
        and str(body.get("apiVersion", "")).startswith("apiextensions.crossplane.io/")
    )


def _nothing(paths: Sequence[Path | str] | None, config: Config) -> Judgement:
    where = ", ".join(str(path) for path in paths) if paths else str(config.dist)
    return Judgement(
        could_not_check=(
            CouldNotCheck("there is nothing to check", where, "name files or folders that hold .yaml, .yml or .json manifests"),
        )
    )


def _report(
    said: list[Judgement],
    inventory: Inventory,
    estate: Estate,
    policies: Policies | None,
    schemas: Schemas | None,
    config: Config,
) -> Report:
    roles = [resource.role for resource in estate.resources]
    findings: tuple[Finding, ...] = sum((part.findings for part in said), ())
    return Report(
        findings=findings,
        could_not_check=sum((part.could_not_check for part in said), ()),
        counts={
            "files": inventory.files,
            "documents": len(inventory.documents),
            "claims": roles.count(Role.CLAIM),
            "composed resources": roles.count(Role.COMPOSED),
            "rules": len(policies.rules) if policies else 0,
        },
        versions={
            "tool": __version__,
            "policies": policies.digest if policies else "",
            "schemas": schemas.digest if schemas else "",
        },
        subjects=tuple(Subject(resource.identity, Place(resource.document.file, resource.document.line)) for resource in estate.resources),
        fail_on=config.fail_on,
        root=str(config.root),
    )
