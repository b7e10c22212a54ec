"""Ready-made memetic algorithms."""

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
from gpu_ls_plugin.evolution.generations.planned_evolution import PlannedEvolution
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import SECONDS, plan_of_generations
from gpu_ls_pymoo.clock import time_limit
from gpu_ls_pymoo.crossover import RecombinationCrossover
from gpu_ls_pymoo.domains import view_of
from gpu_ls_pymoo.duplicates import TourDuplicateElimination
from gpu_ls_pymoo.evolving import EvolvingGA
from gpu_ls_pymoo.mating import MemeticMating
from gpu_ls_pymoo.output import LocalSearchOutput
from gpu_ls_pymoo.problems import as_tsp
from gpu_ls_pymoo.sampling import LocalSearchSampling, warm_start

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.evolution.convergence import Convergence
    from gpu_ls_plugin.evolution.generations.evolution import Evolution
    from gpu_ls_plugin.evolution.replacement import Replacement
    from gpu_ls_pymoo.view import View


class MemeticGA(EvolvingGA):
    """Genetic algorithm over local optima, whose population stays where it is searched.

    With nothing said, generations are those of `gpu-ls solve`: every tour is kicked and repaired by
    Lin-Kernighan for a while, then the tours are crossed by edge assembly, and those that are cut
    short by a time limit are kept. Size, candidates, starts and the length of a generation follow
    from the problem, the device and the time limit (`gpu_ls_plugin.solver.default_settings`).

    With a crossover whose children may be worse than their parents, or with one and ``moves``,
    ``kicks``, ``n_offsprings`` or a ``replacement``, a generation crosses random parents, searches
    the children in one batch and keeps the best different tours of parents and children. With
    operators of pymoo it is a `MemeticMating`.

    On an `AssignmentProblem` generations are parts of a `SuccessorSearch`, whose rows are the
    population; operators other than `search`, `sampling` and `output` are refused.

    ``result.data["start_best"]`` is the fitness of the best tour of the start population,
    ``result.data["local_search"]`` holds the `Statistics` of all searches together. A searched
    tour counts as one evaluation in ``n_eval``. ``pop`` holds the different tours, the best first;
    it is filled when somebody looks. A time limit cuts the search of the last generation. Ctrl-C
    ends the run with the best so far.

    The first search of a kind on a machine is compiled, before the clock of a time limit starts.

    Parameters
    ----------
    pop_size : int, optional
        Tours in the population, at least 1; a GPU needs hundreds. By default as `gpu-ls solve`
        chooses it, or 100 where the generations are others.
    search : callable or str, optional
        A search of gpu_ls_plugin, or a text for one such as "two_opt+or_opt/quadrant(10)". A
        `LocalSearch` repairs kicked tours, others search children.
    sampling : pymoo Sampling, array (P, n) or Population, optional
        Start population; an array or Population is a warm start, whose tours are checked and
        taken as they are.
    crossover : Recombination or pymoo Crossover, optional
        Such as ``gls.EdgeAssembly()`` or ``gls.OrderRecombination()``: crossed on the device. The
        operators of this package that stand for them, such as `OrderCrossover`, mean the same.
    selection, mutation : pymoo operators, optional
        As in `MemeticMating`.
    survival, mating, output : optional
        Other pymoo parts in place of `FitnessSurvival`, `MemeticMating` and `LocalSearchOutput`.
        A `mating` brings its own search and operators.
    n_offsprings : int, optional
        Children in a generation, at least 1; `pop_size` if None.
    replacement : Replacement, optional
        Of searched children: `BestDistinct`, `EdgeDistance` or `Crowding` of
        `gpu_ls_plugin.evolution.replacement`.
    restarts : Convergence, optional
        When the population starts anew from its best tour, such as ``Stagnation(50)`` of
        `gpu_ls_plugin.evolution.convergence`; never if None.
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
    islands : Islands, optional
        Of `gpu_ls_plugin`, opened: generations are made on all workers of a Dask cluster, each of
        which has an equal part of the population, and the islands exchange tours between them.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor a
        text for one; `kicks` is given where the search makes none.
    InvalidTourError
        When a run begins: a row of a warm start is not a tour of the problem.
    UnsupportedProblemError
        When a run begins: the problem is not one for what was asked.
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
        """Check the start and compile before the clock of a time limit starts."""
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
        """Do the same where no operators vary rows: the plan of `gpu-ls solve` makes them all."""
        improver = self.improver
        others = (*self._own, self._crossover, self._children, self._replacement, self._restarts)
        asked = any(part is not None for part in (*others, improver.moves, improver.kicks))
        islands = self._islands is not None
        view.check_generations(improver.given, operators=asked, islands=islands)
        self.eliminate_duplicates = DefaultDuplicateElimination()
        self.initialization.eliminate_duplicates = self.eliminate_duplicates
        self.initialization.sampling = warm_start(view.seen, self.initialization.sampling)
        given: Any = {"population": self._chosen_size, "search": improver.given}
        solved = view.solved()
        evolution = PlannedEvolution(plan_of_generations(solved, **given, backend=improver.backend))
        evolution.prepare(solved)
        self.evolution, self.pop_size = evolution, evolution.size

    def _evolution(self, problem: Any) -> Evolution[Any] | None:
        """Return what makes the generations; None where pymoo's operators do."""
        evolution = self._bred(problem)
        if evolution is None and self._islands is not None:
            raise UnsupportedProblemError(
                "islands: what costs less to their searches must be better to pymoo, too; this "
                "problem has a fitness of its own"
            )
        if evolution is None and (self._replacement or self._restarts) is not None:
            raise InvalidParameterError(
                "replacement, restarts: of populations that no operators of pymoo breed; pass a "
                "crossover of gpu_ls_plugin, or a survival of pymoo"
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
        """Return what makes the generations on a cluster, which is prepared."""
        assert self._islands is not None
        limit, improver = time_limit(self.termination), self.improver
        settings = Settings(
            seconds=limit if math.isfinite(limit) else SECONDS,
            search=improver.given,
            backend=improver.backend,
        )
        return IslandEvolution.of(as_tsp(problem), self._islands, settings, self._chosen_size)


def _part_of(crossover: Any, backend: str) -> Any:
    """Return the part that an operator of this package stands for, if it adds nothing to it."""
    if not isinstance(crossover, RecombinationCrossover):
        return crossover
    alone = type(crossover)._do is RecombinationCrossover._do and crossover.repair is None
    there = crossover.crossing.backend in ("auto", backend)
    return crossover.part if alone and there and crossover.prob.get() == 1.0 else crossover


def _check_islands(islands: Any, *others: Any) -> None:
    """Raise where islands cannot make generations, or operators are to make them."""
    checks.instance("islands", islands, kind=Islands, wanted="Islands")
    if islands.client is None or isinstance(islands.client, str):
        raise InvalidParameterError(
            "islands: their cluster must be there for the whole run; write "
            "`with Islands(...).opened() as islands:` around it"
        )
    if any(other is not None for other in others):
        raise InvalidParameterError(
            "islands: they make generations by their search alone; leave out operators, "
            "n_offsprings, replacement, restarts, moves and kicks, and write cooperation=... in "
            "the search"
        )


def _prepare(operator: Any, problem: Any, size: Any) -> None:
    """Compile what an operator needs ahead, if it can."""
    if hasattr(operator, "prepare"):
        operator.prepare(problem, size)
