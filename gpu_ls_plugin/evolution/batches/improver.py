"""The one place where a framework's rows go through a search."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnknownPartError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.evolution.batches.rows import as_tours
from gpu_ls_plugin.evolution.run import NoRun
from gpu_ls_plugin.plugins.search_text import improving, parse_search, text_of
from gpu_ls_plugin.runs.compiling import compile_search
from gpu_ls_plugin.runs.domain import domain_of, domains
from gpu_ls_plugin.runs.request import repairs

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


def default_search(
    problem: Problem | None = None, backend: str = "auto", *, thorough: bool = False
) -> Callable[..., Any]:
    """Return the search that operators use where they are given none: 2-opt and Or-opt of tours.

    If lengths are asymmetric, it is 3-opt and Or-opt. On the giant tours of a vehicle routing
    problem, there are moves between routes as well. Without a problem, it is that of tours.

    Parameters
    ----------
    problem : Problem, optional
    backend : str
        Where it is going to search.
    thorough : bool
        Whether to leave less undone: there are few generations, and crossovers leave much.
    """
    domain = domains()[0] if problem is None else domain_of(problem)
    return domain.offspring_search(problem, backend, thorough=thorough)


@dataclass(frozen=True)
class Improver:
    """A search and where it runs, as operators hold it: small, without state, picklable."""

    search: Callable[..., Any] | str | None = None  # or its text; `default_search` if None
    backend: str = "auto"
    moves: int | None = None  # improving ones per tour and call; None: to the local optimum
    kicks: int | None = None  # of an iterated search; None: `kicks_per_city`, without `moves`
    thorough: bool = False  # the search, if there is none

    def __post_init__(self) -> None:
        check_name(self.backend)  # what is wrong is an error here, not in a generation
        checks.given_fields(self, checks.integer, "moves", least=1)
        checks.given_fields(self, checks.integer, "kicks", least=0)
        search = improving(self._read(), self.search)
        if self.kicks is not None and repairs(search):
            raise InvalidParameterError(
                f"kicks: {self.kicks}, but {text_of(search)} makes none; pass an "
                "IteratedLocalSearch, or limit the search by moves"
            )

    def _read(self) -> Callable[..., Any]:
        """Return the search, which need not be one; the name of a kick is told where it belongs."""
        try:
            return self._found()
        except UnknownPartError as error:
            kicks = {part.name for part in registry.parts("perturbation")}
            if self.search not in kicks:
                raise
            raise UnknownPartError(
                f"search: {self.search!r} is a perturbation, which kicks tours and improves none; "
                f"pass PerturbationMutation({self.search!r}), or an IteratedLocalSearch with it"
            ) from error

    @property
    def given(self) -> Callable[..., Any] | None:
        """The search, read if it is a text; None if none was given."""
        return None if self.search is None else self._found()

    def prepare(self, problem: Problem, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        tours = domain_of(problem).some_rows(problem, size)
        compile_search(self._found(problem), problem, tours, self.backend)

    def __call__(
        self,
        problem: Problem,
        rows: ArrayLike,
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> tuple[Tours, NDArray[np.int64] | None]:
        """Search all rows (P, n) in one batch, within the time that a run has left.

        Returns the improved tours in canonical form, int32 (P, n), and their exact costs, int64
        (P,): None where nothing was searched, or where lengths are real and the last digits depend
        on how a tour is written. One random number is drawn, whatever happens.
        """
        tours, costs = as_tours(rows), None
        result = self.search_rows(problem, tours, random_state, run)
        if result is not None:
            tours, costs = result.tours, result.costs.copy()  # a new one, to be changed
        return problem.canonical(tours), costs if problem.integer else None

    def search_rows(
        self,
        problem: Problem,
        tours: Any,
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> Result | None:
        """Search tours where they are, otherwise as `__call__`; None where no time is left."""
        run = NoRun() if run is None else run
        seed = int(random_state.integers(2**63))
        seconds = run.seconds_left()
        if seconds <= 0:
            return None
        search = self._found(problem)
        budget = self._budget(search, problem, seconds)
        result: Result = search(problem, tours, seed=seed, budget=budget, backend=self.backend)
        run.account(result.statistics)
        if foreign(search):  # whose costs are not believed
            return replace(result, costs=problem.cost(result.tours))
        return result

    def _budget(self, search: Callable[..., Any], problem: Problem, seconds: float) -> Budget:
        """Return the limits of a call; an iterated search is not to fill the first generation."""
        kicks = self.kicks
        if (kicks, self.moves) == (None, None) and hasattr(search, "own_kicks"):
            kicks = search.own_kicks(problem)
        limit = seconds if math.isfinite(seconds) else None
        return Budget(seconds=limit, kicks=kicks, moves=self.moves)

    def _found(self, problem: Problem | None = None) -> Callable[..., Any]:
        """Return the search, of a problem where none is given."""
        if self.search is None:
            return default_search(problem, self.backend, thorough=self.thorough)
        return _parsed(self.search) if isinstance(self.search, str) else self.search


@functools.cache
def _parsed(text: str) -> Callable[..., Any]:
    """Make a search of its text once, so that it may keep what it knows about a problem."""
    return parse_search(text)
