"""Local search and kicks as operators of EvoTorch, which change a batch in place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from evotorch.operators import Operator

import gpu_ls_plugin as gls
from gpu_ls_evotorch.distinct import renewed
from gpu_ls_evotorch.values import random_state, rows_of, write
from gpu_ls_plugin.backends.arrays import on_gpu
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators
from gpu_ls_plugin.evolution.tour_search import TourSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from gpu_ls_evotorch.problem import DomainProblem


class InPlaceMutation(ShownParameters, Operator, ABC):
    """An operator that replaces all rows of a batch."""

    def _do(self, batch: Any) -> None:
        if len(batch):
            write(batch, self._mutated(rows_of(batch), random_state(self.problem)))

    @abstractmethod
    def _mutated(self, rows: Any, state: Generator) -> Any:
        """Return the mutated rows, on the device of `rows`, which are not checked yet."""


class LocalSearchMutation(InPlaceMutation):
    """Improve all solutions of a batch with a local search, in one call.

    The improved rows differ from each other: duplicates are kicked before the search, and again
    if the search makes two rows equal. On a GPU, the rows stay there.

    Without a `run`, Ctrl-C raises KeyboardInterrupt once the rows have been written.

    Parameters
    ----------
    problem : DomainProblem
        A problem whose rows are permutations.
    search, backend, moves, kicks, run
        As in `gpu_ls_deap.LocalSearchMutation`.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given rows nor the
        text of one; `kicks` is given, but the search makes no kicks; the problem has other rows.
    """

    def __init__(
        self,
        problem: DomainProblem,
        search: Callable[..., Any] | str | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
        run: TimedRun | None = None,
    ) -> None:
        self.search = TourSearch(problem, search, backend, moves, kicks)
        self.clock = checks.instance("run", run, kind=TimedRun | None, wanted="TimedRun")
        super().__init__(problem)

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.search.prepare(size)

    def _do(self, batch: Any) -> None:
        super()._do(batch)
        if self.clock is None and self._made.interrupted:
            raise KeyboardInterrupt

    def _mutated(self, rows: Any, state: Generator) -> Any:
        self._made = TimedRun() if self.clock is None else self.clock
        if on_gpu(rows):
            return renewed(self.search, rows, state, self._made)
        return self.search.renewed(rows, (), state, self._made)


class PerturbationMutation(InPlaceMutation):
    """Kick all solutions of a batch with a perturbation of gpu_ls_plugin, in one call.

    Parameters
    ----------
    problem : DomainProblem
        A problem whose rows are permutations.
    part : Perturbation or str, optional
        As in `gpu_ls_deap.PerturbationMutation`, such as ``gls.DoubleBridge(segment=50)``.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `part` is not a perturbation, the backend is unknown, or the problem has other rows.
    FaultyPartError
        In a call: a third party's perturbation returned rows that are not solutions.
    """

    def __init__(self, problem: DomainProblem, part: Any = None, backend: str = "auto") -> None:
        self.kicked = problem_for_operators(problem)
        self.kick = Kick(part, backend)
        super().__init__(problem)

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.kick.prepare(self.kicked, size)

    def _mutated(self, rows: Any, state: Generator) -> Any:
        checked = rows if on_gpu(rows) else checked_rows(self.kicked, rows, "solutions")
        return self.kick(self.kicked, checked, state)


class DoubleBridgeMutation(PerturbationMutation):
    """Kick all tours of a batch with a random double bridge, which changes four edges.

    Parameters
    ----------
    segment : int, optional
        Length of the window of positions that contains all four cuts; None: the whole tour.
    problem, backend
        As in `PerturbationMutation`.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is too short for a double bridge, the backend is unknown, or the problem has
        other rows.
    """

    def __init__(
        self, problem: DomainProblem, segment: int | None = 50, backend: str = "auto"
    ) -> None:
        super().__init__(problem, gls.DoubleBridge(segment=segment), backend)
