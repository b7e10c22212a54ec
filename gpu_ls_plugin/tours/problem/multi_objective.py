"""The travelling salesman problem with several lengths for each edge."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
)
from gpu_ls_plugin.core.problem_data import array_of
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.weighted import Tchebycheff, WeightedTSP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.tours.problem.tsp import Writing

MIXTURES = 8  # minimum number of mixtures of objectives for which candidate lists are made
SAMPLE = 2000  # number of pairs of cities from which the mean lengths are computed


class MultiObjectiveTSP:
    """A problem whose tours have several costs: a length in each of several objectives.

    It is immutable, like a `TSP`. Searches minimise weighted sums: with `weighted`, each tour of a
    batch has different weights.

    Parameters
    ----------
    objectives : sequence of TSP or array_like
        At least two, with the same number of cities. Each is a problem with any metric, an array of
        coordinates (n, 2), or a symmetric or asymmetric matrix (n, n).
    metric : str or Metric
        Metric of the objectives that are given as coordinates; see `TSP`.
    name : str
        Free text; by default, the names of the objectives, joined by hyphens.

    Attributes
    ----------
    objectives : tuple of TSP
    n, n_objectives : int
        Number of cities and number of objectives.
    symmetric : bool
        Whether a tour and its reverse cost the same in all objectives.
    name : str

    Raises
    ------
    InvalidProblemError
        There are fewer than two objectives, their numbers of cities differ, or one has an
        objective besides the length. Otherwise as in `TSP`.
    InvalidTypeError
        An objective is neither a TSP nor an array of numbers.

    Examples
    --------
    >>> import gpu_ls_plugin as gls
    >>> first = [(0, 0), (9, 0), (4, 1), (2, 0), (7, 2)]
    >>> second = [(3, 3), (0, 9), (1, 0), (8, 8), (5, 1)]
    >>> problem = gls.MultiObjectiveTSP([first, second], "EUC_2D")
    >>> problem.cost([[0, 1, 2, 3, 4]]).tolist()
    [[28, 42]]
    >>> tours = gls.random_tours(problem.objectives[0], 3, seed=1)
    >>> weighted = problem.weighted([(1, 0), (0.5, 0.5), (0, 1)])
    >>> found = gls.LocalSearch(candidates=gls.Nearest(4))(weighted, tours)
    >>> problem.cost(found.tours).tolist()
    [[20, 40], [20, 40], [30, 28]]
    """

    def __init__(
        self, objectives: Sequence[TSP | ArrayLike], metric: Any = "EUC_2D", *, name: str = ""
    ) -> None:
        if isinstance(objectives, TSP) or not hasattr(objectives, "__len__"):
            raise InvalidTypeError(f"objectives: {objectives!r:.80} is not a sequence of problems")
        parts = tuple(_as_problem(given, metric) for given in objectives)
        if len(parts) < 2:
            raise InvalidProblemError(
                f"objectives: at least two are needed, not {len(parts)}; one alone is a TSP"
            )
        for number, part in enumerate(parts):
            if part.n != parts[0].n:
                raise InvalidProblemError(
                    f"objectives: number {number} has {part.n} cities, but number 0 has "
                    f"{parts[0].n}"
                )
            if not part.objective.length_alone:
                raise InvalidProblemError(
                    f"objectives: number {number} has the objective {part.objective.name!r} "
                    "besides its length; use problem.under('length')"
                )
        self.objectives = parts
        self.name = checks.text("name", name) or "-".join(filter(None, (p.name for p in parts)))

    @property
    def n(self) -> int:
        """Number of cities."""
        return self.objectives[0].n

    @property
    def n_objectives(self) -> int:
        """Number of objectives."""
        return len(self.objectives)

    @cached_property
    def symmetric(self) -> bool:
        """Whether a tour and its reverse cost the same in all objectives."""
        return all(part.symmetric for part in self.objectives)

    @property
    def writing(self) -> Writing:
        """The rule that decides which permutations are the same solution."""
        return {"symmetric": self.symmetric}

    @property
    def integer(self) -> bool:
        """Whether all costs are integers."""
        return all(part.integer for part in self.objectives)

    def check(self, tours: ArrayLike, *, parameter: str = "tours") -> NDArray[np.int32]:
        """Return tours as an array, or raise an error that names the row; see `Problem.check`."""
        return self.objectives[0].check(tours, parameter=parameter)

    def cost(self, tours: Any) -> Any:
        """Return the exact costs of every tour in each objective, shape (P, M); see `TSP.cost`.

        The type is int64 if `integer`, else float64.
        """
        columns = [part.cost(tours) for part in self.objectives]
        dtype = np.int64 if self.integer else np.float64
        first = columns[0].astype(dtype)
        costs = first[:, None].repeat(self.n_objectives, axis=1)
        for number, column in enumerate(columns):
            costs[:, number] = column
        return costs

    def canonical(self, tours: ArrayLike) -> NDArray[np.int32]:
        """Return tours with city 0 first; if `symmetric`, with its smaller neighbour second."""
        return canonical(self.check(tours), symmetric=self.symmetric)

    def weighted(self, weights: ArrayLike) -> WeightedTSP:
        """Return the problem of a batch in which each tour has different weights of the objectives.

        Each tour uses the candidate lists of the most similar row of `directions`. These rows are
        the objectives themselves and mixtures of them.

        Parameters
        ----------
        weights : array_like, shape (P, M) or (M,)
            Finite and at least 0. The cost of a tour is the weighted sum of its lengths.

        Returns
        -------
        WeightedTSP

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            The weights have a wrong shape, are negative or not finite, or are all 0 in a row.
        """
        return WeightedTSP(self.objectives, weights, self.directions, self.scales)

    def tchebycheff(
        self, weights: ArrayLike, ideal: ArrayLike, augmentation: float = 0.05
    ) -> WeightedTSP:
        """Return the problem of a batch whose tours approach an ideal point.

        The cost of a tour is its augmented weighted Tchebycheff distance (Steuer and Choo 1983):
        the largest of its weighted distances from the ideal point, plus a small part of the
        weighted sum. Each Pareto-optimal tour is optimal for some weights. Searches select moves by
        the weighted sum.

        Parameters
        ----------
        weights : array_like, shape (P, M) or (M,)
            As in `weighted`.
        ideal : array_like, shape (M,)
            A point that is (nearly) as good as the best tours in each objective.
        augmentation : float
            Factor of the weighted sum, from 1e-9 to 1e9.

        Returns
        -------
        WeightedTSP
            For `LocalSearch` with `First()` and `IteratedLocalSearch`; crossovers reject it.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            As in `weighted`; or `ideal` is not a finite point, or `augmentation` is out of range.
        """
        part = checks.number("augmentation", augmentation, least=1e-9, most=1e9)
        point = array_of(ideal, "ideal").astype(np.float64)
        if point.shape != (self.n_objectives,) or not np.isfinite(point).all():
            raise InvalidParameterError(
                f"ideal: {ideal!r:.80} is not a point of {self.n_objectives} finite costs"
            )
        own = self.weighted(weights).weights
        functors = tuple(objective.metric.functor for objective in self.objectives)
        objective = Tchebycheff(own, point, functors)
        return WeightedTSP(self.objectives, part * own, self.directions, self.scales, objective)

    @cached_property
    def scales(self) -> NDArray[np.float64]:
        """The mean length in each objective over a sample of pairs of cities, shape (M,)."""
        random = np.random.default_rng(0)
        a = random.integers(self.n, size=SAMPLE)
        b = (a + random.integers(1, max(self.n, 2), size=SAMPLE)) % self.n
        means = [float(part.lengths(a, b).mean()) for part in self.objectives]
        return np.array([mean if mean > 0 else 1.0 for mean in means])

    @cached_property
    def directions(self) -> WeightedTSP:
        """The problem whose rows get candidate lists: evenly spread weights divided by `scales`."""
        parts = 1
        while len(lattice(self.n_objectives, parts)) < self.n_objectives + MIXTURES:
            parts += 1
        return WeightedTSP(self.objectives, lattice(self.n_objectives, parts) / self.scales)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.objectives, self.name)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<MultiObjectiveTSP {self.name or 'unnamed'}: {self.n} cities, {self.objectives}>"


def lattice(objectives: int, parts: int) -> NDArray[np.float64]:
    """Return all weights that sum to 1 and are multiples of 1 / `parts` (Das and Dennis 1998)."""
    places = parts + objectives - 1
    bars = np.array(list(combinations(range(places), objectives - 1))).reshape(-1, objectives - 1)
    ends = np.pad(bars, ((0, 0), (1, 1)), constant_values=(-1, places))
    ends[:, 0], ends[:, -1] = -1, places
    return (np.diff(ends, axis=1) - 1) / parts


def _as_problem(given: Any, metric: Any) -> TSP:
    """Return an objective as a problem; a square array is a matrix unless it has two columns."""
    if isinstance(given, TSP):
        return given
    shape = np.shape(given)
    if len(shape) == 2 and shape[0] == shape[1] and shape[1] != 2:
        return TSP.from_matrix(given)
    return TSP(given, metric)


def _unpickled(objectives: Any, name: str) -> MultiObjectiveTSP:
    return MultiObjectiveTSP(objectives, name=name)
