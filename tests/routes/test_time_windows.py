"""A resource that is not a sum, and depends on the way that routes are run."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.marks import slow_after
from tests.helpers.routing import giant_tours, random_cvrp
from tests.routes.time_windows import some_windows

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
MOVES = [gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2), gls.TwoOptStar(), gls.SwapStar()]


def windowed(kind, customers, seed):
    problem = random_cvrp(kind, customers, seed, capacity=40)
    return problem.with_resources(some_windows(problem, seed))


@BOTH
@pytest.mark.parametrize("kind", slow_after(1, ["capacity", "duration", "directed"]))
@pytest.mark.parametrize("moves", slow_after(1, [MOVES, [gls.LinKernighan(5)]]))
def test_each_kick_adds_what_the_referee_says(kind, moves, backend):
    problem, where = windowed(kind, 24, 1), get_backend(backend)
    moves = moves if problem.symmetric else MOVES[1:]
    local = gls.LocalSearch(moves, candidates=gls.Nearest(8))
    search = gls.IteratedLocalSearch(local, gls.DoubleBridge(), gls.Always())
    tours = where.xp.asarray(giant_tours(problem, 8, 2))
    chains = search.chains(Start(where, problem.tsp, tours, 3))
    for kicks in range(1, 30):
        chains.advance(kicks, 1.0, 0.0, 60.0)
        said, tours = (where.to_numpy(array) for array in (chains.costs, chains.tours))
        assert said.tolist() == problem.tsp.cost(tours).tolist()


@BOTH
@pytest.mark.parametrize("pivoting", slow_after(1, [gls.First(), gls.Best()]))
def test_windows_are_never_missed_by_more(pivoting, backend):
    problem = windowed("capacity", 24, 3)
    starts = giant_tours(problem, 12, 4)
    search = gls.LocalSearch(MOVES, candidates=gls.Nearest(8), pivoting=pivoting)
    found = search(problem, starts, backend=backend)
    before, after = problem.violations(starts), problem.violations(found.tours)
    assert (after.resources["time_windows"] <= before.resources["time_windows"]).all()
    assert after.resources["time_windows"].sum() < before.resources["time_windows"].sum() / 4
    assert (found.costs == problem.tsp.cost(found.tours)).all()


@pytest.mark.parametrize(
    ("candidates", "pivoting"), [(gls.All(), gls.Best()), (gls.Nearest(5), gls.Multi())]
)
def test_searches_that_turn_tours_are_refused(candidates, pivoting):
    problem = windowed("capacity", 12, 5)
    search = gls.LocalSearch([gls.TwoOpt()], candidates, pivoting)
    with pytest.raises(UnsupportedProblemError, match="reverses tours"):
        search(problem, giant_tours(problem, 2, 6), backend="cpu")


def test_a_pickled_problem_has_its_resources():
    import pickle

    problem = windowed("capacity", 12, 7)
    again = pickle.loads(pickle.dumps(problem))
    rows = giant_tours(problem, 6, 8)
    warps = [p.violations(rows).resources["time_windows"].tolist() for p in (problem, again)]
    assert warps[0] == warps[1]
    assert np.any(warps[0])
