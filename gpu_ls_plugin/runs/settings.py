"""Settings of a solve, and requests to a domain for a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import NAMES
from gpu_ls_plugin.core import checks, upper_layers
from gpu_ls_plugin.core.budget import Budget

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend


@dataclass(frozen=True)
class Settings:
    """Settings of a solve. `default_settings` replaces those that are None.

    Parameters
    ----------
    seconds : float
        Wall time from the moment when the first kernels are ready; infinite for no limit.
    population : int, optional
        Number of tours or states, up to 2**31 - 1.
    seed : int or None
        The same seed gives the same random numbers, but a limit in seconds may end two runs at
        different points. None means a random seed.
    start : str, optional
        Name of a registered construction of tours. States of assignment problems begin empty.
    backend : {"auto", "cpu", "cuda"}
    target : float, optional
        The solve ends once the best tour costs no more than this.
    search : callable or str, optional
        Search that improves given tours, or a string that `parse_search` reads. A `LocalSearch`
        becomes the repair of an `IteratedLocalSearch`; other searches are used unchanged.
        Assignment problems take a `SuccessorSearch`.
    kicks, moves : int, optional
        Additional limits, per tour. For a state, they limit rounds and steps.
    rows : int32 array, shape (P, n), optional
        Checked rows that come first in the population; `start` makes the others.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A value is out of range, of the wrong type, or a string that cannot be read.
    """

    seconds: float = 10.0
    population: int | None = None
    seed: int | None = 1
    start: str | None = None
    backend: str = "auto"
    target: float | None = None
    search: Callable[..., Any] | str | None = None
    kicks: int | None = None
    moves: int | None = None
    rows: NDArray[np.int32] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "seconds", least=0.0)
        checks.given_fields(self, checks.integer, "population", least=1, most=checks.MOST_INT)
        checks.given_fields(self, checks.text, "start")
        checks.fields(self, checks.choice, "backend", known=("auto", *NAMES))
        limits = self.budget(self.seconds)
        checks.store(self, kicks=limits.kicks, moves=limits.moves, target=limits.target)
        checks.store(self, seed=checks.seed(self.seed))
        if self.search is not None:
            checks.store(self, search=upper_layers.search_of(self.search))

    @property
    def by_time_alone(self) -> bool:
        """Whether the only limits are time and target, and neither search nor start is given."""
        others = (self.search, self.start, self.kicks, self.moves, self.rows)
        return all(given is None for given in others)

    def budget(self, seconds: float) -> Budget:
        """Return the limits as a budget, with a given time limit in seconds."""
        return Budget(seconds=seconds, kicks=self.kicks, moves=self.moves, target=self.target)


def repairs(search: Any) -> bool:
    """Return whether a search is made to repair the kicked tours of an iterated search."""
    return bool(getattr(search, "repairs", False))


@dataclass(frozen=True)
class Request:
    """A request for a plan.

    Attributes
    ----------
    given : Settings
    backend : Backend
    islands : int
        Number of islands that search at the same time; 0 for none.
    alike : bool
        Whether all backends must make the same moves.
    generations : bool
        Whether an evolutionary algorithm runs the plan: chains or states advance by generations.
    """

    given: Settings
    backend: Backend
    islands: int = 0
    alike: bool = False
    generations: bool = False

    @property
    def seconds(self) -> float:
        """Time limit of the run in seconds."""
        return self.given.seconds

    def of_island(self, population: int) -> int:
        """Return the population of an island: on each of several GPUs, half of `population`.

        On an H200, half as many chains of routes make 1.4 times as many kicks each, and half as
        many crossed tours converge sooner. With whole populations, two GPUs reach a gap no sooner
        than a single GPU does (docs/lab/clusters.md).
        """
        several = self.islands > 1 and self.backend.name != "cpu"
        return -(-population // 2) if several else population
