"""The gate: load, render, validate, judge, and say it all in one report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from crossgate import __version__
from crossgate.config import Config
from crossgate.judging import Against, Alone, Judges, Outcome, Subjects, judge_all, judge_alone, run
from crossgate.load import Inventory
from crossgate.load.aside import left_out
from crossgate.load.files import is_manifest
from crossgate.model import CouldNotCheck, Finding, Judgement, Report
from crossgate.schema.xrd import is_definition
from crossgate.units.state import Judged, all_findings
from crossgate.units.states import State, aside_of, at_commit, differing, on_disk
from crossgate.waive import settle

if TYPE_CHECKING:
    from crossgate.gate.entry import Entry
    from crossgate.git import Commit

STDIN = "-"
BASELINE = "baseline.json"
"""In the project's folder: what was found before and does not count (`crossgate baseline write`)."""


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
    notes = _left_out(paths, config)
    if not base and not policies_from:
        judges = Judges.load(config)
        return _since_baseline(_report(_head(paths, given, judges)[0], judges, complete=paths is None, notes=notes), judges)
    from crossgate.gate.documents import hidden  # noqa: PLC0415 - likewise
    from crossgate.gate.entry import entered  # noqa: PLC0415 - a check without a base needs no git

    with entered(config, base=base, policies_from=policies_from) as entry:
        judges = Judges.load(entry.config)
        judges.said += [entry.judgement, hidden(entry.head, [*map(Path, paths)] if paths is not None else [judges.config.dist])]
        head, against = _head(paths, given, judges, entry.base, entry.judge)
        report = _report(head, judges, complete=paths is None, notes=notes)
        if against is not None:
            report = _compared(report, against, paths, judges, head.judged)
            report = _planned(report, entry, paths, judges, against, head.judged) if with_plan else report
        return entry.told(replace(report, versions={**report.versions, **entry.versions}))


def _head(
    paths: Sequence[Path | str] | None, given: Inventory | None, judges: Judges, base: Commit | None = None, judge: Commit | None = None
) -> tuple[Outcome, Against | None]:
    """Judge what stands on disk, as a change of ``base`` where there is one."""
    config = judges.config
    asked = [Path(path) for path in paths] if paths is not None else [] if given else [config.dist]
    besides = [config.dist] if config.dist not in asked and config.dist.is_dir() else []
    state = on_disk(asked, config, besides=besides, must_exist=True, judge=judge)
    against = Against(base, asked, at_commit(base, asked, config, state, besides=besides)) if base is not None else None
    head = judge_all(judge_alone(state, judges, given=given), judges, against=against)
    if against is not None:
        head.said.append(_updates(against.state, state))
    nothing = not any(part.units for part in head.judged.sums.values())
    if nothing and not any(part.could_not_check for part in (*judges.said, *head.said)):
        head.said.append(_nothing(paths, config))
    return head, against


def _updates(before: State, after: State) -> Judgement:
    """Judge definitions as changes of those of the base, where files that may hold one differ."""
    names = list(differing(before, after))
    was, will = (state.documents(name for name in names if name in state.ids) for state in (before, after))
    if not any(is_definition(document.body) for document in (*was, *will)):
        return Judgement()
    from crossgate.schema.definition import judge_updates  # noqa: PLC0415 - most changes change no definition

    return judge_updates(was, will)


def _compared(report: Report, against: Against, paths: Sequence[Path | str] | None, judges: Judges, head: Judged) -> Report:
    """Tell the findings apart that ``base`` has already.

    The base is judged as the head was: the same paths, all of them, since a rule over the estate may depend on any file. What is new
    then may still stand elsewhere in the base's ``dist/``, from where its file was moved. Without findings there is nothing to compare.
    """
    from crossgate.gate.known import divided  # noqa: PLC0415 - see ``check``

    judged = [finding for finding in report.findings if not finding.rule.startswith("gate/")]
    places = [[judges.config.dist]] if paths is None else [[*map(Path, paths)], [judges.config.dist]]
    known: list[Finding] = []
    for folders in places:
        if judged:
            alone = _before(against, folders, judges, head)
            fresh, more = divided(judged, all_findings(alone.judged.loud.values()))
            if fresh:  # what only all objects together can say is asked for only then
                fresh, more = divided(judged, judge_all(alone, judges).findings)
            judged = [*fresh]
            known += more
    kept = {id(finding) for finding in judged}
    new = tuple(finding for finding in report.findings if id(finding) in kept or finding.rule.startswith("gate/"))
    return replace(report, findings=new, known=tuple(known))


