"""What rules declare about themselves spares questions and changes no verdict; neither do the groups of related objects."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossgate.model import Document, Resource, Role
from crossgate.paths import format_path
from crossgate.policy import Policies
from crossgate.policy.asked import Asked, json_text
from crossgate.policy.estate import Held, Shared, Sharing, views_of
from crossgate.policy.gathering import combined
from crossgate.policy.rules import Scope

POLICIES = Path(__file__).parents[2] / "policies"
ESTATE = json.loads((Path(__file__).parents[1] / "conformance" / "policy_estate.json").read_text())
TELLING = [
    *("0.0.0.0/0", "::/0", "128.0.0.0/1", "0.0.0.0/1", "10.0.0.0/33", "CHANGE_ME", "Q0hBTkdFX01F", "<password>", "change me"),
    *("nginx:latest", "h100", "p5.48xlarge", "nvidia-h100-80gb", "a3-highgpu-8g", "LoadBalancer", "hunter2hunter2", "gpu_type = h100"),
    *("https://me:secret@example.org", "password: hunter2\nport: 1", "AKIAIOSFODNN7EXAMPLE", '{"token": "abc"}', "--password", "dev"),
    *("ü", "\u212a8s", 'a\\n"}', "v1", "x", "a"),
]
KEYS = [
    "password",
    "apiKey",
    "token",
    "cidrBlocks",
    "sourceRanges",
    "gpuType",
    "labels",
    "annotations",
    "nvidia.com/h100",
    "value",
    "name",
    "env",
]
VALUES: list[Any] = [None, 0, 1, -3, 1.5, 1e30, True, False, [], {}, *TELLING]


@pytest.fixture(scope="module")
def policies() -> Policies:
    return Policies.load([POLICIES])


def shapes() -> list[dict[str, Any]]:
    """Objects that stand in the Rego tests as JSON."""
    found = []
    for module in sorted(POLICIES.rglob("*_test.rego")):
        text = module.read_text()
        for index, character in enumerate(text):
            if character == "{":
                try:
                    value, _ = json.JSONDecoder().raw_decode(text, index)
                except ValueError:
                    continue
                if isinstance(value, dict) and "kind" in value:
                    found.append(value)
    return found


SHAPES = shapes()


def changed(chance: random.Random, shape: dict[str, Any]) -> dict[str, Any]:
    """Return a copy with some values replaced or added, perhaps within a List, an Object or a text."""
    body = copy.deepcopy(shape)
    for _ in range(chance.choice([0, 1, 2, 4])):
        holders = [holder for holder in _holders(body) if holder]
        holder = chance.choice(holders or [body])
        if isinstance(holder, dict) and (chance.random() < 0.5 or not holder):
            holder[chance.choice(KEYS)] = copy.deepcopy(chance.choice(VALUES))
        elif isinstance(holder, dict):
            holder[chance.choice(list(holder))] = copy.deepcopy(chance.choice(VALUES))
        else:
            holder[chance.randrange(len(holder))] = copy.deepcopy(chance.choice(VALUES))
    form = chance.random()
    if form < 0.1:
        return {"apiVersion": "v1", "kind": chance.choice(["List", "PodList", "x"]), "items": [body, *TELLING[:1]]}
    if form < 0.2:
        return {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": body}}}
    if form < 0.25:
        return {
            "kind": "ConfigMap",
            "data": {"a.json": json.dumps(body), "b.yaml": "\n".join(f"{key}: {value}" for key, value in body.items())},
        }
    return body


def _holders(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value, *(inner for item in value.values() for inner in _holders(item))]
    return [value, *(inner for item in value for inner in _holders(item))] if isinstance(value, list) else []


def said(policies: Policies, text: str, rules: tuple[int, ...]) -> Counter[str]:
    """What each rule says, asked alone: no declaration of another one hides its answer."""
    evaluate = policies.engine.evaluate  # type: ignore[attr-defined]  # the embedded engine, in this process
    return Counter(json.dumps([rule, item]) for rule, value in evaluate(text, rules).values for item in value)


@settings(max_examples=250, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_a_rule_that_is_not_asked_has_nothing_to_say(policies, seed):
    chance = random.Random(seed)
    body = changed(chance, chance.choice(SHAPES))
    text = json_text(body)
    everything = tuple(index for index, rule in enumerate(policies.rules) if rule.scope is Scope.DOCUMENT)
    asked = Asked(policies.rules).about(body, text)
    spared = tuple(index for index in everything if index not in asked)
    if spared:
        assert said(policies, text, spared) == Counter()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_groups_say_what_the_whole_estate_says(policies, seed):
    chance = random.Random(seed)
    resources = []
    for place in range(chance.randint(2, 25)):
        body = changed(chance, chance.choice(ESTATE))
        resources.append(Resource(body, Role.DOCUMENT, Document(body, str(place), 1)))
    texts = [json_text(resource.body) for resource in resources]
    ids = {rule.id: index for index, rule in enumerate(policies.rules) if rule.scope is not Scope.DOCUMENT}
    whole: Counter[tuple[str, str, str]] = Counter()
    for item in said(policies, combined((str(place), text, 1) for place, text in enumerate(texts)), tuple(ids.values())).elements():
        rule, finding = json.loads(item)
        whole[policies.rules[rule].id, finding["msg"], f"{finding['path'][0]}: {format_path(tuple(finding['path'][2:]))}"] += 1
    judgement = policies.judge(resources)
    assert not judgement.could_not_check
    parts = Counter(
        (finding.rule, finding.message, f"{finding.place.file}: {finding.path}") for finding in judgement.findings if finding.rule in ids
    )
    # which of several claims that ask for as much a quota is said of depends on their order
    counting = {rule.id for rule in policies.rules if rule.count_alike}
    assert without_places(parts, counting) == without_places(whole, counting)


def without_places(findings: Counter[tuple[str, str, str]], rules: set[str]) -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    for (rule, message, place), count in findings.items():
        found[rule, message, "" if rule in rules else place] += count
    return found


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_rules_over_the_estate_say_the_same_of_the_fields_that_they_look_at(policies, seed):
    """What is kept of a rule's answer holds as long as these fields stay as they are."""
    chance = random.Random(seed)
    bodies = [changed(chance, chance.choice(chance.choice([ESTATE, SHAPES]))) for _ in range(chance.randint(1, 30))]
    views = views_of(policies.rules)
    for view in views:
        seen = [(place, body) for place, body in enumerate(bodies) if view.holds(body, written=True)]
        whole = said(policies, combined((str(place), json_text(body), 1) for place, body in seen), view.rules)
        whole = without_objects(whole) if view.counted else whole  # see above
        few = [
            (str(place), text)
            for place, (_, body) in enumerate(seen)
            for number, text in Sharing(views).of(body, written=True)
            if views[number] is view
        ]
        held = Held.of(view, [Shared(place, text, lambda: pytest.fail("it is only told")) for place, text in few])
        parts: Counter[str] = Counter()
        for item, count in said(policies, combined(held.shown()), view.rules).items():
            rule, finding = json.loads(item)
            for each in held.at(finding["path"][0]):
                parts[json.dumps([rule, {**finding, "path": [int(each.file), *finding["path"][1:]]}])] += count
        assert (without_objects(parts) if view.counted else parts) == whole


def without_objects(findings: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for item, count in findings.items():
        rule, finding = json.loads(item)
        found[json.dumps([rule, {**finding, "path": finding["path"][1:2]}])] += count
    return found
