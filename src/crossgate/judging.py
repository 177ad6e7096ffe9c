"""Judge one state of the project: each author's object by itself, all of them together, and the facts that rules ask for beside them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from crossgate.config import Config
from crossgate.cost import ClaimCost
from crossgate.load import Inventory
from crossgate.model import Finding, Judgement, Place, Resource, Severity, Subject, gathered
from crossgate.policy import Policies
from crossgate.progress import doing
from crossgate.render.known import Known
from crossgate.schema import Schemas
from crossgate.schema.xrd import is_definition
from crossgate.units.costs import Cost
from crossgate.units.judge import By, stage
from crossgate.units.stamp import digest_of, folders, tool
from crossgate.units.state import Judged, all_findings, judge_state, namespaces
from crossgate.units.states import State
from crossgate.units.together import judge_together
from crossgate.waive import Waiver, load_waivers

if TYPE_CHECKING:
    from crossgate.cost.prices import Prices
    from crossgate.cost.totals import Totals
    from crossgate.git import Commit

WAIVERS = "waivers.yaml"
"""In each policy folder: findings that may pass, with who answers for it and until when."""
FACTS = {"CostReport", "Change"}
"""Documents that the gate makes for rules that are about them (``release.facts``)."""

T = TypeVar("T")


@dataclass
class Judges:
    """What judges, loaded once, and what loading it had to say."""

    config: Config
    policies: Policies | None = None
    schemas: Schemas | None = None
    prices: Prices | None = None
    waivers: tuple[Waiver, ...] = ()
    said: list[Judgement] = field(default_factory=list)

    @classmethod
    def load(cls, config: Config) -> Judges:
        """Load everything that the settings name; what cannot be loaded is "could not check"."""
        judges = cls(config)
        judges.schemas = run(judges.said, "schemas", lambda: Schemas.load(config.schemas))
        judges.policies = run(judges.said, "policies", lambda: _policies(config))
        judges.waivers = run(judges.said, "waivers", lambda: load_waivers([folder / WAIVERS for folder in config.policies])) or ()
        if "CostReport" in judges.asked_for:
            from crossgate.release.facts import prices_for  # noqa: PLC0415 - only rules about costs need it

            rules = judges.policies.rules if judges.policies else ()
            judges.prices = run(judges.said, "the costs", lambda: prices_for(rules, config))
        return judges

    @property
    def asked_for(self) -> set[str]:
        """Return which facts rules ask for."""
        rules = self.policies.rules if self.policies else ()
        return FACTS & {kind for rule in rules for kind in rule.kinds or ()}

    @cached_property
    def digest(self) -> str:
        """Return a digest of everything that judges, this program included. What rests on the time or on a server has one for each run."""
        config, policies = self.config, self.policies
        once = secrets.token_hex(16) if policies is not None and policies.fleeting else ""
        settings = (config.engine, config.namespaces, config.combine, config.rego_v0, dict(config.functions), policies is None)
        return digest_of(
            (
                tool(),
                policies.digest if policies else "",
                once,
                folders(config.schemas if self.schemas else ()),
                repr(self.prices),
                json.dumps(settings, default=str),
            )
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """One state of the project, judged."""

    judged: Judged
    schemas: Schemas | None
    said: list[Judgement]
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """Return everything that was found."""
        return [finding for part in self.said for finding in part.findings]


@dataclass(frozen=True, slots=True)
class Subjects(Sequence[Subject]):
    """Everything that was judged. Of what was known from an earlier run the names are read only when they are asked for."""

    judged: Judged
    _read: list[Subject] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # an overload for slices would say no more
        return self._all()[index]

    def __iter__(self) -> Iterator[Subject]:
        return iter(self._all())

    def _all(self) -> list[Subject]:
        if not self._read:
            self._read.extend(self.judged.subjects())
        return self._read


@dataclass(frozen=True, slots=True)
class Alone:
    """A state of which each author's object was judged by itself."""

    judged: Judged
    schemas: Schemas | None
    said: tuple[Judgement, ...]


@dataclass
class Against:
    """The commit that a change is judged against, and its state as far as it is asked for."""

    commit: Commit
    asked: Sequence[Path]
    state: State
    _alone: Alone | None = None

    @property
    def judged(self) -> Judged | None:
        """Return what was said of its objects, as far as it was asked for."""
        return self._alone.judged if self._alone is not None else None

    def alone(self, judges: Judges, head: Judged) -> Alone:
        """Judge each object of it by itself, once; what is the same in ``head`` is not judged again."""
        if self._alone is None:
            self._alone = judge_alone(self.state, judges, known=head)
        return self._alone


def judge_alone(state: State, judges: Judges, *, given: Inventory | None = None, known: Judged | None = None) -> Alone:
    """Judge each author's object of a state by itself.

    Args:
        state: the files.
        judges: what judges.
        given: what is judged too and stands in no file.
        known: another state that was judged: what is the same there is not judged again.
    """
    said: list[Judgement] = []
    documents = (*(given.documents if given else ()), *state.platform)
    schemas = None
    if (loaded := judges.schemas) is not None:
        schemas = run(said, "reading XRDs and CRDs", lambda: loaded.including(documents))
    platform = run(said, "reading the platform", lambda: Known.of(documents, judges.config.functions)) or Known()
    by = By(platform, schemas, judges.policies, judges.prices, namespaces(state, given))
    doing("judging")
    return Alone(judge_state(state, by, judged_by=lambda: judges.digest, given=given, known=known), schemas, tuple(said))