def _before(against: Against, folders: Sequence[Path], judges: Judges, head: Judged) -> Alone:
    """Judge each object of the base under ``folders`` by itself, with all of its ``dist/`` to find APIs in."""
    dist = judges.config.dist
    if set(folders) == set(against.asked) and (dist in against.asked or dist.is_dir()):
        return against.alone(judges, head)
    return judge_alone(at_commit(against.commit, folders, judges.config, head.state, besides=[dist]), judges, known=head)


def _planned(report: Report, entry: Entry, paths: Sequence[Path | str] | None, judges: Judges, against: Against, head: Judged) -> Report:
    """Put the plan into a report. What a plan cannot do is "could not check": a reader who sees no change must know why."""
    from crossgate.plan.make import planned  # noqa: PLC0415 - most checks need no plan

    if (schemas := judges.schemas) is None:
        return report
    said: list[Judgement] = []
    dist = judges.config.dist
    whole = paths is None and [*against.asked] == [dist] and against.commit.path(dist) is not None
    states = (against.state, head.state) if whole else None  # of other paths a plan looks at other files
    made = run(said, "planning", lambda: planned(paths, entry, schemas, states=states))
    more = (*(made.could_not_check if made else ()), *(item for part in said for item in part.could_not_check))
    return replace(report, plan=made, could_not_check=tuple(dict.fromkeys((*report.could_not_check, *more))))


def _nothing(paths: Sequence[Path | str] | None, config: Config) -> Judgement:
    where = ", ".join(str(path) for path in paths) if paths else str(config.dist)
    return Judgement(
        could_not_check=(
            CouldNotCheck("there is nothing to check", where, "name files or folders that hold .yaml, .yml or .json manifests"),
        )
    )


def _since_baseline(report: Report, judges: Judges) -> Report:
    """Tell the findings apart that the project's baseline has; a comparison with a commit needs none."""
    file = judges.config.root / BASELINE
    if not file.is_file():
        return report
    from crossgate.gate.known import divided  # noqa: PLC0415 - most projects have no baseline
    from crossgate.waive import read_baseline  # noqa: PLC0415 - likewise

    said: list[Judgement] = []
    known = run(said, "baseline", lambda: read_baseline(file)) or ()
    fresh, old = divided(report.findings, known)
    unread = tuple(item for part in said for item in part.could_not_check)
    return replace(report, findings=fresh, known=old, could_not_check=(*report.could_not_check, *unread))


def _left_out(paths: Sequence[Path | str] | None, config: Config) -> tuple[str, ...]:
    """Say what a check of the whole project did not look at: Argo CD would, if it synced that folder."""
    folders = list(left_out([Path(path) for path in paths or ()], aside_of(config)))
    if not folders:
        return ()
    root = config.root.resolve()
    names = [os.path.relpath(folder, root) for folder in folders]
    count = sum(is_manifest(Path(file)) for folder in folders for _, _, files in os.walk(folder) for file in files)
    return (f"{count:,} files were left out, in {_some(names, ' folders')}: name a folder to have it checked",) if count else ()


def _behind(names: Sequence[str], config: Config) -> tuple[str, ...]:
    """Say which claims the cluster will not get as they stand here."""
    what = f"{config.dist.name}/ is not made from {_some(names)} as {'it is' if len(names) == 1 else 'they are'} now: run crossgate synth"
    return (what,) if names else ()


def _some(names: Sequence[str], what: str = "") -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more{what}" if len(names) > 5 else "")


def _report(outcome: Outcome, judges: Judges, *, complete: bool, notes: tuple[str, ...] = ()) -> Report:
    said = (*judges.said, *outcome.said)
    judged = outcome.judged
    sums = list(judged.sums.values())
    settled = settle(
        [finding for part in said for finding in part.findings],
        judges.waivers,
        [each for file in judged.loud.values() for unit in file.units for each in unit.annotated],
        today=datetime.now(tz=UTC).date(),
        complete=complete,
    )
    return Report(
        findings=tuple(settled.findings),
        waived=tuple(settled.waived),
        could_not_check=tuple(dict.fromkeys(item for part in said for item in part.could_not_check)),
        counts={
            "files": sum(part.files for part in sums) + len(judged.state.refused),
            "documents": sum(part.units for part in sums),
            "claims": sum(part.claims for part in sums),
            "composed resources": sum(part.composed for part in sums),
            "rules": len(judges.policies.rules) if judges.policies else 0,
        },
        versions={
            "tool": __version__,
            "engine": judges.config.engine,
            "policies": judges.policies.digest if judges.policies else "",
            "data": judges.policies.data_digest if judges.policies else "",
            "schemas": outcome.schemas.digest if outcome.schemas else "",
        },
        subjects=Subjects(judged),
        fail_on=judges.config.fail_on,
        root=str(judges.config.root),
        notes=(*outcome.notes, *_behind(judged.state.behind, judges.config), *notes),
    )
