"""Filtered complete neighbourhoods on the CPU, compared with brute force from the definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.filtered import filter_layouts
from gpu_ls_plugin.tours.engines.filtered.filtered_moves import EAGER_CHUNKS, FilteredMoves
from tests.helpers import filter_oracle as oracle
from tests.helpers.configurations import MODES, SPACES, filtered
from tests.helpers.random_problems import random_problem, random_tours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.tours.filters.base import Filter

LARGEST = {2: 14, 3: 8}  # cities; brute force takes long for more
EACH_SPACE = pytest.mark.parametrize("edges", SPACES)
EACH_MODE = pytest.mark.parametrize("mode", MODES)


@pytest.fixture(autouse=True, scope="module")
def _many_slots() -> Iterator[None]:
    """Let several teams share the few moves of a small tour; some get none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filter_layouts, "MOVES_OF_SLOT", 8)
        yield


def run(search: gls.LocalSearch, problem: gls.TSP, starts: Any, **options: Any) -> gls.Result:
    """Search on the CPU."""
    return search(problem, starts, backend="cpu", **options)


def switched(
    *on: str, rate: float = 1, radius: int = 40, near: int = 5, far: int = 10, bound: bool = True
) -> Filter:
    """Filters joined to one C++ type, so that few are compiled; `| RandomKeep(1)` disables one."""
    parts = {
        "radius": gls.Radius(radius),
        "near": gls.InCandidates(gls.Nearest(near), missing=1 if bound else 0),
        "awake": gls.DontLook(),
        "far": ~gls.Radius(far),
    }
    if bound:
        parts["bound"] = gls.GainBound()
    test: Filter = gls.RandomKeep(rate)
    for name, part in parts.items():
        test = test & (part | gls.RandomKeep(0 if name in on else 1))
    return test


def filters(*, bound: bool = True) -> st.SearchStrategy[Filter]:
    """Joined filters; without the `bound`, each mode evaluates a move at most once."""
    return st.builds(
        lambda on, **options: switched(*on, bound=bound, **options),
        st.sets(st.sampled_from(["radius", "near", "awake", "far", "bound"])),
        rate=st.sampled_from([1, 1, 0.5, 0.1, 0]),
        radius=st.integers(5, 60),
        near=st.integers(1, 6),
        far=st.integers(0, 20),
    )


def expected(
    problem: gls.TSP,
    starts: Any,
    edges: int,
    test: Filter,
    *,
    seed: int = 0,
    first_row: int = 0,
    most: int | None = None,
    eager: bool = False,
) -> list[oracle.Descent]:
    """Return the descents of a batch by brute force."""
    if problem.n < 4:
        return [oracle.Descent(start.tolist(), [], 0, "optimum") for start in starts]
    chunks = oracle.chunks_by_openings(problem.n, edges, EAGER_CHUNKS)
    return [
        oracle.descend(
            oracle.CurrentTour(problem, start.tolist(), seed, first_row + row),
            test,
            chunks,
            most,
            eager=eager,
        )
        for row, start in enumerate(starts)
    ]


def assert_as_expected(
    result: gls.Result, descents: list[oracle.Descent], *, once: bool = True
) -> None:
    """Tours and counts are those of brute force; `once`: no move is evaluated twice."""
    assert result.tours.tolist() == [descent.tour for descent in descents]
    statistics, ends = result.statistics, {descent.ended for descent in descents}
    assert statistics.moves == sum(descent.moves for descent in descents)
    assert statistics.passes == sum(len(descent.kept) for descent in descents)
    assert (statistics.stopped_by == "moves") == ("moves" in ends)
    if once:
        assert statistics.evaluations == sum(descent.evaluations for descent in descents)
        assert (statistics.stopped_by == "filter") == (ends == {"filter"})


