"""Refusals of problems name the guide to objectives of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import GpuLsError
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators
from gpu_ls_plugin.runs.domain import domain_of
from tests.evolution.samples import cities, rows

GUIDE = r"docs/(your-own-objective|pymoo)\.md"
SHOP = gls.FlowShop(np.ones((5, 2), int))
TSP = gls.TSP(cities(5))

REFUSALS: dict[str, Any] = {
    "no domain": lambda: domain_of("problem"),
    "no plugin": lambda: problem_for_operators("problem"),
    "no tours": lambda: gls.LocalSearch([gls.TwoOpt()])(SHOP, rows(5, 1), backend="cpu"),
    "no sequences": lambda: gls.neh(TSP),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_name_the_guide(name):
    with pytest.raises(GpuLsError, match=GUIDE):
        REFUSALS[name]()


def pymoo_problem(*, n_obj: int = 1, vtype: Any = int, **more: Any) -> Any:
    """Return a problem of pymoo that evaluates the first variable."""
    from pymoo.core.problem import Problem

    class First(Problem):
        def _evaluate(self, x: Any, out: Any, *args: Any, **kwargs: Any) -> None:
            out["F"] = np.tile(x[:, :1], n_obj)

    return First(n_var=5, n_obj=n_obj, xl=0, xu=more.pop("xu", 4), vtype=vtype, **more)


PYMOO: dict[str, Any] = {
    "reals": lambda ours: ours.as_tsp(pymoo_problem(vtype=float)),
    "integers": lambda ours: ours.as_tsp(pymoo_problem(xu=9)),
    "several": lambda ours: ours.as_tsp(pymoo_problem(n_obj=2)),
    "no tsp": lambda ours: ours.TSPProblem(SHOP),
    "no cvrp": lambda ours: ours.CVRPProblem(SHOP),
    "no assignment": lambda ours: ours.AssignmentProblem(SHOP),
    "no values": lambda ours: ours.SuccessorSampling().do("problem", 2),
    "no keys": lambda ours: ours.RandomKeysProblem("problem", local_search_probability=0),
    "not ours": lambda ours: ours.DomainProblem("problem"),
    "several of one": lambda ours: ours.MemeticGA(4).setup(pymoo_problem(n_obj=2)),
    "several lengths": lambda ours: ours.MemeticNSGA2(4).setup(pymoo_problem(n_obj=2)),
}


@pytest.mark.parametrize("name", PYMOO)
def test_refusals_of_pymoo_name_the_guide(name):
    pytest.importorskip("pymoo", reason='needs pip install "gpu-ls-plugin[pymoo]"')
    import gpu_ls_pymoo

    with pytest.raises(GpuLsError, match=GUIDE):
        PYMOO[name](gpu_ls_pymoo)
