"""The operators of each adapter: costs, seeds, limits, errors."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnknownPartError,
)
from gpu_ls_plugin.evolution.batches.kick import Kick
from tests.evolution.samples import cities, rows, undirected
from tests.helpers.marks import slow_after
from tests.helpers.routing import random_vrp

N, SIZE = 60, 40
TSP = gls.TSP(cities(N), "EUC_2D", name="sixty")
REAL = gls.TSP(cities(N) / 7, "EUC")
LARGER = gls.TSP(cities(200), "EUC_2D")
CUSTOMERS = 40
ROUTING = gls.CVRP(cities(CUSTOMERS + 1, 3), [0] + [1] * CUSTOMERS, 8, metric="EUC_2D")
PARTS = (
    "edge_assembly",
    "partition_recombination",
    "order_recombination",
    "partially_mapped_recombination",
    "cycle_recombination",
    "segment_recombination",
    "edge_recombination",
)
LIMIT, OVERRUN = 0.5, 0.2  # seconds

# Wrong parameters of a search, with their errors and messages.
REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"search": 3}, InvalidTypeError, "search: 3 is neither a search nor a text"),
    ({"search": gls.LocalSearch}, InvalidTypeError, "search: .* is neither a search"),
    ({"search": gls.RandomRestarts()}, InvalidParameterError, "does not improve given tours"),
    ({"search": "random_restarts"}, InvalidParameterError, "does not improve given tours"),
    ({"search": lambda problem: None}, InvalidParameterError, "does not improve given tours"),
    ({"search": "local_serch"}, UnknownPartError, "did you mean 'local_search'"),
    ({"moves": -1}, InvalidParameterError, "moves: -1 is not at least 1"),
    ({"moves": 0}, InvalidParameterError, "moves: 0 is not at least 1"),
    ({"moves": 2.5}, InvalidTypeError, r"moves: 2\.5 is not an integer"),
    ({"kicks": -1, "search": gls.IteratedLocalSearch()}, InvalidParameterError, "kicks: -1"),
    ({"kicks": 5, "search": "two_opt"}, InvalidParameterError, r"TwoOpt\(\).* makes none"),
    ({"kicks": 5, "search": gls.LocalSearch()}, InvalidParameterError, "makes none"),
    ({"backend": "gpu"}, InvalidParameterError, "backend: 'gpu' is not one of"),
]


def is_tours(made: Any, n: int = N) -> bool:
    return bool((np.sort(made, axis=1) == np.arange(n)).all())


@pytest.mark.parametrize("problem", [TSP, REAL], ids=["integer", "real"])
@pytest.mark.parametrize("options", [{}, {"search": "local_search"}, {"moves": 3}], ids=str)
def test_searched_tours_are_better_exact_and_canonical(face, problem, options):
    given = rows(N, SIZE)
    made = face.search(problem, given, **options)
    assert is_tours(made)
    assert (problem.cost(made) < problem.cost(given)).all()
    assert face.costs(problem, made) == problem.cost(made).tolist()
    assert (made[:, 0] == 0).all() and (made[:, 1] < made[:, -1]).all()


def test_kicks_are_for_default_searches_that_kick(face):
    shop, given = gls.FlowShop(np.random.default_rng(1).integers(1, 9, (N, 3))), rows(N, 2)
    assert is_tours(face.search(shop, given, kicks=5))
    with pytest.raises(
        InvalidParameterError, match=r"kicks: 5, but .* pass an IteratedLocalSearch"
    ):
        face.search(TSP, given, kicks=5)


def test_local_optima_are_not_changed(face):
    best = face.search(LARGER, rows(LARGER.n, 8))  # large: no two tours are equal
    assert np.array_equal(face.search(LARGER, best), best)


def test_costs_are_those_of_the_referee(face):
    given = rows(N, 5)
    assert face.costs(TSP, given) == TSP.cost(given).tolist()
    assert face.costs(REAL, given) == REAL.cost(given).tolist()


def test_a_generation_is_one_batch(face, diary):
    face.search(TSP, rows(N, SIZE), search=diary())
    assert [call["rows"] for call in diary.calls] == [SIZE]


def test_equal_tours_become_different(face):
    made = face.search(TSP, np.tile(rows(N, 1), (SIZE, 1)))
    assert len(np.unique(made, axis=0)) == SIZE


def test_moves_and_kicks_limit_the_search(face, diary):
    face.search(TSP, rows(N, 5), search=diary(), moves=3)
    assert diary.calls[0]["budget"].moves == 3
    face.search(TSP, rows(N, 5), search=diary(), kicks=7)
    assert diary.calls[1]["budget"].kicks == 7
    limited = face.search(TSP, rows(N, 5), moves=3, search="local_search")
    found = gls.LocalSearch()(TSP, rows(N, 5), budget=gls.Budget(moves=3))
    assert TSP.cost(limited).tolist() == found.costs.tolist()


RANDOM = {
    "search": lambda face, seed: face.search(
        TSP, rows(N, 5), seed, search="two_opt/all/random_k(50)", moves=20
    ),
    "kick": lambda face, seed: face.kick(TSP, rows(N, 5), seed),
    "cross": lambda face, seed: face.cross(
        TSP, "order_recombination", rows(N, 5), rows(N, 5, 1), seed
    ),
    "starts": lambda face, seed: face.starts(TSP, 5, seed, construction="random_tours"),
}


@pytest.mark.parametrize("kind", RANDOM)
def test_seeds_decide(face, kind):
    first, again, other = (RANDOM[kind](face, seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_kick_changes_four_edges(face):
    given = rows(N, SIZE)
    made = face.kick(TSP, given, segment=20)
    lost = [len(undirected(old) - undirected(new)) for old, new in zip(given, made, strict=True)]
    assert set(lost) == {4}


@pytest.mark.parametrize("n", range(1, 6))
def test_tiny_tours(face, n):
    problem = gls.TSP(cities(n), "EUC_2D")
    assert is_tours(face.kick(problem, rows(n, 20)), n)
    assert is_tours(face.search(problem, rows(n, 20)), n)


@pytest.mark.parametrize("part", PARTS)
def test_children_are_tours_and_some_never_worse(face, part):
    first, second = (face.search(TSP, rows(N, 10, seed), moves=40) for seed in (1, 2))
    children = face.cross(TSP, part, first, second)
    assert children.shape == (10, N) and is_tours(children)
    if part in ("edge_assembly", "partition_recombination"):
        assert (TSP.cost(children) <= TSP.cost(first)).all()
        assert (TSP.cost(children) < TSP.cost(first)).any()
    same = face.cross(TSP, part, first, first)
    assert TSP.cost(same).tolist() == TSP.cost(first).tolist()


def test_parts_may_be_given_or_named(face):
    parents = rows(N, 10), rows(N, 10, 1)
    named = face.cross(TSP, "order_recombination", *parents)
    assert np.array_equal(named, face.cross(TSP, gls.OrderRecombination(), *parents))
    with pytest.raises(InvalidTypeError, match=r"part: .* is not a recombination"):
        face.cross(TSP, gls.Migration(), *parents)
    with pytest.raises(UnknownPartError, match="order_recombination"):
        face.cross(TSP, "order_crosover", *parents)


def test_starts_are_searched_in_one_batch(face, diary):
    made = face.starts(TSP, 12, construction="random_tours", search=diary())
    assert [call["rows"] for call in diary.calls] == [12]
    assert made.shape == (12, N) and is_tours(made)
    assert TSP.cost(made).max() < TSP.cost(rows(N, 100)).min()
    with pytest.raises(UnknownPartError, match="nearest_neighbour"):
        face.starts(TSP, 12, construction="nearest_neighbor")


@pytest.mark.parametrize("kind", ["capacity", "windows"])
def test_giant_tours(face, kind):
    problem = ROUTING if kind == "capacity" else random_vrp(20)
    given = face.starts(problem, 10)
    assert is_tours(given, problem.n) and problem.feasible(given).all()
    assert face.costs(problem, given) == problem.cost(given).tolist()
    some = rows(problem.n, 10)
    made = face.search(problem, some)
    assert is_tours(made, problem.n)
    assert (problem.tsp.cost(made) < problem.tsp.cost(some)).all()
    assert problem.feasible(made).sum() > problem.feasible(some).sum()
    assert kind == "windows" or problem.feasible(made).all()
    children = face.cross(problem, "segment_recombination", some, made)
    assert is_tours(children, problem.n)
    assert is_tours(face.perturb(problem, "string_removal", given), problem.n)


def test_rows_that_are_no_tours_are_named(face):
    given = rows(N, 3)
    given[2, 0] = given[2, 1]
    for call in (face.search, face.kick):
        with pytest.raises(InvalidTourError, match="row 2"):
            call(TSP, given)
    with pytest.raises(InvalidTourError, match=r"parents: row \d"):
        face.cross(TSP, "order_recombination", given, rows(N, 3))


@pytest.mark.parametrize("kind", ["search", "starts"])
@pytest.mark.parametrize(
    ("options", "error", "message"), REFUSED, ids=lambda value: str(value)[:30]
)
def test_wrong_parameters_are_refused_at_once(face, kind, options, error, message):
    with pytest.raises(error, match=message):
        face.operators(TSP)[kind](**options)


def test_wrong_kicks_are_refused_at_once(face):
    for options, message in ({"segment": 3}, "segment: 3"), ({"backend": "gpu"}, "backend: 'gpu'"):
        with pytest.raises(InvalidParameterError, match=message):
            face.operators(TSP)["kick"](**options)


@pytest.mark.parametrize("kind", ["search", "kick", "starts"])
def test_operators_are_pickled(face, kind):
    made = face.operators(TSP)[kind]()
    assert type(pickle.loads(pickle.dumps(made))) is type(made)


@pytest.mark.parametrize("at", [0, 2])
def test_an_interrupt_ends_the_run_with_the_best_so_far(face, diary, at):
    diary.interrupt_at = at
    outcome = face.run(TSP, 1000.0, search=diary())
    assert len(diary.calls) == at + 1
    assert outcome.cost == TSP.cost(outcome.tour)[0]


def test_a_time_limit_ends_a_run(face):
    outcome = face.run(TSP, 0.2)
    assert outcome.seconds >= 0.2
    assert outcome.cost == TSP.cost(outcome.tour)[0]


@pytest.mark.timed
def test_a_time_limit_holds(face):
    problem = gls.TSP(cities(1000), "EUC_2D")
    outcome = face.run(problem, LIMIT)
    assert LIMIT - OVERRUN <= outcome.seconds <= LIMIT + OVERRUN
    assert outcome.cost == problem.cost(outcome.tour)[0] < problem.cost(rows(1000, 50)).min() / 5


@pytest.mark.timed
@pytest.mark.parametrize("slow", slow_after(1, ["search", "kick"]))
def test_compiling_within_a_run_does_not_count(face, slow, monkeypatch):
    """The seconds of compiling are added to the limit."""
    compiled, kick, search = [], Kick.__call__, gls.LocalSearch()

    def compile_once() -> None:
        if not compiled:
            compiled.append(True)
            with gls.budget.compiling():
                time.sleep(2 * LIMIT)

    def kicked(self: Kick, *args: Any) -> Any:
        if slow == "kick":
            compile_once()
        return kick(self, *args)

    def searched(problem: Any, tours: Any, **options: Any) -> Any:
        if slow == "search" and options["budget"].moves != 0:  # not in a call that only compiles
            compile_once()
        return search(problem, tours, **options)

    monkeypatch.setattr(Kick, "prepare", lambda *args: None)
    monkeypatch.setattr(Kick, "__call__", kicked)
    begin = time.perf_counter()
    outcome = face.run(gls.TSP(cities(12), "EUC_2D"), LIMIT, search=searched)
    assert compiled
    assert 3 * LIMIT <= time.perf_counter() - begin <= 3 * LIMIT + 2 * OVERRUN
    assert outcome.cost == gls.TSP(cities(12), "EUC_2D").cost(outcome.tour)[0]
    assert outcome.generations > 3
