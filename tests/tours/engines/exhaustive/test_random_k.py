"""Random-k-best improvement on the CPU, compared with brute force from the definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import compile_check, get_backend, tuning
from gpu_ls_plugin.backends.structs import enumerators
from gpu_ls_plugin.tours.engines.engine import OPTIMUM, OUT_OF_MOVES, RUNNING
from gpu_ls_plugin.tours.engines.exhaustive import random_k
from gpu_ls_plugin.tours.engines.exhaustive.random_k import RandomKSteps
from tests.helpers import host_program
from tests.helpers.descents import to_optimum
from tests.helpers.examples import examples
from tests.helpers.marks import diagonal, slow_after
from tests.helpers.oracles import NO_GAIN, distance_matrix
from tests.helpers.philox import WORD, philox_block
from tests.helpers.random_problems import METRICS, random_problem, random_tours

NO_LIMIT = 2**62
RANDOM_K = enumerators("backends/include/philox.cuh", "Purpose")["kRandomK"]


def search(
    problem: gls.TSP, tours: Any, k: int, seed: int = 0, moves: int = NO_LIMIT, **options: Any
) -> RandomKSteps:
    """Search with copies of the tours until all are finished."""
    copies = np.array(tours, np.int32)
    steps = RandomKSteps(get_backend("cpu"), problem, copies, k, seed, moves, **options)
    to_optimum(steps)
    return steps


def numbers_of(seed: int, row: int, step: int, sample: int) -> list[int]:
    """The random numbers of a sample."""
    return philox_block((sample, RANDOM_K, row, step), (seed % WORD, seed // WORD))


def triple(seed: int, row: int, step: int, sample: int, n: int) -> list[int]:
    """Positions of the edges of a sample: three draws without replacement, sorted."""
    left, drawn = list(range(n)), []
    for number in numbers_of(seed, row, step, sample)[:3]:
        drawn.append(left.pop(number * len(left) >> 32))
    return sorted(drawn)


def reconnected(tour: list[int], i: int, j: int, k: int, way: int) -> list[int]:
    """The tour after one of the seven reconnections."""
    first, second = tour[i + 1 : j + 1], tour[j + 1 : k + 1]
    back, turned = first[::-1], second[::-1]
    ways = [
        second + first,
        back + turned,
        second + back,
        turned + first,
        back + second,
        first + turned,
        turned + back,
    ]
    return tour[: i + 1] + ways[way] + tour[k + 1 :]


def delta(d: Any, tour: list[int], i: int, j: int, k: int, way: int) -> Any:
    """Change of cost, with the added edges in the order of the kernel; rounding is no gain."""
    a, b, c, e, f, g = (tour[(p + q) % len(tour)] for p in (i, j, k) for q in (0, 1))
    added = [
        d[a][e] + d[b][f] + d[c][g],
        d[a][c] + d[b][f] + d[e][g],
        d[a][e] + d[c][f] + d[b][g],
        d[a][f] + d[b][e] + d[c][g],
        d[a][c] + d[b][e] + d[f][g],
        d[a][b] + d[c][f] + d[e][g],
        d[a][f] + d[c][e] + d[b][g],
    ][way]
    removed = d[a][b] + d[c][e] + d[f][g]
    change = added - removed
    return change if not -NO_GAIN * removed < change < 0 else 0 * change


def brute_force(
    d: Any,
    tour: list[int],
    row: int,
    k: int,
    seed: int = 0,
    moves: int = NO_LIMIT,
    first_way: int = 0,
) -> tuple[list[int], int, int]:
    """Apply the best of k samples until none gains; return the tour, passes and final state."""
    passes = 0
    while passes < moves:
        best = min(
            (delta(d, tour, *edges, way), sample, way, edges)
            for sample in range(k)
            for edges in [triple(seed, row, passes, sample, len(tour))]
            for way in range(first_way, 7)
        )
        passes += 1
        if not best[0] < 0:
            return tour, passes, OPTIMUM
        tour = reconnected(tour, *best[3], best[2])
    return tour, passes, OUT_OF_MOVES


@pytest.mark.parametrize(("three_opt", "metric"), diagonal([True, False], METRICS))
@examples(25)
@given(
    n=st.integers(4, 14),
    k=st.integers(1, 12),
    seed=st.integers(0, 2**64 - 1),
    span=st.sampled_from([4, 12, 60, 3000]),
    first_row=st.sampled_from([0, 5, 2**31]),
    moves=st.sampled_from([NO_LIMIT, NO_LIMIT, 0, 1, 3]),
)
def test_steps_are_those_of_brute_force(metric, three_opt, n, k, seed, span, first_row, moves):
    problem = random_problem(metric, n, seed % 1000, span)
    starts = random_tours(n, 2, seed % 1000)
    d = distance_matrix(problem).tolist()
    found = search(problem, starts, k, seed, moves, first_row=first_row, three_opt=three_opt)
    for row, start in enumerate(starts.tolist()):
        first_way = 0 if three_opt else 4
        tour, passes, state = brute_force(d, start, first_row + row, k, seed, moves, first_way)
        assert found.tours[row].tolist() == tour
        assert found.pass_counts[row] == passes
        assert found.move_counts[row] == passes - (state == OPTIMUM)
        assert found.states[row] == state


@given(n=st.integers(4, 9), seed=st.integers(0, 10**6))
def test_changes_are_those_of_the_cost(n, seed):
    problem = random_problem("EUC_2D", n, seed)
    d, tour = distance_matrix(problem).tolist(), random_tours(n, 1, seed)[0].tolist()
    before = problem.cost(np.array([tour]))[0]
    for edges in combinations(range(n), 3):
        after = problem.cost(np.array([reconnected(tour, *edges, way) for way in range(7)]))
        assert [delta(d, tour, *edges, way) for way in range(7)] == (after - before).tolist()


DRAW = """
struct Probe {
  static void run(const gls::Host&, int item, int n, gls::uint64 seed, int* triples) {
    const auto drawn = gls::RandomTriples(seed, 3, 2, n)(item, 0);
    triples[3 * item] = drawn.i, triples[3 * item + 1] = drawn.j, triples[3 * item + 2] = drawn.k;
  }
};
"""


def drawn_triples(n: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """The samples of step 2 of row 3."""
    triples = np.zeros((count, 3), np.int32)
    host_program.run(
        DRAW,
        count,
        "int n, gls::uint64 seed, int* triples",
        {"n": n, "seed": seed, "triples": triples},
        header="tours/engines/exhaustive/random_k.cuh",
    )
    return [tuple(t) for t in triples.tolist()]


@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 12])
def test_triples_are_uniform(n):
    every = list(combinations(range(n), 3))
    expected = 1000
    counts = Counter(drawn_triples(n, expected * len(every), seed=n))
    assert sorted(counts) == every  # sorted, distinct, and none is out of reach
    # Five standard deviations of a count: one run in a hundred thousand leaves them by chance.
    assert max(abs(count - expected) for count in counts.values()) < 5 * expected**0.5


@pytest.mark.parametrize("n", [13, 1000, 2**31 - 1])
def test_triples_are_drawn_without_replacement(n):
    numbers = [numbers_of(9, 3, 2, sample) for sample in range(200)]
    expected = []
    for x, y, z, _ in numbers:
        p, q, r = (x * n) >> 32, (y * (n - 1)) >> 32, (z * (n - 2)) >> 32
        q += q >= p
        for taken in sorted((p, q)):
            r += r >= taken
        expected.append(tuple(sorted((p, q, r))))
    assert drawn_triples(n, 200, seed=9) == expected


@pytest.mark.parametrize("passes", [1, 3])
def test_the_length_of_launches_does_not_matter(passes):
    problem, starts = random_problem("EUC_2D", 40, span=1000), random_tours(40, 3)
    whole = search(problem, starts, 30)
    steps = RandomKSteps(get_backend("cpu"), problem, starts.copy(), 30, 0, NO_LIMIT)
    while steps.unfinished():
        before = steps.pass_counts.copy()
        running = steps.states == RUNNING
        steps.launch(passes, 60.0)
        done = steps.pass_counts - before
        assert (done[running] >= 1).all()
        assert (done <= np.where(running, passes, 0)).all()
    assert np.array_equal(steps.tours, whole.tours)
    assert np.array_equal(steps.pass_counts, whole.pass_counts)


@pytest.mark.parametrize("longest", [2**22, 2**29, 2**31 - 2])
def test_estimates_of_long_lengths_hide_no_move(longest):
    near = random_problem("EUC_2D", 40, span=1000)
    far = gls.TSP(np.asarray(near.coordinates) * (longest / 1500), "EUC_2D")
    flat = gls.TSP.from_matrix(distance_matrix(far) // 3 + 1)
    starts = random_tours(40, 2)
    for problem in (far, flat):
        d = distance_matrix(problem).tolist()
        found = search(problem, starts, 30).tours.tolist()
        assert found == [
            brute_force(d, tour, row, 30)[0] for row, tour in enumerate(starts.tolist())
        ]


def test_moves_are_counted_by_reconnection():
    problem, starts = random_problem("EUC_2D", 10), random_tours(10, 1)
    sizes = [
        search(problem, starts, 30, three_opt=three).moves_per_evaluation()
        for three in (True, False)
    ]
    assert sizes == [210, 90]


@pytest.mark.parametrize("tours", [1, 7, 1000, 10**5])
@pytest.mark.parametrize("k", [1, 255, 1000, 10_000, 10**9])
def test_shares_keep_a_device_busy(tours, k):
    processors = 132
    shares = random_k.shares_of_a_step(tours, k, processors)
    blocks, enough = tours * shares, processors * random_k.ENOUGH_BLOCKS
    assert 1 <= shares <= max(1, k // random_k.EVALUATION_THREADS)
    assert blocks >= min(enough, tours * max(1, k // random_k.EVALUATION_THREADS))
    assert blocks < max(enough, tours) + tours


def test_points_are_copied_if_they_fit_and_it_pays():
    shared = tuning.SHARED_MEMORY[90]
    assert random_k.copies_points(1000, 10_000, shared)
    assert not random_k.copies_points(1000, 100, shared)
    assert not random_k.copies_points(20_000, 10**6, shared)


@pytest.mark.parametrize("metric", slow_after(1, ["EUC_2D", "EUC", "GEO", "EXPLICIT_REAL"]))
@pytest.mark.usefixtures("nvrtc")
def test_kernels_compile(metric):
    functor = random_problem(metric, 10).metric
    kernels = [
        random_k.evaluation_kernel(functor, way, in_shared)
        for way in (0, 4)
        for in_shared in (False, True)
    ]
    for kernel in [*kernels, random_k.replacement_kernel(functor)]:
        report = compile_check.compile_kernel(kernel, 90)
        assert report.passed, report
