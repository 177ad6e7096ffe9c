"""Judge a state of the project: each unit by itself, from the cache where it is known, and all of them together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from crossgate.load import Inventory
from crossgate.load.platform import mentions
from crossgate.load.sourcemap import Sources
from crossgate.model import CouldNotCheck, Document, Finding, Resource, Role, Subject
from crossgate.units.cache import Cache, Entry
from crossgate.units.codec import packed, subjects_of, unpacked
from crossgate.units.judge import By, judge_files
from crossgate.units.stamp import digest_of
from crossgate.units.states import State
from crossgate.units.together import Unit
from crossgate.units.verdict import FileVerdict, Verdict
from crossgate.units.work import FEW, results


@dataclass(frozen=True, slots=True)
class Judged:
    """A state with the verdict of every file that was asked for, in order. ``given`` is what was judged too and stands in no file."""

    state: State
    by: By
    files: tuple[FileVerdict, ...]
    keys: Mapping[str, str]
    given: Mapping[str, Inventory] = field(default_factory=dict)
    kept: Mapping[str, Entry] = field(default_factory=dict)
    _made: dict[Unit, tuple[Resource, ...]] = field(default_factory=dict)

    def made(self, unit: Unit) -> tuple[Resource, ...]:
        """Render a unit, once."""
        if unit not in self._made:
            self._made[unit] = self.by.made([self.document(unit)])[0].resources
        return self._made[unit]

    def document(self, unit: Unit) -> Document:
        """Return what the author of a unit wrote."""
        name, number = unit
        inventory = self.given[name] if name in self.given else self.state.inventory(name)
        return [document for document in inventory.documents if isinstance(document.body, dict)][number]

    @property
    def unchecked(self) -> Iterator[CouldNotCheck]:
        """Yield what could not be read or judged."""
        yield from self.state.could_not_check
        for file in self.files:
            yield from file.could_not_check
            for unit in file.units:
                yield from unit.could_not_check

    @property
    def read(self) -> int:
        """Return how many files were opened, or refused."""
        return len(self.files) + len(self.state.refused)

    @property
    def units(self) -> Iterator[Verdict]:
        """Yield the verdict of each unit."""
        return (unit for file in self.files for unit in file.units)

    def subjects(self) -> Iterator[Subject]:
        """Yield everything that was judged; what comes from the cache is read only now."""
        before = 0
        for file in self.files:
            entry = self.kept.get(file.name)
            units = subjects_of(file.name, entry, [unit.team for unit in file.units]) if entry else [unit.subjects for unit in file.units]
            for unit in units:
                for subject in unit:
                    yield replace(subject, parent=subject.parent + before) if before and subject.parent >= 0 else subject
                before += len(unit)


def judge_state(
    state: State,
    by: By,
    *,
    judged_by: Callable[[], str],
    given: Inventory | None = None,
    known: Judged | None = None,
) -> Judged:
    """Judge the files that were asked for.

    Args:
        state: the files.
        by: what they are judged by.
        judged_by: a digest of everything in ``by`` and of this program; asked only when there are many files.
        given: what is judged too and stands in no file.
        known: another state that was judged; its verdicts are taken for files that are the same there.
    """
    extra = {given.documents[0].file if given.documents else "": given} if given is not None else {}
    files = dict(zip(extra, judge_files(list(extra.items()), by), strict=True))
    cache = Cache.open() if len(state.asked) > FEW else None
    keys = _keys(state, by, judged_by) if cache is not None else {}
    if known is not None and _ground(state, by) == _ground(known.state, known.by):
        files.update(
            {
                file.name: file
                for file in known.files
                if file.name in known.state.ids and known.state.ids[file.name] == state.ids.get(file.name)
            }
        )
    kept = _kept(cache, {name: key for name, key in keys.items() if name not in files}, state) if cache is not None else {}
    files.update({name: verdict for name, (verdict, _) in kept.items()})
    missing = [name for name in state.asked if name not in files]
    for name in missing:
        state.data(name)  # several processes must not read from one git at once
    fresh = dict(
        zip(missing, results(lambda names: judge_files([(name, state.inventory(name)) for name in names], by), missing), strict=True)
    )
    files.update(fresh)
    if cache is not None:
        cache.write({keys[name]: packed(_placed(verdict, state)) for name, verdict in fresh.items() if name in keys and verdict.whole})
    ordered = tuple(files[name] for name in (*extra, *state.asked))
    entries = {name: entry for name, (_, entry) in kept.items()}
    return Judged(state, by, ordered, keys, extra, {**(known.kept if known is not None else {}), **entries})


def namespaces(state: State, given: Inventory | None) -> tuple[Resource, ...]:
    """Return the Namespaces that stand in the files that were asked for as they are."""
    documents = (
        *(given.documents if given else ()),
        *state.documents(name for name in state.asked if mentions(state.data(name), "Namespace")),
    )
    return tuple(Resource(document.body, Role.DOCUMENT, document) for document in documents if _kind(document) == "Namespace")


def _kind(document: Document) -> object:
    return document.body.get("kind") if isinstance(document.body, dict) else None


def _ground(state: State, by: By) -> object:
    """Return what the verdict of every file depends on."""
    platform = dict.fromkeys(document.file for document in state.platform)
    return [(name, state.ids.get(name)) for name in platform], [resource.body for resource in by.namespaces]


def _keys(state: State, by: By, judged_by: Callable[[], str]) -> dict[str, str]:
    """Return for each file the digest of everything that its verdict depends on, except the sources that its places lie in."""
    sources = Sources(state.root) if state.mapped else None
    platform = dict.fromkeys(document.file for document in state.platform)
    places = sources.digests(platform) if sources else {}
    common = digest_of((judged_by(), *(json.dumps(part, sort_keys=True, default=str) for part in (_ground(state, by), places))))
    return {name: digest_of((common, name, state.ids[name], *(sources.lines(name) if sources else ()))) for name in state.asked}


def _kept(cache: Cache, keys: Mapping[str, str], state: State) -> dict[str, tuple[FileVerdict, Entry]]:
    entries = cache.read(keys.values())
    sources = Sources(state.root) if state.mapped else None
    found = {}
    for name, key in keys.items():
        if key in entries:
            verdict = unpacked(name, entries[key])
            if not verdict.sources or (sources is not None and sources.digests([name]) == verdict.sources):
                found[name] = verdict, entries[key]
    return found


def _placed(verdict: FileVerdict, state: State) -> FileVerdict:
    """Note the sources that the places of a verdict lie in: it holds as long as they stay as they are."""
    if not state.mapped or not (verdict.findings or any(unit.speaks for unit in verdict.units)):
        return verdict
    return FileVerdict(verdict.name, verdict.findings, (), verdict.units, Sources(state.root).digests([verdict.name]))


def all_findings(files: Sequence[FileVerdict], replaced: frozenset[Unit]) -> Iterator[Finding]:
    """Yield what is said of each file and unit; what policies say of a Composition's template only where no composed resource says it."""
    covered = {spot for file in files for unit in file.units for spot in unit.covers}
    for file in files:
        yield from file.findings
        for number, unit in enumerate(file.units):
            yield from unit.findings
            for finding in unit.said:
                if (finding.rule, finding.reason, file.name, unit.line, finding.path) not in covered:
                    yield finding
            if (file.name, number) not in replaced:
                yield from unit.related
