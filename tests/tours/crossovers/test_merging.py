"""Merging: one tour with the best parts of all chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.testing.faults import ON_BOTH

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chains import Chains

EACH = 12  # cities for each chain
SEARCH = gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], gls.Nearest(6)))


def circle(n: int) -> gls.TSP:
    """Return cities on a circle; the best tour is in the order of their numbers."""
    angles = np.arange(n) * (2 * np.pi / n)
    return gls.TSP(np.round(1e5 * np.stack([np.cos(angles), np.sin(angles)], axis=1)), "EUC_2D")


def chains_with_faults(size: int, backend: str) -> tuple[gls.TSP, Chains]:
    """Return chains that each have only one place in order, a different one for each chain."""
    problem = circle(EACH * size)
    tours = np.tile(np.arange(problem.n, dtype=np.int32), (size, 1))
    for chain, tour in enumerate(tours):
        for place in range(size):
            if place != chain:
                tour[EACH * place + 4 : EACH * place + 8] = tour[
                    EACH * place + 4 : EACH * place + 8
                ][::-1]
    on = get_backend(backend)
    return problem, SEARCH.chains(Start(on, problem, on.xp.asarray(tours), 1))


@ON_BOTH
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 16])
def test_all_chains_get_the_best_parts_of_each(size: int, backend: str) -> None:
    problem, chains = chains_with_faults(size, backend)
    best = problem.cost(np.arange(problem.n)[None])[0]
    before = get_backend(backend).to_numpy(chains.best_costs)
    assert (before > best).all() or size == 1
    assert gls.Merging().exchange(chains, 0.0) == 0
    for tours, costs in ((chains.tours, chains.costs), (chains.best_tours, chains.best_costs)):
        assert (get_backend(backend).to_numpy(costs) == best).all()
        assert (problem.cost(get_backend(backend).to_numpy(tours)) == best).all()


def test_without_time_nothing_happens() -> None:
    _, chains = chains_with_faults(3, "cpu")
    before = chains.best_costs.copy()
    assert gls.Merging().exchange(chains, 0.0, seconds=0.0) == 0
    assert (chains.best_costs == before).all()


def test_bad_input() -> None:
    with pytest.raises(InvalidParameterError, match=r"OrderRecombination may be worse .*choose P"):
        gls.Merging(crossover=gls.OrderRecombination())
    with pytest.raises(InvalidTypeError, match="crossover"):
        gls.Merging(crossover=gls.Migration())  # type: ignore[arg-type]
    matrix = np.random.default_rng(1).integers(1, 99, (20, 20))
    asymmetric = gls.TSP.from_matrix(matrix - np.diag(np.diag(matrix)))
    with pytest.raises(UnsupportedProblemError, match="PartitionRecombination"):
        gls.Merging().check(asymmetric)
