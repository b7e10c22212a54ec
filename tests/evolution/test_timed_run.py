"""The clock and the counts of a user's own loop."""

from __future__ import annotations

import math

import pytest

from gpu_ls_plugin.core import budget
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.timed_run import TimedRun


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list whose only number is the time."""
    time = [100.0]
    monkeypatch.setattr(budget, "now", lambda: time[0])
    return time


def test_the_time_runs_out(clock):
    run = TimedRun(10)
    clock[0] += 4
    assert (run.seconds_left(), run.progress(), run.over) == (6, 0.4, False)
    clock[0] += 7
    assert (run.seconds_left(), run.progress(), run.over) == (0, 1, True)
    run.restart()
    assert (run.seconds_left(), run.progress(), run.over) == (10, 0, False)


def test_without_a_limit(clock):
    run = TimedRun()
    clock[0] += 1e9
    assert (run.seconds_left(), run.progress(), run.over) == (math.inf, 0, False)


def test_counts_and_interrupts():
    run = TimedRun()
    run.account(Statistics(moves=3, seconds=1.0, stopped_by="moves"))
    assert not run.over
    run.account(Statistics(moves=4, seconds=2.0, stopped_by="interrupt"))
    assert (run.statistics.moves, run.statistics.seconds) == (7, 3.0)
    assert run.over and run.seconds_left() == 0
    run.restart()
    assert run.statistics.moves == 0 and not run.over


@pytest.mark.parametrize(
    ("seconds", "error"),
    [(-1, InvalidParameterError), (math.nan, InvalidParameterError), ("1", InvalidTypeError)],
)
def test_wrong_seconds(seconds, error):
    with pytest.raises(error, match="seconds: "):
        TimedRun(seconds)
