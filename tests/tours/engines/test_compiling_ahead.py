"""What is compiled ahead: all that chains may come to need, and once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.solver import Settings
from gpu_ls_plugin.solver.plans import plan_of
from gpu_ls_plugin.tours.engines.compiling_ahead import compile_chains
from gpu_ls_plugin.tours.plan import preparation
from tests.helpers.random_problems import random_problem, random_tours

if TYPE_CHECKING:
    import pytest

CPU = get_backend("cpu")


def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by the body of each kernel that is launched."""
    bodies, launch = [], type(CPU).launch

    def note(self: Any, kernel: Any, *given: Any, **options: Any) -> bool:
        bodies.append(kernel.body)
        return bool(launch(self, kernel, *given, **options))

    monkeypatch.setattr(type(CPU), "launch", note)
    return bodies


def test_both_stages_of_a_crossover_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kicks have made the tours different, so that many gain from each other."""
    problem = random_problem("EUC_2D", 120)
    search = gls.IteratedLocalSearch(
        gls.LocalSearch(candidates=gls.Nearest(6)),
        cooperation=gls.EdgeAssembly(0.1, 2, strategy="staged"),
    )
    bodies = launched(monkeypatch)
    compile_chains(search, problem, random_tours(120, 20), CPU)
    assert {"SingleCycles" in b for b in bodies if "EdgeAssembly" in b} == {True, False}


def test_what_is_alike_is_rehearsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def rehearsed(problem: gls.TSP, **given: Any) -> bool:
        before = len(bodies)
        main = plan_of(problem, Settings(backend="cpu", **given)).main
        assert main.prepare is not None
        main.prepare(main)
        return len(bodies) > before

    monkeypatch.setattr(preparation, "_compiled", set())
    bodies = launched(monkeypatch)
    random = np.random.default_rng(1)
    one, other = (gls.TSP(random.integers(0, 999, (200, 2)), "EUC_2D") for _ in range(2))
    assert rehearsed(one, seconds=1.0)
    assert not rehearsed(other, seconds=1.0)
    assert rehearsed(other, seconds=1.0, population=40)
    assert rehearsed(other, seconds=1.0, search="two_opt/nearest(5)")
    far = gls.TSP(one.coordinates * 1e6, "EUC_2D")
    assert rehearsed(far, seconds=1.0), "lengths of another type"
    assert rehearsed(gls.TSP(one.coordinates, "CEIL_2D"), seconds=1.0)
    assert rehearsed(gls.TSP(one.coordinates[:150], "EUC_2D"), seconds=1.0)
    for _ in range(2):
        assert rehearsed(gls.TSP.from_matrix(one.lengths(*np.indices((200, 200)))), seconds=1.0)
