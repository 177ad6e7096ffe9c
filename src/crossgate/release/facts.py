"""Documents that rules are asked about beside the manifests: what the estate costs, and what a change does to whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from crossgate.config import Config
from crossgate.cost import document as bill
from crossgate.cost.prices import FILE, Prices
from crossgate.errors import PolicyError
from crossgate.model import Resource
from crossgate.policy.rules import Rule
from crossgate.release import document
from crossgate.release.change import change
from crossgate.release.freezes import Freeze, load_freezes
from crossgate.schema import Schemas
from crossgate.units.states import State

if TYPE_CHECKING:
    from crossgate.git import Commit

_ABOUT_COSTS = frozenset((bill.KIND, document.KIND, "Namespace"))
"""Kinds of a rule that has nothing to say without a bill."""


@dataclass(frozen=True, slots=True)
class Since:
    """What a change is compared with: the base, and both states of what is checked; ``schemas`` are the project's."""

    base: Commit
    before: State
    after: State
    schemas: Schemas | None = None


def asking(rules: Iterable[Rule], kind: str) -> list[str]:
    """Return the rules (ids) that are about documents of a kind: a fact that no rule asks for is not worked out."""
    return sorted({rule.id for rule in rules if rule.kinds is not None and kind in rule.kinds})


def prices_for(rules: Iterable[Rule], config: Config) -> Prices | None:
    """Return the prices when a rule asks for costs. Without any, a rule that speaks about manifests as well goes without costs.

    Raises:
        PolicyError: there are none and a rule is about nothing else, or they cannot be read.
    """
    known = tuple(rules)
    if not asking(known, bill.KIND):
        return None
    prices = Prices.load(config.policies)
    names = asking((rule for rule in known if (rule.kinds or frozenset()) <= _ABOUT_COSTS), bill.KIND)
    if prices is None and names:
        raise PolicyError(f"there are no prices for {', '.join(names)}", FILE, "docs/cost.md says what to write; or take the rule out")
    return prices


def change_report(rules: Iterable[Rule], config: Config, since: Since | None, at: datetime) -> tuple[Resource | None, tuple[str, ...]]:
    """Return what the change does as a document for rules, and notes about freezes.

    Without a base there is no document; while something is frozen a note says which rules had nothing to say.

    Raises:
        CrossgateError: the base or the freezes cannot be read.
    """
    names = asking(rules, document.KIND)
    if not names:
        return None, ()
    freezes = load_freezes(config.policies)
    notes = tuple(_notes(freezes, at))
    if since is None:
        silent = f"{', '.join(names)} judge a change, and no base was named: they have said nothing (--base REF)"
        return None, (*notes, *([silent] if any(freeze.holds(at) for freeze in freezes) else []))
    made = change(
        since.before,
        since.after,
        base=since.base.id,
        at=at,
        freezes=freezes,
        schemas=since.schemas,
        functions=config.functions,
    )
    return document.as_resource(made), notes


def _notes(freezes: Iterable[Freeze], at: datetime) -> Iterable[str]:
    for freeze in freezes:
        if freeze.holds(at):
            yield f"{freeze.whose} is frozen until {freeze.ends.isoformat()}: {freeze.reason} (ask {freeze.owner})"
        elif freeze.over(at):
            yield f"the freeze of {freeze.whose} ended at {freeze.ends.isoformat()} and counts no longer: take it out ({freeze.owner})"