def judge_all(alone: Alone, judges: Judges, *, against: Against | None = None) -> Outcome:
    """Judge everything of a state together, and say it with what was said of each object.

    Args:
        alone: what was said of each object.
        judges: what judges.
        against: the base, for rules about changes.
    """
    judged, schemas = alone.judged, alone.schemas
    said = list(alone.said)
    if judges.policies is not None:
        said.append(Judgement(judges.policies.advice))
    facts, notes = _facts(judged, judges, against, said)
    doing("judging all of it together")
    together = judge_together(judged, judges.policies, facts, against.judged if against is not None else None)
    found = (*all_findings(judged.loud.values(), together.replaced), *together.findings)
    said.append(Judgement(found, gathered((*dict.fromkeys(judged.unchecked), *together.could_not_check))))
    if schemas is not None:
        definitions = run(said, "the check of XRDs and CRDs", lambda: _definitions(judged, schemas)) or []
        said += [_unexplained(schemas, definitions), *definitions]
    return Outcome(judged, schemas, said, notes)


def run(said: list[Judgement], name: str, task: Callable[[], T]) -> T | None:
    """Run a stage; an error that stops it is "could not check", and the other stages still run."""
    doing(name)
    result, missing = stage(name, task)
    if missing:
        said.append(Judgement(could_not_check=missing))
    return result


def _policies(config: Config) -> Policies:
    engine = None
    if config.engine == "opa":
        from crossgate.policy.opa.engine import opa_at  # noqa: PLC0415 - the embedded engine needs no server

        engine = opa_at(config.opa_url, rego_v0=config.rego_v0)
    return Policies.load(
        _policy_folders(config),
        data=config.data,
        namespaces=config.namespaces,
        combine=config.combine,
        rego_v0=config.rego_v0,
        engine=engine,
        root=config.root.resolve(),
    )


def _policy_folders(config: Config) -> tuple[Path, ...]:
    if not config.bundles:
        return config.policies
    from crossgate.policy.remote import locked_folders  # noqa: PLC0415 - most projects keep their policies themselves

    return (*config.policies, *locked_folders(config.bundles, config.policy_lock))


def _facts(judged: Judged, judges: Judges, against: Against | None, said: list[Judgement]) -> tuple[tuple[Resource, ...], tuple[str, ...]]:
    """Return the documents that rules ask for beside the manifests, and notes about them."""
    if not judges.asked_for:
        return (), ()
    from crossgate.cost.document import as_resource  # noqa: PLC0415 - only rules about costs and releases need it
    from crossgate.release import facts  # noqa: PLC0415 - likewise

    made: list[Resource] = []
    prices, rules = judges.prices, judges.policies.rules if judges.policies else ()
    if prices is not None:
        before: Sequence[ClaimCost[Totals]] = ()
        if against is not None:
            base = run(said, "the costs of the base", lambda: against.alone(judges, judged))
            before = list(_costs(base.judged)) if base is not None else ()
        was = against.judged if against is not None else None
        bill = run(said, "the costs", lambda: as_resource(list(_costs(judged, was)), prices, before=before))
        made += [bill] if bill is not None else []
    since = facts.Since(against.commit, against.state, judged.state, judges.schemas) if against is not None else None
    told = run(said, "the change", lambda: facts.change_report(rules, judges.config, since, datetime.now(tz=UTC)))
    change, notes = told or (None, ())
    return (*made, *([change] if change is not None else [])), notes


def _costs(judged: Judged, before: Judged | None = None) -> Iterator[ClaimCost[Totals]]:
    for cost in judged.costs(before):
        yield ClaimCost(cost.identity, cost.team, partial(_place, judged, cost), cost.totals)


def _place(judged: Judged, cost: Cost) -> Place:
    return judged.document((cost.file, cost.number)).place() if cost.file else Place("")


def _definitions(judged: Judged, schemas: Schemas) -> list[Judgement]:
    asked = frozenset(judged.state.asked)
    given = (document for inventory in judged.given.values() for document in inventory.documents)
    documents = (*given, *(document for document in judged.state.platform if document.file in asked))
    definitions = [document for document in documents if is_definition(document.body)]
    if not definitions:
        return []

    def judge() -> list[Judgement]:
        from crossgate.schema.definition import judge_definitions  # noqa: PLC0415 - a claim alone, the usual case, does not need it

        return judge_definitions(definitions, schemas)

    return judged.of_platform(dict.fromkeys(document.file for document in definitions), judge)


def _unexplained(schemas: Schemas, definitions: Sequence[Judgement]) -> Judgement:
    """Say of which definitions no schema could be made, except where findings say why."""
    files = {finding.place.file for part in definitions for finding in part.findings if finding.severity is Severity.ERROR}
    return Judgement(could_not_check=tuple(item for item in schemas.unusable if Place.parse(item.where).file not in files))
