"""The gate: load, render, validate, judge, and say it all in one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from crossgate import __version__
from crossgate.config import Config
from crossgate.errors import CrossgateError
from crossgate.load import Inventory, load_paths, sourcemap
from crossgate.load.platform import platform_inventory
from crossgate.model import CouldNotCheck, Document, Finding, Judgement, Place, Report, Resource, Role, Severity, Subject
from crossgate.policy import Policies
from crossgate.progress import doing
from crossgate.render.apis import is_extension
from crossgate.render.estate import Estate, expand
from crossgate.schema import Schemas
from crossgate.schema.crd import is_crd
from crossgate.schema.xrd import is_xrd
from crossgate.teams import team_of
from crossgate.waive import Waiver, annotated, load_waivers, settle

if TYPE_CHECKING:
    from crossgate.gate import Entry
    from crossgate.git import Commit
    from crossgate.release.facts import Since

STDIN = "-"
WAIVERS = "waivers.yaml"
"""In each policy folder: findings that may pass, with who answers for it and until when."""
FACTS = {"CostReport", "Change"}
"""Documents that the gate makes for rules that are about them (``release.facts``)."""
BASELINE = "baseline.json"
"""In the project's folder: what was found before and does not count (`crossgate baseline write`)."""

T = TypeVar("T")


@dataclass(slots=True)
class _Judges:
    """What judges, loaded once, and what loading it had to say."""

    config: Config
    policies: Policies | None = None
    schemas: Schemas | None = None
    waivers: tuple[Waiver, ...] = ()
    said: list[Judgement] = field(default_factory=list)

    @classmethod
    def load(cls, config: Config) -> _Judges:
        judges = cls(config)
        judges.schemas = _stage(judges.said, "schemas", lambda: Schemas.load(config.schemas))
        judges.policies = _stage(judges.said, "policies", lambda: Policies.load(_policy_folders(config)))
        judges.waivers = _stage(judges.said, "waivers", lambda: load_waivers([folder / WAIVERS for folder in config.policies])) or ()
        return judges


def _policy_folders(config: Config) -> tuple[Path, ...]:
    if not config.bundles:
        return config.policies
    from crossgate.policy.remote import locked_folders  # noqa: PLC0415 - most projects keep their policies themselves

    return (*config.policies, *locked_folders(config.bundles, config.policy_lock))


@dataclass(frozen=True, slots=True)
class _Judged:
    """One state of the project, judged."""

    inventory: Inventory
    estate: Estate
    schemas: Schemas | None
    said: list[Judgement]
    notes: tuple[str, ...] = ()


def check(
    paths: Sequence[Path | str] | None = None,
    *,
    config: Config | None = None,
    given: Inventory | None = None,
    base: str = "",
    policies_from: str = "",
    with_plan: bool = False,
) -> Report:
    """Judge every manifest under ``paths`` (default: the project's ``dist/``) and every claim's rendering.

    Args:
        paths: files and folders; only they are judged. APIs and Compositions that they need are found
            in them first, then in the project's ``dist/``.
        config: the project's settings; default: those around the working folder.
        given: what is judged too and stands in no file (standard input); alone, unless ``paths`` are named.
        base: a commit to compare with. Settings, policies, waivers and schemas are those of that commit, and findings that it
            has already are ``known``: they do not count.
        policies_from: the commit whose settings, policies, waivers and schemas judge, if not ``base``.
        with_plan: say also what merging would change against ``base``; nothing without one.

    Returns:
        The report. ``exit_code`` is 0 when clean, 1 with findings at or over ``fail_on``, 3 when anything
        could not be checked.

    Raises:
        UsageError: the settings cannot be followed, or a path or commit does not exist.
    """
    config = config or Config.find()
    if not base and not policies_from:
        judges = _Judges.load(config)
        return _since_baseline(_report(_head(paths, given, judges), judges, complete=paths is None), judges)
    from crossgate.gate import entered  # noqa: PLC0415 - a check without a base needs no git
    from crossgate.gate.documents import hidden  # noqa: PLC0415 - likewise

    with entered(config, base=base, policies_from=policies_from) as entry:
        judges = _Judges.load(entry.config)
        judges.said += [entry.judgement, hidden(entry.head, [*map(Path, paths)] if paths is not None else [judges.config.dist])]
        head = _head(paths, given, judges, entry.base)
        report = _report(head, judges, complete=paths is None)
        if entry.base is not None:
            report = _compared(report, entry.base, paths, judges)
            report = _planned(report, entry, paths, judges) if with_plan else report
        return entry.told(replace(report, versions={**report.versions, **entry.versions}))