@EACH_SPACE
@pytest.mark.parametrize(
    "metric", ["EUC_2D", *(pytest.param(m, marks=pytest.mark.slow) for m in ("EUC", "EXPLICIT"))]
)
@settings(max_examples=10)
@given(
    size=st.integers(0, 100),
    seed=st.integers(0, 2**64 - 1),
    span=st.sampled_from([3, 12, 60]),
    test=filters(),
    most=st.sampled_from([None, None, 0, 1]),
)
def test_descents_of_all_modes_are_those_of_brute_force(
    edges, metric, size, seed, span, test, most
):
    n = 1 + size % LARGEST[edges]
    problem, starts = random_problem(metric, n, seed, span), random_tours(n, 2, seed)
    descents = expected(problem, starts, edges, test, seed=seed, first_row=3, most=most)
    for mode in MODES:
        result = run(
            filtered(edges, test, mode),
            problem,
            starts,
            seed=seed,
            first_row=3,
            budget=gls.Budget(moves=most),
        )
        once = mode != "openings" or test.rotations(edges) == 1
        assert_as_expected(result, descents, once=once)


@EACH_SPACE
@settings(max_examples=10)
@given(size=st.integers(0, 100), seed=st.integers(0, 2**32), test=filters(bound=False))
def test_first_applies_the_best_move_of_the_first_chunk_with_a_gain(edges, size, seed, test):
    n = 1 + size % LARGEST[edges]
    problem, starts = random_problem("EUC_2D", n, seed), random_tours(n, 2, seed)
    result = run(filtered(edges, test, rule=gls.First()), problem, starts, seed=seed)
    assert_as_expected(result, expected(problem, starts, edges, test, seed=seed, eager=True))


@EACH_SPACE
@EACH_MODE
def test_first_ends_in_a_local_optimum_of_the_kept_moves(edges, mode):
    n, test = {2: 30, 3: 12}[edges], switched("radius")
    problem, starts = random_problem("EUC_2D", n, span=100), random_tours(n, 3)
    result = run(filtered(edges, test, mode, gls.First()), problem, starts)
    assert (result.costs < problem.cost(starts)).all()
    assert result.statistics.stopped_by == "optimum"
    for tour in result.tours.tolist():
        current = oracle.CurrentTour(problem, tour)
        for move in oracle.moves(n, edges):
            assert not (current.is_gain(move) and oracle.keeps(test, current, move))


@EACH_SPACE
@EACH_MODE
def test_the_number_of_chunks_does_not_matter(edges, mode, monkeypatch):
    n, budget = {2: 25, 3: 9}[edges], gls.Budget(moves=4)
    problem, starts = random_problem("EUC_2D", n, span=50), random_tours(n, 2)
    search = filtered(edges, switched("radius"), mode)
    unsplit = run(search, problem, starts, budget=budget)
    for most in (37, 8):  # moves of a chunk
        monkeypatch.setitem(filter_layouts.MOST_MOVES, mode, most)
        split = run(search, problem, starts, budget=budget)
        assert np.array_equal(split.tours, unsplit.tours)
        assert split.statistics.evaluations == unsplit.statistics.evaluations
        assert split.statistics.passes == unsplit.statistics.passes


def test_neighbourhoods_that_exceed_the_memory_are_split(monkeypatch):
    problem, starts = random_problem("EUC_2D", 80, span=1000), random_tours(80, 2)
    test, budget = switched("radius", radius=300), gls.Budget(moves=2)
    search = filtered(3, test, "openings")
    unsplit = run(search, problem, starts, budget=budget)
    sizes, choose = [], filter_layouts.most_of_chunk

    def watched(*arguments: Any) -> int:
        sizes.append(choose(*arguments))
        return sizes[-1]

    monkeypatch.setattr(filter_layouts, "most_of_chunk", watched)
    split = run(search, problem, starts, budget=budget, memory_limit=1 << 17)
    assert sizes
    assert np.array_equal(split.tours, unsplit.tours)
    assert split.statistics.evaluations == unsplit.statistics.evaluations


