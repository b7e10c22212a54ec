"""The base class of engines, which improve a batch of tours in place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.backends import arrays, tuning
from gpu_ls_plugin.backends.composition import TEAM
from gpu_ls_plugin.backends.structs import constant, enumerators
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP

RUNNING, OPTIMUM, OUT_OF_MOVES, NOTHING_KEPT = (
    enumerators("tours/engines/search_state.cuh", "SearchState")[name]
    for name in ("kRunning", "kOptimum", "kOutOfMoves", "kNothingKept")
)
RANKED_BYTES = constant(TEAM, "kRankedBytes")
# Arguments of gls::Instance for kernels that compute lengths from the data of the metric alone.
NO_SITES = {"sites": None, "error_absolute": 0.0, "error_relative": 0.0}
PER_TOUR = ("tours", "states", "pass_counts", "move_counts")


class Engine(ABC):
    """A batch of descents on a backend.

    Attributes
    ----------
    smallest : int
        Minimum number of cities; shorter tours count as local optima.
    tours : array of the backend, shape (P, n), int32
        `launch` improves them in place.
    states : array of the backend, shape (P,), uint8
        `RUNNING`, `OPTIMUM`, `OUT_OF_MOVES` or `NOTHING_KEPT`.
    seen : array of NumPy, shape (P,), uint8
        The states when the host last read them.
    pass_counts, move_counts : arrays of the backend, shape (P,), int64
        Number of passes, and of moves, that each tour has made so far.
    moves_by : array of the backend, shape (K,), int64
        Number of moves by each neighbourhood in all tours; 0 if there is only one neighbourhood.
    arrays : dict
        The arrays on the backend, keyed by the names of kernel parameters.
    """

    smallest: ClassVar[int] = 4

    def __init__(self, backend: Backend, problem: TSP, tours: Any, neighbourhoods: int = 1) -> None:
        xp = backend.xp
        size, n = tours.shape
        self.backend, self.problem, self.tours = backend, problem, tours
        state = RUNNING if n >= self.smallest else OPTIMUM
        self.states, self.seen = (where.full(size, state, "uint8") for where in (xp, np))
        self._counts = xp.zeros((2, size), "int64")  # in one array, to copy both at once
        self.pass_counts, self.move_counts = self._counts
        self.moves_by = xp.zeros(neighbourhoods, "int64")
        self.arrays: dict[str, Any] = {
            "tours": tours,
            "states": self.states,
            "pass_counts": self.pass_counts,
            "move_counts": self.move_counts,
            "moves_by": self.moves_by,
        }

    def look_at(self, cities: Any) -> None:
        """Set which cities to look at first, bool (P, n); the base class looks at all cities."""

    @abstractmethod
    def launch(self, passes: int, seconds: float) -> None:
        """Queue up to `passes` passes of each unfinished tour; no pass begins after `seconds`."""

    @abstractmethod
    def first_passes(self) -> int:
        """Return a number of passes for the first launch, before the time of a pass is known."""

    @abstractmethod
    def moves_per_evaluation(self) -> int:
        """Return how many moves one pass evaluates."""

    def slices(self, together: int, seconds: float) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the first row and the arrays of `together` tours at a time, while time is left.

        A single launch for the whole batch might run for too long after time is up.
        """
        watch = Stopwatch.of(seconds)
        for begin in range(0, len(self.tours), together):
            if begin > 0:
                self.backend.wait()
                if watch.left <= 0:
                    return
            rows = slice(begin, begin + together)
            yield begin, {name: self.arrays[name][rows] for name in PER_TOUR}

    def made(self) -> tuple[int, int]:
        """Return how many passes and moves all tours have made so far."""
        counts = self._counts
        if len(self.tours) >= tuning.MANY_ROWS:  # on the device, since copies would take longer
            counts = arrays.reversed_rows(counts).sum(axis=1, keepdims=True)
        passes, moves = self.backend.to_numpy(counts).sum(axis=1).tolist()
        return passes, moves

    def evaluations(self, passes: int) -> int:
        """Return how many moves this number of passes evaluates."""
        return passes * self.moves_per_evaluation()

    @property
    def left(self) -> int:
        """Number of tours that could still be improved when the host last read their states."""
        return int(np.count_nonzero(self.seen == RUNNING))

    def unfinished(self) -> int:
        """Wait for the launches; return how many tours can still be improved."""
        self.seen = self.backend.to_numpy(self.states)
        return self.left


def require_symmetric(problem: TSP, search: str) -> None:
    """Raise UnsupportedProblemError if lengths depend on the direction of travel.

    `search` is the name, for the message, of a search that reverses paths.
    """
    if not problem.symmetric:
        raise UnsupportedProblemError(
            f"problem: {search} reverses paths, which changes the lengths of an asymmetric "
            "problem; search with OrOpt() or ThreeOpt() on candidates such as Nearest(10), or "
            "make integer lengths symmetric with Symmetrised()"
        )


def moves_by_name(
    neighbourhoods: Sequence[Neighbourhood], moves: int, moves_by: Any
) -> dict[str, int]:
    """Return how many moves each neighbourhood has made, by name; repeated names are numbered.

    `moves` is the total. `moves_by` (K,) has one count per neighbourhood; it is ignored if K is 1.
    """
    counts = moves_by.tolist() if len(neighbourhoods) > 1 else [moves]
    found: dict[str, int] = {}
    for part, count in zip(neighbourhoods, counts, strict=True):
        number = sum(name.split(" ")[0] == part.name for name in found) + 1
        found[part.name if number == 1 else f"{part.name} {number}"] = count
    return found


class PersistentEngine(Engine):
    """An engine with a single kernel that makes all passes of a launch.

    A subclass sets `_kernel`, its `_arguments` by name (without `passes`), and `_shared_bytes` if
    the kernel needs dynamic shared memory.
    """

    _kernel: Kernel
    _arguments: dict[str, Any]
    _shared_bytes = 0

    def launch(self, passes: int, seconds: float) -> None:
        launch, arguments = self.backend.launch, {**self._arguments, "passes": passes}
        shared = self._shared_bytes
        launch(self._kernel, len(self.tours), arguments, shared_bytes=shared, seconds=seconds)