def _head(paths: Sequence[Path | str] | None, given: Inventory | None, judges: _Judges, base: Commit | None = None) -> _Judged:
    """Judge what stands on disk, as a change of ``base`` where there is one."""
    config = judges.config
    since = _stage(judges.said, "the base", lambda: _since(paths, base, judges)) if base is not None else None
    inventory = (given or Inventory()) + _load(paths if paths is not None else ([] if given else [config.dist]), config)
    platform, unread = _platform(config, inventory)
    head = _judge(inventory, platform, judges, since)
    head.said.append(unread)
    if not inventory.documents and not any(part.could_not_check for part in (*judges.said, *head.said)):
        head.said.append(_nothing(paths, config))
    return head


def _compared(report: Report, base: Commit, paths: Sequence[Path | str] | None, judges: _Judges) -> Report:
    """Tell the findings apart that ``base`` has already.

    The base is judged as the head was: the same paths, all of them, since a rule over the estate may depend on any file. What is new
    then may still stand elsewhere in the base's ``dist/``, from where its file was moved. Without findings there is nothing to compare.
    """
    from crossgate.gate import divided  # noqa: PLC0415 - see ``check``

    judged = [finding for finding in report.findings if not finding.rule.startswith("gate/")]
    places = [[judges.config.dist]] if paths is None else [[*map(Path, paths)], [judges.config.dist]]
    known: list[Finding] = []
    for folders in places:
        if judged:
            judged, more = map(list, divided(judged, _before(base, folders, judges)))
            known += more
    kept = {id(finding) for finding in judged}
    fresh = tuple(finding for finding in report.findings if id(finding) in kept or finding.rule.startswith("gate/"))
    return replace(report, findings=fresh, known=tuple(known))


def _planned(report: Report, entry: Entry, paths: Sequence[Path | str] | None, judges: _Judges) -> Report:
    """Put the plan into a report. What a plan cannot do is "could not check": a reader who sees no change must know why."""
    from crossgate.plan.make import planned  # noqa: PLC0415 - most checks need no plan

    if (schemas := judges.schemas) is None:
        return report
    said: list[Judgement] = []
    made = _stage(said, "planning", lambda: planned(paths, entry, schemas))
    more = (*(made.could_not_check if made else ()), *(item for part in said for item in part.could_not_check))
    return replace(report, plan=made, could_not_check=tuple(dict.fromkeys((*report.could_not_check, *more))))


def _before(base: Commit, paths: Sequence[Path], judges: _Judges) -> list[Finding]:
    from crossgate.gate.documents import inventory_at, platform_at  # noqa: PLC0415 - see ``check``

    config = judges.config
    before = _judge(inventory_at(base, paths, config.root), platform_at(base, config.dist, config.root), judges)
    return [finding for part in before.said for finding in part.findings]


