"""The live display on a terminal and in a log."""

from __future__ import annotations

import io
import math
import time
from dataclasses import replace

import pytest
from rich.console import Console

import gpu_ls_plugin as gls
from gpu_ls_plugin.core import progress
from gpu_ls_plugin.core.compilations import Compilations
from gpu_ls_plugin.core.progress import SearchDisplay, cost_text, gap_percent, in_units
from gpu_ls_plugin.core.result import Progress
from tests.helpers.processes import run_python

STATE = Progress(
    elapsed=2.0,
    best_cost=1020,
    mean_cost=1033.5,
    moves=7,
    evaluations=3_000_000_000,
    done=3,
    total=8,
)
SHOWN = ("best 1,020", "gap 2.00 %", "mean 1,033.50", "1.5 G moves/s", "3 of 8 tours done")


def shown_kernels(monkeypatch: pytest.MonkeyPatch) -> Compilations:
    """Return the kernels that displays show."""
    kernels = Compilations()
    monkeypatch.setattr(progress, "compilations", kernels)
    return kernels


def drawn(display: SearchDisplay) -> str:
    """Return what a display draws at this moment."""
    stream = io.StringIO()
    Console(file=stream, width=160).print(display)
    return stream.getvalue()


def test_a_log_gets_a_line_every_few_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with SearchDisplay("x", 10.0, 1000, Console(file=stream, width=40)) as display:
        for _ in range(100):
            display(STATE)
        now += 6.0
        display(STATE)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3 and lines[0].startswith("x: preparing")
    assert all(text in line for line in lines[1:] for text in SHOWN)


def test_a_terminal_shows_lines_and_erases_them() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=160, force_terminal=True, color_system=None)
    with SearchDisplay("[x]", 10.0, 1000, console) as display:
        console.print(display)
        assert "[x]: preparing" in stream.getvalue()
        display(STATE)
    shown = stream.getvalue()
    assert all(text in shown for text in SHOWN) and "[x] " in shown
    assert shown.endswith("\x1b[2K")  # the lines are erased


def test_a_terminal_shows_what_is_being_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = shown_kernels(monkeypatch)
    console = Console(file=io.StringIO(), width=160, force_terminal=True, color_system=None)
    with SearchDisplay("x", 10.0, 1000, console) as display:
        assert kernels.displays == 1
        with kernels.named("chain"), kernels.running("with cc"):
            assert drawn(display).endswith("x: compiling chain\n")
            display(STATE)
            assert drawn(display).endswith("tours done\ncompiling chain\n")
        assert drawn(display).endswith("tours done\n")
    assert kernels.displays == 0


def test_a_log_says_what_is_being_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = shown_kernels(monkeypatch)
    stream = io.StringIO()
    with SearchDisplay("x", 10.0, 1000, Console(file=stream, width=40)) as display:
        assert kernels.displays == 0  # so that what compiles before the search is logged
        with kernels.named("chain"), kernels.running("with cc"):
            display(STATE)
    assert stream.getvalue().endswith("tours done  compiling chain\n")


def test_kicks_replace_the_count_of_tours() -> None:
    stream = io.StringIO()
    with SearchDisplay("x", console=Console(file=stream)) as display:
        display(replace(STATE, kicks=5_000))
    assert "2.5 k kicks/s" in stream.getvalue() and "tours done" not in stream.getvalue()


def test_a_bar_without_a_limit_pulses() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=160, force_terminal=True, color_system=None)
    with SearchDisplay("x", console=console) as display:
        display(STATE)
        head = display.__rich__().renderables[0]
        assert next(iter(head.columns[1].cells)).total is None
    assert "best 1,020" in stream.getvalue()


def test_the_display_is_public_and_costs_nothing_to_import() -> None:
    assert gls.SearchDisplay is SearchDisplay
    code = "import sys, gpu_ls_plugin as gls; gls.SearchDisplay; print('rich' in sys.modules)"
    assert run_python("-c", code) == "False\n"


def test_without_an_optimum_there_is_no_gap() -> None:
    stream = io.StringIO()
    with SearchDisplay("x", 10.0, None, Console(file=stream)) as display:
        display(STATE)
    assert "gap" not in stream.getvalue()


@pytest.mark.parametrize(
    ("cost", "optimum", "gap"),
    [(103, 100, 3.0), (100, 100, 0.0), (0, 0, 0.0), (5, 0, math.inf), (5, None, None)],
)
def test_gap(cost: float, optimum: float | None, gap: float | None) -> None:
    assert gap_percent(cost, optimum) == gap


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (999.6, "1 k"),
        (1234567, "1.23 M"),
        (2.5e12, "2.5 T"),
        (3e15, "3e+03 T"),
    ],
)
def test_units(value: float, text: str) -> None:
    assert in_units(value) == text


def test_costs() -> None:
    assert (cost_text(12345), cost_text(12345.678)) == ("12,345", "12,345.68")
