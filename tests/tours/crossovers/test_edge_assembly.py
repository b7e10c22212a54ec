"""Edge assembly crossover: exactness, quality, cooperation of chains, bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.tours.engines.chains.chains import FusedChains
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.graph_oracle import edges
from tests.helpers.marks import slow_but_usual
from tests.helpers.random_problems import METRICS, random_problem, random_tours

CPU = get_backend("cpu")
USUAL = gls.LocalSearch(candidates=gls.Nearest(6))
SEARCH = gls.IteratedLocalSearch(USUAL, cooperation=gls.EdgeAssembly(0.2, 3, 8))


def chains_of(problem, tours):
    """Chains whose current and best tours are `tours`."""
    search = replace(SEARCH, accept=gls.Better())
    return search.chains(Start(CPU, problem, np.array(tours, np.int32), seed=1))


def cross(chains, offspring=32):
    """Make one generation; chains count their generations."""
    gls.EdgeAssembly(generations=1, offspring=offspring).exchange(chains, 0.0)


def assert_exact(problem, state):
    assert (np.sort(state.best_tours) == np.arange(problem.n)).all()
    costs = problem.cost(state.best_tours)
    if problem.integer:
        assert np.array_equal(state.best_costs, costs)
    else:
        assert np.allclose(state.best_costs, costs, rtol=1e-12, atol=0)


# ---- One generation --------------------------------------------------------------------------


def test_generations_draw_other_cycles():
    problem, tours = random_problem("EUC_2D", 90), random_tours(90, 2)
    state, costs, children = chains_of(problem, tours), problem.cost(tours), set()
    for _ in range(8):
        state.tours[:], state.costs[:], state.best_costs[:] = tours, costs, costs
        cross(state, 1)
        children.add(tuple(state.costs.tolist()))
    assert len(children) > 4


def circle(n):
    angle = np.arange(n) * 2 * np.pi / n
    return gls.TSP(np.round(10_000 * np.stack([np.cos(angle), np.sin(angle)], axis=1)), "EUC_2D")


@pytest.mark.parametrize("offspring", [1, 2, 3, 9])
def test_a_generation_takes_over_as_many_cycles_as_it_tries(offspring):
    """The other tour is better in three places, which are three cycles without common edges."""
    problem, best = circle(60), np.arange(60)
    bad = best.copy()
    for begin in (5, 25, 45):
        bad[begin : begin + 6] = bad[begin : begin + 6][::-1]
    state = chains_of(problem, [best, bad])
    for generation in range(3):
        cross(state, offspring)
        lacking = len(edges(best) - edges(state.best_tours[1]))
        assert lacking == 2 * max(0, 3 - (generation + 1) * offspring)
    assert np.array_equal(state.best_tours[0], best)


def test_equal_and_reversed_tours_stay():
    problem = random_problem("EUC_2D", 50)
    tour = random_tours(50, 1)[0]
    state = chains_of(problem, [tour, tour[::-1], np.roll(tour, 7)])
    before = state.tours.copy()
    cross(state, 16)
    assert np.array_equal(state.tours, before)


def test_the_partner_is_another_one_in_every_generation():
    """Only one tour of eight is better: within a few generations all are as good."""
    problem, best = circle(60), np.arange(60)
    bad = best.copy()
    bad[10:20] = bad[10:20][::-1]
    state = chains_of(problem, [best, *[bad] * 7])
    counts = []
    for _ in range(12):
        cross(state, 8)
        counts.append(int((state.costs == problem.cost(best)).sum()))
    assert counts[0] == 2
    assert counts[-1] == 8


# ---- Chains that cooperate -------------------------------------------------------------------


@pytest.mark.parametrize("metric", slow_but_usual(*METRICS))
def test_every_metric(metric):
    problem = random_problem(metric, 60, span=80)
    starts = random_tours(60, 12)
    result = SEARCH(problem, starts, budget=gls.Budget(kicks=60), backend="cpu")
    assert np.array_equal(result.costs, problem.cost(result.tours))
    assert (np.diff(result.costs) >= 0).all()
    assert result.costs.max() <= problem.cost(starts).max()
    assert result.statistics.phases["exchange"] > 0


@pytest.mark.parametrize(
    "search",
    [
        SEARCH,
        replace(SEARCH, accept=gls.Better()),
        replace(SEARCH, part=32, accept=gls.BetterOrEqual()),
        replace(SEARCH, search=gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best())),
        replace(SEARCH, restart_after=5),
    ],
    ids=["fused", "current is best", "parts", "stepped", "restarts"],
)
def test_all_kinds_of_chains(search):
    problem, starts = random_problem("EUC_2D", 80, span=1000), random_tours(80, 10)
    found = [search(problem, starts, budget=gls.Budget(kicks=48), backend="cpu") for _ in "ab"]
    alone = replace(search, cooperation=None)(
        problem, starts, budget=gls.Budget(kicks=48), backend="cpu"
    )
    assert np.array_equal(found[0].tours, found[1].tours)
    assert np.array_equal(found[0].costs, problem.cost(found[0].tours))
    assert found[0].costs.mean() < alone.costs.mean()
    assert found[0].statistics.kicks == alone.statistics.kicks


def test_it_is_far_ahead_of_independent_chains():
    problem = random_problem("EUC_2D", 400, span=10_000)
    starts = gls.space_filling_curve(problem, 32, seed=1, backend="cpu")
    budget = gls.Budget(kicks=400)
    usual = gls.IteratedLocalSearch()
    helped = replace(usual, cooperation=gls.EdgeAssembly())
    costs = [s(problem, starts, budget=budget, backend="cpu").costs for s in (usual, helped)]
    assert costs[1].max() < costs[0].min()


@pytest.mark.parametrize("metric", slow_but_usual("EUC_2D", "EUC", "GEO"))
@pytest.mark.parametrize("n", [4, 33, 1000, 3000])
def test_blocks_of_large_cycles(metric, n):
    """Parents without common edges: cycles remove as many edges as there is room for."""
    problem, tours = random_problem(metric, n, span=10_000), random_tours(n, 6)
    chains = chains_of(problem, tours)
    for _ in range(3):
        gls.EdgeAssembly(generations=1, strategy="block").exchange(chains, 0.0)
        assert_exact(problem, chains)
    assert n < 1000 or (chains.best_costs < problem.cost(tours)).all()


def test_blocks_gain_after_single_cycles_no_longer_do():
    problem = random_problem("EUC_2D", 500, span=100_000)
    starts = random_tours(500, 30)
    search = gls.LocalSearch([gls.LinKernighan()], candidates=gls.Nearest(8))
    tours = search(problem, starts, backend="cpu").tours

    def crossed(tours, strategy):
        part, random = gls.EdgeAssembly(strategy=strategy, offspring=64), np.random.default_rng(1)
        for seed in range(40):
            mates = tours[random.permutation(len(tours))]
            tours = part.cross(problem, tours, mates, seed=seed, backend="cpu")
        return tours

    single = crossed(tours, "single")
    again, blocks = (problem.cost(crossed(single, how)) for how in ("single", "block"))
    assert blocks.mean() < again.mean() and blocks.min() <= again.min()


def test_a_text_names_the_strategy():
    text = "IteratedLocalSearch(cooperation=edge_assembly(strategy='block'))"
    assert parse_search(text).cooperation == gls.EdgeAssembly(strategy="block")


def test_a_single_chain_has_no_partner():
    problem, start = random_problem("EUC_2D", 60), random_tours(60, 1)
    alone = replace(SEARCH, cooperation=None)
    results = [
        s(problem, start, budget=gls.Budget(kicks=30), backend="cpu") for s in (SEARCH, alone)
    ]
    assert np.array_equal(results[0].tours, results[1].tours)


def test_without_time_there_is_no_generation():
    problem, tours = random_problem("EUC_2D", 60), random_tours(60, 4)
    chains = SEARCH.chains(Start(CPU, problem, tours.copy(), seed=0))
    gls.EdgeAssembly().exchange(chains, 0.0, seconds=0.0)
    assert np.array_equal(chains.tours, tours)
    gls.EdgeAssembly().exchange(chains, 0.0)
    assert (chains.costs < problem.cost(tours)).all()


def test_memory_counts_the_crossover():
    problem, starts = random_problem("EUC_2D", 60), random_tours(60, 4)
    alone = problem.metric.data(problem.values).nbytes + FusedChains.bytes_per_tour(60)
    needed = alone + gls.EdgeAssembly().bytes_per_tour(60)
    run = {"budget": gls.Budget(kicks=5), "backend": "cpu"}
    SEARCH(problem, starts, memory_limit=needed, **run)
    with pytest.raises(InsufficientMemoryError, match="one tour needs"):
        SEARCH(problem, starts, memory_limit=needed - 1, **run)


def test_asymmetric_problems_are_refused():
    random = np.random.default_rng(1)
    problem = gls.TSP.from_matrix(random.integers(1, 1000, (30, 30)))
    search = replace(SEARCH, search=gls.LocalSearch([gls.OrOpt()]))
    with pytest.raises(UnsupportedProblemError, match=r"cooperation: .* use Migration\(\)"):
        search(problem, random_tours(30, 4), backend="cpu")


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"every": 0}, InvalidParameterError, "every: 0"),
        ({"every": "often"}, InvalidTypeError, "every: 'often'"),
        ({"generations": 0}, InvalidParameterError, "generations: 0"),
        ({"generations": 1.5}, InvalidTypeError, "generations: 1.5"),
        ({"offspring": 0}, InvalidParameterError, "offspring: 0"),
        ({"strategy": "blocks"}, InvalidParameterError, "strategy: 'blocks'"),
        ({"strategy": 2}, InvalidTypeError, "strategy: 2"),
    ],
)
def test_bad_parameters(parameters, error, words):
    with pytest.raises(error, match=words):
        gls.EdgeAssembly(**parameters)


# ---- Stages ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("gaining", "stage"), [(1.0, "single"), (0.11, "single"), (0.1, "block")])
def test_blocks_follow_once_few_tours_gain(gaining, stage):
    problem = random_problem("EUC_2D", 150)
    tours = USUAL(problem, random_tours(150, 20), backend="cpu").tours
    staged, alone = chains_of(problem, tours), chains_of(problem, tours)
    staged.gaining = gaining
    gls.EdgeAssembly(generations=1, strategy="staged").exchange(staged, 0.0)
    gls.EdgeAssembly(generations=1, strategy=stage).exchange(alone, 0.0)
    assert np.array_equal(staged.best_tours, alone.best_tours)
    before = problem.cost(tours)
    assert staged.gaining_share() == (staged.best_costs < before).mean() > 0
    other = chains_of(problem, tours)
    strategies = {"single", "block"} - {stage}
    gls.EdgeAssembly(generations=1, strategy=strategies.pop()).exchange(other, 0.0)
    assert not np.array_equal(staged.best_tours, other.best_tours)


def test_given_pairs_are_crossed_by_the_first_stage():
    problem = random_problem("EUC_2D", 100)
    first, second = random_tours(100, 6), random_tours(100, 6)[::-1]
    children = [
        gls.EdgeAssembly(strategy=name).cross(problem, first, second, backend="cpu")
        for name in ("single", "staged")
    ]
    assert np.array_equal(*children)
    names = ("single", "block", "staged")
    single, block, staged = (gls.EdgeAssembly(strategy=n).bytes_per_tour(100) for n in names)
    assert staged == single + block


def test_tours_from_elsewhere_do_not_count_as_crossed():
    problem = random_problem("EUC_2D", 100)
    chains = chains_of(problem, random_tours(100, 20))
    arriving = chains.best_tours.copy()
    arriving[:1] = USUAL(problem, arriving[:1], backend="cpu").tours
    assert chains.adopt(arriving, problem.cost(arriving)).tolist() == [True] + 19 * [False]
    assert chains.gaining == 1.0
