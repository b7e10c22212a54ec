"""Time windows: a resource that is no sum and depends on the direction of routes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.routes.problem.resources.time_windows import FAR
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_tours
from tests.helpers.routing import (
    assert_exact_costs,
    assert_no_more_violations,
    giant_tours,
    random_cvrp,
    random_vrp,
)
from tests.routes.time_windows import some_windows

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
LINKED = gls.LocalSearch([gls.RouteMoves(), gls.SwapStar()], gls.Nearest(8))
OVER_ALL = gls.LocalSearch([gls.TwoOpt(), gls.Relocate(3), gls.Exchange(2, 2)], gls.All())


def windowed(kind: str, customers: int, seed: int) -> gls.CVRP:
    problem = random_cvrp(kind, customers, seed, capacity=40)
    return problem.with_resources(some_windows(problem, seed))


@BOTH
@pytest.mark.parametrize("kind", slow_after(1, ["capacity", "duration", "directed"]))
def test_chains_know_the_costs_of_their_tours(kind, backend):
    problem, where = windowed(kind, 24, 1), get_backend(backend)
    search = gls.IteratedLocalSearch(LINKED, gls.StringRemoval(6, 4), gls.Always())
    tours = where.xp.asarray(giant_tours(problem, 8, 2))
    chains = search.chains(Start(where, problem.tsp, tours, 3))
    for kicks in range(1, 30):
        chains.advance(kicks, 1.0, 0.0, 60.0)
        assert_exact_costs(chains, problem)


@BOTH
@pytest.mark.parametrize("search", [LINKED, OVER_ALL], ids=["linked", "over all"])
def test_windows_are_never_missed_by_more(search, backend):
    problem = windowed("capacity", 24, 3)
    starts = giant_tours(problem, 12, 4)
    found = search(problem, starts, backend=backend)
    assert_no_more_violations(problem, starts, found.tours)
    before, after = (
        problem.violations(rows).resources["time_windows"].sum() for rows in (starts, found.tours)
    )
    assert after < before / 4
    assert (found.costs == problem.tsp.cost(found.tours)).all()


def test_costs_under_resources_of_plugins_are_not_proven():
    problem = random_cvrp("duration", 12, 1)
    assert problem.tsp.objective.proven
    assert not problem.with_resources(some_windows(problem)).tsp.objective.proven


def test_a_pickled_problem_has_its_resources():
    problem = windowed("capacity", 12, 7)
    again = pickle.loads(pickle.dumps(problem))
    rows = giant_tours(problem, 6, 8)
    one, other = (p.violations(rows).resources["time_windows"] for p in (problem, again))
    assert one.any() and (one == other).all()


@BOTH
@pytest.mark.parametrize("given", [{}, {"release_times"}, {"durations"}], ids=str)
def test_times_of_32_and_64_bits_lead_to_the_same_tours(given, backend):
    """All lengths and times of the larger problem are those of the smaller one, many times."""
    base = random_vrp(24, seed=3)
    nodes = np.arange(25)
    far = base.nodes.distance(nodes[:, np.newaxis], nodes)
    windows = base.windows.copy()
    windows[1::5, 1] = FAR
    more = {"release_times": nodes * 30, "durations": far * 3 // 2}

    def scaled(by: int) -> gls.VRP:
        return gls.VRP(
            None,
            base.demands[: len(nodes)],
            base.capacity,
            distances=far * by,
            windows=np.where(windows < FAR, windows * by, FAR),
            service_times=base.service_times * by,
            vehicles=5,
            **{name: more[name] * by for name in given},
        ).penalised(load=2 * by, time_windows=1)

    search = gls.IteratedLocalSearch(LINKED, gls.StringRemoval(6, 4), gls.Annealing())
    found = {}
    for by, amount in ((1, "int"), (2**14, "gls::int64")):
        problem = scaled(by)
        (timed,) = problem.resources
        assert timed.functor(problem).startswith(f"gls::TimeWindows<{amount},")
        starts, budget = random_tours(problem.n, 6, 2), gls.Budget(kicks=300)
        found[by] = search(problem.tsp, starts, seed=1, budget=budget, backend=backend)
        assert (found[by].costs == problem.tsp.cost(found[by].tours)).all()
    assert found[1].tours.tolist() == found[2**14].tours.tolist()
