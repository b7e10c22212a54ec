"""Initial populations of constructed tours, improved by local search."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.clock import expect_comparison, on_clock
from gpu_ls_pymoo.problems import view_of
from gpu_ls_pymoo.search import AlgorithmRun

if TYPE_CHECKING:
    from collections.abc import Callable


class LocalSearchSampling(ShownParameters, Sampling):
    """Construct tours and improve them with a local search, in one batch.

    The fitness of the individuals is also set; each counts as one evaluation in ``n_eval``. If
    permutations have several objectives, the search of each row minimises a weighted sum with
    random weights.

    Parameters
    ----------
    construction : str or callable, optional
        Name of a registered construction ("random_tours", "greedy", ...) or a function with the
        same signature, such as ``gpu_ls_plugin.greedy``. None: "savings" for a `CVRPProblem`, best
        insertions for sequences (random if the objective is a Python function), otherwise
        "nearest_neighbour".
    search : callable or str, optional
        As in `LocalSearchMutation`; None: `default_search`.
    backend, moves, kicks
        As in `LocalSearchMutation`.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        As in `LocalSearchMutation`, or the construction is unknown.
    """

    def __init__(
        self,
        construction: Callable[..., Any] | str | None = None,
        search: Callable[..., Any] | str | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
    ) -> None:
        super().__init__()
        self.starts = Starts(construction, Improver(search, backend, moves, kicks))

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.starts.prepare(view_of(problem).for_starts(), size)

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
        """Return `n_samples` improved tours as a Population; some may be equal."""
        random_state = np.random.default_rng(seed if random_state is None else random_state)
        size = checks.integer("n_samples", n_samples, least=1)
        run = AlgorithmRun(algorithm)
        view = view_of(problem)
        tsp = view.for_starts()
        expect_comparison(algorithm, size, tsp.n)
        with on_clock(algorithm):
            starts = replace(self.starts, improver=view.searching(self.starts.improver, None))
            tours, costs = starts(tsp, size, random_state, run)
        values = view.fitness(tours, costs)
        pop = Population.empty(len(tours))
        individuals.write(pop, tours, values)
        if values is not None:
            individuals.count(algorithm, len(tours))
        return pop


def warm_start(problem: Any, sampling: Any) -> Any:
    """Return an algorithm's sampling; if it consists of tours, check and convert them to int32.

    A pymoo Sampling is returned unchanged. For an array (P, n) or a Population, the result is a
    copy; individuals of a Population keep their fitness. If a row is not a tour, the error names
    it.
    """
    if callable(sampling):
        return sampling
    known = isinstance(sampling, Population)
    rows = [individual.X for individual in sampling] if known else sampling
    tours = view_of(problem).check_rows(rows, "sampling")
    return deepcopy(sampling).set("X", tours) if known else tours
