"""What a memetic run prints in each generation."""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.util.display.column import Column
from pymoo.util.display.output import Output

from gpu_ls_plugin.evolution.edge_keys import edge_keys
from gpu_ls_plugin.evolution.rows import as_tours
from gpu_ls_plugin.result import Statistics
from gpu_ls_pymoo.problems import as_tsp
from gpu_ls_pymoo.search import STATISTICS


class LocalSearchOutput(Output):
    """Columns of a run with local search, for ``minimize(..., verbose=True)``.

    ``best`` and ``mean`` are fitness values of the population, ``gap %`` the best's distance from
    the optimum where the problem knows it, ``distinct`` the number of different tours,
    ``moves`` the applied moves so far, ``moves/s`` the evaluated moves per second of search.
    """

    def __init__(self) -> None:
        super().__init__()
        self.best = Column("best", width=12)
        self.mean = Column("mean", width=12)
        self.gap = Column("gap %", width=7)
        self.distinct = Column("distinct", width=8)
        self.moves = Column("moves", width=10)
        self.rate = Column("moves/s", width=8)
        self.optimum: float | None = None

    def initialize(self, algorithm: Any) -> None:
        """Choose the columns: the gap needs an optimum."""
        front = algorithm.problem.pareto_front()
        self.optimum = None if front is None else float(front[0, 0])
        gap = [] if self.optimum is None else [self.gap]
        self.columns += [self.best, self.mean, *gap, self.distinct, self.moves, self.rate]

    def update(self, algorithm: Any) -> None:
        """Take the numbers of the generation that has just ended."""
        super().update(algorithm)
        values, best = algorithm.pop.get("F")[:, 0], float(algorithm.opt.get("F")[0, 0])
        statistics = algorithm.data.get(STATISTICS, Statistics())
        self.best.set(f"{best:.10g}")
        self.mean.set(f"{values.mean():.8g}")
        if self.optimum:
            self.gap.set(f"{100 * (best / self.optimum - 1):.3f}")
        tours, symmetric = algorithm.pop.get("X"), as_tsp(algorithm.problem).symmetric
        keys = edge_keys(np, as_tours(tours), symmetric=symmetric)
        self.distinct.set(len(np.unique(keys)))
        self.moves.set(statistics.moves)
        seconds = statistics.seconds
        self.rate.set(f"{statistics.evaluations / seconds:.2g}" if seconds > 0 else None)
