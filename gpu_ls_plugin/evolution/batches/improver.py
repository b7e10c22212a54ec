"""Local search of a framework's rows, all in one batch."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import check_name, get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnknownPartError
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.evolution.batches.kick import kick_kinds
from gpu_ls_plugin.evolution.batches.rows import as_tours
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.plugins.search_text import improving, parse_search, text_of
from gpu_ls_plugin.runs.compiling import compile_search
from gpu_ls_plugin.runs.domain import domain_of, domains
from gpu_ls_plugin.runs.settings import repairs

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


def default_search(
    problem: Problem | None = None, backend: str = "auto", *, thorough: bool = False
) -> Callable[..., Any]:
    """Return the default search of operators: 2-opt and Or-opt for tours.

    If lengths are asymmetric, it is 3-opt and Or-opt. For giant tours of a vehicle routing problem,
    the search also has moves between routes.

    Parameters
    ----------
    problem : Problem, optional
        The problem to search; by default, the search is for tours.
    backend : str
        The backend that the search is for.
    thorough : bool
        Whether to search longer, which suits algorithms with few generations, and children that
        need many moves.
    """
    domain = domains()[0] if problem is None else domain_of(problem)
    return domain.offspring_search(problem, backend, thorough=thorough)


@dataclass(frozen=True)
class Improver:
    """A search, its limits and its backend. Instances are stateless and picklable."""

    search: Callable[..., Any] | str | None = None  # a search or its text; None: `default_search`
    backend: str = "auto"
    moves: int | None = None  # limit of improving moves per tour and call; None: no limit
    kicks: int | None = None  # of an iterated search; None: its default, or no limit with `moves`
    thorough: bool = False  # whether the default search is thorough

    def __post_init__(self) -> None:
        check_name(self.backend)  # wrong parameters raise now rather than during a run
        checks.given_fields(self, checks.integer, "moves", least=1)
        checks.given_fields(self, checks.integer, "kicks", least=0)
        search = improving(self._read(), self.search)
        if self.search is not None:
            self._check_kicks(search)

    def _check_kicks(self, search: Callable[..., Any]) -> None:
        """Raise if kicks are limited, but a search makes none."""
        if self.kicks is not None and repairs(search):
            raise InvalidParameterError(
                f"kicks: {self.kicks}, but {text_of(search)} makes none; pass an "
                "IteratedLocalSearch, or limit the search by moves"
            )

    def _read(self) -> Callable[..., Any]:
        """Return the given search, unchecked; if it names a kick, the error says what to pass."""
        try:
            return self._found()
        except UnknownPartError as error:
            if self.search not in kick_kinds():
                raise
            raise UnknownPartError(
                f"search: {self.search!r} is a perturbation, which kicks rows and improves none; "
                f"pass PerturbationMutation({self.search!r}), or an IteratedLocalSearch with it"
            ) from error

    @property
    def given(self) -> Callable[..., Any] | None:
        """The given search, parsed if it is a string; None if no search was given."""
        return None if self.search is None else self._found()

    def text(self, problem: Problem) -> str:
        """Return the search of a problem's rows, its limits and its backend, for readers."""
        search = self._found(problem)
        budget = self._budget(search, problem, math.inf)
        limits = [
            f"at most {limit} {name} per row, "
            for name in ("kicks", "moves")
            if (limit := getattr(budget, name)) is not None
        ]
        return f"{text_of(search)}, {''.join(limits)}on {get_backend(self.backend).name}"

    def prepare(self, problem: Problem, size: int = 1) -> None:
        """Compile ahead of a timed run, for batches of `size` rows."""
        tours = domain_of(problem).some_rows(problem, size)
        compile_search(self._found(problem), problem, tours, self.backend)

    def __call__(
        self,
        problem: Problem,
        rows: ArrayLike,
        random_state: Generator,
        run: FrameworkRun | None = None,
    ) -> tuple[Tours, NDArray[np.int64] | None]:
        """Search all rows (P, n) in one batch, within the time that a run has left.

        Returns the improved tours in canonical form, int32 (P, n), and their exact costs, int64
        (P,). Costs are None if there was no time for a search. They are also None if lengths are
        real: rounding then depends on the city at which a row begins, which the canonical form
        changes. Each call draws one number from `random_state`, even if no time is left.
        """
        tours, costs = as_tours(rows), None
        result = self.search_rows(problem, tours, random_state, run)
        if result is not None:
            tours, costs = result.tours, result.costs.copy()  # callers change this array
        return problem.canonical(tours), costs if problem.integer else None

    def search_rows(
        self, problem: Problem, tours: Any, random_state: Generator, run: FrameworkRun | None = None
    ) -> Result | None:
        """Search like `__call__`, but on the tours' device; return None if no time is left."""
        run = TimedRun() if run is None else run
        seed = int(random_state.integers(2**63))
        seconds = run.seconds_left()
        if seconds <= 0:
            return None
        search = self._found(problem)
        self._check_kicks(search)
        budget = self._budget(search, problem, seconds)
        result: Result = search(problem, tours, seed=seed, budget=budget, backend=self.backend)
        run.account(result.statistics)
        if foreign(search):  # costs of a third party's search are not trusted
            return replace(result, costs=problem.cost(result.tours))
        return result

    def _budget(self, search: Callable[..., Any], problem: Problem, seconds: float) -> Budget:
        """Return the limits of a call.

        By default, an iterated search makes its `own_kicks`. If `moves` is given, the number of
        kicks has no default limit.
        """
        kicks = self.kicks
        if (kicks, self.moves) == (None, None) and hasattr(search, "own_kicks"):
            kicks = search.own_kicks(problem)
        limit = seconds if math.isfinite(seconds) else None
        return Budget(seconds=limit, kicks=kicks, moves=self.moves)

    def _found(self, problem: Problem | None = None) -> Callable[..., Any]:
        """Return the given search, or the default one for a problem."""
        if self.search is None:
            return default_search(problem, self.backend, thorough=self.thorough)
        return _parsed(self.search) if isinstance(self.search, str) else self.search


@functools.cache
def _parsed(text: str) -> Callable[..., Any]:
    """Make a search from its text, once per text, because a search caches data about problems."""
    return parse_search(text)