@EACH_MODE
def test_five_thousand_cities_fit_into_a_quarter_of_a_gigabyte(mode):
    limit = 256 << 20
    problem, tours = random_problem("EUC_2D", 5000, span=1000), random_tours(5000, 1)
    part = gls.FilteredNeighbourhood(gls.ThreeOpt(), gls.GainBound(), mode)

    def memory(most: int) -> int:
        batch = FilteredMoves(get_backend("cpu"), problem, tours, part, 1, memory=most)
        return sum(getattr(array, "nbytes", 0) for array in batch.arguments.values())

    assert memory(limit) <= limit
    assert (memory(2**62) > limit) == (mode == "openings")


@pytest.mark.slow
@EACH_SPACE
def test_candidates_of_the_search_act_as_a_filter(edges):
    problem, starts = random_problem("EUC_2D", 30, span=100), random_tours(30, 3)
    near, test = gls.Nearest(2), gls.Radius(40)
    part = gls.FilteredNeighbourhood(SPACES[edges], test)
    combined = filtered(edges, test & gls.InCandidates(near))
    listed = run(gls.LocalSearch([part], near, gls.Best()), problem, starts)
    assert np.array_equal(listed.tours, run(combined, problem, starts).tours)
    assert not np.array_equal(listed.tours, run(filtered(edges, test), problem, starts).tours)
    assert gls.LocalSearch([part]).candidates == gls.All()
    assert gls.LocalSearch().candidates == gls.Nearest()


def test_3_opt_has_a_largest_number_of_cities():
    n = 2**15 + 1
    problem = gls.TSP(np.random.default_rng(1).integers(0, 10**6, (n, 2)), "EUC_2D")
    with pytest.raises(UnsupportedProblemError, match=r"^problem: .*32,768 cities.*Nearest"):
        run(filtered(3, gls.Radius(40)), problem, random_tours(n, 1))


@EACH_SPACE
def test_random_restarts_of_filtered_searches(edges):
    problem, search = random_problem("EUC_2D", 20), filtered(edges, switched("radius"))
    result = gls.RandomRestarts(search, climbs=10, keep=10)(problem, seed=3, backend="cpu")
    starts = gls.random_tours(problem, 10, seed=3, backend="cpu")
    costs = run(search, problem, starts, seed=3).costs
    assert result.costs.tolist() == sorted(costs.tolist())


@pytest.mark.slow
@EACH_SPACE
def test_iterated_local_search_wakes_all_cities_after_a_kick(edges):
    n = {2: 60, 3: 45}[edges]
    problem, starts = random_problem("EUC_2D", n, span=1000), random_tours(n, 4)
    search = filtered(edges, switched("awake"))
    once = run(search, problem, starts)
    chains = gls.IteratedLocalSearch(search)
    kicked = chains(problem, starts, budget=gls.Budget(kicks=10), backend="cpu")
    assert kicked.statistics.kicks == 40
    # Were the cities still asleep, no kicked tour would be repaired.
    assert kicked.statistics.moves >= once.statistics.moves + 40
    assert (kicked.costs <= once.costs).all()
    assert (kicked.costs < once.costs).any()
    assert np.array_equal(kicked.costs, problem.cost(kicked.tours))


@pytest.mark.parametrize(
    ("edges", "n", "opens", "kept", "mode"),
    [
        (3, 1000, True, None, "openings"),
        (3, 1000, False, None, "masked"),  # until the keep rate is known
        (3, 1000, False, 0.25, "fused"),
        (3, 1000, False, 0.9, "masked"),
        (3, 1000, False, 1e-4, "masked"),
        (2, 20_000, True, 0.25, "fused"),
        (2, 1000, True, 0.25, "masked"),
    ],
)
def test_the_mode_on_a_gpu_depends_on_neighbourhood_and_keep_rate(edges, n, opens, kept, mode):
    given = {"opens": opens, "kept": kept}
    assert filter_layouts.filter_mode("cuda", edges, n, ordered=False, **given) == mode
    assert filter_layouts.filter_mode("cuda", edges, n, ordered=True, **given) == "openings"
    assert filter_layouts.filter_mode("cpu", edges, n, ordered=False, **given) == "openings"
