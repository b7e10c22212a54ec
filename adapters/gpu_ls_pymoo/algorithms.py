"""Ready-made memetic algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from pymoo.algorithms.soo.nonconvex.ga import FitnessSurvival
from pymoo.termination.max_gen import MaximumGenerationTermination

from gpu_ls_plugin import checks
from gpu_ls_plugin.evolution.chain_evolution import ChainEvolution
from gpu_ls_plugin.evolution.improver import Improver
from gpu_ls_plugin.recombination.base import Recombination
from gpu_ls_plugin.searches import IteratedLocalSearch, LocalSearch
from gpu_ls_pymoo.clock import time_limit
from gpu_ls_pymoo.crossover import RecombinationCrossover
from gpu_ls_pymoo.duplicates import TourDuplicateElimination
from gpu_ls_pymoo.evolving import EvolvingGA
from gpu_ls_pymoo.mating import MemeticMating
from gpu_ls_pymoo.output import LocalSearchOutput
from gpu_ls_pymoo.problems import as_tsp, knows_fitness
from gpu_ls_pymoo.sampling import LocalSearchSampling, warm_start

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.evolution.evolution import Evolution

POP_SIZE = 100  # where it does not follow from the device


class MemeticGA(EvolvingGA):
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
        pop_size: int | None = None,
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
        if pop_size is not None:
            pop_size = checks.integer("pop_size", pop_size, least=1)
        if n_offsprings is not None:
            n_offsprings = checks.integer("n_offsprings", n_offsprings, least=1)
        self.improver = Improver(search, backend, moves, kicks)
        self._chosen_size, self._crossover = pop_size, crossover
        self._own = (selection, mutation, survival, mating)
        self._limits = (n_offsprings, moves, kicks)
        self.constructs = sampling is None
        if sampling is None:
            sampling = LocalSearchSampling(search=search, backend=backend, moves=moves, kicks=kicks)
        if mating is None:
            if isinstance(crossover, Recombination):
                crossover = RecombinationCrossover(crossover, backend=backend)
            mating = MemeticMating(search, selection, crossover, mutation, backend, moves, kicks)
        super().__init__(
            pop_size=pop_size or POP_SIZE,
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
        self.evolution = self._evolution(problem)
        if self.evolution is None:
            _prepare(self.mating, problem, self.n_offsprings)
        else:
            self.evolution.prepare(as_tsp(problem), self.pop_size)
        if self.evolution is None or not self.constructs:
            _prepare(self.initialization.sampling, problem, self.pop_size)

    def _evolution(self, problem: Any) -> Evolution[Any] | None:
        """Return what makes the generations; None where pymoo's operators do."""
        crossover, search = self._crossover, self.improver.given
        if not knows_fitness(problem) or any(part is not None for part in self._own):
            return None
        if not (crossover is None or isinstance(crossover, Recombination)):
            return None
        improves = crossover is None or crossover.never_worse
        limited = any(limit is not None for limit in self._limits)
        if limited or not improves or not (search is None or _repairs(search)):
            return None
        evolution = ChainEvolution.like_solve(
            as_tsp(problem),
            population=self._chosen_size,
            search=search,
            crossover=crossover,
            seconds=time_limit(self.termination),
            backend=self.improver.backend,
        )
        if self._chosen_size is None:
            self.pop_size = self.n_offsprings = evolution.settings.population
        return evolution


def _prepare(operator: Any, problem: Any, size: Any) -> None:
    """Compile what an operator needs ahead, if it can."""
    if hasattr(operator, "prepare"):
        operator.prepare(problem, size)


def _repairs(search: object) -> TypeGuard[LocalSearch]:
    """Return whether a search can repair kicked tours within the kernel of a chain."""
    return isinstance(search, LocalSearch) and IteratedLocalSearch(search).fused
