"""Every document of the tests and 2,000 generated ones get the same findings from the embedded engine, a server of OPA and conftest.

``make parity`` runs this and prints the counts. What is compared is what the rules return: package, message and path of each finding.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from crossgate.load import load_paths
from crossgate.policy import Limits, Policies
from crossgate.policy.asked import Asked, json_text
from crossgate.policy.engine import Engine, Question
from crossgate.policy.gathering import combined
from crossgate.policy.judge import verdicts_of
from crossgate.policy.opa.engine import opa_at
from crossgate.schema import Schemas

ROOT = Path(__file__).parents[2]
SEED = 20270101
GENERATED = 2000
VALUES: list[Any] = [None, 0, 1, -3, 1.5, True, False, "", "x", [], {}, ["a", 1], {"a": "b"}]
TELLING = [
    *("10.0.0.0/8", "0.0.0.0/0", "0/0", "::/0", "0.0.0.0/00", "CHANGE_ME", "Q0hBTkdFX01F", "nginx:latest", "h100", "p5.48xlarge"),
    *("LoadBalancer", "default", "*", "change_me\n", "password: x", "0.0.0.0/1", "HEAD", "v1.2.*", "2027-13-99", "arn:aws:iam::1:role/*"),
]
LIMITS = Limits(seconds=60)  # the machine of a test may be busy; a time-out is no difference between engines

pytestmark = pytest.mark.tools

Found = Counter[tuple[str, str, str]]


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rules as they stand at the start: three programs read them, one after the other."""
    return Path(shutil.copytree(ROOT / "policies", tmp_path_factory.mktemp("rules") / "policies"))


@pytest.fixture(scope="module")
def engines(policies: Path, opa_server: Callable[..., str]) -> dict[str, Engine]:
    return {
        "embedded": Policies.load([policies]).engine,
        "opa": Policies.load([policies], engine=opa_at(opa_server(policies))).engine,
    }


@pytest.fixture(scope="module")
def shapes(policies: Path) -> list[dict[str, Any]]:
    """Objects that the Rego tests are made of, as constants of their source."""
    found: list[dict[str, Any]] = []
    for module in sorted(policies.rglob("*_test.rego")):
        found += _objects(module.read_text())
    assert len(found) > 60
    return found


@pytest.fixture(scope="module")
def corpus(shapes: list[dict[str, Any]]) -> list[Any]:
    """Every document that stands in a file of the tests or in dist/, and every object of the Rego tests, once each."""
    files = load_paths([ROOT / "tests", ROOT / "dist"], root=ROOT)
    bodies = [document.body for document in files.documents if isinstance(document.body, dict) and document.body]
    return list({json.dumps(body, sort_keys=True): body for body in (*bodies, *shapes) if _plain(body)}.values())


@pytest.fixture(scope="module")
def generated(shapes: list[dict[str, Any]]) -> list[Any]:
    """Half are objects of the Rego tests with up to three values changed, half are made from the schemas of the kinds that we know."""
    chance = random.Random(SEED)
    kinds = Schemas.load([ROOT / "schemas", ROOT / "dist"]).kinds()
    made: list[Any] = []
    while len(made) < GENERATED:
        if len(made) % 2:
            kind = chance.choice(kinds)
            body = _made(chance, kind.schema, kind.schema)
            body = {**(body if isinstance(body, dict) else {}), "apiVersion": kind.api_version, "kind": kind.kind}
            body["metadata"] = {"name": "a", "namespace": chance.choice(["default", "fraud"]), "labels": {"a": chance.choice(TELLING)}}
        else:
            body = changed(chance, chance.choice(shapes))
        if body:
            made.append(body)
    return made


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    def tell(line: str) -> None:
        with capsys.disabled():
            print(f"\nparity: {line}", end="", flush=True)

    return tell


@pytest.mark.parametrize("which", ["corpus", "generated"])
def test_documents(which, request, policies, engines, tool, tmp_path, told):
    bodies = request.getfixturevalue(which)
    found = {name: alone(engine, bodies) for name, engine in engines.items()}
    found["conftest"] = conftests(tool("conftest"), policies, bodies, tmp_path)
    told(f"{which}: {len(bodies)} documents, " + ", ".join(f"{name} {sum(each.values())} findings" for name, each in found.items()))
    assert different(found) == {}
    assert sum(found["embedded"].values()) > 150


