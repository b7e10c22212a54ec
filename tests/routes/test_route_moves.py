"""Local search on linked lists of routes, beside plain lists of customers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.plugins.search_text import parse_search
from tests.helpers.linked_oracle import descend
from tests.helpers.random_problems import random_problem, random_tours
from tests.helpers.routing import KINDS, giant_tours, random_cvrp, renamed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.tours.moves.base import Neighbourhood

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
INTEGER = [kind for kind in KINDS if "real" not in kind]


STAR = pytest.mark.parametrize("star", [[], [gls.SwapStar()]], ids=["alone", "swap_star"])


def search(k: int = 8, more: Sequence[Neighbourhood] = ()) -> gls.LocalSearch:
    return gls.LocalSearch([gls.RouteMoves(), *more], gls.Nearest(k))


@BOTH
@STAR
@pytest.mark.parametrize("kind", INTEGER)
@pytest.mark.parametrize("soft", [False, True])
def test_it_makes_the_moves_of_the_oracle(
    kind: str, soft: bool, star: list[Neighbourhood], backend: str
) -> None:
    problem = random_cvrp(kind, 30, 3, capacity=50)
    problem = problem.penalised(load=3, duration=2) if soft else problem
    one_route = problem.tour([range(1, problem.customers + 1)])  # from which others have to begin
    tours = np.stack([*giant_tours(problem, 11, 4), one_route])  # half of them keep to the capacity
    found = search(7, star)(problem, tours, backend=backend)
    expected = [descend(problem, tour, 7, swap_star=bool(star)) for tour in tours]
    for (routes, _), row, cost in zip(expected, found.tours, found.costs, strict=True):
        assert (problem.canonical(row) == problem.canonical(problem.tour(routes))).all()
        assert cost == problem.cost(row)[0]
    made = np.sum([moves for _, moves in expected], axis=0)
    names = ["route_moves", *(part.name for part in star)]
    assert found.statistics.moves_by == dict(zip(names, made, strict=True))
    assert found.statistics.moves == made.sum()
    assert found.statistics.stopped_by == "optimum"


@BOTH
@pytest.mark.parametrize("kind", list(KINDS))
def test_tours_are_never_worse_and_feasible_ones_stay_so(kind: str, backend: str) -> None:
    problem = random_cvrp(kind, 40, 5)
    tours = giant_tours(problem, 30, 6)
    found = search()(problem, tours, backend=backend)
    assert problem.feasible(found.tours)[problem.feasible(tours)].all()
    assert (found.costs < problem.tsp.cost(tours)).all()
    if "fleet" not in kind:  # a customer without room begins a route
        assert problem.feasible(found.tours).all()
    # What a route no longer carries may make moves elsewhere possible, which nobody looks at.
    again = search()(problem, found.tours, backend=backend)
    assert again.statistics.moves < 0.1 * found.statistics.moves
    same = again.costs == found.costs
    assert same.mean() > 0.5
    assert (again.tours[same] == found.tours[same]).all()


@BOTH
def test_launches_and_limits_change_nothing_else(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = random_cvrp("duration", 40, 5)
    tours = giant_tours(problem, 9, 6)
    whole = search()(problem, tours, backend=backend)
    few = search()(problem, tours, backend=backend, budget=gls.Budget(moves=3))
    assert few.statistics.moves <= 3 * len(tours)
    assert few.statistics.stopped_by == "moves"
    in_turns = search()(problem, tours, backend=backend, memory_limit=1 << 16)
    monkeypatch.setattr(tuning, "LAUNCH_SECONDS", 1e-5)
    slices = search()(problem, tours, backend=backend)
    assert slices.statistics.launches > whole.statistics.launches
    for other in (in_turns, slices):
        assert (other.tours == whole.tours).all()
        assert other.statistics.moves == whole.statistics.moves


@BOTH
def test_where_a_row_begins_makes_no_difference(backend: str) -> None:
    problem = gls.CVRP.generated(199, seed=3)
    tours = gls.savings(problem, 8, seed=1, backend="cpu")
    found = search()(problem, tours, backend=backend)
    random = np.random.default_rng(1)
    for _ in range(20):
        again = search()(problem, renamed(problem, tours, random), backend=backend)
        assert (problem.canonical(again.tours) == problem.canonical(found.tours)).all()


@pytest.mark.parametrize("limit", [None, 400])
def test_real_lengths_that_are_integers_lead_to_the_same_routes(limit: int | None) -> None:
    """What moves make routes of real lengths cheaper by is measured, not added up."""
    random = np.random.default_rng(3)
    places = np.stack([random.permutation(200)[:41], np.zeros(41)], axis=1)
    demands = np.concatenate([[0], random.integers(1, 20, 40)])
    found = []
    for metric in ("EUC_2D", "EUC"):
        problem = gls.CVRP(places, demands, 60, metric=metric, route_limit=limit)
        starts = giant_tours(problem, 5, 1)
        chains = gls.IteratedLocalSearch(search(8, [gls.SwapStar()]), gls.StringRemoval())
        found.append(chains(problem, starts, budget=gls.Budget(kicks=300), backend="cpu"))
    one, other = found
    assert (one.tours == other.tours).all() and (one.costs == other.costs).all()
    assert one.statistics.accepted == other.statistics.accepted


@pytest.mark.gpu
@pytest.mark.parametrize("kind", list(KINDS))
def test_both_backends_find_the_same(kind: str) -> None:
    for customers in (40, 700):
        problem = random_cvrp(kind, customers, 7, capacity=80)
        tours = giant_tours(problem, 20, 8)
        here, there = (search()(problem, tours, backend=on) for on in ("cpu", "cuda"))
        if problem.integer:
            assert (here.tours == there.tours).all()
        else:
            assert np.allclose(here.costs, there.costs, rtol=0.02)


def test_chains_may_begin_with_it() -> None:
    problem = random_cvrp("capacity", 30, 1)
    chains = gls.IteratedLocalSearch(search(), gls.StringRemoval())
    found = chains(problem, giant_tours(problem, 4), budget=gls.Budget(kicks=50), backend="cpu")
    assert problem.feasible(found.best_tour)


def test_what_it_cannot_search_is_refused() -> None:
    assert parse_search("route_moves/nearest(12)") == search(12)
    assert parse_search("route_moves+swap_star/nearest(12)") == search(12, [gls.SwapStar()])
    for others in (
        {"neighbourhoods": [gls.RouteMoves(), gls.TwoOpt()]},
        {"neighbourhoods": [gls.SwapStar(), gls.RouteMoves()]},
        {"neighbourhoods": [gls.RouteMoves(), gls.SwapStar(), gls.SwapStar()]},
        {"pivoting": gls.Best()},
        {"candidates": gls.All()},
    ):
        given = {"neighbourhoods": [gls.RouteMoves()], "candidates": gls.Nearest(8), **others}
        with pytest.raises(InvalidParameterError, match=r"RouteMoves\(\) is searched alone"):
            gls.LocalSearch(**given)
    with pytest.raises(UnsupportedProblemError, match="route_moves changes routes"):
        search()(random_problem("EUC_2D", 20), random_tours(20, 2), backend="cpu")
