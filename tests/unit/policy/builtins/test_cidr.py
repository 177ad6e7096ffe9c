from __future__ import annotations

import pytest

from crossgate.policy.builtins.cidr import cidr_contains, cidr_contains_matches, cidr_expand, cidr_intersects, cidr_is_valid, cidr_merge


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("10.0.0.0/8", True),
        ("0.0.0.0/00", True),
        ("10.0.0.1/0", True),
        ("::/0", True),
        ("::ffff:0.0.0.0/96", True),
        ("0/0", False),
        ("000.000.000.000/0", False),
        (" 0.0.0.0/0", False),
        ("0.0.0.0/0 ", False),
        ("10.0.0.0/33", False),
        ("::/129", False),
        ("0.0.0.0", False),
        ("10.0.0.0/-1", False),
        ("10.0.0.0/+8", False),
        ("10.0.0.0/", False),
        ("10.0.0.0/8/8", False),
        ("10.0.0.0/٨", False),
        ("fe80::1%eth0/64", False),
        ("10.0.0.0/99999999999", False),
        (7, False),
    ],
)
def test_valid_as_go_reads_it(text, valid):
    assert cidr_is_valid(text) is valid


@pytest.mark.parametrize(
    ("network", "other", "contains"),
    [
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "10.1.0.0/16", True),
        ("10.0.0.0/8", "9.0.0.0/7", False),
        ("0.0.0.0/0", "::/0", False),
        ("::/0", "0.0.0.0/0", False),
        ("::ffff:0.0.0.0/96", "0.0.0.0/0", True),
        ("0.0.0.0/0", "::ffff:1.2.3.4", True),
        ("::/80", "::/80", True),
        ("::/80", "::ffff:1.2.3.4", False),
        ("2000::/3", "2001:db8::/32", True),
    ],
)
def test_contains(network, other, contains):
    assert cidr_contains(network, other) is contains


def test_bad_operands_are_errors_and_not_an_answer():
    for call in (lambda: cidr_contains("0/0", "10.0.0.1"), lambda: cidr_contains("10.0.0.0/8", "text"), lambda: cidr_intersects("a", "b")):
        with pytest.raises(ValueError, match="invalid"):
            call()
    with pytest.raises(ValueError, match="needs prefix length"):
        cidr_merge(["::1"])


@pytest.mark.parametrize(
    ("networks", "merged"),
    [
        (["0.0.0.0/1", "128.0.0.0/1"], {"0.0.0.0/0"}),
        (["::/1", "8000::/1"], {"::/0"}),
        (["10.0.0.0/8", "10.1.0.0/16"], {"10.0.0.0/8"}),
        (["10.0.0.0/8", "12.0.0.0/8"], {"10.0.0.0/8", "12.0.0.0/8"}),
        (["10.0.0.1/32", "10.0.0.2/32"], {"10.0.0.1/32", "10.0.0.2/32"}),
        (["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"], {"10.0.0.0/23", "10.0.2.0/24"}),
        (["255.255.255.255/32", "::1:0:0:0/128"], {"255.255.255.255/32", "::1:0:0:0/128"}),
        (["192.168.0.1"], {"192.168.0.0/24"}),
        ([], set()),
    ],
)
def test_merge(networks, merged):
    assert cidr_merge(networks) == merged
    assert cidr_merge(set(networks)) == merged


def test_expand():
    assert cidr_expand("10.0.0.1/30") == {"10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3"}
    with pytest.raises(ValueError, match="more than"):
        cidr_expand("::/64")


def test_intersects():
    assert cidr_intersects("10.0.0.0/8", "10.1.0.0/16")
    assert not cidr_intersects("10.0.0.0/8", "11.0.0.0/8")


def test_contains_matches_gives_keys_of_both():
    assert cidr_contains_matches({"a": "10.0.0.0/8", "b": ["11.0.0.0/8", 1]}, ["10.1.1.1", "11.1.1.1"]) == {("a", 0), ("b", 1)}
    assert cidr_contains_matches("10.0.0.0/8", {"10.1.1.1"}) == {("10.0.0.0/8", "10.1.1.1")}
