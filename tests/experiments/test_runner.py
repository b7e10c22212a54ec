"""Runs that end, fail, are interrupted, or are repeated, without a framework."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import signal
import time
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from gpu_ls_plugin.backends.beside import Aside
from gpu_ls_plugin.core.budget import compiling
from gpu_ls_plugin.experiments import Results
from gpu_ls_plugin.experiments.display import ExperimentDisplay
from gpu_ls_plugin.experiments.plan import Plan
from gpu_ls_plugin.experiments.records import CurvePoint
from gpu_ls_plugin.experiments.runner import About, Curve, run_all

if TYPE_CHECKING:
    from pathlib import Path

    from gpu_ls_plugin.experiments.plan import Run
    from gpu_ls_plugin.experiments.records import Record

IT = Plan({"a": "A", "b": "B"}, {"p": "P"}, (1, 2), "T", {"a": "short"})
ABOUT = About({"p": 1}, {"p": 5.0}, {"cores": "2"}, {"p": "3 cities"}, "after 1 s")
KEYS = [("a", "p", 1), ("b", "p", 1), ("a", "p", 2), ("b", "p", 2)]


class Performer:
    """Performs runs of two generations, and calls `act` in the run of `key`."""

    def __init__(self, key: object = None, act: Any = None) -> None:
        self.key, self.act = key, act
        self.made: list[object] = []

    def __call__(self, run: Run, curve: Curve) -> list[list[int]]:
        self.made.append(run.key)
        curve.note(10, 1, [[9.0]])
        if run.key == self.key:
            self.act()
        curve.end(20, 2, [[float(run.seed)]])
        curve.used, curve.counts = "a search", {"kicks": 7}
        return [[run.seed, 0]]


def perform(folder: Path, performer: Performer) -> tuple[list[Record], str]:
    """Perform all runs; return the records and the output."""
    stream = io.StringIO()
    display = ExperimentDisplay(Console(file=stream, width=200))
    return run_all(IT, folder, ABOUT, performer, display), stream.getvalue()


def test_each_run_is_made_once_and_stored(tmp_path):
    performer = Performer()
    records, shown = perform(tmp_path, performer)
    assert [record.key for record in records] == performer.made == KEYS
    assert records[2].costs == [[2.0]] and records[2].solutions == [[2, 0]]
    assert (records[0].optimum, records[0].machine, records[0].error) == (5.0, {"cores": "2"}, "")
    assert records[0].description == {
        "algorithm": "A", "termination": "T", "summary": "short", "problem": "3 cities",
        "until": "after 1 s", "used": "a search",
    }  # fmt: skip
    assert records[0].counts == {"kicks": 7} and records[0].cpu_seconds >= 0
    assert len(list((tmp_path / "runs").iterdir())) == 4
    assert shown.splitlines()[0] == "4 runs, 0 of them stored"
    assert shown.splitlines()[1].startswith("a on p, seed 1: 0.0 s, best 1")
    assert [line[-8:] for line in shown.splitlines()[1:]] == [f"({k} of 4)" for k in (1, 2, 3, 4)]

    again, shown = perform(tmp_path, performer)
    assert again == records and len(performer.made) == 4
    assert shown == "4 runs, 4 of them stored\n"


def test_stored_runs_get_an_optimum_that_was_unknown(tmp_path):
    display = ExperimentDisplay(Console(file=io.StringIO()))
    for optimum, expected in ((None, None), (4.0, 4.0), (None, 4.0)):
        about = dataclasses.replace(ABOUT, optima={"p": optimum})
        records = run_all(IT, tmp_path, about, Performer(), display)
        assert [record.optimum for record in records] == [expected] * 4
        assert Results.load(tmp_path).records[0].optimum == expected


def fail() -> None:
    raise ValueError("the parts\ndo not fit")


def test_a_run_that_fails_is_repeated(tmp_path):
    performer = Performer(KEYS[1], fail)
    records, shown = perform(tmp_path, performer)
    assert [bool(record.error) for record in records] == [False, True, False, False]
    assert "Traceback" in records[1].error and "ValueError: the parts" in records[1].error
    assert records[1].costs == records[1].solutions == [] and len(records[1].curve) == 1
    assert "b on p, seed 1: do not fit" in shown
    performer.key = None
    records, _ = perform(tmp_path, performer)
    assert performer.made[4:] == [KEYS[1]] and not any(record.error for record in records)


def interrupt() -> None:
    raise KeyboardInterrupt


def swallow() -> None:
    """Press Ctrl-C in a search, which then returns early."""
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("act", [interrupt, swallow])
def test_ctrl_c_keeps_finished_runs(act, tmp_path):
    performer = Performer(KEYS[2], act)
    records, shown = perform(tmp_path, performer)
    assert [record.key for record in records] == KEYS[:2]
    assert "interrupted: 2 of 4 runs are stored" in shown
    performer.key = None
    records, shown = perform(tmp_path, performer)
    assert [record.key for record in records] == KEYS and performer.made[3:] == KEYS[2:]
    assert "4 runs, 2 of them stored" in shown


def test_ctrl_c_before_any_run_has_ended(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        perform(tmp_path, Performer(KEYS[0], interrupt))


def test_damaged_and_missing_runs_are_repeated(tmp_path):
    records, _ = perform(tmp_path, Performer())
    half, gone, *_ = sorted((tmp_path / "runs").iterdir())
    half.write_bytes(half.read_bytes()[:100])
    key = tuple(json.loads(gone.read_bytes())[name] for name in ("algorithm", "problem", "seed"))
    gone.unlink()
    performer = Performer()
    with pytest.warns(UserWarning, match=half.name):
        again, _ = perform(tmp_path, performer)
    assert len(performer.made) == 2 and key in performer.made
    assert [(r.key, r.costs) for r in again] == [(r.key, r.costs) for r in records]


def test_compiling_does_not_count(tmp_path, monkeypatch):
    clock = 100.0
    monkeypatch.setattr(time, "perf_counter", lambda: clock)

    def act() -> None:
        nonlocal clock
        clock += 2.0
        with compiling():
            clock += 30.0

    (record, *_), _ = perform(tmp_path, Performer(KEYS[0], act))
    assert [point.seconds for point in record.curve] == [0.0, 2.0]
    assert (record.seconds, record.compiling) == (2.0, 30.0)


def test_a_run_begins_after_what_is_compiled_in_the_background(tmp_path):
    ended: list[int] = []

    class Compiling(Performer):
        def __call__(self, run: Run, curve: Curve) -> list[list[int]]:
            assert len(ended) == len(self.made)  # those of the runs before are over
            for urgent in (False, True):
                Aside(lambda: Event().wait(0.2), urgent=urgent)
            Aside(lambda: ended.append(run.seed), urgent=False)
            return super().__call__(run, curve)

    records, _ = perform(tmp_path, Compiling())
    assert not any(record.error for record in records)


def test_a_curve_has_new_best_costs_and_the_first_and_last_state():
    seen: list[CurvePoint] = []
    curve = Curve(seen.append)
    for generation, costs in enumerate(([], [[9.0]], [[9.0]], [[7.0]], [[8.0]], []), start=1):
        curve.note(generation * 10, generation, costs)
    curve.end(60, 6, [[7.0]])
    assert [point.generation for point in curve.points] == [1, 2, 4, 6]
    assert [point.generation for point in seen] == [1, 2, 3, 4, 5, 6]
    seconds = [point.seconds for point in curve.points]
    assert seconds == sorted(seconds) and seconds[0] >= 0


def test_a_curve_of_fronts_has_powers_of_two():
    curve = Curve(lambda point: None)
    for generation in range(1, 40):
        curve.note(generation, generation, [[1.0, 2.0]])
    curve.end(39, 39, [[1.0, 2.0]])
    assert [point.generation for point in curve.points] == [1, 2, 4, 8, 16, 32, 39]


def test_a_terminal_shows_a_bar():
    stream = io.StringIO()
    console = Console(file=stream, width=120, force_terminal=True, color_system=None)
    display = ExperimentDisplay(console)
    with display.of(8, 5):
        display.begin(next(IT.runs()))
        display.show(CurvePoint(2.5, 100, 12, [[1234.0]]))
    shown = stream.getvalue()
    assert "3/8" in shown and "a on p, seed 1  2.5 s, generation 12, best 1,234" in shown
    assert shown.endswith("\x1b[2K")  # the line is erased