def test_estates(policies, engines, tool, tmp_path, told):
    """Rules that see several objects, on what conftest hands over with --combine."""
    shapes = json.loads((Path(__file__).parent / "policy_estate.json").read_text())
    chance = random.Random(SEED)
    totals: Counter[str] = Counter()
    for number in range(25):
        bodies = [body for _ in range(chance.randint(2, 20)) if isinstance(body := changed(chance, chance.choice(shapes)), dict) and body]
        folder = tmp_path / str(number)
        found = {name: together(engine, bodies, str(folder / "documents.json")) for name, engine in engines.items()}
        found["conftest"] = conftests(tool("conftest"), policies, bodies, folder, "--combine")
        assert different(found) == {}
        totals.update({name: sum(each.values()) for name, each in found.items()})
    told("25 estates, " + ", ".join(f"{name} {count} findings" for name, count in totals.items()))
    assert totals["embedded"] > 100


def different(found: dict[str, Found]) -> dict[str, dict[str, list[Any]]]:
    """Return for each engine what only it finds, and what only the embedded one does."""
    here = found["embedded"]
    return {
        name: {"more": sorted((there - here).elements()), "missing": sorted((here - there).elements())}
        for name, there in found.items()
        if there != here
    }


def alone(engine: Engine, bodies: Sequence[Any]) -> Found:
    """Ask as a check does: each document by the rules that speak about it."""
    asked = Asked(engine.rules)
    questions = [Question(text, rules) for body in bodies if (rules := asked.about(body, text := json_text(body)))]
    return answered(engine, questions)


def together(engine: Engine, bodies: Sequence[Any], file: str) -> Found:
    rules = tuple(index for index, rule in enumerate(engine.rules) if rule.scope != "document")
    return answered(engine, [Question(combined((file, json_text(body), 1) for body in bodies), rules)])


def answered(engine: Engine, questions: Sequence[Question]) -> Found:
    found: Found = Counter()
    for verdict, troubles in verdicts_of(engine, questions, LIMITS):
        assert troubles == ()
        found.update((".".join(each.rule.package), each.message, json.dumps(list(each.path))) for each in verdict.results)
    return found


def conftests(conftest: str, policies: Path, bodies: Sequence[Any], folder: Path, *options: str) -> Found:
    folder.mkdir(exist_ok=True)
    file = folder / "documents.json"
    file.write_text(json.dumps(bodies, ensure_ascii=False))
    command = [conftest, "test", *options, "--all-namespaces", "-p", str(policies), "-o", "json", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout.startswith("["), run.stderr
    return Counter(
        (part["namespace"], result["msg"], json.dumps(result["metadata"]["path"]))
        for part in json.loads(run.stdout)
        for kind in ("failures", "warnings")
        for result in part.get(kind, ())
    )


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


def _made(chance: random.Random, schema: Any, whole: dict[str, Any], depth: int = 0) -> Any:
    """Return a value for a schema, about one field in three of it, and now and then one that does not fit."""
    if not isinstance(schema, dict) or depth > 8 or chance.random() < 0.03:
        return copy.deepcopy(chance.choice(VALUES + TELLING))
    if isinstance(number := schema.get("$"), int) and isinstance(shared := whole.get("shared"), list):
        return _made(chance, shared[number], whole, depth + 1)
    if fields := schema.get("properties"):
        needed = set(schema.get("required", ()))
        return {name: _made(chance, value, whole, depth + 1) for name, value in fields.items() if name in needed or chance.random() < 0.35}
    if schema.get("type") == "array":
        return [_made(chance, schema.get("items"), whole, depth + 1) for _ in range(chance.choice([0, 1, 1, 2]))]
    if schema.get("type") == "object":
        return {key: _made(chance, schema.get("additionalProperties"), whole, depth + 1) for key in chance.sample(["a", "b/c", "*"], 1)}
    if choices := schema.get("enum"):
        return chance.choice(choices)
    fitting = {"string": TELLING, "boolean": [True, False], "integer": [0, 1, 7, -1], "number": [0, 1.5]}
    return chance.choice(fitting.get(str(schema.get("type")), VALUES))


def _plain(body: Any) -> bool:
    """Say whether every engine is given the same: conftest reads numbers as 64-bit floats, and JSON holds no lone surrogates."""
    text = json.dumps(body, ensure_ascii=False)
    return text.isprintable() and all(abs(number) < 1 << 53 for number in _numbers(body))


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, (int, float)):
        yield value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        yield from _numbers(item)


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
