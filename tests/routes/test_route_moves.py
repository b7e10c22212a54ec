"""Local search on linked lists of routes, compared with one on plain lists of customers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.plugins.search_text import parse_search
from tests.helpers.linked_oracle import descend
from tests.helpers.marks import in_pairs, slow_after
from tests.helpers.routing import KINDS, giant_tours, random_cvrp, renamed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.tours.moves.base import Neighbourhood

BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
INTEGER = [kind for kind in KINDS if "real" not in kind]
STARS = [[], [gls.SwapStar()]]
STAR = pytest.mark.parametrize("star", STARS, ids=["alone", "swap_star"])


def search(k: int = 8, more: Sequence[Neighbourhood] = ()) -> gls.LocalSearch:
    return gls.LocalSearch([gls.RouteMoves(), *more], gls.Nearest(k))


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(("kind", "soft", "star"), in_pairs(INTEGER, [False, True], STARS))
def test_it_makes_the_moves_of_the_oracle(
    kind: str, soft: bool, star: list[Neighbourhood], backend: str
) -> None:
    problem = random_cvrp(kind, 30, 3, capacity=50)
    if soft:
        further = {part.name: 2 for part in problem.resources}
        problem = problem.penalised(load=3, duration=2, **further)
    one_route = problem.tour([range(1, problem.customers + 1)])  # the search must begin others
    tours = np.stack([*giant_tours(problem, 11, 4), one_route])  # half of them keep the capacity
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
    if "fleet" not in kind:  # a customer may begin a route if there is no room for it
        assert problem.feasible(found.tours).all()
    # A move that reduces a load may make others possible; the search does not look for these.
    again = search()(problem, found.tours, backend=backend)
    assert again.statistics.moves < 0.1 * found.statistics.moves
    same = again.costs == found.costs
    assert same.mean() > 0.5
    assert (again.tours[same] == found.tours[same]).all()


@BOTH
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
@STAR
def test_no_saving_pays_for_a_violation(
    metric: str, star: list[Neighbourhood], backend: str
) -> None:
    """One route to six customers around the depot saves 1,000 and takes 7,000: one too many."""
    angles = np.arange(6) * np.pi / 3
    points = np.r_[[(0, 0)], 1000 * np.c_[np.cos(angles), np.sin(angles)]]
    problem = gls.CVRP(points, [0, *[1] * 6], 6, metric=metric, copies=6, route_limit=6999)
    found = search(6, star)(problem, gls.one_route_each(problem), backend=backend)
    assert found.feasible.all() and found.best_cost == pytest.approx(8000)


@BOTH
def test_launches_and_limits_do_not_change_the_moves(
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
def test_rotations_and_copies_of_the_depot_make_no_difference(backend: str) -> None:
    problem = gls.CVRP.generated(199, seed=3)
    tours = gls.savings(problem, 8, seed=1, backend="cpu")
    found = search()(problem, tours, backend=backend)
    random = np.random.default_rng(1)
    for _ in range(20):
        again = search()(problem, renamed(problem, tours, random), backend=backend)
        assert (problem.canonical(again.tours) == problem.canonical(found.tours)).all()


@pytest.mark.slow
@pytest.mark.parametrize("limit", slow_after(1, [400, None]))
def test_real_lengths_that_are_integers_lead_to_the_same_routes(limit: int | None) -> None:
    """With real lengths, the gain of a move is measured instead of added up."""
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


def test_chains_may_begin_with_a_descent_on_lists() -> None:
    problem = random_cvrp("capacity", 30, 1)
    chains = gls.IteratedLocalSearch(search(), gls.StringRemoval())
    found = chains(problem, giant_tours(problem, 4), budget=gls.Budget(kicks=50), backend="cpu")
    assert problem.feasible(found.best_tour)


def test_searches_are_written_as_text() -> None:
    assert parse_search("route_moves/nearest(12)") == search(12)
    assert parse_search("route_moves+swap_star/nearest(12)") == search(12, [gls.SwapStar()])
