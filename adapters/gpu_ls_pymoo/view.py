"""What this package asks of a pymoo problem, whatever rows it has."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from pymoo.core.problem import Problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_pymoo.identity_cache import IdentityCache
from gpu_ls_pymoo.remedies import kind_of, remedy

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core import problem as problems

    Rows = NDArray[np.int32]
    Fitness = NDArray[np.float64]


@runtime_checkable
class Weighting(Protocol):
    """A rule that gives rows weights, by which a problem with several objectives is searched."""

    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return weights for rows that lie at these places."""

    def scalarised(
        self, problem: Any, weights: NDArray[np.float64], ideal: NDArray[np.float64]
    ) -> Any:
        """Return the problem that is searched in place of the one with several objectives."""


class Writer(Protocol):
    """What knows one way of writing each solution."""

    def canonical(self, rows: Any, /) -> Rows:
        """Return rows (P, n), equal where the solutions are."""


class Chosen(NamedTuple):
    """Different rows on the host, the best first, and what they cost."""

    rows: Any
    costs: Any


class View:
    """Answers about a pymoo problem: here of one that nobody but a plugin may know.

    Problems of this package answer for themselves.
    """

    operators = True  # whether operators vary its rows; else algorithms on the device alone do

    @property
    def seen(self) -> Any:
        """The pymoo problem."""
        return self

    def answer(self) -> problems.Problem | None:
        """Return the problem of gpu_ls_plugin that is known without asking plugins, or None."""
        return None

    def varied(self) -> problems.Problem:
        """Return the problem whose rows operators vary and search, as `as_tsp` says."""
        known = _answers.get(self.seen)
        if known is None:
            known = self._recognised()
            _check_size(self.seen, known)
            _answers.keep(self.seen, known)
        return known

    def solved(self) -> problems.Problem:
        """Return the problem that algorithms search whose population stays on the device."""
        return self.varied()

    def searched(
        self,
        rows: ArrayLike,
        weights: Weighting | None,
        random_state: np.random.Generator,
        backend: str,
    ) -> problems.Problem:
        """Return the problem by which these rows are searched, some by weights of objectives."""
        return self.varied()

    def rehearsed(self, size: int, weights: Weighting) -> problems.Problem:
        """Return such a problem of so many rows, to compile with."""
        return self.varied()

    def kicked(self) -> problems.Problem:
        """Return a problem of as many cities, for what does not ask for lengths.

        Of permutations that are not recognised as tours, one whose cities are all at one place.
        """
        try:
            return self.varied()
        except (InvalidTypeError, UnsupportedProblemError):
            if isinstance(self.seen, Problem) and kind_of(self.seen) == "i":
                return unmeasured(self.seen.n_var)
            raise

    def written(self) -> Writer:
        """Return what knows which rows are the same solution."""
        return self.varied()

    def checked(self, rows: ArrayLike, parameter: str) -> Rows:
        """Return rows of pymoo as solutions; one that is none is named."""
        return checked_rows(self.varied(), rows, parameter)

    def different(self, rows: Rows, costs: NDArray[Any]) -> Chosen:
        """Return the different ones of searched rows, the best first, each in canonical form."""
        population = TourPopulation.of(self.varied(), np, rows, costs)
        found = population.best(len(costs))
        return Chosen(self.written().canonical(self.checked(found.tours, "tours")), found.costs)

    def features(self, pop: Any) -> NDArray[np.int64] | None:
        """Return what the rows of a population are made of, None if they are not recognised."""
        try:
            problem = self.varied()
        except (InvalidTypeError, UnsupportedProblemError):
            return None
        rows = checked_rows(problem, pop.get("X"), "tours")
        found: NDArray[np.int64] = domain_of(problem).features(problem, np, rows)
        return found

    def knows_fitness(self) -> bool:
        """Return whether F is what rows cost in a search, and nothing else.

        It may not be with several objectives, constraints, or an objective of the problem's own.
        """
        return False

    def fitness(self, rows: Rows, costs: NDArray[Any] | None = None) -> Fitness | None:
        """Return what the problem itself would compute as F, None where only it can tell.

        Parameters
        ----------
        rows : int32 array, shape (P, n)
            Valid solutions.
        costs : array, shape (P,), optional
            Their costs, where a search has computed them already.

        Returns
        -------
        float64 array, shape (P,), or (P, M) of several objectives, or None
            If it is None, pymoo has to evaluate the rows.
        """
        return None

    def searched_by_fitness(self) -> bool:
        """Return whether what is better to a search is better to pymoo, constraints included."""
        return self.knows_fitness()

    def least_cost(self) -> float | None:
        """Return the least cost of one objective that is published, None if it is not known."""
        return None

    def check_generations(self, search: Any, *, operators: bool, islands: bool) -> None:
        """Raise UnsupportedProblemError if generations on the device cannot be as asked for.

        Parameters
        ----------
        search : callable or None
        operators, islands : bool
            Whether operators of their own, or islands, were asked for.
        """

    def _recognised(self) -> problems.Problem:
        """Return what a plugin makes of the problem; for pymoo's, errors say what fits them."""
        try:
            found = plugins.problem_from(self.seen)
            return domain_of(found).for_operators(found)
        except InvalidTypeError as error:
            if not isinstance(self.seen, Problem):
                raise
            raise InvalidTypeError(f"{error}. {remedy(self.seen)}") from error


class Unwrapped(View):
    """Answers about a problem that is none of this package."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem

    @property
    def seen(self) -> Any:
        """The problem."""
        return self._problem


class Bare(Unwrapped):
    """Answers about a problem of gpu_ls_plugin that operators take as it is."""

    def varied(self) -> problems.Problem:
        """Return the problem itself."""
        bare: problems.Problem = self.seen
        return bare


@lru_cache(maxsize=4)
def unmeasured(n: int) -> problems.Problem:
    """Return a problem of n cities for parts that do not look at lengths."""
    return gls.TSP(np.zeros((n, 2)))


def plain(problem: Any) -> bool:
    """Return whether a pymoo problem has one objective, no constraints, and nobody looks on."""
    return problem.n_obj == 1 and not problem.n_constr and problem.callback is None


def _check_size(problem: Any, found: problems.Problem) -> None:
    if problem.n_var != found.n:
        raise UnsupportedProblemError(
            f"problem: {type(problem).__name__} has {problem.n_var} variables, but the plugin's "
            f"answer has {found.n} cities; each variable must be one city of the tour"
        )


_answers: IdentityCache[problems.Problem] = IdentityCache()
