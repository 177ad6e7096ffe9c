"""2,000 generated documents and 25 estates, many of them ill-typed, get the same findings here and from conftest."""

from __future__ import annotations

import copy
import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document, Place, Resource, Role
from crossgate.paths import format_path
from crossgate.policy import Policies

POLICIES = Path(__file__).parents[2] / "policies"
SEED = 20270101
VALUES: list[Any] = [None, 0, 1, -3, 1.5, True, False, "", "x", [], {}, ["a", 1], {"a": "b"}]
TELLING = ["10.0.0.0/8", "0.0.0.0/0", "CHANGE_ME", "Q0hBTkdFX01F", "nginx:latest", "h100", "p5.48xlarge", "LoadBalancer", "default", "0/0"]

pytestmark = pytest.mark.tools


@pytest.fixture(scope="module")
def shapes() -> list[dict[str, Any]]:
    """Objects that the Rego tests are made of, as constants of their source."""
    found: list[dict[str, Any]] = []
    for module in sorted(POLICIES.rglob("*_test.rego")):
        found += _objects(module.read_text())
    assert len(found) > 60
    return found


def test_documents(tool: Callable[[str], str], shapes, tmp_path):
    chance = random.Random(SEED)
    bodies = [body for _ in range(2000) if (body := changed(chance, chance.choice(shapes)))]
    file = tmp_path / "documents.yaml"
    file.write_text("\n---\n".join(map(json.dumps, bodies)))
    here, there = ours(bodies), conftests(tool("conftest"), file)
    assert sum(here.values()) > 300
    assert (here - there, there - here) == (Counter(), Counter())


def test_estates(tool: Callable[[str], str], tmp_path):
    shapes = json.loads((Path(__file__).parent / "policy_estate.json").read_text())
    chance = random.Random(SEED)
    total = 0
    for number in range(25):
        bodies = [body for _ in range(chance.randint(2, 20)) if isinstance(body := changed(chance, chance.choice(shapes)), dict) and body]
        file = tmp_path / f"estate-{number}.yaml"
        file.write_text("\n---\n".join(map(json.dumps, bodies)))
        here = ours(bodies, estate=True)
        there = conftests(tool("conftest"), file, "--combine")
        assert (here - there, there - here) == (Counter(), Counter())
        total += sum(here.values())
    assert total > 100


def ours(bodies: list[Any], *, estate: bool = False) -> Counter[tuple[str, str, str]]:
    """Return package, message and path of each finding, in an estate with the place of its document before the path."""
    policies = Policies.load([POLICIES])
    seen = [
        Resource(body, Role.DOCUMENT, Document(body, str(index), 1, lambda _path, index=index: Place(str(index), 1)))
        for index, body in enumerate(bodies)
    ]
    judgement = policies.judge(seen)
    assert judgement.could_not_check == ()
    rules = {rule.id: rule for rule in policies.rules if rule.estate is estate}
    return Counter(
        (".".join(rule.package), finding.message, f"{finding.place.file}.contents.{finding.path}" if estate else finding.path)
        for finding in judgement.findings
        if (rule := rules.get(finding.rule))
    )


def conftests(conftest: str, file: Path, *options: str) -> Counter[tuple[str, str, str]]:
    command = [conftest, "test", *options, "--all-namespaces", "-p", str(POLICIES), "-o", "json", str(file)]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return Counter(
        (part["namespace"], result["msg"], dotted(result["metadata"]["path"]))
        for part in answer
        for kind in ("failures", "warnings")
        for result in part.get(kind, ())
    )


def dotted(path: list[Any]) -> str:
    """Write a path as findings do; the place of a document stands before the dots."""
    return f"{path[0]}.contents.{format_path(tuple(path[2:]))}" if path[1:2] == ["contents"] else format_path(tuple(path))


def changed(chance: random.Random, body: dict[str, Any]) -> Any:
    """Return a copy with up to three values gone, of another type, or telling."""
    body = copy.deepcopy(body)
    for _ in range(chance.choice([0, 1, 1, 2, 3])):
        places = [place for place in _places(body) if place]
        if not places:
            break
        place = chance.choice(places)
        holder = body
        for step in place[:-1]:
            holder = holder[step]
        if chance.random() < 0.3:
            del holder[place[-1]]
        else:
            holder[place[-1]] = copy.deepcopy(chance.choice(VALUES + TELLING))
    return body


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _places(item, (*place, key))


def _objects(text: str) -> list[dict[str, Any]]:
    """Return the objects with a kind that stand in a Rego text as JSON."""
    decoder = json.JSONDecoder()
    found = []
    for index, character in enumerate(text):
        if character != "{":
            continue
        try:
            value, _ = decoder.raw_decode(text, index)
        except ValueError:
            continue
        if isinstance(value, dict) and "kind" in value and ("spec" in value or "data" in value or "metadata" in value):
            found.append(value)
    return found