def _judge(inventory: Inventory, platform: tuple[Document, ...], judges: _Judges, since: Since | None = None) -> _Judged:
    said: list[Judgement] = [inventory.judgement]
    notes: tuple[str, ...] = ()
    schemas = None
    if (known := judges.schemas) is not None:
        schemas = _stage(said, "reading XRDs and CRDs", lambda: known.including((*platform, *inventory.documents)))
    estate = _stage(said, "rendering", lambda: _expanded(inventory, schemas, platform, judges.config)) or Estate()
    said.append(estate.judgement)
    if schemas is not None:
        sure = schemas
        said.append(_stage(said, "validation", lambda: sure.judge(estate.resources)) or Judgement())
        said += _stage(said, "the check of Compositions", lambda: _compositions(inventory.documents, sure, judges.config)) or []
        definitions = _stage(said, "the check of XRDs and CRDs", lambda: _definitions(inventory.documents)) or []
        said = [_explained(part, sure, definitions) for part in said] + definitions
    if (policies := judges.policies) is not None:
        facts: tuple[Resource, ...] = ()
        if FACTS & {kind for rule in policies.rules for kind in rule.kinds or ()}:
            facts, notes = _facts(estate, (*platform, *inventory.documents), judges, since, said)
        said.append(_stage(said, "judging by policies", lambda: policies.judge((*estate.resources, *facts))) or Judgement())
    return _Judged(inventory, estate, schemas, said, notes)


def _since(paths: Sequence[Path | str] | None, base: Commit, judges: _Judges) -> Since | None:
    if judges.policies is None or not FACTS & {kind for rule in judges.policies.rules for kind in rule.kinds or ()}:
        return None
    from crossgate.release.facts import Since  # noqa: PLC0415 - only rules about costs and releases need it

    return Since.of(base, [*map(Path, paths)] if paths is not None else [judges.config.dist], judges.config)


def _facts(
    estate: Estate, platform: Iterable[Document], judges: _Judges, since: Since | None, said: list[Judgement]
) -> tuple[tuple[Resource, ...], tuple[str, ...]]:
    """Return the documents that rules ask for beside the manifests, and notes about them."""
    from crossgate.cost.estimate import costs  # noqa: PLC0415 - see ``_since``
    from crossgate.release import facts  # noqa: PLC0415 - likewise

    rules = judges.policies.rules if judges.policies else ()
    config, schemas = judges.config, judges.schemas or Schemas.load(())
    made: list[Resource] = []
    prices = _stage(said, "the costs", lambda: facts.prices_for(rules, config))
    if prices is not None:
        found = list(costs(estate.resources, prices))
        bill = _stage(said, "the costs", lambda: facts.cost_report(found, prices, since, schemas, platform, config))
        made += [bill] if bill is not None else []
    told = _stage(said, "the change", lambda: facts.change_report(rules, config, since, datetime.now(tz=UTC)))
    change, notes = told or (None, ())
    return (*made, *([change] if change is not None else [])), notes


def _expanded(inventory: Inventory, schemas: Schemas | None, platform: tuple[Document, ...], config: Config) -> Estate:
    return expand(inventory.documents, schemas or Schemas.load(()), platform=platform, functions=config.functions)


def _load(paths: Sequence[Path | str], config: Config) -> Inventory:
    inventory = load_paths(paths, root=config.root)
    return replace(inventory, documents=tuple(sourcemap.apply(inventory.documents, config.root)))


def _platform(config: Config, inventory: Inventory) -> tuple[tuple[Document, ...], Judgement]:
    """Return what of ``dist/`` the judged files may need, and which of its files could not be read for that."""
    found = platform_inventory(config.dist, root=config.root)
    judged = {document.file for document in inventory.documents}
    documents = (document for document in sourcemap.apply(found.documents, config.root) if document.file not in judged)
    unread = (item for item in found.judgement.could_not_check if item not in inventory.judgement.could_not_check)
    return tuple(documents), Judgement(could_not_check=tuple(unread))


def _stage(said: list[Judgement], name: str, run: Callable[[], T]) -> T | None:
    """Run a stage; an error that stops it is "could not check", and the other stages still run."""
    doing(name)
    try:
        return run()
    except CrossgateError as error:
        said.append(Judgement(could_not_check=(CouldNotCheck(error.what, error.where or name, error.hint),)))
    except Exception as error:
        what = f"{name} failed by a fault of crossgate itself: {type(error).__name__}: {error}"
        said.append(Judgement(could_not_check=(CouldNotCheck(what, name, "check files one by one to find the manifest, and report it"),)))
    return None


