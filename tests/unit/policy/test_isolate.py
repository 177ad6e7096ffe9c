from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from crossgate.policy.isolate import Death, Limits, isolated


def run(task, count=4, **limits):
    return [result for _, result in isolated(task, count, Limits(**limits))]


def test_results_come_in_order_and_whole():
    big = b"x" * 300_000
    assert run(lambda index: bytes([index]) + big) == [bytes([index]) + big for index in range(4)]


def test_nothing_to_do_starts_nothing():
    assert run(os.abort, count=0) == []


def test_a_task_that_does_not_end_is_ended_and_the_others_still_run():
    def task(index):
        while index == 1:
            pass
        return b"done"

    start = time.perf_counter()
    first, second, *rest = run(task, seconds=0.2)
    assert first == b"done"
    assert second == Death("did not end within 0.2 s of processor time")
    assert rest == [b"done", b"done"]
    assert time.perf_counter() - start < 10


def test_a_death_is_told_before_the_next_task_is_begun(tmp_path):
    """Whoever hears of it may stop asking for what caused it; 100 tasks that do not end must not cost 100 limits."""

    def task(index):
        (tmp_path / str(index)).touch()
        while index >= 2:
            pass
        return b"done"

    outcomes = isolated(task, 100, Limits(seconds=0.1))
    assert [next(outcomes)[1] for _ in range(3)][:2] == [b"done", b"done"]
    outcomes.close()
    assert {path.name for path in tmp_path.iterdir()} == {"0", "1", "2"}


def test_a_child_that_dies_takes_no_results_with_it():
    """Results are handed over in bundles: what was not, is worked out again, and nothing is told twice."""
    outcomes = list(isolated(lambda index: os.abort() if index % 7 == 6 else bytes([index]), 50, Limits()))
    assert [index for index, _ in outcomes] == list(range(50))
    assert all(isinstance(outcome, Death) if index % 7 == 6 else outcome == bytes([index]) for index, outcome in outcomes)


def test_the_limit_is_for_each_task_and_not_for_all():
    def task(_index):
        end = time.process_time() + 0.15
        while time.process_time() < end:
            pass
        return b"done"

    assert run(task, count=4, seconds=0.4) == [b"done"] * 4


def test_a_crash_is_seen():
    outcomes = run(lambda index: os.abort() if index in (0, 3) else b"done")
    assert [isinstance(outcome, Death) for outcome in outcomes] == [True, False, False, True]


def test_a_task_that_needs_too_much_memory_is_ended():
    def task(index):
        return b"done" if index else b"%d" % len(bytearray(1 << 32))

    first, *rest = run(task, memory=1 << 27)
    assert isinstance(first, Death)
    assert rest == [b"done"] * 3


def test_what_a_task_prints_does_not_mix_with_the_report(capfd):
    run(lambda _index: os.write(1, b"noise") and os.write(2, b"noise") and b"")
    assert capfd.readouterr() == ("", "")


def children() -> set[str]:
    """The processes that this one started and has not waited for; tests that ran before may have left some."""
    return {child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux tells a process's children")
def test_stopping_early_leaves_no_child_behind():
    before = children()
    results = isolated(lambda index: bytes(100_000), 1000, Limits())
    next(results)
    assert children() > before
    results.close()
    assert children() == before
