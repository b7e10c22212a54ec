"""The check of cooperations passes those that are right and finds planted faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import Cooperation
from gpu_ls_plugin.testing import check_cooperation
from tests.testing.faults import ON_BOTH, found_out


@dataclass(frozen=True)
class Mine(Cooperation):
    """A chain continues from the tour of the next one if that is better, or has a fault."""

    every: float = 0.1
    fault: str = ""

    name = "mine"

    def exchange(self, chains: Any, level: float, seconds: float = 1.0, kicks: int = 1) -> int:
        costs = chains.start.backend.to_numpy(chains.best_costs)
        rows = [row for row in range(len(costs) - 1) if costs[row] > costs[row + 1]]
        others = [row + 1 for row in rows]
        if self.fault == "tours alone" and rows:
            chains.tours[rows] = chains.best_tours[others]
        elif self.fault == "no tours":
            chains.tours[:, 0] = chains.tours[:, 1]
        elif self.fault == "loses the best":
            chains.tours[:] = chains.tours[:1]
            chains.costs[:] = chains.costs[:1]
            chains.best_tours[:] = chains.tours
            chains.best_costs[:] = chains.costs
        elif self.fault == "needs two" and len(costs) < 2:
            raise IndexError("there is no second chain")
        elif rows:
            chains.take(rows, others)
        return 0


FAULTS = {
    "tours alone": "have costs .* but the costs of tours are .* after exchange\\(\\), costs",
    "no tours": "not a permutation",
    "loses the best": "lost the best tour",
    "needs two": r"exchange\(\) of 1 chains.* raised IndexError: there is no second chain",
}


@ON_BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_cooperation_is_found_out(fault, backend):
    found_out(check_cooperation, Mine(fault=fault), FAULTS[fault], backend=backend)


@ON_BOTH
def test_a_cooperation_that_is_right_passes(backend):
    check_cooperation(Mine(), backend=backend)


@pytest.mark.parametrize("part", [gls.Migration(), gls.EdgeAssembly(), gls.Merging()], ids=repr)
def test_built_in_cooperations_pass(part):
    check_cooperation(part, backend="cpu")
