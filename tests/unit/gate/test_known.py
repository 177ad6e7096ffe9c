"""A finding of the base is known however the file moved; a second one like it is not."""

from __future__ import annotations

from dataclasses import replace

from crossgate.gate.known import divided
from crossgate.model import Finding, Identity, Place, Severity

OLD = Finding(
    "network/open-cidr", "OPEN_CIDR", Severity.ERROR, "spec.cidrs[0] is open", Place("a.yaml", 3), Identity("v1", "A", "n", "x"),
    "spec.cidrs[0]", fingerprint="one",
)  # fmt: skip


def test_a_moved_file_and_a_shifted_line_are_known() -> None:
    assert divided([replace(OLD, place=Place("b.yaml", 99))], [OLD]) == ((), (replace(OLD, place=Place("b.yaml", 99)),))


def test_a_second_finding_with_the_same_fingerprint_is_new() -> None:
    """Counted, not collected in a set: the same fault once more is one more."""
    fresh, known = divided([OLD, OLD], [OLD])
    assert (len(fresh), len(known)) == (1, 1)


def test_a_graver_finding_is_new() -> None:
    assert divided([OLD], [replace(OLD, severity=Severity.WARNING)]) == ((OLD,), ())


def test_an_item_put_before_it_in_a_list_makes_it_no_new_finding() -> None:
    shifted = replace(OLD, path="spec.cidrs[1]", message="spec.cidrs[1] is open", fingerprint="two")
    assert divided([shifted], [OLD]) == ((), (shifted,))
    assert divided([shifted, OLD], [OLD]) == ((shifted,), (OLD,))


def test_the_same_fault_of_another_object_is_new() -> None:
    other = replace(OLD, resource=Identity("v1", "A", "n", "y"), fingerprint="three")
    assert divided([other], [OLD]) == ((other,), ())
