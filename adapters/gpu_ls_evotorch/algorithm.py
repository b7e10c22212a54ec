"""`MemeticGA`, a ready-made memetic algorithm."""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING, Any

from evotorch import SolutionBatch
from evotorch.algorithms.searchalgorithm import SearchAlgorithm, SinglePopulationAlgorithmMixin

from gpu_ls_evotorch.values import random_state, tensor_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.memetic import evolution_of
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.timed_run import TimedRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_evotorch.problem import DomainProblem
    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.evolution.batches.crossing import Recombining
    from gpu_ls_plugin.evolution.convergence import Convergence
    from gpu_ls_plugin.evolution.generations.evolution import Evolution
    from gpu_ls_plugin.evolution.replacement import Replacement


class MemeticGA(ShownParameters, SearchAlgorithm, SinglePopulationAlgorithmMixin):
    """Genetic algorithm over local optima, whose population stays on the device of the search.

    By default it runs the same search as `gpu-ls solve`, one generation a step. If you pass a
    crossover whose children may be worse than their parents, or a crossover together with
    ``moves``, ``kicks``, ``num_children`` or a ``replacement``, each step crosses random parents,
    searches the children in one batch, and keeps the best distinct rows of both.

    The status has the entries of EvoTorch's algorithms with one population, such as "best" and
    "pop_best_eval", and "local_search", the `Statistics` of all searches.

    Parameters
    ----------
    problem : DomainProblem
        Its `sampling`, if it has one, makes the first rows.
    popsize : int, optional
        Number of rows; None: that of `gpu-ls solve`, or 100 if each step crosses random parents.
    search : callable or str, optional
        A search of gpu_ls_plugin, or its text, such as "two_opt+or_opt/quadrant(10)".
    crossover : Recombination, optional
        Such as ``gls.EdgeAssembly()`` or ``gls.OrderRecombination()``.
    num_children : int, optional
        Number of children in a step, if each one is searched; None: `popsize`.
    replacement : Replacement, optional
        Chooses among parents and searched children.
    restarts : Convergence, optional
        Says when the population restarts from its best row; None: never.
    moves, kicks : int, optional
        As in `LocalSearchMutation`, for the children.
    seconds : float
        Time limit; waiting for the first kernels does not count. After the limit, steps change
        nothing, and `is_terminated` is true.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        As in `LocalSearchMutation`.
    UnsupportedProblemError
        The problem does not fit the other arguments.
    """

    def __init__(
        self,
        problem: DomainProblem,
        popsize: int | None = None,
        search: Callable[..., Any] | str | None = None,
        *,
        crossover: Recombining | None = None,
        num_children: int | None = None,
        replacement: Replacement | None = None,
        restarts: Convergence | None = None,
        moves: int | None = None,
        kicks: int | None = None,
        seconds: float = math.inf,
    ) -> None:
        if popsize is not None:
            popsize = checks.integer("popsize", popsize, least=1)
        if num_children is not None:
            num_children = checks.integer("num_children", num_children, least=1)
        problem.known_problem()  # raises if a subclass evaluates rows differently
        self.improver = Improver(search, problem.backend, moves, kicks)
        self.clock = TimedRun(seconds)
        self.evolution = _evolution(
            evolution_of(
                problem.evaluated,
                self.improver,
                crossover,
                size=popsize,
                children=num_children,
                replacement=replacement,
                converged=restarts,
                seconds=self.clock.seconds,
            )
        )
        self.popsize = self.evolution.size
        self._bred: Any = None
        self._population: Any = None
        SearchAlgorithm.__init__(self, problem, local_search=self._statistics)
        SinglePopulationAlgorithmMixin.__init__(self)

    @property
    def population(self) -> Any:
        """The rows as an evaluated SolutionBatch; empty before the first step."""
        if self._population is None:
            return SolutionBatch(self.problem, popsize=0, empty=True)
        return self._population

    @property
    def is_terminated(self) -> bool:
        """Whether the time is up, or Ctrl-C has ended a search."""
        return self.clock.over

    def run(self, num_generations: int | None = None, **options: Any) -> None:
        """Make steps until their number is reached, the time is up, or Ctrl-C ends a search.

        Parameters
        ----------
        num_generations : int, optional
            None: no limit, if the algorithm has a time limit.
        **options
            As in EvoTorch.
        """
        if num_generations is None and math.isinf(self.clock.seconds):
            raise InvalidParameterError(
                "num_generations: missing; pass it, or MemeticGA(..., seconds=...)"
            )
        if options.get("reset_first_step_datetime", True):
            self.reset_first_step_datetime()
        for done in count():
            if done == num_generations or (self._bred is not None and self.is_terminated):
                break
            self.step()
        if len(self.end_of_run_hook):
            self.end_of_run_hook(dict(self.status))

    def _step(self) -> None:
        problem, state = self.problem.evaluated, random_state(self.problem)
        if self._bred is None:
            self.evolution.prepare(problem)
            self.clock.restart()
            self._bred = self.evolution.start(problem, state, self.clock, self._given())
        else:
            self._bred = self.evolution.next(problem, self._bred, state, self.clock)
        rows = tensor_of(self._bred.tours)
        batch = SolutionBatch(self.problem, popsize=len(rows), empty=True)
        batch.set_values(rows.to(batch.device))  # a copy, since generations may change in place
        self.problem.evaluate(batch)
        self._population = batch

    def _given(self) -> Any:
        """Return the rows that the sampling of the problem makes; None if it has none."""
        if self.problem.sampling is None:
            return None
        return self.problem.generate_values(self.popsize).cpu().numpy()

    def _statistics(self) -> Statistics:
        return self.clock.statistics


def _evolution(found: Evolution[Any] | None) -> Evolution[Any]:
    if found is None:
        raise UnsupportedProblemError(
            "crossover: children of this problem cannot be compared by cost alone, since it has "
            "constraints; leave the crossover out, or use evotorch's GeneticAlgorithm with "
            "RecombinationCrossover and LocalSearchMutation"
        )
    return found
