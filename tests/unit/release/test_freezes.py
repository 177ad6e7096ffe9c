"""A freeze says whom, why, until when and whom to ask; anything less is refused."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from crossgate.errors import PolicyError
from crossgate.release.freezes import FILE, load_freezes

GOOD = {
    "team": "fraud",
    "reason": "the books are closed",
    "owner": "finance",
    "starts": "2026-12-20T00:00:00+01:00",
    "ends": "2027-01-04T08:00:00+01:00",
}


def write(folder: Path, *freezes: dict[str, str]) -> list[Path]:
    (folder / "data").mkdir(parents=True, exist_ok=True)
    lines = ["freezes:", *(f"- {{{', '.join(f'{key}: {value}' for key, value in freeze.items())}}}" for freeze in freezes)]
    (folder / FILE).write_text("\n".join(lines) if freezes else "freezes: []\n")
    return [folder]


def test_a_freeze_holds_from_its_start_until_its_end_in_any_time_zone(tmp_path: Path) -> None:
    [freeze] = load_freezes(write(tmp_path, GOOD))
    start = datetime.fromisoformat("2026-12-19T23:00:00+00:00")
    end = datetime.fromisoformat("2027-01-04T02:00:00-05:00")
    assert not freeze.holds(start - timedelta(seconds=1))
    assert freeze.holds(start)
    assert freeze.holds(end - timedelta(seconds=1))
    assert (freeze.holds(end), freeze.over(end)) == (False, True)


def test_folders_without_the_file_have_none_and_all_files_count(tmp_path: Path) -> None:
    assert load_freezes([tmp_path]) == ()
    both = [*write(tmp_path / "a", GOOD), *write(tmp_path / "b", {**GOOD, "team": "'*'"})]
    assert [freeze.whose for freeze in load_freezes(both)] == ["team fraud", "everything"]
    assert load_freezes(write(tmp_path / "c")) == ()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"ends": "2026-12-01T00:00:00Z"}, "ends before it starts"),
        ({"ends": "2027-01-04"}, "freezes.0.ends is wrong"),
        ({"ends": "2027-01-04T08:00:00"}, "freezes.0.ends is wrong"),
        ({"starts": "soon"}, "freezes.0.starts is wrong"),
        ({"reason": "''"}, "freezes.0.reason is wrong"),
        ({"team": "Fraud Team"}, "freezes.0.team is wrong"),
        ({"until": "x"}, "freezes.0 is wrong"),
    ],
)
def test_what_says_too_little_is_refused(tmp_path: Path, change: dict[str, str], what: str) -> None:
    """Without an offset, a freeze would end at another moment on each machine."""
    with pytest.raises(PolicyError) as refused:
        load_freezes(write(tmp_path, {**GOOD, **change}))
    assert what in refused.value.what


@pytest.mark.parametrize("name", ["team", "reason", "owner", "starts", "ends"])
def test_each_part_is_required(tmp_path: Path, name: str) -> None:
    with pytest.raises(PolicyError):
        load_freezes(write(tmp_path, {key: value for key, value in GOOD.items() if key != name}))


@pytest.mark.parametrize(("name", "text"), [("ends", "2027-01-04T23:59:60Z"), ("starts", "0000-01-01T00:00:00Z")])
def test_a_time_that_only_the_standard_knows_is_refused(tmp_path: Path, name: str, text: str) -> None:
    """RFC 3339 has leap seconds and a year 0; no clock here has."""
    with pytest.raises(PolicyError, match=rf"freezes\[0\].{name} is no moment"):
        load_freezes(write(tmp_path, {**GOOD, name: text}))
