"""Start populations of constructed and searched tours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_deap.individuals import random_state
from gpu_ls_deap.run import TimedRun
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.bound.problem import tours_of
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters

if TYPE_CHECKING:
    from collections.abc import Callable


class LocalSearchSampling(ShownParameters):
    """Construct tours and improve them by a local search, in one batch.

    ``toolbox.register("population", LocalSearchSampling(problem), creator.Individual)``, and then
    ``toolbox.population(n=100)``.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP, whose individuals are giant tours then, a `TourCost`, or anything else that
        a plugin makes a problem of.
    construction : str or callable, optional
        Name of a registered construction ("random_tours", "greedy", ...) or a function of the same
        signature, such as ``gpu_ls_plugin.greedy``; if None, "savings" of a CVRP, else
        "nearest_neighbour".
    search, backend, moves, kicks, run
        As in `LocalSearchMutation`, but 2-opt and Or-opt if `search` is None.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        As `LocalSearchMutation`; no such construction.
    """

    def __init__(
        self,
        problem: object,
        construction: Callable[..., Any] | str | None = None,
        search: Callable[..., Any] | str | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
        run: TimedRun | None = None,
    ) -> None:
        self.problem = tours_of(problem)
        self.starts = Starts(construction, Improver(search, backend, moves, kicks))
        self.run = checks.instance("run", run, kind=TimedRun | None, wanted="TimedRun")

    def prepare(self, size: int = 1) -> None:
        """Compile for populations of `size` ahead of a timed run."""
        self.starts.prepare(self.problem, size)

    def __call__(self, individual: Callable[[list[int]], Any], n: int) -> list[Any]:
        """Return `n` individuals, each made of a list of cities; some may be the same tour."""
        size = checks.integer("n", n, least=1)
        tours, _ = self.starts(self.problem, size, random_state(), self.run)
        return [individual(tour) for tour in tours.tolist()]
