"""Generations: the data of individuals are right, and populations restart and exchange."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.routes.searches.genetic import breeding as part
from gpu_ls_plugin.routes.searches.genetic.breeding import Breeding, Rules, education
from gpu_ls_plugin.routes.searches.genetic.fitness import shared_buckets
from gpu_ls_plugin.tours.searches.search_call import Call
from tests.helpers.routing import random_cvrp

RULES = Rules(size=8, children=8, patience=1000)


def bred(problem: gls.CVRP, rules: Rules = RULES, populations: int = 3) -> Breeding:
    starts = gls.savings(problem, size=populations, seed=1, backend="cpu")
    return Breeding(rules, Call(problem, [], starts, seed=1, backend="cpu"))


def assert_right(breeding: Breeding, problem: gls.CVRP, rules: Rules = RULES) -> None:
    living = breeding.living
    populations, size, n = living.tours.shape
    assert size == rules.size
    rows = living.tours.reshape(-1, n)
    soft, _, feasible = breeding.prices.judge(rows)
    np.testing.assert_allclose(living.costs.ravel(), soft, rtol=1e-12)
    assert (living.feasible.ravel() == feasible).all()
    assert (feasible == problem.feasible(rows)).all()
    assert (breeding.shared == shared_buckets(np, living.tours, **problem.tsp.writing)).all()
    assert breeding.idle.shape == (populations,)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["capacity", "duration"])
def test_the_data_of_individuals_are_right(kind):
    problem = random_cvrp(kind, 30)
    breeding = bred(problem)
    prices = breeding.prices.soft.penalties
    assert_right(breeding, problem)
    for _ in range(2 * part.BETWEEN_PRICES):
        breeding.next()
        assert_right(breeding, problem)
    assert breeding.prices.soft.penalties != prices


def test_populations_that_stagnate_restart_and_get_no_immigrants_for_a_while(monkeypatch):
    problem, rules = random_cvrp("capacity", 14), replace(RULES, patience=3, migration=1)
    breeding, replaced, made = bred(problem, rules), [], Breeding.first_individuals

    def noted(self, populations):
        replaced.append(populations.tolist())
        return made(self, populations)

    monkeypatch.setattr(Breeding, "first_individuals", noted)
    for _ in range(part.BETWEEN_PRICES - 1):
        breeding.next()
    breeding.idle[:] = (-100, 100, -100)  # the one in the middle stagnates
    before = {row.tobytes() for row in breeding.living.tours[1]}
    breeding.next()
    assert replaced == [[1]] and breeding.idle[1] == 0
    assert before != {row.tobytes() for row in breeding.living.tours[1]}
    assert_right(breeding, problem, rules)
    assert breeding.alone.tolist() == [0, 3, 0]
    breeding.idle[:] = -100
    for left in (2, 1, 0, 0):
        breeding.next()
        assert breeding.alone.tolist() == [0, left, 0]


def test_a_population_is_idle_until_it_improves():
    problem = random_cvrp("capacity", 80)
    breeding, found = bred(problem, replace(RULES, size=4, children=4), populations=1), []
    for _ in range(30):
        before = breeding.best_costs.copy()
        breeding.next()
        found.append((bool((breeding.best_costs < before)[0]), int(breeding.idle[0])))
    assert any(better for better, _ in found)
    # The first individuals are better than the given tour, so both bests fall together.
    assert all(idle == 0 for better, idle in found if better)
    assert found[-1][1] > 0


def test_infeasible_children_are_searched_again_at_ten_times_the_price():
    noted = []

    class Noted(gls.LocalSearch):
        def __call__(self, problem, tours, **options):
            noted.append((problem.penalties.load, len(tours)))
            return super().__call__(problem, tours, **options)

    usual = education()
    search = Noted(usual.neighbourhoods, usual.candidates)
    breeding = bred(random_cvrp("capacity", 30), replace(RULES, search=search))
    price = breeding.prices.soft.penalties.load
    breeding.next()
    assert noted == [
        (price, 3 * part.BORN * RULES.size),
        (price, 3 * RULES.children),
        (breeding.prices.repairing.penalties.load, 3 * RULES.children // 2),
    ]
    assert breeding.prices.repairing.penalties.load >= 9 * price


def test_first_individuals_differ_under_a_tight_limit_of_durations():
    """Cut under this limit, most orders would get too many routes and become alike by repair."""
    problem = random_cvrp("capacity", 30, capacity=60)
    tight = gls.CVRP(problem.nodes.coordinates, problem.demands, 60, route_limit=216)
    living = bred(tight, populations=1).living
    assert len({tour.tobytes() for tour in tight.canonical(living.tours[0])}) == RULES.size


@pytest.mark.parametrize("populations", [1, 3])
def test_populations_use_the_crossovers_in_turn(populations):
    crossed = []

    class Noted(gls.SplitRecombination):
        def cross(self, problem, first, second, **options):
            crossed.append((self.generations, first))
            return super().cross(problem, first, second, **options)

    rules = replace(RULES, crossover=[Noted(generations=1), Noted(generations=2)])
    breeding = bred(random_cvrp("capacity", 20), rules, populations)
    breeding.next()
    first, *others = crossed
    assert (first[0], len(first[1])) == (1, (populations + 1) // 2 * rules.children)
    assert [(part, len(rows)) for part, rows in others] == [(2, rules.children)][: populations // 2]
    before = {row.tobytes() for row in breeding.living.tours[0]}
    breeding.next()
    assert {row.tobytes() for row in crossed[-1 - bool(others)][1][: rules.children]} <= before


def test_the_best_of_each_population_goes_into_the_next_one_of_the_ring():
    """A population that has restarted gets its own best."""
    breeding = bred(random_cvrp("capacity", 25))
    living = breeding.living
    costs = np.where(living.feasible, living.costs, part.NO_TOUR)
    best = living.tours[np.arange(3), costs.argmin(axis=1)]
    breeding.alone[:] = (0, 0, 1)
    came = breeding.immigrants()
    assert came.tours.shape == (3, 1, living.tours.shape[2]) and came.feasible.all()
    assert (came.tours[:, 0] == best[[2, 0, 2]]).all()
    assert (came.costs[:, 0] == costs.min(axis=1)[[2, 0, 2]]).all()


@pytest.mark.parametrize(("migration", "generations"), [(1, [1, 2, 3, 4]), (3, [3])])
def test_individuals_migrate_every_few_generations(migration, generations, monkeypatch):
    problem = random_cvrp("capacity", 80)
    breeding, came = bred(problem, replace(RULES, migration=migration)), []
    real = Breeding.immigrants
    monkeypatch.setattr(Breeding, "immigrants", lambda self: came.append(real(self)) or came[-1])
    for generation in range(1, 5):
        before = len(came)
        breeding.next()
        assert (len(came) > before) == (generation in generations)
        for immigrants in came[before:]:  # the best of all lives in two populations now
            best = immigrants.costs.argmin()
            rows = problem.canonical(breeding.living.tours[best]).tolist()
            assert problem.canonical(immigrants.tours[best])[0].tolist() in rows


def test_routes_of_several_individuals_are_combined(monkeypatch):
    problem = random_cvrp("capacity", 30)
    breeding = bred(problem)
    best = breeding.best_costs.copy()
    breeding.best_costs += 10**6  # as if all individuals were worse
    monkeypatch.setattr(Breeding, "_searched", None)  # a search might leave the limits
    assert breeding.combine(10.0)
    (k,) = np.flatnonzero(breeding.best_costs < best + 10**6)
    assert breeding.best_costs[k] <= best.min()
    assert breeding.call.tours[k].tolist() in breeding.living.tours[k].tolist()
    assert problem.feasible(breeding.call.tours[k]).all()
    assert_right(breeding, problem)
    assert not breeding.combine(10.0)


@pytest.mark.parametrize(("seconds", "times"), [(math.inf, 0), (1e6, 2), (0.0, 1)])
def test_runs_with_a_time_limit_combine_routes(seconds, times, monkeypatch):
    combined = []
    monkeypatch.setattr(Breeding, "combine", lambda _, seconds: combined.append(seconds))
    monkeypatch.setattr(part, "COMBINED_AFTER", (0.0, 0.5))
    breeding = bred(random_cvrp("capacity", 14))
    breeding.call.stopwatch = Stopwatch.of(seconds)
    for _ in range(3):
        breeding.next()
    if times == 2:  # the second time is due
        breeding.call.stopwatch.start -= 0.6e6
        breeding.next()
    assert len(combined) == times
    assert max(combined, default=0.0) <= part.MOST_COMBINING
