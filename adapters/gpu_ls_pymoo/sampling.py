"""Start populations of constructed and searched tours."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin import checks
from gpu_ls_plugin.exceptions import InvalidTypeError
from gpu_ls_plugin.plugins.registry import registry
from gpu_ls_pymoo.problems import as_tsp
from gpu_ls_pymoo.search import Improver
from gpu_ls_pymoo.tours import checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_pymoo.tours import Tours


class LocalSearchSampling(Sampling):
    """Construct tours and improve them by a local search, in one batch.

    The individuals come with their fitness; each counts as one evaluation in ``n_eval``.

    Parameters
    ----------
    construction : str or callable
        Name of a registered construction ("nearest_neighbour", "random_tours", ...) or a function
        of the same signature, such as ``gpu_ls_plugin.greedy``.
    search : callable or str, optional
        A search of gpu_ls_plugin, or a text for one such as "two_opt+or_opt/quadrant(10)";
        `default_search` if None.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Applied improving moves per tour and call, at least 1; None: to the local optimum.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`; None: its `kicks_per_city`
        where `moves` does not limit it.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is out of range; `search` is neither a search that improves given tours nor a
        text for one; `kicks` is given where the search makes none; no such construction.
    """

    def __init__(
        self,
        construction: Callable[..., Any] | str = "nearest_neighbour",
        search: Callable[..., Any] | str | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
    ) -> None:
        super().__init__()
        _constructing(construction)  # a wrong name is an error here, not in a run
        self.construction = construction
        self.improver = Improver(search, backend, moves, kicks)

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self._construct(problem, 1, np.random.default_rng(0))
        self.improver.prepare(problem, size)

    def do(
        self,
        problem: Any,
        n_samples: int,
        *args: Any,
        random_state: Any = None,
        algorithm: Any = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return `n_samples` searched tours as a Population; some may be the same tour."""
        random_state = np.random.default_rng(seed if random_state is None else random_state)
        size = checks.integer("n_samples", n_samples, least=1)
        starts = self._construct(problem, size, random_state)
        tours, values = self.improver(problem, starts, random_state, algorithm)
        pop = Population.empty(len(tours))
        individuals.write(pop, tours, values)
        if values is not None:
            individuals.count(algorithm, len(tours))
        return pop

    def _construct(self, problem: Any, size: int, random_state: np.random.Generator) -> Tours:
        build = _constructing(self.construction)
        seed = int(random_state.integers(2**63))
        tours: Tours = build(as_tsp(problem), size=size, seed=seed, backend=self.improver.backend)
        return tours


def _constructing(construction: Any) -> Callable[..., Any]:
    """Return the construction of that name, or the function itself."""
    if isinstance(construction, str):
        construction = registry.lookup("construction", construction)
    if not callable(construction):
        raise InvalidTypeError(
            f"construction: {construction!r} is neither a name nor a function such as "
            "gpu_ls_plugin.greedy"
        )
    build: Callable[..., Any] = construction
    return build


def warm_start(problem: Any, sampling: Any) -> Any:
    """Return what an algorithm starts from, its tours checked and as integers.

    Parameters
    ----------
    problem : pymoo problem
    sampling : pymoo Sampling, array (P, n) or Population
        Not changed.

    Returns
    -------
    pymoo Sampling, int32 array (P, n) or Population
        A `Sampling` as it is. The individuals of a Population keep their fitness.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        A row is no tour of the problem; it is named.
    """
    if callable(sampling):
        return sampling
    known = isinstance(sampling, Population)
    rows = [individual.X for individual in sampling] if known else sampling
    tours = checked(rows, as_tsp(problem).n, "sampling")
    return deepcopy(sampling).set("X", tours) if known else tours
