"""Documents that rules are asked about beside the manifests: what the estate costs, and what a change does to whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from crossgate.config import Config
from crossgate.cost import ClaimCost
from crossgate.cost import document as bill
from crossgate.cost.estimate import costs
from crossgate.cost.prices import FILE, Prices
from crossgate.errors import PolicyError
from crossgate.gate.documents import platform_at
from crossgate.git import Commit
from crossgate.load.platform import KINDS
from crossgate.model import Document, Identity, Resource
from crossgate.policy.rules import Rule
from crossgate.release import document
from crossgate.release.change import change
from crossgate.release.freezes import Freeze, load_freezes
from crossgate.render.estate import expand_each
from crossgate.render.known import Known
from crossgate.schema import Schemas
from crossgate.units.states import State, at_commit, differing, on_disk


@dataclass(frozen=True, slots=True)
class Since:
    """What a change is compared with: the base, both states of what is checked, and the base's own XRDs and Compositions."""

    base: Commit
    before: State
    after: State
    platform: tuple[Document, ...]

    @classmethod
    def of(cls, base: Commit, paths: Sequence[Path], config: Config) -> Since:
        """Read what stands in the commit and on disk under ``paths``.

        Raises:
            CrossgateError: objects of the base are missing from this clone.
        """
        after = on_disk(paths, config)
        return cls(base, at_commit(base, paths, config, after), after, platform_at(base, config.dist, config.root))


def asking(rules: Iterable[Rule], kind: str) -> list[str]:
    """Return the rules (ids) that are about documents of a kind: a fact that no rule asks for is not worked out."""
    return sorted({rule.id for rule in rules if rule.kinds is not None and kind in rule.kinds})


def cost_report(
    found: Sequence[ClaimCost], prices: Prices, since: Since | None, schemas: Schemas, platform: Iterable[Document], config: Config
) -> Resource:
    """Return what the estate costs as a document for rules, with what each team paid before where there is a base.

    Args:
        found: what each object costs.
        prices: the prices that they were worked out by.
        since: the base.
        schemas: those that the project keeps, without its XRDs.
        platform: the XRDs, Compositions and EnvironmentConfigs that the objects were rendered by.
        config: the settings.

    Raises:
        CrossgateError: the base cannot be read.
    """
    before = _costs_before(found, prices, since, schemas, platform, config) if since is not None else ()
    return bill.as_resource(found, prices, before=before)


def prices_for(rules: Iterable[Rule], config: Config) -> Prices | None:
    """Return the prices when a rule asks for costs.

    Raises:
        PolicyError: a rule asks and there are none, or they cannot be read.
    """
    names = asking(rules, bill.KIND)
    if not names:
        return None
    prices = Prices.load(config.policies)
    if prices is None:
        raise PolicyError(f"there are no prices for {', '.join(names)}", FILE, "docs/cost.md says what to write; or take the rule out")
    return prices


def change_report(rules: Iterable[Rule], config: Config, since: Since | None, at: datetime) -> tuple[Resource | None, tuple[str, ...]]:
    """Return what the change does as a document for rules, and notes about freezes.

    Without a base there is no document, and a note says which rules had nothing to say.

    Raises:
        CrossgateError: the base or the freezes cannot be read.
    """
    names = asking(rules, document.KIND)
    if not names:
        return None, ()
    freezes = load_freezes(config.policies)
    notes = tuple(_notes(freezes, at))
    if since is None:
        return None, (f"{', '.join(names)} judge a change, and no base was named: they have said nothing (--base REF)", *notes)
    made = change(since.before, since.after, base=since.base.id, at=at, freezes=freezes)
    return document.as_resource(made), notes


def _notes(freezes: Iterable[Freeze], at: datetime) -> Iterable[str]:
    for freeze in freezes:
        if freeze.holds(at):
            yield f"{freeze.whose} is frozen until {freeze.ends.isoformat()}: {freeze.reason} (ask {freeze.owner})"
        elif freeze.over(at):
            yield f"the freeze of {freeze.whose} ended at {freeze.ends.isoformat()} and counts no longer: take it out ({freeze.owner})"


def _costs_before(
    found: Sequence[ClaimCost], prices: Prices, since: Since, schemas: Schemas, platform: Iterable[Document], config: Config
) -> Iterable[ClaimCost]:
    """Return what the base costs: what is the same is taken from the head, only what differs is rendered."""
    before, after = since.before, since.after
    names = set(differing(before, after))
    own = (*since.platform, *before.platform)
    if _bodies(own) != _bodies(platform):
        names = set(before.ids) | set(after.ids)  # a Composition that differs may make something else of any claim
    documents = before.documents(sorted(name for name in names if name in before.ids))
    made = expand_each(documents, Known.of(own, config.functions), schemas.including(own))
    yield from (cost for cost in found if cost.file not in names)
    yield from costs((resource for each in made for resource in each.resources), prices)


def _bodies(documents: Iterable[Document]) -> dict[Identity, object]:
    return {Identity.of(document.body): document.body for document in documents if Identity.of(document.body).kind in KINDS}
