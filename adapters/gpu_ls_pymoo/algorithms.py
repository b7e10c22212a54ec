"""`MemeticGA`, a ready-made memetic algorithm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pymoo.algorithms.soo.nonconvex.ga import FitnessSurvival
from pymoo.core.duplicate import DefaultDuplicateElimination
from pymoo.termination.max_gen import MaximumGenerationTermination

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.distributed import Islands
from gpu_ls_plugin.distributed.evolution import IslandEvolution
from gpu_ls_plugin.evolution.batches.crossing import recombines
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.memetic import SIZE, evolution_of
from gpu_ls_plugin.evolution.generations.staged_population import PlannedEvolution
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import SECONDS, plan_of_generations
from gpu_ls_pymoo.clock import time_limit
from gpu_ls_pymoo.crossover import RecombinationCrossover
from gpu_ls_pymoo.duplicates import TourDuplicateElimination
from gpu_ls_pymoo.evolving import EvolvingGA
from gpu_ls_pymoo.mating import MemeticMating
from gpu_ls_pymoo.output import LocalSearchOutput
from gpu_ls_pymoo.problems import as_tsp, view_of
from gpu_ls_pymoo.sampling import LocalSearchSampling, warm_start

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.evolution.convergence import Convergence
    from gpu_ls_plugin.evolution.generations.evolution import Evolution
    from gpu_ls_plugin.evolution.replacement import Replacement
    from gpu_ls_pymoo.view import View


class MemeticGA(EvolvingGA):
    """Genetic algorithm over local optima, whose population stays on the device of the search.

    By default it runs the same search as `gpu-ls solve`. In each generation, tours are kicked and
    repaired by Lin-Kernighan for a while, and then crossed with edge assembly. The population size,
    the candidates, the initial tours and the length of a generation follow from the problem, the
    device and the time limit (`gpu_ls_plugin.solver.default_settings`).

    If you pass a crossover whose children may be worse than their parents, or a crossover together
    with ``moves``, ``kicks``, ``n_offsprings`` or a ``replacement``, each generation crosses random
    parents, searches the children in one batch, and keeps the best distinct tours among parents and
    children. If you pass operators of pymoo, `MemeticMating` makes the children.

    On an `AssignmentProblem`, each generation continues a `SuccessorSearch` for a short time; its
    rows are the population. You can then pass a `search`, a `sampling` and an `output`, but no
    operators.

    ``result.data["start_best"]`` is the fitness of the best tour of the initial population, and
    ``result.data["local_search"]`` has the `Statistics` of all searches. Each searched tour counts
    as one evaluation in ``n_eval``. ``pop`` contains the distinct tours, the best first; it is made
    when it is first accessed. A time limit ends the search of the last generation early.
    Ctrl-C ends the run with the best result so far.

    The clock of a time limit starts when the first kernels are ready. Kernels that are needed later
    are compiled during the search, and that time counts.

    Parameters
    ----------
    pop_size : int, optional
        Number of tours in the population, at least 1; a GPU needs hundreds. The default is that of
        `gpu-ls solve`, or 100 if each generation crosses random parents.
    search : callable or str, optional
        A search of gpu_ls_plugin, or its text, such as "two_opt+or_opt/quadrant(10)". A
        `LocalSearch` repairs kicked tours; other searches improve children.
    sampling : pymoo Sampling, array (P, n) or Population, optional
        Initial population. The tours of an array or Population are checked but not searched.
    crossover : Recombination or pymoo Crossover, optional
        A recombination such as ``gls.EdgeAssembly()`` or ``gls.OrderRecombination()`` crosses on
        the device. So do the operators of this package that wrap a recombination, such as
        `OrderCrossover`.
    selection, mutation : pymoo operators, optional
        As in `MemeticMating`.
    survival, mating, output : optional
        pymoo parts that replace `FitnessSurvival`, `MemeticMating` and `LocalSearchOutput`. If
        you pass a `mating`, it uses its own search and operators.
    n_offsprings : int, optional
        Number of children per generation, at least 1; None: `pop_size`.
    replacement : Replacement, optional
        Rule that chooses among parents and searched children: `BestDistinct`, `EdgeDistance` or
        `Crowding` of `gpu_ls_plugin.evolution.replacement`.
    restarts : Convergence, optional
        Criterion for restarting the population from its best tour, such as ``Stagnation(50)`` of
        `gpu_ls_plugin.evolution.convergence`; None: no restarts.
    backend : str
        "auto", "cpu" or "cuda".
    moves, kicks : int, optional
        As in `LocalSearchMutation`, for the children and the initial population.
    termination : pymoo termination or tuple, optional
        Used if `minimize` gets no termination; None: 100 generations.
    islands : Islands, optional
        Opened islands, from ``gpu_ls_plugin.Islands(...).opened()``. All workers of a Dask cluster
        then make generations, each with an equal part of the population, and exchange tours.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        As in `LocalSearchMutation`.
    InvalidTourError
        When a run begins: a row of `sampling` is not a tour of the problem.
    UnsupportedProblemError
        When a run begins: the problem does not fit the other arguments, or has several objectives
        and there is no `survival` for these.
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
        replacement: Replacement | None = None,
        restarts: Convergence | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
        output: Any = None,
        termination: Any = None,
        islands: Islands | None = None,
        **kwargs: Any,
    ) -> None:
        if islands is not None:
            own = (sampling, selection, crossover, mutation, survival, mating)
            _check_islands(islands, *own, n_offsprings, replacement, restarts, moves, kicks)
        self._islands = islands
        if pop_size is not None:
            pop_size = checks.integer("pop_size", pop_size, least=1)
        if n_offsprings is not None:
            n_offsprings = checks.integer("n_offsprings", n_offsprings, least=1)
        self.improver = Improver(search, backend, moves, kicks)
        self._chosen_size, self._crossover = pop_size, _part_of(crossover, backend)
        self._own = (selection, mutation, survival, mating)
        self._children, self._replacement, self._restarts = n_offsprings, replacement, restarts
        self.constructs = sampling is None
        if sampling is None:
            sampling = LocalSearchSampling(search=search, backend=backend, moves=moves, kicks=kicks)
        if mating is None:
            if recombines(crossover):
                crossover = RecombinationCrossover(crossover, backend=backend)
            mating = MemeticMating(search, selection, crossover, mutation, backend, moves, kicks)
        super().__init__(
            pop_size=pop_size or SIZE,
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
        """Check the initial population, and compile before the clock of a time limit starts."""
        if problem.n_obj > 1 and self._own[2] is None:
            raise UnsupportedProblemError(
                f"problem: {type(problem).__name__} has {problem.n_obj} objectives, but MemeticGA "
                "selects by one; use NSGA2(sampling=PermutationRandomSampling(), crossover="
                "OrderCrossover(), mutation=LocalSearchMutation()), or fix weights: "
                "DomainProblem(as_sequence(problem, weights=[...])) (docs/pymoo.md)"
            )
        view = view_of(problem)
        if not view.operators:
            self._setup_solved(view)
            return
        self.eliminate_duplicates.adopt(problem)
        self.initialization.sampling = warm_start(problem, self.initialization.sampling)
        self.evolution = self._evolution(problem)
        if self.evolution is None:
            _prepare(self.mating, problem, self.n_offsprings)
        else:
            self.pop_size = self.evolution.size
            self.evolution.prepare(as_tsp(problem))
        if self.evolution is None or not self.constructs:
            _prepare(self.initialization.sampling, problem, self.pop_size)

    def _setup_solved(self, view: View) -> None:
        """Set up a run of the plan of `gpu-ls solve`, without operators."""
        improver = self.improver
        others = (*self._own, self._crossover, self._children, self._replacement, self._restarts)
        asked = any(part is not None for part in (*others, improver.moves, improver.kicks))
        islands = self._islands is not None
        view.check_generations(improver.given, operators=asked, islands=islands)
        self.eliminate_duplicates = DefaultDuplicateElimination()
        self.initialization.eliminate_duplicates = self.eliminate_duplicates
        self.initialization.sampling = warm_start(view.pymoo_problem, self.initialization.sampling)
        given: Any = {"population": self._chosen_size, "search": improver.given}
        solved = view.for_algorithms()
        evolution = PlannedEvolution(plan_of_generations(solved, **given, backend=improver.backend))
        evolution.prepare(solved)
        self.evolution, self.pop_size = evolution, evolution.size

    def _evolution(self, problem: Any) -> Evolution[Any] | None:
        """Return the evolution that makes the generations; None if pymoo's operators do."""
        evolution = self._bred(problem)
        if evolution is None and self._islands is not None:
            raise UnsupportedProblemError(
                "islands: they compare tours by cost, but this problem has another fitness"
            )
        if evolution is None and (self._replacement or self._restarts) is not None:
            raise InvalidParameterError(
                "replacement, restarts: not possible with operators of pymoo; pass a crossover of "
                "gpu_ls_plugin, or a survival of pymoo"
            )
        return evolution

    def _bred(self, problem: Any) -> Evolution[Any] | None:
        crossover = self._crossover
        if not (crossover is None or recombines(crossover)):
            return None
        if any(part is not None for part in self._own):
            return None
        if not view_of(problem).searched_by_fitness():
            return None
        if self._islands is not None:
            return self._on_islands(problem)
        return evolution_of(
            as_tsp(problem),
            self.improver,
            crossover,
            size=self._chosen_size,
            children=self._children,
            replacement=self._replacement,
            converged=self._restarts,
            seconds=time_limit(self.termination),
        )

    def _on_islands(self, problem: Any) -> Evolution[Any]:
        """Prepare and return the evolution on a cluster."""
        assert self._islands is not None
        limit, improver = time_limit(self.termination), self.improver
        settings = Settings(
            seconds=limit if math.isfinite(limit) else SECONDS,
            search=improver.given,
            backend=improver.backend,
        )
        return IslandEvolution.of(as_tsp(problem), self._islands, settings, self._chosen_size)


def _part_of(crossover: Any, backend: str) -> Any:
    """Return the recombination that an operator wraps, or the operator itself if it does more."""
    if not isinstance(crossover, RecombinationCrossover):
        return crossover
    alone = type(crossover)._do is RecombinationCrossover._do and crossover.repair is None
    there = crossover.crossing.backend in ("auto", backend)
    return crossover.part if alone and there and crossover.prob.get() == 1.0 else crossover


def _check_islands(islands: Any, *others: Any) -> None:
    """Raise if islands are not open, or if parameters are given that exclude islands."""
    checks.instance("islands", islands, kind=Islands, wanted="Islands")
    if islands.client is None or isinstance(islands.client, str):
        raise InvalidParameterError(
            "islands: they must be open during the whole run; write "
            "`with Islands(...).opened() as islands:` around it"
        )
    if any(other is not None for other in others):
        raise InvalidParameterError(
            "islands: their search makes the generations; leave out operators, n_offsprings, "
            "replacement, restarts, moves and kicks, and give the search a cooperation=..."
        )


def _prepare(operator: Any, problem: Any, size: Any) -> None:
    """Compile ahead of a run if the operator has a `prepare` method."""
    if hasattr(operator, "prepare"):
        operator.prepare(problem, size)
