"""`TSPProblem`, and the conversion of pymoo's problems."""

from __future__ import annotations

import copy
import gc
import weakref
from types import SimpleNamespace
from typing import Any

import cloudpickle
import numpy as np
import pytest
from pymoo.core.problem import ElementwiseProblem
from pymoo.problems import get_problem
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.registry import Registry
from gpu_ls_plugin.plugins.hookspecs import hookimpl
from gpu_ls_plugin.plugins.loader import Plugins, plugins
from gpu_ls_pymoo import TSPProblem, as_tsp, plugin
from gpu_ls_pymoo.problems import fitness
from tests.evolution.samples import cities, rows


class Own(ElementwiseProblem):
    """A pymoo problem that only a plugin can convert."""

    def __init__(self, points: Any, n_var: int) -> None:
        super().__init__(n_var=n_var, n_obj=1, xl=0, xu=n_var - 1, vtype=int)
        self.points = points

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"] = float(x[0])


class Squared(TravelingSalesman):
    """A problem with other costs."""

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"] = self.get_route_length(x) ** 2


class Known:
    """A plugin that converts `Own`."""

    @staticmethod
    @hookimpl
    def gpu_ls_problem_from(obj: object) -> gls.TSP | None:
        return gls.TSP(obj.points, "EUC_2D") if isinstance(obj, Own) else None


def test_a_tsp_is_evaluated_at_once_and_exactly(tsp):
    problem, tours = TSPProblem(tsp), rows(60, 7)
    assert problem.evaluate(tours)[:, 0].tolist() == tsp.cost(tours).tolist()
    assert problem.evaluate(tours.astype(float))[:, 0].tolist() == tsp.cost(tours).tolist()
    assert problem.n_var == 60
    assert problem.xu.max() == 59
    assert problem.name() == "sixty"
    assert as_tsp(problem) is tsp
    assert as_tsp(tsp) is tsp


def test_a_problem_is_not_copied_but_pickles(tsp):
    problem = TSPProblem(tsp)
    assert copy.deepcopy(problem) is problem
    loaded = cloudpickle.loads(cloudpickle.dumps(problem))
    assert loaded.tsp.fingerprint == tsp.fingerprint


def test_the_optimum_is_pymoos_pareto_front(tsp):
    assert TSPProblem(gls.TSP(cities(5), "EUC_2D", optimum=7)).pareto_front().tolist() == [[7.0]]
    assert TSPProblem(tsp).pareto_front() is None


def test_pymoos_problem_becomes_real_distances():
    pymoo = TravelingSalesman(cities(50) / 7)
    tsp, tours = as_tsp(pymoo), rows(50, 6)
    assert tsp.metric.name == "EUC"
    assert tsp.cost(tours) == pytest.approx(pymoo.evaluate(tours)[:, 0], rel=1e-12)


def test_fitness_is_the_problems_own_value_to_the_last_bit():
    pymoo, tours = TravelingSalesman(cities(300) / 7), rows(300, 50).astype(np.int32)
    assert fitness(pymoo, tours).tolist() == pymoo.evaluate(tours)[:, 0].tolist()
    for tsp in (gls.TSP(cities(300) / 7, "EUC_2D"), gls.TSP(cities(300) / 7, "EUC")):
        problem = TSPProblem(tsp)
        assert fitness(problem, tours).tolist() == problem.evaluate(tours)[:, 0].tolist()


def test_fitness_is_unknown_with_other_costs_or_constraints(tsp):
    tours = rows(60, 2).astype(np.int32)
    assert fitness(Squared(cities(60)), tours) is None
    counted = TSPProblem(tsp)
    counted.callback = lambda *_: None
    assert fitness(counted, tours) is None
    constrained = TSPProblem(tsp)
    constrained.n_ieq_constr = 1
    assert fitness(constrained, tours) is None


@pytest.mark.parametrize("change", ["rounded", "three dimensions"])
def test_other_matrices_are_used(change):
    points = np.random.default_rng(0).random((30, 3 if change != "rounded" else 2)) * 100
    pymoo = TravelingSalesman.__new__(TravelingSalesman)
    if change == "rounded":
        pymoo.__init__(points)
        pymoo.D = np.rint(pymoo.D)
    else:
        pymoo.__init__(points)
    tours = rows(30, 5)
    assert as_tsp(pymoo).cost(tours) == pytest.approx(pymoo.evaluate(tours)[:, 0], rel=1e-12)


def test_converted_problems_are_cached_as_long_as_the_problem_lives():
    pymoo = TravelingSalesman(cities(20))
    tsp = as_tsp(pymoo)
    assert as_tsp(pymoo) is tsp
    kept = weakref.ref(tsp)
    del pymoo, tsp
    gc.collect()
    assert kept() is None


def test_a_plugin_converts_other_problems():
    problem = Own(cities(12), 12)
    assert isinstance(as_tsp(Own(cities(12), 12)), gls.Sequence)  # no plugin knows it
    plugins.add(Known(), "known")
    try:
        assert as_tsp(problem).n == 12
        with pytest.raises(UnsupportedProblemError, match="13 variables"):
            as_tsp(Own(cities(12), 13))
    finally:
        plugins.clear()


def test_only_a_tsp_can_be_wrapped():
    with pytest.raises(InvalidTypeError, match="tsp: TravelingSalesman"):
        TSPProblem(TravelingSalesman(cities(5)))


def test_the_hook_converts_these_problems_only():
    tsp = gls.TSP(cities(9), "EUC_2D")
    found = Plugins(Registry(), lambda: [])
    found.add(plugin, "pymoo")
    assert found.problem_from(TSPProblem(tsp)) is tsp
    assert found.problem_from(TravelingSalesman(cities(9))).n == 9
    for other in (get_problem("zdt1"), SimpleNamespace(cities=cities(9)), None):
        assert plugin.gpu_ls_problem_from(other) is None
