from __future__ import annotations

from datetime import date

import pytest

from crossgate.errors import PolicyError
from crossgate.waive import load_waivers

WHOLE = """\
waivers:
- id: gateway
  rule: network/public-load-balancer
  scope:
    resource: Service kong/gateway
    file: dist/*
    path: spec.type
  reason: The gateway is the one door.
  owner: platform-team
  expires: 2027-03-31
"""


@pytest.fixture
def load(tmp_path):
    def read(*texts):
        files = []
        for number, text in enumerate(texts):
            file = tmp_path / f"waivers-{number}.yaml"
            file.write_text(text)
            files.append(file)
        return load_waivers(files)

    return read


def test_a_waiver_says_who_what_why_and_until_when(load):
    (waiver,) = load(WHOLE)
    assert (waiver.id, waiver.rule, waiver.owner, waiver.expires) == (
        "gateway",
        "network/public-load-balancer",
        "platform-team",
        date(2027, 3, 31),
    )
    assert (waiver.resource, waiver.file, waiver.path, waiver.annotated) == ("Service kong/gateway", "dist/*", "spec.type", False)
    assert waiver.place.line == 2


def test_no_file_and_an_empty_list_waive_nothing(load, tmp_path):
    assert load_waivers([tmp_path / "none.yaml"]) == ()
    assert load("waivers: []\n") == ()


def test_its_last_day_is_one_of_its_days(load):
    (waiver,) = load(WHOLE)
    assert not waiver.expired(date(2027, 3, 31))
    assert waiver.expired(date(2027, 4, 1))


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("  expires: 2027-03-31\n", "", 2, "no end"),
        ("2027-03-31", "2027-02-30", 10, "ends at no day"),
        ("2027-03-31", "never", 10, "ends at no day"),
        ("2027-03-31", "31.03.2027", 10, "ends at no day"),
        ("  owner: platform-team\n", "", 2, "no owner"),
        ("owner: platform-team", 'owner: "  "', 9, "no owner"),
        ("The gateway is the one door.", "because", 8, "says nothing"),
        ("  reason: The gateway is the one door.\n", "", 2, "no reason"),
        ("network/public-load-balancer", '"*"', 3, "no rule"),
        ("network/public-load-balancer", "network/*", 3, "no rule"),
        ("    resource: Service kong/gateway\n    file: dist/*\n    path: spec.type\n", "    {}\n", 4, "no scope"),
        ("    resource: Service kong/gateway\n    file: dist/*\n    path: spec.type\n", '    file: "*"\n', 4, "the scope is everything"),
        ("    path: spec.type\n", "    paths: spec.type\n", 7, "a scope has no 'paths'"),
        ("path: spec.type", "path: [spec]", 7, "no pattern"),
        ("  owner:", "  until: x\n  owner:", 9, "a waiver has no 'until'"),
        ("id: gateway", "id: The Gateway", 2, "no id"),
        ("- id: gateway\n  rule", "- rule", 2, "nothing can point"),
    ],
)
def test_what_cannot_be_understood_waives_nothing_and_names_its_line(load, old, new, line, what):
    text = WHOLE.replace(old, new)
    if "nothing can point" in what:
        text = text.replace("    path: spec.type\n", "    annotated: true\n")
    with pytest.raises(PolicyError) as caught:
        load(text)
    assert what in caught.value.what
    assert caught.value.where.split(":")[1] == str(line)


@pytest.mark.parametrize("text", ["- a\n", "waivers: {}\n", "waivers: []\nmore: 1\n", "waivers: [1]\n", "waivers: [\n"])
def test_a_file_of_another_form_is_an_error(load, text):
    with pytest.raises(PolicyError):
        load(text)


def test_ids_are_told_apart_over_all_files(load):
    with pytest.raises(PolicyError, match="two waivers have the id 'gateway'"):
        load(WHOLE, WHOLE)
