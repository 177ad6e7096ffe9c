"""What is kept must come back as it was: a lost finding would be a pass."""

from __future__ import annotations

import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from crossgate.cost import Estimate, Item, Part, Span, Unpriced
from crossgate.cost.totals import Totals
from crossgate.model import NOBODY, Cause, Finding, Identity, Judgement, Place, Severity
from crossgate.policy.estate import View
from crossgate.policy.gathering import About
from crossgate.policy.rules import EVERY
from crossgate.sending import dumps
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
from crossgate.units.concerned import concerned
from crossgate.units.costs import claim_costs, costs_since
from crossgate.units.sums import sum_of
from crossgate.units.verdict import FileVerdict, Ties, Verdict
from crossgate.waive import Annotated

TEXT = st.text(max_size=6) | st.sampled_from(["\ud800", "a\0b", "ä", '"', "</x>"])
NUMBER = st.integers(0, 9999)
PLACES = st.builds(Place, TEXT, NUMBER, NUMBER)
IDENTITIES = st.builds(Identity, TEXT, TEXT, TEXT, TEXT)
CAUSES = st.builds(Cause, TEXT, PLACES, TEXT, TEXT)
FINDINGS = st.builds(
    Finding,
    TEXT,
    TEXT,
    st.sampled_from(Severity),
    TEXT,
    PLACES,
    IDENTITIES,
    TEXT,
    st.tuples(TEXT, TEXT) | st.just(()),
    st.tuples(CAUSES) | st.just(()),
    TEXT,
    TEXT,
    TEXT,
)
SOME = st.lists(FINDINGS, max_size=2).map(tuple)
HASHES = st.integers(0, 2**64 - 1)
TIES = st.builds(
    Ties,
    st.lists(HASHES, max_size=3).map(tuple),
    st.booleans(),
    st.frozensets(HASHES, max_size=3),
    st.frozensets(HASHES, max_size=3),
    st.tuples(TEXT) | st.just(()),
)
AMOUNTS = st.decimals(0, 9999, places=3)
SPANS = st.builds(Span, AMOUNTS, AMOUNTS)
ITEMS = st.builds(
    Item,
    IDENTITIES,
    st.sampled_from(Part),
    TEXT,
    TEXT,
    TEXT,
    TEXT,
    SPANS,
    st.none() | AMOUNTS,
    st.none() | st.tuples(TEXT, NUMBER),
    AMOUNTS,
    st.booleans(),
    st.booleans(),
)
ESTIMATES = st.builds(
    Estimate, TEXT, st.lists(ITEMS, max_size=2).map(tuple), st.lists(st.builds(Unpriced, IDENTITIES, TEXT, TEXT), max_size=1).map(tuple)
)
UNITS = st.builds(
    Verdict,
    line=NUMBER,
    findings=SOME,
    said=SOME,
    related=SOME,
    covers=st.lists(st.tuples(TEXT, TEXT, TEXT, NUMBER, TEXT), max_size=2).map(tuple),
    claims=NUMBER,
    composed=NUMBER,
    shared=st.lists(st.tuples(NUMBER, st.integers(0, 1), TEXT), max_size=2).map(tuple),
    annotated=st.lists(
        st.builds(
            Annotated, IDENTITIES, st.frozensets(st.text("ab", max_size=2)), st.lists(st.tuples(TEXT, FINDINGS), max_size=1).map(tuple)
        ),
        max_size=1,
    ).map(tuple),
    ties=TIES,
    cost=st.none() | ESTIMATES.map(Totals.of),
    team=TEXT,
)
VIEWS = [
    View((0,), False, About(None, frozenset()), None),
    View((2,), False, About(None, frozenset()), {}, alike=frozenset({EVERY}), counted=True, without_names={"a": {}}),
]
FILES = st.builds(FileVerdict, st.just("a.yaml"), SOME, st.just(()), st.lists(UNITS, max_size=2).map(tuple), st.dictionaries(TEXT, TEXT))


@given(FILES)
def test_a_verdict_comes_back_as_it_was(verdict):
    again = unpacked("a.yaml", packed(verdict))
    assert replace(again, units=tuple(replace(unit, shared=tuple(unit.shared)) for unit in again.units)) == verdict
    assert pickle.loads(dumps(verdict)) == verdict, "from another process it must come the same"


