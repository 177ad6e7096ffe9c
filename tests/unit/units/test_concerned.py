"""Only parts in which units may have to do with one another are read, and no such part is missed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crossgate.policy.gathering import linked
from crossgate.units.concerned import concerned, concerned_since
from crossgate.units.sums import sum_of
from crossgate.units.verdict import FileVerdict, Ties, Verdict

FEW = st.frozensets(st.integers(0, 12), max_size=3)
TIED = st.builds(Ties, FEW.map(tuple), st.just(False), FEW, FEW)
SMALL = st.lists(TIED.map(lambda ties: Verdict(ties=ties)), max_size=3)


@given(st.lists(SMALL, max_size=5))
def test_what_hangs_together_is_found_in_the_parts_that_are_concerned(each):
    """The others are not read: in a large estate that is nearly all."""
    files = {str(number): FileVerdict(str(number), units=tuple(units)) for number, units in enumerate(each)}
    sums = {name: sum_of([file]) for name, file in files.items()}
    some = concerned(sums)
    ties = {(name, at): unit.ties for name, file in files.items() for at, unit in enumerate(file.units)}
    groups = linked({unit: (found.offers, found.follows) for unit, found in ties.items()})
    assert groups == linked({unit: (found.offers, found.follows) for unit, found in ties.items() if unit[0] in some})
    written = [identity for found in ties.values() for identity in found.identities]
    doubled = {identity for identity in written if written.count(identity) > 1}
    assert all(unit[0] in some for unit, found in ties.items() if not doubled.isdisjoint(found.identities))
    assert bool(some) == bool(groups or doubled)


@given(st.lists(SMALL, max_size=5), st.dictionaries(st.integers(0, 6), SMALL, max_size=2))
def test_a_change_of_some_parts_misses_nothing(each, changed):
    """What was concerned before is known: then only what is new is looked for."""
    parts = {f"{number}": sum_of([FileVerdict(str(number), units=tuple(units))]) for number, units in enumerate(each)}
    others = {number: sum_of([FileVerdict(str(number), units=tuple(units))]) for number, units in changed.items()}
    now = {name: each for name, each in parts.items() if int(name) not in others}
    now |= {f"{number} changed": each for number, each in others.items() if number % 2 or number >= len(parts)}
    some = concerned_since(now, parts, concerned(parts))
    assert concerned(now) <= some <= now.keys()
    assert concerned_since(parts, parts, concerned(parts)) == concerned(parts)


def test_a_change_that_concerns_nobody_concerns_no_part():
    """Else each new claim would have half the estate read."""
    parts = {
        str(number): sum_of([FileVerdict(str(number), units=(Verdict(ties=Ties((number,), False, frozenset((number,)))),))])
        for number in range(9)
    }
    fresh = sum_of([FileVerdict("3", units=(Verdict(ties=Ties((30,), False, frozenset((30,)), frozenset((40,)))),))])
    now = {name: each for name, each in parts.items() if name != "3"} | {"new": fresh}
    assert concerned_since(now, parts, set()) == set()
