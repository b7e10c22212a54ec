"""Random-k-best improvement on the CPU, compared with brute force from the definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import compile_check, get_backend, tuning
from gpu_ls_plugin.backends.structs import enumerators
from gpu_ls_plugin.tours.engines.chains.random_k_chains import random_k_chain_kernel
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


def machine(largest_cluster: int = 8) -> SimpleNamespace:
    """A GPU as far as layouts depend on it."""
    shared = tuning.SHARED_MEMORY[90]
    return SimpleNamespace(
        name="cuda", processors=132, largest_cluster=largest_cluster, shared_memory=shared
    )


@pytest.mark.parametrize("most", [1, 2, 8])
@pytest.mark.parametrize("tours", [1, 7, 16, 17, 66, 67, 1000, 10**5])
@pytest.mark.parametrize("k", [1, 127, 128, 1000, 10**9])
def test_blocks_share_a_tour_while_some_are_idle(tours, k, most):
    blocks = random_k.blocks_of_a_tour(tours, k, 132, most)
    assert 1 <= blocks <= most
    assert blocks == 1 or (blocks * tours <= 132 and k // blocks >= random_k.LEAST_SHARE)
    more = 2 * blocks
    assert more > most or more * tours > 132 or k // more < random_k.LEAST_SHARE


def test_tours_are_in_shared_memory_if_they_fit():
    metric = random_problem("EUC_2D", 10).metric
    short, long = (
        random_k.RandomKShape.of(machine(), metric, n, 1, 1000) for n in (17_000, 19_000)
    )
    assert short.in_shared
    assert short.shared_bytes <= tuning.SHARED_MEMORY[90]
    assert not long.in_shared
    assert long.shared_bytes == 0


def test_devices_without_clusters_have_a_block_for_each_tour():
    metric = random_problem("EUC_2D", 10).metric
    for tours in (1, 1000):
        shape = random_k.RandomKShape.of(machine(1), metric, 100, tours, 1000)
        assert shape.team.startswith("gls::Block<")
        assert shape.blocks == 1


@pytest.mark.parametrize("metric", slow_after(1, ["EUC_2D", "EUC", "GEO", "EXPLICIT_REAL"]))
@pytest.mark.usefixtures("nvrtc")
def test_kernels_compile(metric):
    functor = random_problem(metric, 10).metric
    # One tour by a cluster, in shared or global memory; and many tours by a block each.
    shapes = [
        random_k.RandomKShape.of(machine(), functor, n, tours, 1000)
        for n, tours in ((100, 1), (30_000, 1), (100, 1000))
    ]
    for kernel in [
        *(random_k.random_k_kernel(functor, 0, shape) for shape in shapes),
        *(random_k_chain_kernel(functor, 4, gls.Annealing(), shape) for shape in shapes),
    ]:
        report = compile_check.compile_kernel(kernel, 90)
        assert report.passed, report
