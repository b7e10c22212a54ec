"""Ready-made memetic algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.algorithms.soo.nonconvex.ga import FitnessSurvival
from pymoo.termination.max_gen import MaximumGenerationTermination

from gpu_ls_plugin import checks
from gpu_ls_plugin.evolution.improver import Improver
from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.recombination.base import Recombination
from gpu_ls_pymoo.duplicates import TourDuplicateElimination
from gpu_ls_pymoo.mating import MemeticMating
from gpu_ls_pymoo.output import LocalSearchOutput
from gpu_ls_pymoo.recombination_mating import RecombinationMating
from gpu_ls_pymoo.sampling import LocalSearchSampling, warm_start

if TYPE_CHECKING:
    from collections.abc import Callable

START_BEST = "start_best"  # key of the best fitness of the start population in `algorithm.data`


class MemeticGA(GeneticAlgorithm):
    """Genetic algorithm over local optima: every child is improved by a local search.

    A generation draws parents at random, puts a segment of one into the other
    (`SegmentCrossover`), kicks half of the children, searches all of them in one batch and keeps
    the best distinct tours of parents and children. The start population are searched
    nearest-neighbour tours.

    ``result.data["start_best"]`` is the fitness of the best tour of the start population,
    ``result.data["local_search"]`` holds the `Statistics` of all searches together. A searched
    tour counts as one evaluation in ``n_eval``. A time limit cuts the search of the last
    generation. Ctrl-C ends the run with the best so far.

    The first search of a kind on a machine is compiled, before the clock of a time limit starts.

    Parameters
    ----------
    pop_size : int
        Tours in the population, at least 1; also the size of the batches, so a GPU needs hundreds.
    search : callable or str, optional
        A search of gpu_ls_plugin, or a text for one such as "two_opt+or_opt/quadrant(10)";
        `default_search` if None.
    sampling : pymoo Sampling, array (P, n) or Population, optional
        Start population; an array or Population is a warm start, whose tours are checked and
        taken as they are.
    selection, crossover, mutation : pymoo operators, optional
        As in `MemeticMating`. A recombination of gpu_ls_plugin, such as ``EdgeAssembly()``, crosses
        random parents on the device; there is no other selection or mutation then.
    survival, mating, output : optional
        Other pymoo parts in place of `FitnessSurvival`, `MemeticMating` and `LocalSearchOutput`.
        A `mating` brings its own search and operators.
    n_offsprings : int, optional
        Children in a generation, at least 1; `pop_size` if None.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Applied improving moves per tour and call, at least 1; None: to the local optimum.
        Of the children and of the start population, as `kicks`.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`; None: its `kicks_per_city`
        where `moves` does not limit it.
    termination : pymoo termination or tuple, optional
        Where `minimize` is given none; 100 generations if None.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor a
        text for one; `kicks` is given where the search makes none.
    InvalidTourError
        When a run begins: a row of a warm start is not a tour of the problem.
    """

    def __init__(
        self,
        pop_size: int = 100,
        search: Callable[..., Any] | str | None = None,
        *,
        sampling: Any = None,
        selection: Any = None,
        crossover: Any = None,
        mutation: Any = None,
        survival: Any = None,
        mating: Any = None,
        n_offsprings: int | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
        output: Any = None,
        termination: Any = None,
        **kwargs: Any,
    ) -> None:
        if sampling is None:
            sampling = LocalSearchSampling(search=search, backend=backend, moves=moves, kicks=kicks)
        if mating is None and isinstance(crossover, Recombination):
            if selection is not None or mutation is not None:
                raise InvalidParameterError(
                    "selection, mutation: a recombination crosses random parents and nothing else; "
                    "leave them out, or pass a crossover of pymoo"
                )
            improver = Improver(search, backend, moves, kicks)
            mating = RecombinationMating(crossover, improver)
        elif mating is None:
            mating = MemeticMating(search, selection, crossover, mutation, backend, moves, kicks)
        if n_offsprings is not None:
            n_offsprings = checks.integer("n_offsprings", n_offsprings, least=1)
        super().__init__(
            pop_size=checks.integer("pop_size", pop_size, least=1),
            sampling=sampling,
            mating=mating,
            survival=survival or FitnessSurvival(),
            eliminate_duplicates=TourDuplicateElimination(),
            n_offsprings=n_offsprings,
            output=output or LocalSearchOutput(),
            termination=termination or MaximumGenerationTermination(100),
            **kwargs,
        )

    def _setup(self, problem: Any, **kwargs: Any) -> None:
        """Check the start and compile before the clock of a time limit starts."""
        self.eliminate_duplicates.adopt(problem)
        self.initialization.sampling = warm_start(problem, self.initialization.sampling)
        for operator, size in (
            (self.initialization.sampling, self.pop_size),
            (self.mating, self.n_offsprings),
        ):
            if hasattr(operator, "prepare"):
                operator.prepare(problem, size)

    def next(self) -> None:
        """Make one generation; Ctrl-C outside a search ends the run as it does inside."""
        try:
            super().next()
        except KeyboardInterrupt:
            if not self.is_initialized:
                raise
            self._set_optimum()
            self.termination.terminate()
            self.termination.update(self)
            self.finalize()

    def _initialize_advance(self, infills: Any = None, **kwargs: Any) -> None:
        super()._initialize_advance(infills=infills, **kwargs)
        self.data[START_BEST] = float(infills.get("F").min())
