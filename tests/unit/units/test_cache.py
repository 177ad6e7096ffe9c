"""A cache that is believed decides what passes, so nothing that others may have written into it may be believed."""

from __future__ import annotations

import os
import sqlite3

import pytest

from crossgate.units.cache import KEY, OFF, Cache, Entry

ENTRIES = {"a": Entry.of(b"head a", b"rest a" * 100), "b": Entry(b"head b")}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv(OFF, raising=False)
    monkeypatch.delenv(KEY, raising=False)
    return tmp_path


def database(home):
    return home / "cache" / "crossgate" / "verdicts-1.sqlite"


def test_what_was_written_is_found_again_and_nothing_else():
    Cache.open().write(ENTRIES)
    assert Cache.open().read(["a", "b", "c"]) == ENTRIES


def test_thousands_of_names_are_asked_for_at_once():
    many = {f"name-{number}": Entry(b"%d" % number) for number in range(2_000)}
    Cache.open().write(many)
    assert Cache.open().read(many) == many


def test_an_entry_under_another_name_is_not_believed(home):
    """Else the verdict of a clean file could be lent to a bad one."""
    Cache.open().write(ENTRIES)
    with sqlite3.connect(database(home)) as changed:
        changed.execute("UPDATE entry SET name = 'bad' WHERE name = 'a'")
    assert Cache.open().read(["a", "bad"]) == {}


@pytest.mark.parametrize("column", ["head", "rest", "seal"])
def test_a_changed_entry_is_not_believed(home, column):
    Cache.open().write(ENTRIES)
    with sqlite3.connect(database(home)) as changed:
        changed.execute(f"UPDATE entry SET {column} = x'00' WHERE name = 'a'")
    assert Cache.open().read(["a", "b"]) == {"b": ENTRIES["b"]}


def test_a_text_in_place_of_bytes_is_not_believed(home):
    Cache.open().write(ENTRIES)
    with sqlite3.connect(database(home)) as changed:
        changed.execute("UPDATE entry SET seal = 'x' WHERE name = 'a'")
    assert Cache.open().read(["a"]) == {}


def test_what_another_key_has_sealed_is_foreign(monkeypatch):
    Cache.open().write(ENTRIES)
    monkeypatch.setenv(KEY, "the key of a CI system")
    assert Cache.open().read(["a", "b"]) == {}
    Cache.open().write(ENTRIES)
    assert Cache.open().read(["a", "b"]) == ENTRIES


def test_a_damaged_file_is_as_good_as_none_and_is_made_anew(home):
    Cache.open().write(ENTRIES)
    database(home).write_bytes(b"no database" * 1000)
    assert Cache.open().read(["a"]) == {}
    Cache.open().write(ENTRIES)
    assert Cache.open().read(["a", "b"]) == ENTRIES


def test_the_key_is_readable_by_its_owner_alone(home):
    Cache.open()
    key = home / "state" / "crossgate" / "cache.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    assert Cache.open() is None, "others may know this key"


def test_a_key_of_the_wrong_length_is_made_anew(home):
    Cache.open()
    key = home / "state" / "crossgate" / "cache.key"
    key.write_bytes(b"short")
    assert Cache.open() is not None
    assert len(key.read_bytes()) == 32


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_without_a_place_there_is_no_cache(home):
    home.chmod(0o500)
    assert Cache.open() is None
    home.chmod(0o700)


def test_it_can_be_turned_off(monkeypatch):
    monkeypatch.setenv(OFF, "off")
    assert Cache.open() is None


def test_a_key_that_another_run_is_about_to_write_is_not_used(home, monkeypatch):
    """It is empty for a moment, and entries that are sealed with an empty key are anybody's."""
    file = home / "state" / "crossgate" / "cache.key"

    def opened(path, *_):
        file.touch(0o600)
        raise FileExistsError(path)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "open", opened)
        assert Cache.open() is None
    assert Cache.open() is not None
    assert len(file.read_bytes()) == 32


@pytest.mark.parametrize(
    "select",
    [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT '' AS name, i AS seal, i AS head, i AS rest FROM n",
        "SELECT 'a' AS name, zeroblob(900000000) AS seal, zeroblob(900000000) AS head, x'' AS rest",
        "SELECT 'a' AS name, 1 AS seal, 2 AS head, 3 AS rest",
        "SELECT 'a' AS name, load_extension('x') AS seal, x'' AS head, x'' AS rest",
    ],
    ids=["endless", "huge", "numbers", "extension"],
)
def test_a_view_in_place_of_the_table_neither_answers_nor_holds_the_run_up(home, select):
    Cache.open().write(ENTRIES)
    with sqlite3.connect(database(home)) as changed:
        changed.execute("DROP TABLE entry")
        changed.execute(f"CREATE VIEW entry AS {select}")
    assert Cache.open().read(["a", "b"]) == {}
    Cache.open().write(ENTRIES)
    assert Cache.open().read(["a", "b"]) == ENTRIES
