"""The base class of recombinations, which cross given pairs or the chains of a population."""

from __future__ import annotations

import math
from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.runs.partners import Partners
from gpu_ls_plugin.tours.cooperation.base import Cooperation
from gpu_ls_plugin.tours.engines.audit import foreign_names, refereed_costs
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.objective import require_length
from gpu_ls_plugin.tours.problem.rows_alone import as_rows, other_permutations, rows_alone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.crossovers.workspace import Workspace
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves
    from gpu_ls_plugin.tours.problem.tsp import TSP

# If at most this share of the tours of a generation gain, the recombination `later` takes over
# (docs/lab/tours.md).
FEW_GAINING = 0.1


@dataclass(frozen=True)
class Recombination(Cooperation):
    """A way to make a child from two tours, for given pairs or for a population of chains.

    As a cooperation, it crosses the best tour of each chain with the current tour of another
    chain. Partners are drawn again in each generation. Current tours are used because kicks keep
    them diverse even after the best tours have become alike. If a child is cheaper than the best
    tour of its chain, the chain continues from the child.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges of a population; more than 0.
    generations : int
        Number of generations in each exchange, at least 1.

    Attributes
    ----------
    reverses : bool
        Whether the recombination works only with symmetric lengths, since it reverses paths.
    never_worse : bool
        Whether a child never costs more than the first parent.
    by_lengths : bool
        Whether the recombination compares lengths and so cannot cross tours under other
        objectives.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    every: float = 0.1
    generations: int = 5

    reverses: ClassVar[bool] = True
    never_worse: ClassVar[bool] = False
    by_lengths: ClassVar[bool] = True
    by_row = True
    crosses = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.integer, "generations", least=1, most=checks.MOST_INT)

    @abstractmethod
    def workspace(
        self,
        backend: Backend,
        problem: TSP,
        size: int,
        *,
        seed: int,
        first_row: int = 0,
        parts: CandidateMoves | None = None,
    ) -> Workspace:
        """Return kernels and memory for batches of `size` pairs.

        `parts` has the candidate lists of the search; it is None if the pairs belong to no search.
        """

    def workspace_of(self, chains: Chains, size: int) -> Workspace:
        """Return kernels and memory for batches of `size` pairs of tours of chains."""
        start, parts = chains.start, chains.parts
        numbers = {"seed": start.seed, "first_row": start.first_row}
        return self.workspace(start.backend, start.problem, size, parts=parts, **numbers)

    @abstractmethod
    def bytes_per_tour(self, n: int) -> int:
        """Return how many bytes of device memory a pair needs."""

    @property
    def later(self) -> Recombination:
        """The recombination to use once crossovers improve few tours; by default, `self`."""
        return self

    def instance(self, problem: Problem) -> Problem:
        """Return the problem to use for crossing; for tours, one in which only lengths count."""
        tours = self.tours_of(problem)
        return problem if other_permutations(problem) else tours.crossed

    def tours_of(self, problem: Problem) -> TSP:
        """Return the TSP of a problem; raise if the recombination cannot cross its rows."""
        if self.by_lengths and other_permutations(problem):
            raise UnsupportedProblemError(
                f"problem: {problem!r:.80} has no lengths, which {type(self).__name__}() compares; "
                "cross its rows with OrderRecombination(), PartiallyMappedRecombination() or "
                "CycleRecombination()"
            )
        return rows_alone(problem)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError if chains of the problem cannot be crossed.

        The problem must have no objective besides lengths, since chains adopt any cheaper child,
        even an infeasible one.
        """
        self._check(problem, "cooperation", "use Migration()")

    def cross(
        self,
        problem: Problem,
        first: Any,
        second: Any,
        *,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        device: int | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Return one child for each pair of rows.

        A child depends only on its two parents, the seed and the number of its row.

        Parameters
        ----------
        problem : Problem
        first, second : array, shape (P, n), integer
            Parents, row by row, as NumPy or CuPy arrays; not changed. If `first` is a CuPy array,
            the result is on the same device.
        seed : int or None
            Pass another seed in each call; None draws a random seed.
        backend, device
            See `get_backend`.
        memory_limit : int, optional
            Maximum number of bytes to use in addition to the parents and children. It does not
            change the result. None: all free memory.
        first_row : int
            Number of the first row, if the batch is part of a larger one.

        Returns
        -------
        array, shape (P, n), int32

        Raises
        ------
        UnsupportedProblemError
            The recombination does not work on the problem.
        InvalidTourError, InvalidTypeError
            Parents are not permutations of the cities, or `first` and `second` differ in size.
        InsufficientMemoryError
            Memory does not suffice for one pair.
        """
        asked, problem = problem, self.tours_of(problem)
        key, number = checks.seed(seed), checks.first_row(first_row)
        self._check(problem, "problem", "use OrderRecombination(), which reverses none")
        chosen = get_backend(backend, device, tours=first)
        with chosen.current():
            with _naming("first"):
                children, check_first = arrays.queue_tours(chosen, problem, first)
            with _naming("second"):
                others, check_second = arrays.queue_tours(chosen, problem, second)
            if len(children) != len(others):
                raise InvalidTourError(
                    f"second: {len(others)} rows do not match the {len(children)} of first"
                )
            fixed = metric_data(chosen, problem).nbytes
            each = self.bytes_per_tour(problem.n)
            memory = chosen.memory(memory_limit, fixed + len(children) * each)
            size = chosen.rows_that_fit(each, fixed, memory)
            for begin in range(0, len(children), size):
                rows = slice(begin, begin + size)
                self._cross(chosen, problem, children[rows], others[rows], key, number + begin)
            with _naming("first"):  # waits for a GPU, after all work has been queued
                check_first()
            with _naming("second"):
                check_second()
            return arrays.give(chosen, as_rows(asked, chosen.xp, children), like=first)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Cross the best tours; do nothing if there is only one chain."""
        watch = Stopwatch.of(seconds)
        for _ in range(self.generations if len(chains.tours) > 1 else 0):
            if watch.left <= 0:
                break
            chains.kept(self, lambda: _Generations(self, chains)).next(watch.left)
            if seconds < math.inf:
                chains.start.backend.wait()  # launches return at once
        return 0

    def _cross(
        self, backend: Backend, problem: TSP, tours: Any, second: Any, seed: int, first_row: int
    ) -> None:
        """Replace `tours`, the first parents, with the children."""
        xp, size = backend.xp, len(tours)
        costs = cache(lambda: tour_costs(backend, problem, tours))
        workspace = self.workspace(backend, problem, size, seed=seed, first_row=first_row)
        itself = xp.arange(size, dtype="int32")
        children = workspace.children(tours, costs, second, itself)
        if names := foreign_names(problem, (self,)):
            refereed_costs(names, problem, backend.to_numpy(children))
        if self.never_worse and not problem.integer:  # rounded gains may make a child worse
            as_good = tour_costs(backend, problem, children) <= costs()
            xp.copyto(tours, children, where=as_good[:, None])  # does not wait for a GPU
        else:
            tours[:] = children

    def _check(self, problem: TSP, parameter: str, remedy: str) -> None:
        if self.by_lengths or parameter == "cooperation":
            require_length(problem.objective, f"{type(self).__name__}()")
        self._check_direction(problem, parameter, remedy)

    def _check_direction(self, problem: TSP, parameter: str, remedy: str) -> None:
        if self.reverses and not problem.symmetric:
            raise UnsupportedProblemError(
                f"{parameter}: {type(self).__name__} reverses paths, which changes the lengths of "
                f"this asymmetric problem; {remedy}"
            )


class _Generations:
    """The successive generations of a population of chains."""

    def __init__(self, part: Recombination, chains: Chains) -> None:
        start, size = chains.start, len(chains.tours)
        self._first = part.workspace_of(chains, size)
        self._later = None if part.later is part else part.later.workspace_of(chains, size)
        self._partners = Partners(start.backend.xp, size, start.seed, start.first_row)
        self._chains = chains

    def next(self, seconds: float) -> None:
        """Cross each chain's best tour with the current tour of its partner."""
        chains, generation = self._chains, self._chains.crossed
        chains.crossed += 1
        workspace = self._first
        if self._later is not None and chains.gaining_share() <= FEW_GAINING:
            workspace = self._later
        found = workspace.cross(
            chains.best_tours,
            chains.best_costs,
            chains.tours,
            self._partners.of(generation),
            generation=generation,
            seconds=seconds,
        )
        gained = chains.adopt(*found)
        if self._later is not None:
            chains.gaining = gained  # the mean would wait for a GPU


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Make errors about `tours` name the parameter `name` instead."""
    try:
        yield
    except (InvalidTourError, InvalidTypeError) as error:
        kind: type[GpuLsError] = type(error)
        raise kind(name + str(error).removeprefix("tours")) from error
