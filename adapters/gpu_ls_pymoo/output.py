"""The columns that a memetic run prints in each generation."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from pymoo.util.display.column import Column
from pymoo.util.display.output import Output

from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.diversity import entropy_of
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.problems import view_of
from gpu_ls_pymoo.search import STATISTICS


class LocalSearchOutput(ShownParameters, Output):
    """Columns of a run with local search, for ``minimize(..., verbose=True)``.

    ``best`` and ``mean`` are fitness values of the population, as reports show them
    (`gpu_ls_plugin.Problem.published`). ``gap %`` is the gap of the best fitness to the optimum, if
    that is known. ``distinct`` is the number of distinct tours, and ``entropy`` is the entropy of
    their edges in nats (`gpu_ls_plugin.evolution.diversity.entropy`). If the library cannot search
    the problem's rows as tours, ``distinct`` counts distinct rows, and there is no ``entropy``.
    ``moves`` is the number of moves applied so far. ``moves/s`` and ``tours/s`` are the numbers of
    moves evaluated and of tours searched per second of search, and ``search %`` is the share of the
    time so far that was spent in searches.

    Without ``verbose``, none of this is computed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.best = Column("best", width=12)
        self.mean = Column("mean", width=12)
        self.gap = Column("gap %", width=7)
        self.distinct = Column("distinct", width=8)
        self.entropy = Column("entropy", width=8)
        self.moves = Column("moves", width=10)
        self.rate = Column("moves/s", width=8)
        self.searched = Column("tours/s", width=8)
        self.share = Column("search %", width=8)
        self.optimum: float | None = None

    def initialize(self, algorithm: Any) -> None:
        """Choose the columns: `gap` needs an optimum."""
        front = algorithm.problem.pareto_front()
        self.optimum = None if front is None else float(front[0, 0])
        self.columns += [self.best, self.mean, *([] if self.optimum is None else [self.gap])]
        self.columns += [self.distinct, self.entropy, self.moves, self.rate]
        self.columns += [self.searched, self.share]

    def update(self, algorithm: Any) -> None:
        """Set the columns for the generation that has just ended."""
        super().update(algorithm)
        values, best = algorithm.pop.get("F")[:, 0], float(algorithm.opt.get("F")[0, 0])
        view = view_of(algorithm.problem)
        self.best.set(f"{view.published(best):.10g}")
        self.mean.set(f"{view.published(values.mean()):.8g}")
        if self.optimum:
            self.gap.set(f"{100 * (best - self.optimum) / abs(self.optimum):.3f}")
        self._update_search(algorithm)
        features = view.features(algorithm.pop)
        rows = algorithm.pop.get("X") if features is None else np.sort(features, axis=1)
        self.distinct.set(len(np.unique(rows, axis=0)))
        self.entropy.set(None if features is None else f"{entropy_of(np, features):.2f}")

    def _update_search(self, algorithm: Any) -> None:
        statistics = algorithm.data.get(STATISTICS, Statistics())
        seconds = statistics.seconds
        self.moves.set(statistics.moves)
        self.rate.set(f"{statistics.evaluations / seconds:.2g}" if seconds > 0 else None)
        self.searched.set(f"{statistics.climbs / seconds:.2g}" if seconds > 0 else None)
        passed = time.time() - (algorithm.start_time or math.inf)
        self.share.set(f"{100 * seconds / passed:.1f}" if passed > 0 else None)
