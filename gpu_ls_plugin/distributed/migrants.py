"""What the population of an island offers to others, and what it adopts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.runs.elites import LOOKED_AT, Elites

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.population import Population


def elites_of(population: Population, problem: Problem, best: int, distant: int) -> Elites:
    """Return what stands for a population: its best rows, and others far from them."""
    rows, costs = population.tours, population.costs
    order, looked_at = on_host(costs).argsort(kind="stable"), best + LOOKED_AT
    few = 2 * looked_at  # of many rows leave a GPU, and more where these break constraints
    while True:
        first = order[:few].tolist()
        found = Elites.of(problem, rows[first], costs[first])
        if few >= len(order) or len(found.allowed) >= looked_at:
            return found.chosen(problem, best, distant)
        few *= 8


def welcome(population: Population, problem: Problem, guests: Elites) -> None:
    """Let a population adopt feasible rows that it lacks, in place of all but its best at most."""
    arriving = guests.allowed
    if not len(arriving):
        return
    rows, costs = population.tours, population.costs
    alike = np.flatnonzero(np.isin(on_host(costs), arriving.costs)).tolist()
    if alike:
        own = Elites.of(problem, rows[alike], costs[alike])
        arriving = arriving.without(problem, own)
    arriving = arriving.take(slice(max(1, len(costs) - 1)))
    if len(arriving):
        population.adopt(arriving.rows, arriving.costs)
