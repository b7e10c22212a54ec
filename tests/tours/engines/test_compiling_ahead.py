"""Compiling ahead covers all kernels of a search, and happens once for similar problems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.solver import Settings
from gpu_ls_plugin.solver.plans import plan_of
from gpu_ls_plugin.tours.engines.compiling_ahead import compile_chains
from tests.helpers.random_problems import random_problem, random_tours

CPU = get_backend("cpu")


def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each launch appends the body of its kernel."""
    bodies, launch = [], type(CPU).launch

    def note(self: Any, kernel: Any, *given: Any, **options: Any) -> bool:
        bodies.append(kernel.body)
        return bool(launch(self, kernel, *given, **options))

    monkeypatch.setattr(type(CPU), "launch", note)
    return bodies


def test_both_stages_of_a_crossover_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random tours gain much from each other, so that a search would begin with one stage only."""
    problem = random_problem("EUC_2D", 120)
    search = gls.IteratedLocalSearch(
        gls.LocalSearch(candidates=gls.Nearest(6)),
        cooperation=gls.EdgeAssembly(0.1, 2, strategy="staged"),
    )
    bodies = launched(monkeypatch)
    compile_chains(search, problem, random_tours(120, 20), CPU)
    assert {"SingleCycles" in b for b in bodies if "EdgeAssembly" in b} == {True, False}


@pytest.mark.slow
def test_similar_problems_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiles(problem: gls.TSP, **given: Any) -> bool:
        before = len(bodies)
        main = plan_of(problem, Settings(backend="cpu", seconds=1.0, **given)).main
        assert main.prepare is not None
        main.prepare(main)
        return len(bodies) > before

    bodies = launched(monkeypatch)
    random = np.random.default_rng(1)
    one, other = (gls.TSP(random.integers(0, 999, (203, 2)), "EUC_2D") for _ in range(2))
    assert compiles(one)
    assert not compiles(other)
    assert compiles(other, population=40)
    assert compiles(other, search="two_opt/nearest(5)")
    assert compiles(gls.TSP(one.coordinates * 1e6, "EUC_2D")), "lengths of another type"
    assert compiles(gls.TSP(one.coordinates, "CEIL_2D"))
    assert compiles(gls.TSP(one.coordinates[:150], "EUC_2D"))
    for _ in range(2):
        assert compiles(gls.TSP.from_matrix(one.lengths(*np.indices((203, 203)))))
