"""Time limits in all algorithms of pymoo that support the operators."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.soo.nonconvex.ga import GA, FitnessSurvival
from pymoo.core.duplicate import DefaultDuplicateElimination
from pymoo.core.population import Population
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
from gpu_ls_pymoo import (
    CanonicalTourRepair,
    LocalSearchMutation,
    LocalSearchSampling,
    MemeticGA,
    MemeticMating,
    TourDuplicateElimination,
    TSPProblem,
)
from tests.evolution.samples import cities

pytestmark = pytest.mark.timed
LIMIT, OVERRUN = 0.6, 0.2  # seconds
SLOW = 0.4  # seconds: more than a run may take beyond its limit


class SlowCrossover(OrderCrossover):
    """A crossover as slow as pymoo's edge recombination of a few dozen pairs."""

    def _do(self, *args: Any, **options: Any) -> Any:
        time.sleep(SLOW)
        return super()._do(*args, **options)


class SlowDuplicates(DefaultDuplicateElimination):
    """An elimination as slow as pymoo's comparison of all pairs among thousands of rows."""

    def do(self, *args: Any, **options: Any) -> Any:
        time.sleep(SLOW)
        return super().do(*args, **options)


class OneByOne(GeneticAlgorithm):
    """Mutates copies of single individuals, as decomposition does."""

    def _infill(self) -> Any:
        context = {"algorithm": self, "random_state": self.random_state}
        mutate = self.mating.mutation
        made = [mutate(self.problem, self.pop[[i]], inplace=False, **context) for i in range(50)]
        return Population.merge(*made)


@pytest.fixture(scope="module")
def problem() -> TSPProblem:
    """Return a problem of a thousand cities for which all kernels are compiled."""
    made = TSPProblem(gls.TSP(cities(1000), "EUC_2D"))
    for operator in (LocalSearchMutation(), LocalSearchSampling()):
        operator.prepare(made, 50)
    return made


def drop_in(kind: Any = GA, **options: Any) -> Any:
    parts = {
        "pop_size": 50,
        "sampling": PermutationRandomSampling(),
        "crossover": OrderCrossover(),
        "mutation": LocalSearchMutation(),
    }
    return kind(**{**parts, **options})


@pytest.mark.parametrize(
    "algorithm",
    [
        pytest.param(drop_in(), id="ga"),
        pytest.param(drop_in(NSGA2), id="nsga2"),
        pytest.param(drop_in(OneByOne, survival=FitnessSurvival(), selection=None), id="one"),
        pytest.param(MemeticGA(50), id="memetic"),
        *(
            pytest.param(drop_in(**options), id=name, marks=pytest.mark.slow)
            for name, options in {
                "some": {"mutation": LocalSearchMutation(prob=0.3)},
                "steady": {"n_offsprings": 1},
                "starts": {"sampling": LocalSearchSampling(), "repair": CanonicalTourRepair()},
                "hash": {"eliminate_duplicates": TourDuplicateElimination()},
                "nsga3": {"kind": NSGA3, "ref_dirs": np.ones((1, 1))},
                "mating": {"mating": MemeticMating()},
            }.items()
        ),
    ],
)
def test_a_time_limit_holds(problem, algorithm):
    result = minimize(problem, algorithm, ("time", LIMIT), seed=1)
    assert LIMIT - OVERRUN <= result.exec_time <= LIMIT + OVERRUN
    assert result.data["local_search"].moves > 0
    assert result.F[0] == problem.tsp.cost(result.X)[0]


@pytest.mark.parametrize(
    ("slow", "limit", "generations"),
    [
        ({"crossover": SlowCrossover()}, 0.9, 3),
        ({"eliminate_duplicates": SlowDuplicates()}, 1.3, 3),
    ],
    ids=["crossover", "duplicates"],
)
def test_slow_parts_of_pymoo_do_not_break_it(problem, slow, limit, generations):
    """No generation begins that would exceed the limit even without a search."""
    algorithm = drop_in(pop_size=20, n_offsprings=10, **slow)
    result = minimize(problem, algorithm, ("time", limit), seed=1)
    assert result.exec_time <= limit + OVERRUN
    # As many as fit into the time; one less if the machine is busy.
    assert generations - 1 <= result.algorithm.n_gen - 1 <= generations
    assert result.data["local_search"].moves > 0


def test_a_run_whose_time_is_up_does_not_mate_again(problem, monkeypatch):
    """All individuals that are not drawn are duplicates, since their parents are equal."""
    mutation = LocalSearchMutation(prob=0.02)
    calls = []
    inner = LocalSearchMutation.do

    def note(self: Any, *args: Any, **options: Any) -> Any:
        calls.append(time.time())
        return inner(self, *args, **options)

    monkeypatch.setattr(LocalSearchMutation, "do", note)
    start = np.arange(1000)[None].repeat(20, axis=0)
    algorithm = drop_in(pop_size=20, sampling=start, mutation=mutation)
    algorithm.setup(problem, termination=("time", 100), seed=1)
    algorithm.next()
    algorithm.start_time -= 100
    algorithm.next()
    assert len(calls) == 1
    assert not algorithm.has_next()
