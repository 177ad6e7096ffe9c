"""Judge a state of the project: each unit by itself, from the cache where it is known, and all of them together."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crossgate.load import Inventory
from crossgate.model import CouldNotCheck, Document, Finding, Identity, Judgement, Place, Resource, Role, Subject
from crossgate.policy.said import spot_of
from crossgate.processes import FEW, results
from crossgate.units.cache import Cache, Entry
from crossgate.units.codec import (
    names_of,
    packed,
    packed_costs,
    packed_sum,
    packed_told,
    unpacked,
    unpacked_costs,
    unpacked_sum,
    unpacked_told,
)
from crossgate.units.costs import Cost, costs_since
from crossgate.units.judge import By, judge_files
from crossgate.units.stamp import digest_of
from crossgate.units.states import State
from crossgate.units.sums import Sum, parts, sum_of
from crossgate.units.verdict import FileVerdict, Unit

RECENT = 64
"""Units whose resources are kept: what is found of all of ten thousand is some gigabytes."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A state that was judged.

    ``sums`` are all files of it, ``loud`` the verdicts of those of which more must be known. ``given`` is what was judged too and
    stands in no file. ``grounds`` say of each file what its verdict depends on, and ``stamp`` is a digest of what judged, ``common`` one of
    what all verdicts depend on besides their file, where there is a cache. ``alike`` is another state, judged by the same platform.
    """

    state: State
    by: By
    given: Mapping[str, Inventory]
    sums: Mapping[str, Sum]
    loud: Mapping[str, FileVerdict]
    grounds: Mapping[str, str]
    cache: Cache | None
    stamp: str
    common: str
    alike: Judged | None
    _files: dict[str, FileVerdict]
    _made: dict[Unit, tuple[Resource, ...]] = field(default_factory=dict)
    _costs: list[Cost] = field(default_factory=list)
    _told: dict[str, list[Judgement]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the files in order."""
        return (*self.given, *self.state.asked)

    def made(self, unit: Unit) -> tuple[Resource, ...]:
        """Render a unit; the last ``RECENT`` of them are kept."""
        if unit not in self._made:
            made = self.by.made([self.document(unit)])[0].resources
            while len(self._made) >= RECENT:
                del self._made[next(iter(self._made))]
            self._made[unit] = made
        return self._made[unit]

    def resource(self, unit: Unit, at: int) -> Resource:
        """Return one resource of a unit; for the first, which its author wrote, nothing is rendered."""
        return self.made(unit)[at] if at or unit in self._made else self.by.written(self.document(unit))

    def document(self, unit: Unit) -> Document:
        """Return what the author of a unit wrote."""
        name, number = unit
        inventory = self.given[name] if name in self.given else self.state.inventory(name)
        return [document for document in inventory.documents if isinstance(document.body, dict)][number]

    def basis_of(self, name: str) -> str:
        """Return a digest of all that the objects of a file, what they make and the places of both depend on; "" where nothing is kept."""
        if name not in self.grounds:
            return ""
        sources = self.state.sources
        lying = sources.digests([name]) if sources is not None else {}
        return digest_of((self.grounds[name], *(f"{file} {digest}" for file, digest in lying.items())))

    def of_platform(self, about: Collection[str], task: Callable[[], list[Judgement]]) -> list[Judgement]:
        """Return what ``task`` says of the platform's objects in the files ``about``, once or by an earlier run where all were the same."""
        if self.cache is None or self.given:
            return task()
        if (other := self.alike) is not None and all(self.state.key(file) == other.state.key(file) for file in about):
            return other.of_platform(about, task)
        name = digest_of(("platform", self.common, *about))
        if name not in self._told:
            kept = self.cache.read([name])
            self._told[name] = unpacked_told(kept[name]) if name in kept else task()
            if name not in kept and not any(each.could_not_check for each in self._told[name]):
                self.cache.write({name: packed_told(self._told[name])})
        return self._told[name]

    def costs(self, before: Judged | None = None) -> Sequence[Cost]:
        """Return what the dearest claims of each team cost, and all others together (``claim_costs``).

        Of the teams that cost what they did ``before``, it is taken from there.
        """
        if not self._costs:
            key = digest_of(("costs", self.stamp, *(part.paid for part in self.sums.values())))
            kept = self.cache.read([key]) if self.cache is not None else {}
            self._costs.extend(unpacked_costs(kept[key]) if key in kept else self._costs_since(before))
            if self.cache is not None and key not in kept and all(file.whole for file in self.loud.values()):
                self.cache.write({key: packed_costs(self._costs)})
        return self._costs

    def _costs_since(self, before: Judged | None) -> list[Cost]:
        own, was = ([(part.paid, part.costs) for part in state.sums.values()] if state is not None else [] for state in (self, before))
        return costs_since(own, was, before.costs() if before is not None else ())

    @property
    def beside(self) -> tuple[Resource, ...]:
        """Return the Namespaces that were not asked for: what stands in them is judged, they themselves are not."""
        judged = {*self.given, *self.state.asked}
        return tuple(resource for resource in self.by.namespaces if resource.document.file not in judged)

    @property
    def unchecked(self) -> Iterator[CouldNotCheck]:
        """Yield what could not be read or judged, some of it twice; the order does not depend on what was read when."""
        yield from self.state.refused
        for file in self.loud.values():
            yield from file.could_not_check
            for unit in file.units:
                yield from unit.could_not_check
        yield from self.state.could_not_check

    def keys(self, names: Iterable[str]) -> dict[str, str]:
        """Return the names under which the verdicts of some files are kept."""
        return _keys(self.grounds, names)

    def files_of(self, some: Container[str]) -> list[FileVerdict]:
        """Return the verdicts of the files in some parts, by the names of these in ``sums``, in the order of ``names``."""
        divided = zip((name for name in self.sums if name), parts(self.state.asked), strict=True)
        wanted = {file for name, files in divided if name in some for file in files}
        return self.files([name for name in self.names if name in wanted or (name in self.given and "" in some)])

    def files(self, names: Sequence[str] | None = None) -> list[FileVerdict]:
        """Return the verdicts of files, by default of all in order; most runs need those of the loud ones alone."""
        names = self.names if names is None else names
        missing = [name for name in names if name not in self._files]
        if missing and self.cache is not None:
            kept = _kept(self.cache, self.keys(missing), self.state)
            self._files.update(kept)
            missing = [name for name in missing if name not in kept]
        self._files.update({name: verdict for name, (verdict, _) in _fresh(missing, self.state, self.by, pack=False).items()})
        return [self._files[name] for name in names]

    def subjects(self) -> Iterator[Subject]:
        """Yield everything that was judged; what comes from the cache is read only now."""
        files = self.files()
        silent = [file.name for file in files if any(not unit.named for unit in file.units)]
        keys = self.keys(silent) if self.cache is not None else {}
        entries = self.cache.read(keys.values()) if self.cache is not None else {}
        before = 0
        for file in files:
            entry = entries.get(keys.get(file.name, ""))
            for unit, named in zip(file.units, names_of(entry) if entry is not None else [unit.named for unit in file.units], strict=True):
                for *about, line, role, template, parent in named:
                    above = parent + before if parent >= 0 else parent
                    yield Subject(Identity(*about), Place(file.name, line), Role(role), template, above, unit.team)
                before += len(named)


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
        known: another state that was judged; what it says is taken for files that are the same there.
    """
    extra = {given.documents[0].file if given.documents else "": given} if given is not None else {}
    files = {verdict.name: verdict for verdict in judge_files(list(extra.items()), by)}
    cache = Cache.open() if len(state.asked) > FEW else None
    ground = _ground(state, by, extra)
    common, grounds = _grounds(state, ground, judged_by) if cache is not None else ("", {})
    alike = known if known is not None and ground == _ground(known.state, known.by, known.given) else None
    if alike is not None:
        same = {name for name in state.asked if alike.state.key(name) == state.key(name)}
        grounds = {name: alike.grounds.get(name, own) if name in same else own for name, own in grounds.items()}
        files.update({name: verdict for name, verdict in alike._files.items() if name in same})
    divided = parts(state.asked)
    views = by.policies.views() if by.policies is not None else []
    names = [digest_of(("part", *(grounds.get(name, name) for name in part))) for part in divided]
    sums = {name: known.sums[name] for name in names if known is not None and cache is not None and name in known.sums}
    if cache is not None:
        sums.update({name: unpacked_sum(entry) for name, entry in cache.read(name for name in names if name not in sums).items()})
    loud = {file for each in sums.values() for file in each.loud}
    needed = [
        file for name, part in zip(names, divided, strict=True) for file in part if (name not in sums or file in loud) and file not in files
    ]
    keys = _keys(grounds, needed) if cache is not None else {}
    kept = _kept(cache, keys, state) if cache is not None else {}
    fresh = _fresh([name for name in needed if name not in kept], state, by, pack=cache is not None)
    files.update({**kept, **{name: verdict for name, (verdict, _) in fresh.items()}})
    added = {name: sum_of((files[file] for file in part), views) for name, part in zip(names, divided, strict=True) if name not in sums}
    if cache is not None:
        cache.write({keys[name]: entry for name, (_, entry) in fresh.items() if entry is not None})
        cache.write({name: packed_sum(each) for name, each in added.items() if all(files[file].whole for file in each.loud)})
    ordered = {name: {**sums, **added}[name] for name in names}
    if extra:
        ordered = {"": sum_of((files[name] for name in extra), views), **ordered}
    speaking = {file for each in ordered.values() for file in each.loud}
    told = {name: files[name] for name in (*extra, *state.asked) if name in speaking}
    return Judged(state, by, extra, ordered, told, grounds, cache, judged_by() if cache is not None else "", common, alike, files)


def _fresh(names: Sequence[str], state: State, by: By, *, pack: bool) -> dict[str, tuple[FileVerdict, Entry | None]]:
    """Judge files, and write what can be kept of their verdicts (``pack``), all of it where there are processors for it."""

    def task(some: Sequence[str]) -> list[tuple[FileVerdict, Entry | None]]:
        verdicts = judge_files([(name, state.inventory(name)) for name in some], by)
        return [(verdict, packed(_placed(verdict, state)) if pack and verdict.whole else None) for verdict in verdicts]

    return dict(zip(names, results(task, names), strict=True))


def namespaces(state: State, given: Inventory | None) -> tuple[Resource, ...]:
    """Return the Namespaces that stand in files as they are: those that were asked for, and of the other files those of other names."""
    asked = [*(given.documents if given else ()), *_mentioning(state, state.asked)]
    seen = {Identity.of(document.body) for document in asked}
    names = frozenset(state.asked)
    others = _mentioning(state, (name for name in state.ids if name not in names))
    found = (*asked, *(document for document in others if Identity.of(document.body) not in seen))
    return tuple(Resource(document.body, Role.DOCUMENT, document) for document in found if _kind(document) == "Namespace")


def _mentioning(state: State, names: Iterable[str]) -> tuple[Document, ...]:
    return state.documents(name for name in names if name in state.naming_namespaces)


def _kind(document: Document) -> object:
    return document.body.get("kind") if isinstance(document.body, dict) else None


def _ground(state: State, by: By, given: Mapping[str, Inventory]) -> object:
    """Return what the verdict of every file depends on; what is given besides may make claims to something else, like any file."""
    platform = dict.fromkeys(document.file for document in state.platform)
    besides = [document.body for inventory in given.values() for document in inventory.documents]
    return [(name, state.ids.get(name)) for name in platform], [resource.body for resource in by.namespaces], besides


def _grounds(state: State, ground: object, judged_by: Callable[[], str]) -> tuple[str, dict[str, str]]:
    """Return a digest of what all verdicts depend on, and for each file all that its own does, except the sources its places lie in."""
    sources = state.sources
    platform = dict.fromkeys(document.file for document in state.platform)
    places = [sources.digests(platform), [sources.lines(name) for name in platform]] if sources else []
    common = digest_of((judged_by(), *(json.dumps(part, sort_keys=True, default=str) for part in (ground, places))))
    if sources is None:
        return common, {name: f"{common}{len(name)}:{name}{state.key(name)}" for name in state.asked}
    lines = {name: sources.lines(name) for name in state.asked}
    digests = {name: digest_of(each) if each else "" for name, each in lines.items()}
    return common, {name: f"{common}{len(name)}:{name}{state.key(name)}{digest}" for name, digest in digests.items()}


def _keys(grounds: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: digest_of((grounds[name],)) for name in names}


def _kept(cache: Cache, keys: Mapping[str, str], state: State) -> dict[str, FileVerdict]:
    entries = cache.read(keys.values())
    sources = state.sources
    found = {}
    for name, key in keys.items():
        if key in entries:
            verdict = unpacked(name, entries[key])
            if not verdict.sources or (sources is not None and sources.digests([name]) == verdict.sources):
                found[name] = verdict
    return found


def _placed(verdict: FileVerdict, state: State) -> FileVerdict:
    """Note the sources that the places of a verdict lie in: it holds as long as they stay as they are."""
    if state.sources is None or not (verdict.findings or any(unit.speaks for unit in verdict.units)):
        return verdict
    return FileVerdict(verdict.name, verdict.findings, (), verdict.units, state.sources.digests([verdict.name]))


def all_findings(files: Iterable[FileVerdict], replaced: frozenset[Unit] = frozenset()) -> Iterator[Finding]:
    """Yield what is said of each file and unit; what policies say of a Composition's template only where no composed resource says it."""
    files = list(files)
    covered = {spot for file in files for unit in file.units for spot in unit.covers}
    for file in files:
        yield from file.findings
        for number, unit in enumerate(file.units):
            yield from unit.findings
            for finding in unit.said:
                if spot_of(finding, file.name, unit.line) not in covered:
                    yield finding
            if (file.name, number) not in replaced:
                yield from unit.related
