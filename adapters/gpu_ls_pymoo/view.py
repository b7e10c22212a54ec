"""The interface through which this package uses a pymoo problem of any kind."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from pymoo.core.problem import Problem

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.evolution.batches.rows import checked, checked_rows
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_pymoo.recognition import IdentityCache

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core import problem as problems
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.kick import Kick

    Rows = NDArray[np.int32]
    Fitness = NDArray[np.float64]

# Advice about problems that are not tours.
_PERMUTATIONS = (
    "For permutations of 0..{last}, such as a flow shop's, pass vtype=int, xl=0 and xu={last} to "
    "Problem.__init__, or wrap the problem: DomainProblem(as_sequence(problem)). For tours, pass "
    "TSPProblem(gls.TSP(...)) or pymoo's TravelingSalesman. "
    + OWN_OBJECTIVE
    + ". Other variables are for pymoo's own operators "
    "(OrderCrossover, InversionMutation), or for BRKGA and other real-coded algorithms with "
    "RandomKeysProblem(problem, local_search_probability=0); a RandomKeysProblem of a TSP searches "
    "tours by itself, without operators of gpu_ls_pymoo"
)
_SEVERAL = (
    "For tours with several lengths, use gpu_ls_pymoo.MultiObjectiveTSPProblem([...]) with a TSP "
    "or matrix for each length"
)
_BINARY = (
    "Binary variables, such as a knapsack's, are for pymoo's own operators (TwoPointCrossover, "
    "BitflipMutation), or for SuccessorSampling and SuccessorMutation of gpu_ls_pymoo; a "
    "gpu_ls_plugin.Assignment is searched as AssignmentProblem(problem)"
)


@runtime_checkable
class Weighting(Protocol):
    """A rule that draws weights for rows, to search a problem with several objectives."""

    def draw(self, places: NDArray[np.float64], random_state: Generator) -> NDArray[np.float64]:
        """Return weights for rows with these scaled costs."""

    def scalarised(
        self, problem: Any, weights: NDArray[np.float64], ideal: NDArray[np.float64]
    ) -> Any:
        """Return a problem with a single cost, to use when searching rows."""


class Writer(Protocol):
    """A problem with a canonical form of solutions."""

    def canonical(self, rows: Any, /) -> Rows:
        """Return rows (P, n) in canonical form: equal solutions become equal rows."""


class Chosen(NamedTuple):
    """Distinct rows on the host, the best first, and their costs."""

    rows: Any
    costs: Any


class View:
    """A view of a pymoo problem that a plugin converts into a problem of gpu_ls_plugin.

    Subclasses are views of other problems; the problems of this package are such subclasses.
    """

    operators = True  # whether operators, and not only whole algorithms, can vary the rows

    @property
    def pymoo_problem(self) -> Any:
        """The pymoo problem."""
        return self

    def known_problem(self) -> problems.Problem | None:
        """Return the problem of gpu_ls_plugin; None if only a plugin may know it."""
        return None

    def for_operators(self) -> problems.Problem:
        """Return the problem whose rows operators vary and search (`as_tsp`)."""
        known = _answers.get(self.pymoo_problem)
        if known is None:
            known = self._recognised()
            _check_size(self.pymoo_problem, known)
            _answers.keep(self.pymoo_problem, known)
        return known

    def for_algorithms(self) -> problems.Problem:
        """Return the problem for algorithms whose population stays on the device."""
        return self.for_operators()

    def for_starts(self) -> problems.Problem:
        """Return the problem for which first rows are constructed, and then searched."""
        return self.for_operators()

    def for_search(
        self, rows: ArrayLike, weights: Weighting | None, random_state: Generator, backend: str
    ) -> problems.Problem:
        """Return the problem to use when searching rows; `weights` combine several objectives."""
        return self.for_operators()

    def searching(self, improver: Improver, weights: Weighting | None) -> Improver:
        """Return what searches rows of the problem that `for_search` returns."""
        return improver

    def for_compiling(self, size: int, weights: Weighting) -> problems.Problem:
        """Return a problem with which a search of `size` rows can be compiled."""
        return self.for_operators()

    def for_kicks(self) -> problems.Problem:
        """Return a problem of the same size, for perturbations that do not use lengths.

        If permutations are not recognised as tours, all lengths of the result are 0.
        """
        try:
            return self.for_operators()
        except (InvalidTypeError, UnsupportedProblemError):
            if isinstance(self.pymoo_problem, Problem) and kind_of(self.pymoo_problem) == "i":
                return unmeasured(self.pymoo_problem.n_var)
            raise

    def kicked(self, kick: Kick, rows: ArrayLike, random_state: Generator) -> Rows:
        """Return kicked copies of rows of pymoo; raise if a row is not a permutation."""
        instance = self.for_kick(kick)
        return kick(instance, checked(rows, instance.n, "X"), random_state)

    def for_kick(self, kick: Kick) -> problems.Problem:
        """Return the problem to pass to a kick."""
        return self.for_operators() if kick.by_lengths else self.for_kicks()

    def writer(self) -> Writer:
        """Return the problem that writes rows in canonical form."""
        return self.for_operators()

    def check_rows(self, rows: ArrayLike, parameter: str) -> Rows:
        """Return rows of pymoo as solutions; raise if a row is not a solution."""
        return checked_rows(self.for_operators(), rows, parameter)

    def different_rows(self, rows: Rows, costs: NDArray[Any]) -> Chosen:
        """Return the distinct rows among searched rows, the best first, in canonical form."""
        population = TourPopulation.of(self.for_operators(), np, rows, costs)
        found = population.best(len(costs))
        return Chosen(self.writer().canonical(self.check_rows(found.tours, "tours")), found.costs)

    def features(self, pop: Any) -> NDArray[np.int64] | None:
        """Return the features of a population's rows, such as edges; None if they are unknown."""
        try:
            problem = self.for_operators()
        except (InvalidTypeError, UnsupportedProblemError):
            return None
        rows = checked_rows(problem, pop.get("X"), "tours")
        found: NDArray[np.int64] = domain_of(problem).features(problem, np, rows)
        return found

    def knows_fitness(self) -> bool:
        """Return whether F is the cost by which a search ranks rows, without constraints."""
        return False

    def fitness(self, rows: Rows, costs: NDArray[Any] | None = None) -> Fitness | None:
        """Return F of valid rows, float64 (P,), or (P, M) for several objectives.

        `costs` are the costs of the rows, if a search has computed them. The result is None if
        pymoo has to evaluate the problem.
        """
        return None

    def searched_by_fitness(self) -> bool:
        """Return whether pymoo and a search rank rows alike, constraints included."""
        return self.knows_fitness()

    def least_cost(self) -> float | None:
        """Return the published optimum of a problem with one objective; None if unknown."""
        return None

    def published(self, costs: Any) -> Any:
        """Return costs of a problem with one objective as reports show them."""
        return costs

    def check_generations(self, search: Any, *, operators: bool, islands: bool) -> None:
        """Raise UnsupportedProblemError if generations on the device do not support the arguments.

        `operators` and `islands` say whether the user passed operators and islands.
        """

    def _recognised(self) -> problems.Problem:
        """Return the problem into which a plugin converts this one; errors suggest remedies."""
        try:
            found = plugins.problem_from(self.pymoo_problem)
            return domain_of(found).for_operators(found)
        except InvalidTypeError as error:
            if not isinstance(self.pymoo_problem, Problem):
                raise
            raise InvalidTypeError(unrecognised(self.pymoo_problem)) from error


