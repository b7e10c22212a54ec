"""Tours for real-coded algorithms: random keys are decoded, searched and written back.

Bean (1994), Genetic Algorithms and Random Keys for Sequencing and Optimization, ORSA Journal on
Computing 6(2), 154-160.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pymoo.core.problem import Problem

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.plugins.search_text import parse_search
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_pymoo.problems import as_tsp, fitness, view_of, wrapper_of
from gpu_ls_pymoo.search import improve
from gpu_ls_pymoo.view import View, unmeasured

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core import problem as problems
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.tours.problem.tsp import Writing

TOUR = "tour"  # key in an individual's data: the improved tour, unless its random keys encode it


class RandomKeysProblem(View, ShownParameters, Problem):
    """A problem of tours or sequences for BRKGA, DE, PSO, CMA-ES and other real-coded algorithms.

    A row has one key in [0, 1] for each city; the tour visits the cities in ascending order of
    their keys. The evaluation decodes all rows of a generation, searches some of the tours in one
    batch, and returns the costs of the improved tours. In a Lamarckian search, the same keys are
    then permuted so that they encode the improved tour in canonical form. In a Baldwinian search,
    keys do not change; `tours` returns the improved tours.

    Each row counts as one evaluation. A time limit of the run ends the search early. Random numbers
    come from the seed of the run.

    CMA-ES learns from the keys that it has drawn, even if they are rewritten, so for CMA-ES each
    search is Baldwinian.

    Parameters
    ----------
    problem : pymoo problem or TSP
        A `TSPProblem`, pymoo's `TravelingSalesman`, a TSP, a sequence problem such as a flow shop,
        or an object that a plugin converts. With ``local_search_probability=0``, any pymoo problem
        whose rows are permutations; then nothing is searched.
    search : callable or str, optional
        A search of gpu_ls_plugin, or its text, such as "two_opt+or_opt/quadrant(10)". None:
        `default_search`.
    local_search_probability : float
        Probability that a row is searched.
    local_search_intensity : int, optional
        Limit on the search of a tour, at least 1: the number of kicks of an `IteratedLocalSearch`,
        or of applied improving moves of any other search. None: `kicks_per_city` times the number
        of cities, or all moves up to the local optimum.
    lamarckian_share : float
        Probability that the keys of a searched row are rewritten: 1 is Lamarckian, 0 Baldwinian.
    backend : str
        "auto", "cpu" or "cuda".
    seed : int
        Seed of evaluations outside a run.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor the
        text of one; rows of `problem` are not tours.

    References
    ----------
    Krasnogor and Smith (2005), A Tutorial for Competent Memetic Algorithms, IEEE Transactions on
    Evolutionary Computation 9(5), 474-488. Houck, Joines, Kay and Wilson (1997), Empirical
    Investigation of the Benefits of Partial Lamarckianism, Evolutionary Computation 5(1), 31-60.
    """

    def __init__(
        self,
        problem: Any,
        search: Callable[..., Any] | str | None = None,
        *,
        local_search_probability: float = 1.0,
        local_search_intensity: int | None = None,
        lamarckian_share: float = 1.0,
        backend: str = "auto",
        seed: int = 0,
    ) -> None:
        self.local_search_probability = checks.number(
            "local_search_probability", local_search_probability, least=0, most=1
        )
        self.lamarckian_share = checks.number("lamarckian_share", lamarckian_share, least=0, most=1)
        self.seed = checks.seed(seed)
        self.improver = _improver(search, local_search_intensity, backend)
        wrapper = wrapper_of(problem)
        self.inner = problem if wrapper is None else wrapper(problem)
        if self.local_search_probability:
            as_tsp(self.inner)  # raises here if rows are not tours, not only in a run
        elif not isinstance(self.inner, Problem):
            raise InvalidTypeError(
                f"problem: {type(problem).__name__} is not a pymoo problem. {OWN_OBJECTIVE}"
            )
        super().__init__(
            n_var=self.inner.n_var,
            n_obj=self.inner.n_obj,
            n_ieq_constr=self.inner.n_ieq_constr,
            n_eq_constr=self.inner.n_eq_constr,
            xl=0.0,
            xu=1.0,
            vtype=float,
            requires_kwargs=True,  # they include the algorithm, with a clock and random numbers
        )

    @property
    def symmetric(self) -> bool:
        """Whether a tour and its reverse are the same; True if nothing is searched."""
        return self._writing.get("symmetric", True)

    @property
    def _writing(self) -> Writing:
        """Whether a tour and its reverse are the same, as keyword arguments of `edge_numbers`."""
        if not self.local_search_probability or self._encoded.tsp is None:
            return {"symmetric": False}
        return tour_problem(as_tsp(self.inner)).writing

    @cached_property
    def _encoded(self) -> problems.Problem:
        """A problem with the encoded rows; lengths and costs do not matter."""
        try:
            return view_of(self.inner).for_kicks()
        except (InvalidTypeError, UnsupportedProblemError):
            return unmeasured(self.inner.n_var)

    def features(self, population: Any) -> NDArray[np.int64]:
        """Return the features of the rows that `tours` returns, int64 (P, n).

        The features of a tour are the numbers of its edges; for sequences, see `Domain.features`.
        """
        tours, encoded = self.tours(population), self._encoded
        found: NDArray[np.int64]
        if encoded.tsp is None:
            found = domain_of(encoded).features(encoded, np, tours)
        else:
            found = edge_numbers(np, tours, **self._writing)
        return found

    def prepare(self, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        if self.local_search_probability:
            self.improver.prepare(as_tsp(self.inner), size)

    def decode(self, keys: ArrayLike) -> Tours:
        """Return the tours (P, n) that keys (P, n) encode, without a search."""
        rows, encoded = decode(np.atleast_2d(np.asarray(keys))), self._encoded
        tours: Tours = domain_of(encoded).with_fixed(encoded, np, rows)
        return tours

    def tours(self, population: Any) -> Tours:
        """Return the tours whose costs are the fitness: improved tours, if the rows were searched.

        Parameters
        ----------
        population : Population or Individual
            For example ``result.opt`` or ``result.pop``.

        Returns
        -------
        int32 array, shape (P, n)
        """
        individuals = np.atleast_1d(population)
        tours = self.decode([individual.X for individual in individuals])
        for row, individual in enumerate(individuals):
            if TOUR in individual.data and "F" in individual.evaluated:
                tours[row] = individual.data[TOUR]
        return tours

    def name(self) -> str:
        """Return the name of the problem that is encoded."""
        return str(self.inner.name())

    def _evaluate(
        self, keys: Any, out: dict[str, Any], *args: Any, algorithm: Any = None, **kwargs: Any
    ) -> None:
        random_state = getattr(algorithm, "random_state", None)
        if random_state is None:
            random_state = np.random.default_rng(self.seed)
        tours = self.decode(keys)
        searched, inherited = self._draw(len(tours), random_state)
        if searched.any():
            tours[searched], _ = improve(
                self.improver, self.inner, tours[searched], random_state, algorithm
            )
            # pymoo's evaluator writes all values of `out` into the individuals, even X
            out["X"] = np.array(keys, dtype=np.float64)
            out["X"][inherited] = encode(out["X"][inherited], tours[inherited])
        if self.local_search_probability and self.lamarckian_share < 1:
            out[TOUR] = tours
        values = fitness(self.inner, tours)
        if values is None:
            out.update(self.inner.evaluate(tours, return_as_dictionary=True))
        else:
            out["F"] = values

    def _draw(self, size: int, random_state: Generator) -> tuple[Any, Any]:
        """Return the masks (size,) of rows that are searched, and of rows that get new keys."""
        drawn = random_state.random((2, size))
        searched = drawn[0] < self.local_search_probability
        return searched, searched & (drawn[1] < self.lamarckian_share)

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        return self.inner.pareto_front()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable, like `TSPProblem`


def _improver(search: Any, intensity: int | None, backend: str) -> Improver:
    """Return the search, limited to a number of kicks or moves."""
    if intensity is None:
        return Improver(search, backend)
    limit = checks.integer("local_search_intensity", intensity, least=1)
    found = parse_search(search) if isinstance(search, str) else search
    if hasattr(found, "kick"):
        return Improver(search, backend, kicks=limit)
    return Improver(search, backend, moves=limit)


def decode(keys: NDArray[Any]) -> Tours:
    """Return the tours of keys (P, n); cities with equal keys are in order of their numbers."""
    return np.argsort(keys, axis=1, kind="stable").astype(np.int32)


def encode(keys: NDArray[Any], tours: Tours) -> NDArray[np.float64]:
    """Return float64 keys (P, n) of tours; each row permutes the corresponding row of `keys`.

    If a row of `keys` has equal numbers, its new keys are evenly spaced numbers in (0, 1),
    because equal keys do not determine an order.
    """
    values = np.sort(np.asarray(keys, dtype=np.float64), axis=1)
    n = values.shape[1]
    unclear = ~(np.diff(values, axis=1) > 0).all(axis=1)  # also for NaN
    values[unclear] = (np.arange(n) + 0.5) / n
    written = np.empty_like(values)
    np.put_along_axis(written, tours, values, axis=1)
    return written
