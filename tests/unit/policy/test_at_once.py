"""Rules over a large estate are asked in several processes: their answers come in the order of the questions all the same."""

from __future__ import annotations

import json
import os

import pytest

from crossgate.policy import Limits
from crossgate.policy.engine import Question
from crossgate.policy.process import LARGE, ask

RULES = """\
deny contains count(input.text)

warn contains "broken" if {
	input.name == "loop"
	count([1 | some a in numbers.range(1, 3000); some b in numbers.range(1, 3000); a == b + 10000]) == 0
}
"""


@pytest.fixture(autouse=True)
def two_processors(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


def questions(name):
    sizes = (1, LARGE + 1, 5, LARGE + 3, LARGE + 2)
    return [Question(json.dumps({"text": "x" * size, "name": name}), (0, 1)) for size in sizes]


def test_answers_come_in_the_order_of_the_questions(policy):
    engine = policy(RULES).engine
    answers = list(engine.ask(questions("fine"), Limits()))
    assert [dict(answer.values)[0] for answer in answers] == [[1], [LARGE + 1], [5], [LARGE + 3], [LARGE + 2]]
    assert answers == list(ask(engine, questions("fine"), Limits()))


def test_what_breaks_the_engine_is_said_and_the_rest_answered(policy):
    answers = list(policy(RULES).engine.ask(questions("loop"), Limits(seconds=0.3)))
    assert [dict(answer.values)[0] for answer in answers] == [[1], [LARGE + 1], [5], [LARGE + 3], [LARGE + 2]]
    assert all("did not end within 0.3 s" in answer.troubles[0].what or "left out" in answer.troubles[0].what for answer in answers)
