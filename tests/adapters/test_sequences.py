"""The operators of each adapter on all problems of sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidTypeError,
    UnknownPartError,
    UnsupportedProblemError,
)
from tests.evolution.samples import cities
from tests.sequences.problem.tardy import Tardy

if TYPE_CHECKING:
    from tests.adapters.face import Rows

N, SIZE, FRONT = 9, 12, 4
RANDOM = np.random.default_rng(1)
TIMES = RANDOM.integers(1, 50, (N, 3))
DUE, WEIGHTS = RANDOM.integers(20, 200, (2, N))
SETUPS = RANDOM.integers(0, 20, (N, N))
PLACES = RANDOM.integers(0, 50, (N, N))


def displaced(rows: Any) -> Any:
    """Return how much it costs that each item is in its place."""
    return PLACES[np.arange(N), rows].sum(axis=1)


class Preceded(gls.SequenceObjective):
    """The same, and how far item 0 is behind item 1."""

    name = "preceded"
    price = 500

    def evaluate(self, rows: Any, /) -> Any:
        places = rows.argsort(axis=1)
        return displaced(rows), np.maximum(places[:, 0] - places[:, 1], 0)


PROBLEMS: dict[str, gls.Sequence] = {
    "makespan": gls.FlowShop(TIMES),
    "real": gls.FlowShop(TIMES / 7),
    "flowtime": gls.FlowShop(TIMES, "total_flowtime"),
    "tardiness": gls.FlowShop(TIMES, "weighted_tardiness", due_dates=DUE, weights=WEIGHTS),
    "machine": gls.SingleMachine(TIMES[:, 0], DUE, WEIGHTS),
    "setups": gls.SingleMachine(TIMES[:, 0], DUE, WEIGHTS, setups=SETUPS),
    "latency": gls.Latency(gls.TSP(cities(N), "EUC_2D"), start=FRONT),
    "ordering": gls.LinearOrdering(PLACES),
    "own functor": gls.Sequence(N, Tardy(N)),
    "own function": gls.Sequence(N, displaced, integer=True),
    "constrained": gls.Sequence(N, Preceded()),
}
ALONE = ("order", "partially_mapped", "cycle", "segment", "edge")  # recombinations of rows alone
KICKS: dict[str, Any] = {
    "usual": None,
    "destroy_repair": "destroy_repair",
    "descending": gls.DestroyRepair(3, descend=True),
    "double_bridge": gls.DoubleBridge(),
    "restart": "restart",
}


@pytest.fixture(params=PROBLEMS)
def problem(request: pytest.FixtureRequest) -> gls.Sequence:
    return PROBLEMS[request.param]


def some_rows(problem: gls.Sequence, size: int = SIZE, seed: int = 1) -> Rows:
    return gls.random_sequences(problem, size, seed=seed, backend="cpu").astype(np.int64)


def checked(problem: gls.Sequence, made: Rows, size: int = SIZE) -> Rows:
    """Return rows; raise unless they are solutions, with the item in front that belongs there."""
    assert made.shape == (size, N)
    assert (np.sort(made, axis=1) == np.arange(N)).all()
    return problem.check(made)


def test_a_search_makes_no_row_worse(face, problem):
    given = some_rows(problem)
    made = checked(problem, face.search(problem, given, backend="cpu"))
    assert len(np.unique(made, axis=0)) == SIZE
    before, after = problem.compared(given), problem.compared(made)
    assert after.mean() < before.mean()
    fitness = problem.cost(made) if face.framework == "pymoo" else after  # pymoo has constraints
    assert face.costs(problem, made) == fitness.tolist()
    for number in range(SIZE):  # the adapters kick only rows that have a twin
        row, options = given[number, None], {"backend": "cpu", "search": "insertion"}
        assert problem.compared(face.search(problem, row, **options))[0] <= before[number]


@pytest.mark.parametrize("part", KICKS)
def test_kicks_keep_permutations(face, problem, part):
    given = some_rows(problem)
    made = checked(problem, face.perturb(problem, KICKS[part], given, backend="cpu"))
    assert (made != given).any(axis=1).sum() > SIZE // 2
    again = face.perturb(problem, KICKS[part], given, backend="cpu")
    other = face.perturb(problem, KICKS[part], given, seed=2, backend="cpu")
    assert np.array_equal(made, again) and not np.array_equal(made, other)


def test_starts_are_improved(face, problem):
    made = checked(problem, face.starts(problem, SIZE, backend="cpu"))
    assert problem.compared(made).max() < problem.compared(some_rows(problem, 200)).mean()


@pytest.mark.parametrize("part", ALONE)
def test_children_are_permutations(face, problem, part):
    first, second = some_rows(problem), some_rows(problem, seed=2)
    made = checked(problem, face.cross(problem, f"{part}_recombination", first, second))
    assert (made != first).any() and (made != second).any()
    if part in ("order", "partially_mapped", "cycle"):  # these keep an item that both have
        same = face.cross(problem, f"{part}_recombination", first, first)
        assert np.array_equal(same, first)


@pytest.mark.parametrize(
    "part",
    [gls.EdgeAssembly(), gls.PartitionRecombination(), gls.SplitRecombination()],
    ids=lambda part: part.name,
)
def test_crossovers_that_need_lengths_say_so(face, part):
    problem = PROBLEMS["makespan"]
    with pytest.raises(UnsupportedProblemError, match=r"has no lengths.* OrderRecombination\(\)"):
        face.cross(problem, part, some_rows(problem), some_rows(problem))


def test_repair_finds_the_best_place_of_one_item(face, problem):
    """Each row of the kick is the best of all rows that differ by one moved item."""
    given = some_rows(problem, 6)
    made = checked(problem, face.perturb(problem, gls.DestroyRepair(1), given, backend="cpu"), 6)
    fixed = len(problem.front)
    for before, after in zip(given, made, strict=True):
        least = set()
        for at in range(fixed, N):
            rest = np.delete(before, at)
            rows = [np.insert(rest, to, before[at]) for to in range(fixed, N)]
            least.add(problem.compared(rows).min())
        # Real times are added in another order.
        assert np.isclose(sorted(least), problem.compared(after)[0], rtol=1e-12, atol=0).any()


def test_whole_runs(face, problem):
    if face.framework == "pymoo" and problem.front:
        pytest.skip("the crossover of pymoo moves the item in front")
    outcome = face.run(problem, 1000.0, generations=2)
    assert outcome.cost == pytest.approx(problem.compared(outcome.tour)[0])
    assert outcome.cost <= problem.compared(some_rows(problem, 200)).min()
    assert outcome.generations == 2


def test_kicks_of_sequences_do_not_fit_tours(face):
    tsp = gls.TSP(cities(N), "EUC_2D")
    rows = np.tile(np.arange(N), (2, 1))
    with pytest.raises(UnsupportedProblemError, match="is not a sequence problem"):
        face.perturb(tsp, "destroy_repair", rows)
    with pytest.raises(UnknownPartError, match=r"double_bridge.*block_swap, destroy_repair"):
        face.perturb(tsp, "destroy_repare", rows)
    with pytest.raises(InvalidTypeError, match=r"for sequences, DestroyRepair\(\)"):
        face.perturb(tsp, gls.Insertion(), rows)