class Unwrapped(View):
    """A view of a problem from outside this package."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem

    @property
    def pymoo_problem(self) -> Any:
        """The problem."""
        return self._problem


class Bare(Unwrapped):
    """A view of a problem of gpu_ls_plugin that operators take without a wrapper."""

    def for_operators(self) -> problems.Problem:
        """Return the problem itself."""
        bare: problems.Problem = self.pymoo_problem
        return bare


@lru_cache(maxsize=4)
def unmeasured(n: int) -> problems.Problem:
    """Return a problem of n cities for parts that do not use lengths."""
    return gls.TSP(np.zeros((n, 2)))


def plain(problem: Any) -> bool:
    """Return whether a pymoo problem has one objective, no constraints, and no callback."""
    return problem.n_obj == 1 and not problem.n_constr and problem.callback is None


def kind_of(problem: Problem) -> str:
    """Return the kind of a pymoo problem's variables: b(ool), i(nteger) or f(loat)."""
    if problem.vtype is None:
        return "f"
    try:
        kind = np.dtype(problem.vtype).kind
    except TypeError:  # mixed variables
        return "f"
    return "i" if kind == "u" else kind


def unrecognised(problem: Problem) -> str:
    """Return a message that a pymoo problem has no permutations, with advice."""
    low, high = problem.bounds() if problem.has_bounds() else (None, None)
    kind, binary = kind_of(problem), _same(low, 0) and _same(high, 1)
    variables = {"b": "binary", "i": "integer"}.get(kind, "real or mixed")
    advice = _PERMUTATIONS.format(last=problem.n_var - 1)
    if kind == "b" or (binary and kind == "i"):
        advice = _BINARY
    elif problem.n_obj > 1:
        advice = f"{_SEVERAL}. {advice}"
    return (
        f"problem: {type(problem).__name__} has no permutations that this package recognises, but "
        f"{problem.n_var} {variables} variables ({_bounds_text(low, high)}). {advice}"
    )


def _same(bounds: Any, number: int) -> bool:
    return isinstance(bounds, np.ndarray) and bool((bounds == number).all())


def _bounds_text(low: Any, high: Any) -> str:
    if low is None or high is None:
        return "without bounds"
    return f"from {np.min(low):g} to {np.max(high):g}"


def _check_size(problem: Any, found: problems.Problem) -> None:
    if problem.n_var != found.n:
        raise UnsupportedProblemError(
            f"problem: {type(problem).__name__} has {problem.n_var} variables, but the plugin's "
            f"answer has {found.n} cities; each variable must be one city of the tour"
        )


_answers: IdentityCache[problems.Problem] = IdentityCache()