def _compositions(documents: Iterable[Document], schemas: Schemas, config: Config) -> list[Judgement]:
    compositions = [document for document in documents if is_extension(document.body, "Composition")]
    if not compositions:
        return []
    from crossgate.static import check_composition  # noqa: PLC0415 - a claim alone, the usual case, does not need it

    return [check_composition(document, schemas, config.functions) for document in compositions]


def _definitions(documents: Iterable[Document]) -> list[Judgement]:
    definitions = [document for document in documents if is_crd(document.body) or is_xrd(document.body)]
    if not definitions:
        return []
    from crossgate.schema.definition import judge_definitions  # noqa: PLC0415 - a claim alone, the usual case, does not need it

    return judge_definitions(definitions)


def _explained(said: Judgement, schemas: Schemas, definitions: list[Judgement]) -> Judgement:
    """Leave out that no schema could be made of a definition where findings say why."""
    files = {finding.place.file for part in definitions for finding in part.findings if finding.severity is Severity.ERROR}
    explained = [item for item in schemas.unusable if Place.parse(item.where).file in files]
    return replace(said, could_not_check=tuple(item for item in said.could_not_check if item not in explained)) if explained else said


def _nothing(paths: Sequence[Path | str] | None, config: Config) -> Judgement:
    where = ", ".join(str(path) for path in paths) if paths else str(config.dist)
    return Judgement(
        could_not_check=(
            CouldNotCheck("there is nothing to check", where, "name files or folders that hold .yaml, .yml or .json manifests"),
        )
    )


def _since_baseline(report: Report, judges: _Judges) -> Report:
    """Tell the findings apart that the project's baseline has; a comparison with a commit needs none."""
    file = judges.config.root / BASELINE
    if not file.is_file():
        return report
    from crossgate.gate import divided  # noqa: PLC0415 - most projects have no baseline
    from crossgate.waive import read_baseline  # noqa: PLC0415 - likewise

    said: list[Judgement] = []
    known = _stage(said, "baseline", lambda: read_baseline(file)) or ()
    fresh, old = divided(report.findings, known)
    unread = tuple(item for part in said for item in part.could_not_check)
    return replace(report, findings=fresh, known=old, could_not_check=(*report.could_not_check, *unread))


def _report(judged: _Judged, judges: _Judges, *, complete: bool) -> Report:
    said = (*judges.said, *judged.said)
    resources = judged.estate.resources
    found = [finding for part in said for finding in part.findings]
    settled = settle(found, judges.waivers, annotated(resources), today=datetime.now(tz=UTC).date(), complete=complete)
    roles = [resource.role for resource in resources]
    return Report(
        findings=tuple(settled.findings),
        waived=tuple(settled.waived),
        could_not_check=tuple(item for part in said for item in part.could_not_check),
        counts={
            "files": judged.inventory.files,
            "documents": len(judged.inventory.documents),
            "claims": roles.count(Role.CLAIM),
            "composed resources": roles.count(Role.COMPOSED),
            "rules": len(judges.policies.rules) if judges.policies else 0,
        },
        versions={
            "tool": __version__,
            "policies": judges.policies.digest if judges.policies else "",
            "schemas": judged.schemas.digest if judged.schemas else "",
        },
        subjects=tuple(_subjects(resources)),
        fail_on=judges.config.fail_on,
        root=str(judges.config.root),
        notes=judged.notes,
    )


def _subjects(resources: Sequence[Resource]) -> Iterable[Subject]:
    position = {id(resource): index for index, resource in enumerate(resources)}
    for resource in resources:
        yield Subject(
            resource.identity,
            Place(resource.document.file, resource.document.line),
            resource.role,
            resource.template,
            position.get(id(resource.parent), -1),
            team_of(resource.document.body),
        )
