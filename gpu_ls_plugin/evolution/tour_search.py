"""Local search of the tours of one problem; on request, all results are new tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.evolution.batches.distinct import DistinctSearch
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import checked_rows, keys
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.random import Generator
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


class TourSearch:
    """Searches batches of a problem's tours.

    `problem` is as in `problem_for_operators`; the other parameters are those of `Improver`. If
    neither `search` nor `moves` is given, the default search is thorough.
    """

    def __init__(
        self,
        problem: object,
        search: Callable[..., Any] | str | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
    ) -> None:
        self.problem = problem_for_operators(problem)
        improver = Improver(search, backend, moves, kicks, thorough=moves is None)
        self.search = DistinctSearch(improver, Kick(backend=backend))

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run, for batches of `size` rows."""
        self.search.prepare(self.problem, size)

    def improved(
        self, rows: ArrayLike, random_state: Generator, run: FrameworkRun | None = None
    ) -> Tours:
        """Return improved tours in canonical form; no tour costs more than its row."""
        tours = checked_rows(self.problem, rows, "tours")
        return self.search.improver(self.problem, tours, random_state, run)[0]

    def renewed(
        self,
        rows: ArrayLike,
        known: Iterable[ArrayLike],
        random_state: Generator,
        run: FrameworkRun | None = None,
    ) -> Tours:
        """Return distinct improved tours in canonical form, none of them known.

        `known` are arrays of tours (Q, n). `DistinctSearch` says what happens to rows that are
        known before or after the search; tiny problems may have no new tours.
        """
        there: set[bytes] = set()
        for some in known:
            if len(np.asarray(some)):
                tours = checked_rows(self.problem, some, "tours")
                there.update(keys(self.problem.canonical(tours)))
        return self.search(self.problem, rows, there, random_state, run).tours
