"""Make the plan: render the objects that differ on both sides, pair them, and say what changes and through whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crossgate import __version__
from crossgate.config import Config
from crossgate.cost.prices import Prices
from crossgate.gate.documents import hidden, refuse_nowhere
from crossgate.gate.entry import Entry, entered
from crossgate.git import Commit
from crossgate.git.owners import Owners
from crossgate.model import CouldNotCheck, Document
from crossgate.plan.causes import Causes, platform_changes
from crossgate.plan.claims import Side, claim_change
from crossgate.plan.costs import team_costs, with_cost
from crossgate.plan.match import objects
from crossgate.plan.model import Action, ClaimChange, Plan
from crossgate.progress import doing
from crossgate.render.estate import Made, expand_each
from crossgate.render.known import Known
from crossgate.schema import Schemas
from crossgate.units.states import State, at_commit, differing, on_disk


def plan(paths: Sequence[Path | str] | None = None, *, config: Config | None = None, base: str, policies_from: str = "") -> Plan:
    """Say what merging the files on disk would change against the commit ``base``.

    Args:
        paths: files and folders; default: the project's ``dist/``.
        config: the project's settings; default: those around the working folder. What counts are those of the base.
        base: the commit to compare with.
        policies_from: the commit whose settings and schemas are used, if not ``base``.

    Returns:
        The plan. Only objects in files that differ are rendered; when an XRD, a Composition or an EnvironmentConfig differs, all are.

    Raises:
        UsageError: there is no such commit, the settings cannot be followed, or a path is neither on disk nor in the base.
        CrossgateError: the base or the schemas cannot be read.
    """
    config = config or Config.find()
    with entered(config, base=base, policies_from=policies_from) as entry:
        refuse_nowhere(entry.base or entry.judge, [Path(path) for path in paths] if paths is not None else [entry.config.dist])
        made: Plan = entry.told(planned(paths, entry, Schemas.load(entry.config.schemas)))
        return made


def planned(
    paths: Sequence[Path | str] | None,
    entry: Entry,
    schemas: Schemas,
    *,
    instead: Commit | None = None,
    states: tuple[State, State] | None = None,
) -> Plan:
    """Make the plan of ``plan`` for who has entered the base and read its schemas already.

    ``instead`` is a commit whose files stand for those on disk, ``states`` are the base and the disk, where they have been read already.

    Raises:
        CrossgateError: the base cannot be read.
    """
    config, commit = entry.config, entry.base or entry.judge
    wanted = [Path(path) for path in paths] if paths is not None else [config.dist]
    before, after = states or _states(wanted, entry, instead)
    doing("comparing with the base")
    old, new = (_Rendered.of(state, schemas, config.functions) for state in (before, after))
    platform = platform_changes(before.platform, after.platform)

    every = (name for name in dict.fromkeys((*after.ids, *before.ids)) if not after.doubled(name))
    names = list(every if platform else differing(before, after))
    was = old.made(before.documents(name for name in names if name in before.ids))
    will = new.made(after.documents(name for name in names if name in after.ids))
    causes = Causes(platform, lambda document: next(iter(new.made([document])), None))
    prices = Prices.load(config.policies)
    claims = [
        with_cost(change, one, other, prices)
        for one, other in objects(was, will)
        if (change := claim_change(Side(one, old.schemas), Side(other, new.schemas), causes, config.plan_ignore)) is not None
    ]
    submodules = hidden(entry.head, wanted).could_not_check
    shown = sorted((claim for claim in claims if _shown(claim)), key=_order)
    return Plan(
        base=str(commit),
        claims=tuple(_owned(shown, commit, config.root)),
        gate=entry.judgement.findings,
        could_not_check=(*after.unread(name for name in names if name in after.ids), *submodules, *_unplanned(claims, will)),
        notes=tuple(_notes(entry, before.unread(name for name in names if name in before.ids))),
        ignored=sum(claim.ignored for claim in claims),
        versions={"tool": __version__, "schemas": new.schemas.digest, **entry.versions},
        costs=team_costs(shown),
    )


def _states(wanted: Sequence[Path], entry: Entry, instead: Commit | None) -> tuple[State, State]:
    """Read the base, and what is on disk or in the commit ``instead``."""
    config, commit = entry.config, entry.base or entry.judge
    places = [path for path in dict.fromkeys((*wanted, config.dist)) if commit.path(path) is not None]
    after = on_disk(places, config, judge=entry.judge) if instead is None else at_commit(instead, places, config, State({}))
    return at_commit(commit, places, config, after), after


@dataclass(frozen=True, slots=True)
class _Rendered:
    """What renders one side."""

    known: Known
    schemas: Schemas

    @classmethod
    def of(cls, state: State, schemas: Schemas, functions: Mapping[str, str]) -> _Rendered:
        return cls(Known.of(state.platform, functions), schemas.including(state.platform))

    def made(self, documents: Iterable[Document]) -> list[Made]:
        return list(expand_each(documents, self.known, self.schemas))


def _owned(claims: Iterable[ClaimChange], commit: Commit, root: Path) -> Iterable[ClaimChange]:
    """Say who must approve each change: the owners that the base names, since a pull request may name others."""
    owners = Owners.of(commit)
    for claim in claims:
        inside = commit.path(root / claim.place.file)
        yield replace(claim, owners=owners.owners(inside)) if inside else claim


def _shown(claim: ClaimChange) -> bool:
    return bool(claim.action is not Action.UPDATE or claim.fields or claim.resources or claim.problems or claim.marks)


def _order(claim: ClaimChange) -> tuple[int, str, str, str]:
    rank = min((list(type(mark.danger)).index(mark.danger) for mark in claim.all_marks), default=99)
    return (rank, claim.identity.namespace, claim.identity.kind, claim.identity.name)


def _unplanned(claims: Sequence[ClaimChange], made: Sequence[Made]) -> Iterable[CouldNotCheck]:
    """Return what rendering could not do for the objects that are told."""
    told = {claim.after for claim in claims if _shown(claim)}
    found = [item for each in made if each.resources[0].identity in told for item in each.could_not_check]
    return dict.fromkeys(found)


def _notes(entry: Entry, unread: Sequence[CouldNotCheck]) -> Iterable[str]:
    commit = entry.base or entry.judge
    if not commit.contained_in_head():
        yield f"{commit} has commits that are not in this branch: they look as if they were taken back; merge or rebase first"
    for item in dict.fromkeys(unread):
        yield f"in {commit}, {item.where} cannot be read: {item.what}"