def test_names_come_back_when_they_are_asked_for():
    named = (("v1", "Store", "shop", "a", 2, "claim", "", -1), ("v1", "Bucket", "", "b", 2, "composed resource", "bucket", 0))
    verdict = FileVerdict("a.yaml", units=(Verdict(team="fraud", named=named, cost=Totals(unpriced=("a disk",))),))
    entry = packed(verdict)
    assert unpacked("a.yaml", entry).units[0].cost == Totals(unpriced=("a disk",))
    assert unpacked("a.yaml", entry).units[0].named == ()
    assert names_of(entry) == [list(named)]


@given(st.lists(FILES, max_size=3))
def test_a_sum_comes_back_as_it_was(files):
    """Of files with nothing to say only their sum is read: it must hold all that was in them."""
    for views in (VIEWS, [VIEWS[0], View((1,), True, About(frozenset({"Bucket"}), frozenset()), None)]):
        whole = sum_of(files, views)
        again = unpacked_sum(packed_sum(whole))
        costs = tuple((team, tuple(listed)) for team, listed in again.costs)
        assert replace(again, shared=tuple(map(tuple, again.shared)), costs=costs) == whole


@given(st.lists(FILES, min_size=1, max_size=4))
def test_what_is_told_and_what_things_cost_come_back_as_they_were(files):
    """A finding about the platform, or the sum of a team, must not depend on whether it was worked out in this run."""
    told = [Judgement(file.findings) for file in files]
    assert unpacked_told(packed_told(told)) == told
    costs = claim_costs(costs_in(sum_of(files, VIEWS)))
    assert unpacked_costs(packed_costs(costs)) == costs


def costs_in(part):
    return [cost for _, listed in part.costs for cost in listed]


TEAMS = st.sampled_from(["fraud", "vision", "speech"])
PRICED = st.builds(Totals, amount=st.builds(Span, AMOUNTS, AMOUNTS), priced=st.booleans())
PAYING = st.lists(st.builds(Verdict, identity=IDENTITIES, team=TEAMS, cost=PRICED), min_size=1, max_size=14)


@given(st.lists(PAYING, min_size=1, max_size=5), st.integers(0, 4), PAYING)
def test_what_teams_cost_after_a_change_is_what_it_would_be_from_the_start(files, at, fresh):
    """Of the teams whose claims are as they were, nothing is added up again."""
    before = [sum_of([FileVerdict(f"{number}.yaml", units=tuple(units))]) for number, units in enumerate(files)]
    after = [*before[:at], sum_of([FileVerdict("fresh.yaml", units=tuple(fresh))]), *before[at + 1 :]]
    was, now = ([(part.paid, part.costs) for part in parts] for parts in (before, after))
    known = claim_costs(cost for part in before for cost in costs_in(part))
    assert costs_since(now, was, known) == claim_costs(cost for part in after for cost in costs_in(part))


@given(st.lists(FILES, max_size=4), st.integers(0, 4))
def test_sums_of_parts_say_what_the_whole_says(files, at):
    """Else what is found would depend on how files are divided."""
    one, other, whole = sum_of(files[:at], VIEWS), sum_of(files[at:], VIEWS), sum_of(files, VIEWS)
    assert bool(concerned({"one": one, "other": other})) == bool(concerned({"whole": whole}))
    assert one.units + other.units == whole.units
    total = {cost.team: cost.totals.monthly for cost in claim_costs((*costs_in(one), *costs_in(other))) if cost.totals.monthly}
    again = {cost.team: cost.totals.monthly for cost in claim_costs(costs_in(whole)) if cost.totals.monthly}
    assert set(total) == set(again)


def test_a_file_whose_name_is_no_text_comes_back():
    """Linux takes any bytes for a name; Python writes them as halves of pairs, which no JSON holds."""
    finding = Finding("a/b", "R", Severity.ERROR, "m", Place("\udc80.yaml", 1, 1), NOBODY)
    verdict = FileVerdict("\udc80.yaml", (finding,))
    assert unpacked("\udc80.yaml", packed(verdict)) == verdict
