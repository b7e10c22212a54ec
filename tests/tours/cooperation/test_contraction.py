"""Edges common to an elite, contracted and expanded again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.cooperation.contraction import SMALLEST, Contraction
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from tests.helpers.random_problems import random_problem

CPU = get_backend("cpu")
PROBLEM = random_problem("EUC_2D", 60, seed=4)


def edges(tour):
    return {frozenset(pair) for pair in zip(tour, np.roll(tour, -1), strict=True)}


@st.composite
def elites(draw):
    """Some tours of 60 cities that have many edges in common."""
    tour = np.array(draw(st.permutations(range(60))))
    elite = [tour]
    for _ in range(draw(st.integers(1, 3))):
        other = elite[-1].copy()
        for _ in range(draw(st.integers(4, 8))):
            a, b = sorted(draw(st.tuples(st.integers(0, 59), st.integers(0, 59))))
            other[a : b + 1] = other[a : b + 1][::-1]
        elite.append(np.roll(other, draw(st.integers(0, 59))))
    return np.array(elite, np.int32)


def contracted(tours, elite):
    """Return a contraction of tours of 60 random cities and the parts made of it."""
    parts = CandidateMoves(CPU, PROBLEM, [gls.TwoOpt()], gls.Nearest(6))
    contraction = Contraction(CPU, tours, elite)
    return contraction, contraction.cut(parts), parts


def fixed_edges(contraction, tour, row):
    return {
        frozenset(pair)
        for pair, fixed in zip(
            zip(tour, np.roll(tour, -1), strict=True), contraction.fixed[row], strict=True
        )
        if fixed
    }


@given(elites())
def test_what_all_have_in_common_is_fixed(elite):
    contraction = Contraction(CPU, elite, elite[1:])
    for row, tour in enumerate(elite):
        common = set.intersection(edges(tour), *map(edges, elite[1:]))
        fixed = fixed_edges(contraction, tour, row)
        assert fixed <= common
        inner = sum(sum(c in edge for edge in common) == 2 for c in range(60))
        if 60 - inner >= SMALLEST:
            assert fixed == common
        else:  # the first edges of the tour are left free
            free = {frozenset((tour[p], tour[p + 1])) for p in range(SMALLEST)}
            assert fixed == common - free
        assert contraction.sizes[row] >= min(60 - inner, SMALLEST)


@given(elites())
def test_fixed_edges_stand_for_the_common_paths(elite):
    contraction, cut, parts = contracted(elite, elite[1:])
    for row, tour in enumerate(elite):
        size, fixed = cut.sizes[row], fixed_edges(contraction, tour, row)
        names, mates = cut.names[row, :size], cut.mates[row, :size]
        kept = {c for c in range(60) if sum(c in edge for edge in fixed) < 2}
        assert set(names.tolist()) == kept
        assert (mates[mates] == np.arange(size)).all()
        held = {c for edge in fixed for c in edge} & kept
        assert set(names[mates != np.arange(size)].tolist()) == held
        cities = parts.cities.reshape(60, -1)
        for number, city in enumerate(names):
            near = names[cut.near[row, number] & 0xFFFF]
            neighbour = names[number - 1 if number > 0 else 1]
            wanted = [c for c in cities[city] if c in kept] or [neighbour]
            assert (near == np.resize(wanted, len(near))).all()


@pytest.mark.slow
@given(elites(), st.randoms(use_true_random=False))
def test_rings_expand_to_tours_with_the_fixed_edges(elite, random):
    contraction, cut, _ = contracted(elite, elite[1:])
    rings = np.zeros(cut.names.shape, np.int32)
    for row, size in enumerate(cut.sizes):
        # However a ring is mixed: mates stay together.
        paths = [
            [k] if cut.mates[row, k] == k else [k, cut.mates[row, k]]
            for k in range(size)
            if k <= cut.mates[row, k]
        ]
        random.shuffle(paths)
        mixed = [number for path in paths for number in random.sample(path, len(path))]
        rings[row, :size] = np.roll(mixed, random.randrange(size))
    for row, tour in enumerate(contraction.expand(rings)):
        assert sorted(tour) == list(range(60))
        ring = cut.names[row, rings[row, : cut.sizes[row]]]
        fixed = fixed_edges(contraction, elite[row], row)
        assert fixed <= edges(tour)
        held = {c for edge in fixed for c in edge}
        between = {edge for edge in edges(ring) if not edge <= held}
        assert between <= edges(tour)


def test_a_ring_that_stays_expands_to_its_tour():
    elite = np.array([np.arange(60), np.roll(np.arange(60)[::-1], 7)], np.int32)
    contraction, cut, _ = contracted(elite, elite)
    assert (cut.sizes == SMALLEST + 1).all()
    rings = np.tile(np.arange(SMALLEST + 1, dtype=np.int32), (2, 1))
    for tour, again in zip(elite, contraction.expand(rings), strict=True):
        assert edges(tour) == edges(again)


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC", "EXPLICIT"])
def test_elite_edges_keep_costs_exact_and_tours_never_worse(metric):
    problem = random_problem(metric, 120, seed=2)
    starts = gls.random_tours(problem, 8, seed=1, backend="cpu")
    usual = gls.LocalSearch([gls.LinKernighan(3)], gls.Nearest(6))
    cooperation = gls.EliteEdges(every=0.5, elite=4, most=1.0)
    search = gls.IteratedLocalSearch(usual, gls.DoubleBridge(30), cooperation=cooperation)
    result = search(problem, starts, seed=1, budget=gls.Budget(kicks=480), backend="cpu")
    assert (result.costs == problem.cost(result.tours)).all()
    assert (np.diff(result.costs) >= 0).all()
    local = usual(problem, starts, backend="cpu")
    assert (result.costs <= np.sort(local.costs)).all()
    assert result.statistics.kicks == 8 * 480  # those in contracted problems count, too
    assert "exchange" in result.statistics.phases


def test_the_memory_of_a_tour_is_enough():
    n, rows = 300, 20
    problem = random_problem("EUC", n)  # whose lists take most
    tours = gls.random_tours(problem, rows, seed=1, backend="cpu")
    contraction = Contraction(CPU, tours, tours)  # of which nothing is common
    cut = contraction.cut(CandidateMoves(CPU, problem, [gls.TwoOpt()], gls.Nearest(10)))
    made = [*vars(cut).values(), *vars(contraction).values(), *contraction._arguments.values()]
    arrays = {id(array): array.nbytes for array in made if isinstance(array, np.ndarray)}
    assert (cut.sizes == n).all()
    assert sum(arrays.values()) <= rows * Contraction.bytes_per_tour(n)
    assert gls.EliteEdges().bytes_per_tour(n) == Contraction.bytes_per_tour(n)


FEW = tour_layouts.ChainNeeds(site_bytes=4, registers="few")


def test_contracted_problems_of_all_sizes_share_a_layout():
    """Sizes change all the time, and each layout would be compiled within the time of a search."""
    shapes = {chain_layouts.contracted_shape(n, 227 << 10, FEW) for n in (17, 300, 1_000, 4_000)}
    assert len(shapes) == 1
    (shape,) = shapes
    assert shape.shared_bytes(4_000) <= 227 << 10
    assert chain_layouts.contracted_shape(12_000, 227 << 10, FEW) is None
    assert chain_layouts.contracted_shape(4_000, 64 << 10, FEW) is None


def test_chains_only_migrate_where_many_cities_would_remain():
    problem = random_problem("EUC_2D", 120, seed=2)
    starts = gls.random_tours(problem, 8, seed=1, backend="cpu")

    def run(cooperation):
        usual = gls.LocalSearch([gls.TwoOpt()], gls.Nearest(6))
        search = gls.IteratedLocalSearch(usual, gls.DoubleBridge(30), cooperation=cooperation)
        return search(problem, starts, seed=1, budget=gls.Budget(kicks=240), backend="cpu").tours

    migrated = run(gls.Migration(0.2))
    assert (run(gls.EliteEdges(0.2, most=0.0)) == migrated).all()
    assert (run(gls.EliteEdges(0.2, most=1.0)) != migrated).any()


def test_chains_driven_from_the_host_only_migrate():
    problem = random_problem("EUC_2D", 40, seed=2)
    starts = gls.random_tours(problem, 6, seed=1, backend="cpu")

    def run(cooperation):
        stepped = gls.LocalSearch(pivoting=gls.Best())
        search = gls.IteratedLocalSearch(stepped, cooperation=cooperation)
        return search(problem, starts, seed=1, budget=gls.Budget(kicks=12), backend="cpu").tours

    assert (run(gls.EliteEdges(0.1, most=1.0)) == run(gls.Migration(0.1))).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"elite": 0}, "elite: 0"),
        ({"kicks_per_city": -1}, "kicks_per_city"),
        ({"share": 0.6}, "share"),
        ({"most": 1.1}, "most"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(gls.exceptions.InvalidParameterError, match=words):
        gls.EliteEdges(**parameters)
