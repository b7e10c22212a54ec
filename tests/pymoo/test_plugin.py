"""The adapter as a plugin: whose problems it knows."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import Registry
from gpu_ls_plugin.plugins.loader import Plugins
from tests.evolution.samples import cities


def test_the_hook_knows_both_kinds_of_problems_and_no_other() -> None:
    pytest.importorskip("pymoo.core.problem", reason='needs pip install "gpu-ls-plugin[pymoo]"')
    from pymoo.problems import get_problem
    from pymoo.problems.single.traveling_salesman import TravelingSalesman

    from gpu_ls_pymoo import TSPProblem, plugin

    tsp = gls.TSP(cities(9), "EUC_2D")
    found = Plugins(Registry(), lambda: [])
    found.add(plugin, "pymoo")
    assert found.problem_from(TSPProblem(tsp)) is tsp
    assert found.problem_from(TravelingSalesman(cities(9))).n == 9
    for other in (get_problem("zdt1"), SimpleNamespace(cities=cities(9)), None):
        assert plugin.gpu_ls_problem_from(other) is None
