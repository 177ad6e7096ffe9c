"""What is shared out must come back whole and in order, whatever becomes of the processes."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from crossgate import processes


@pytest.fixture(autouse=True)
def two_processors(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


@pytest.fixture
def children(monkeypatch):
    """The processes that are forked; others of the test runner's are none of ours."""
    found, fork = [], os.fork

    def noted():
        child = fork()
        if child:
            found.append(child)
        return child

    monkeypatch.setattr(os, "fork", noted)
    return found


def assert_all_have_ended(children):
    assert children
    for child in children:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def test_results_come_in_order():
    items = list(range(1_000))
    assert list(processes.results(lambda some: [item * 2 for item in some], items)) == [item * 2 for item in items]


def test_many_items_are_done_elsewhere_and_few_here():
    assert set(processes.results(lambda some: [os.getpid() for _ in some], range(processes.FEW))) == {os.getpid()}
    elsewhere = set(processes.results(lambda some: [os.getpid() for _ in some], range(processes.FEW + 1)))
    assert os.getpid() not in elsewhere
    assert len(elsewhere) == 2


def test_few_items_that_take_long_are_done_elsewhere_one_by_one():
    """Else one that takes a second would wait for another beside an idle processor."""
    assert list(processes.results(lambda some: [(item, len(some)) for item in some], [3, 1, 2], alone=True)) == [(3, 1), (1, 1), (2, 1)]
    assert set(processes.results(lambda some: [os.getpid() for _ in some], [1], alone=True)) == {os.getpid()}
    assert os.getpid() not in set(processes.results(lambda some: [os.getpid() for _ in some], [1, 2], alone=True))


def test_large_results_come_whole():
    found = list(processes.results(lambda some: ["x" * 100_000 for _ in some], range(200)))
    assert [len(text) for text in found] == [100_000] * 200


def test_what_a_lost_process_did_not_finish_is_done_here():
    """A verdict that is missing would be a pass."""
    here = os.getpid()

    def task(some):
        if 500 in some and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return [item + 1 for item in some]

    assert list(processes.results(task, range(1_000))) == list(range(1, 1_001))


def test_nothing_is_left_behind(children):
    open_files, threads = sorted(Path("/proc/self/fd").iterdir()), threading.active_count()
    list(processes.results(list, range(200)))
    assert sorted(Path("/proc/self/fd").iterdir()) == open_files
    assert threading.active_count() == threads
    assert_all_have_ended(children)


def test_an_interrupted_run_ends_its_processes(children):
    running = processes.results(list, range(1_000))
    next(running)
    running.close()
    assert_all_have_ended(children)
