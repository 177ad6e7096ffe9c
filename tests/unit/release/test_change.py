"""What a change does to whom is read from files that differ, whatever else the project holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from crossgate.config import Config
from crossgate.model import Place
from crossgate.release.change import Change, change
from crossgate.release.document import as_resource, name_of, report
from crossgate.release.freezes import Freeze
from crossgate.units.states import State, on_disk

Made = Callable[..., Change]
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def claim(name: str, image: str = "a:1", namespace: str = "ml-team-x", more: str = "") -> str:
    return f"apiVersion: g/v1\nkind: Claim\nmetadata: {{name: {name}, namespace: {namespace}{more}}}\nspec: {{image: '{image}'}}\n"


def state(root: Path, files: dict[str, str]) -> State:
    for name, text in files.items():
        file = root / "dist" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (root / "dist").mkdir(parents=True, exist_ok=True)
    return on_disk([root / "dist"], replace(Config.find(root), root=root, dist=root / "dist"))


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Compare two projects: files by name, before and after."""

    number = count()

    def made(before: dict[str, str], after: dict[str, str], *freezes: Freeze) -> Change:
        one, other = (state(tmp_path / str(next(number)), files) for files in (before, after))
        return change(one, other, base="0123456789abcdef", at=NOW, freezes=freezes)

    return made


def told(change: Change) -> list[tuple[str, str, str]]:
    return [(changed.action, name_of(changed), changed.team) for changed in change.objects]


def test_objects_that_are_new_other_and_gone(made: Made) -> None:
    found = made(
        {"a.yaml": claim("a"), "b.yaml": claim("b"), "c.yaml": claim("c")},
        {"a.yaml": claim("a"), "b.yaml": claim("b", "a:2"), "d.yaml": claim("d")},
    )
    assert told(found) == [
        ("update", "Claim.g/ml-team-x/b", "x"),
        ("create", "Claim.g/ml-team-x/d", "x"),
        ("delete", "Claim.g/ml-team-x/c", "x"),
    ]


def test_another_object_in_the_file_and_another_file_are_no_change(made: Made) -> None:
    found = made({"a.yaml": f"{claim('a')}---\n{claim('b')}"}, {"a.yaml": f"{claim('a')}---\n{claim('b', 'a:2')}"})
    assert told(found) == [("update", "Claim.g/ml-team-x/b", "x")]
    assert told(made({"a.yaml": claim("a")}, {"elsewhere/a.yaml": f"# moved\n{claim('a')}"})) == []


def test_only_new_pins_are_told_and_where_the_base_holds_them(made: Made) -> None:
    before = {"dev/a.yaml": claim("a", "a:2", more=", labels: {env: dev}"), "b.yaml": claim("b", "a:1"), "c.yaml": claim("c", "a:22")}
    found = made(before, {**before, "b.yaml": claim("b", "a:2")})
    [changed] = found.objects
    assert [(pin.what, pin.value) for pin in changed.pins] == [("image", "a:2")]
    assert [(held.value, held.labels, held.folders) for held in found.held] == [("a:2", {"env": "dev"}, ("dist", "dev"))]
    assert made(before, {**before, "b.yaml": claim("b", "a:1", more=", labels: {x: y}")}).objects[0].pins == ()


def test_labels_come_from_the_object_its_choice_and_its_namespace(made: Made) -> None:
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml-team-x, labels: {environment: production, tier: a}}\n"
    text = f"{claim('a', more=', labels: {tier: c}')}".replace(
        "spec: {", "spec: {compositionSelector: {matchLabels: {tier: b, env: dev}}, "
    )
    [changed] = made({"n.yaml": space}, {"n.yaml": space, "a.yaml": text}).objects
    assert changed.labels == {"environment": "production", "env": "dev", "tier": "c"}


def freeze(start: int, end: int) -> Freeze:
    return Freeze("x", "why", "who", NOW.replace(hour=start), NOW.replace(hour=end))


def test_the_document_holds_only_freezes_in_force(made: Made) -> None:
    body = report(made({}, {"a.yaml": claim("a")}, freeze(10, 11), freeze(11, 13), freeze(13, 14)))
    assert [each["starts"] for each in body["spec"]["freezes"]] == ["2026-06-01T11:00:00+00:00"]
    assert list(body["spec"]["objects"]) == ["Claim.g/ml-team-x/a"]


def test_the_document_is_the_same_at_another_time(made: Made) -> None:
    """What is kept, compared and signed must not differ by when it was made."""
    found = made({}, {"a.yaml": claim("a")}, freeze(11, 13), freeze(13, 14))
    assert report(found) == report(replace(found, at=NOW.replace(hour=11)))
    assert report(found) != report(replace(found, at=NOW.replace(hour=13)))


def test_a_finding_stands_at_the_authors_line(made: Made) -> None:
    resource = as_resource(made({}, {"a.yaml": f"# one\n{claim('a')}"}))
    path = ("spec", "objects", "Claim.g/ml-team-x/a")
    assert resource.document.place(path) == Place("dist/a.yaml", 2, 1)
    assert resource.document.place((*path, "pins", 0)) == Place("dist/a.yaml", 5, 8)
    assert resource.document.place(("spec", "objects", "nothing")).line == 0
