"""Subclasses of the fitness of PyGAD and DEAP are recognised by their evaluations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.plugins.loader import plugins
from tests.evolution.samples import cities

PROBLEM = gls.TSP(cities(12), "EUC_2D")


def fitness_of_pygad() -> tuple[Any, Any, Any]:
    pytest.importorskip("pygad", reason='needs pip install "gpu-ls-plugin[pygad]"')
    from gpu_ls_pygad import LocalSearchMutation, TourFitness

    return TourFitness, LocalSearchMutation, PROBLEM


def benchmark_of_pygad() -> tuple[Any, Any, Any]:
    tsp = pytest.importorskip("pygad.benchmarks.tsp", reason="needs a later PyGAD")
    from gpu_ls_pygad import LocalSearchMutation

    return tsp.TSP, LocalSearchMutation, cities(12)


def cost_of_deap() -> tuple[Any, Any, Any]:
    pytest.importorskip("deap", reason='needs pip install "gpu-ls-plugin[deap]"')
    from gpu_ls_deap import LocalSearchMutation, TourCost

    return TourCost, LocalSearchMutation, PROBLEM


KINDS = {"TourFitness": fitness_of_pygad, "benchmark": benchmark_of_pygad, "TourCost": cost_of_deap}


@pytest.mark.parametrize("kind", KINDS)
def test_a_subclass_with_the_same_values_is_recognised(kind):
    base, operator, given = KINDS[kind]()

    class Counted(base):
        calls = 0

        def __call__(self, *args: Any) -> Any:
            self.calls += 1
            return super().__call__(*args)

    made = Counted(given)
    assert operator(made).search.problem.n == 12
    assert made.calls == 0


@pytest.mark.parametrize("kind", ["TourFitness", "TourCost"])
def test_prices_of_violations_are_the_same_in_a_subclass(kind):
    base, operator, _ = KINDS[kind]()
    routes = gls.CVRP(cities(9), [0, *range(1, 9)], 15, vehicles=3)

    class Named(base):
        pass

    assert operator(Named(routes)).search.problem is routes.tsp


@pytest.mark.parametrize("kind", ["TourFitness", "TourCost"])
def test_subclasses_for_sequences_are_compared(kind):
    base, operator, _ = KINDS[kind]()
    latency = gls.Latency(PROBLEM, start=3)

    class Named(base):
        pass

    class Doubled(base):
        def __call__(self, *args: Any) -> Any:
            said = super().__call__(*args)
            return (2 * said[0],) if isinstance(said, tuple) else 2 * said

    for problem in (latency, gls.FlowShop(cities(12))):
        assert operator(Named(problem)).search.problem is problem
        with pytest.raises(UnsupportedProblemError, match=r"rows by their cost: .*your-own"):
            operator(Doubled(problem))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", ["scaled", "shifted", "maximised", "two objectives", "raises"])
def test_other_costs_are_refused(kind, change):
    base, operator, given = KINDS[kind]()

    class Own(base):
        def __call__(self, *args: Any) -> Any:
            said = super().__call__(*args)
            value = said[0] if isinstance(said, tuple) else said
            if change == "raises":
                raise RuntimeError("no simulator")
            values = {
                "scaled": (3 * value,),
                "shifted": (value + 7,),
                "maximised": (-value,),
                "two objectives": (value, value),
            }[change]
            return values if isinstance(said, tuple) or len(values) > 1 else values[0]

    reason = {"raises": "no simulator", "two objectives": r"shape \(\d, 2\), not as one cost"}
    with pytest.raises(UnsupportedProblemError, match=reason.get(change, "by their length")):
        operator(Own(given))


def test_fitness_of_the_adapters_is_not_evaluated():
    for make in (fitness_of_pygad, cost_of_deap):
        base, _, given = make()
        assert plugins.problem_from(base(given)) is given


def test_the_sample_holds_a_few_tours():
    from gpu_ls_plugin.evolution.recognition import sample_tours

    for n in (1, 2, 3, 12, 600):
        rows = sample_tours(gls.TSP(np.random.default_rng(0).random((n, 2)) * 99))
        assert rows.dtype == np.int32
        assert (np.sort(rows, axis=1) == np.arange(n)).all()
        assert len(rows) >= 3


@pytest.mark.parametrize("kind", ["TourFitness", "TourCost"])
def test_errors_name_other_operators(kind):
    base, operator, _ = KINDS[kind]()
    colours = gls.GraphColouring(3, [(0, 1)], colours=2)
    several = gls.MultiObjectiveTSP([PROBLEM, PROBLEM])
    for use in (base, operator):
        with pytest.raises(InvalidTypeError, match=r"not a TSP.*SuccessorMutation"):
            use(colours)
        with pytest.raises(UnsupportedProblemError, match=r"several lengths.*MemeticNSGA2"):
            use(several)
