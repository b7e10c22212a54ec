"""Search a batch so that it holds no tour twice and none that is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.evolution.batches.rows import checked_rows, keys, unknown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.kick import Kick
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun

_TRIES = 4  # kicks in a row before a tour is given up


class Batch(NamedTuple):
    """Tours (P, n) in canonical form, their costs (P,) as of `Improver`, and which are new."""

    tours: Tours
    costs: NDArray[np.int64] | None
    new: NDArray[np.bool_]


@dataclass(frozen=True)
class DistinctSearch:
    """A search and a kick: all tours of a batch become different, and different from known ones.

    Tours that are known before the search are kicked first, since the search would only return
    them. Those that it leads back to a known tour are kicked after it, and not searched again:
    there is never a second launch. On tiny problems kicks may find no new tour; then a tour is
    left as it was before the search.
    """

    improver: Improver
    kick: Kick

    def prepare(self, problem: Problem, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.kick.prepare(problem, size)
        self.improver.prepare(problem, size)

    def __call__(
        self,
        problem: Problem,
        rows: ArrayLike,
        known: set[bytes],
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> Batch:
        """Search all rows (P, n) in one batch, within the time that a run has left.

        `known` are keys of known tours in canonical form. If no tour is new, nothing was searched.
        """
        tours = checked_rows(problem, rows, "tours").copy()
        new = self._renew(problem, tours, known, random_state)
        starts = problem.canonical(tours)
        if not new.any():
            return Batch(starts, None, new)
        tours, costs = self.improver(problem, tours, random_state, run)
        found = unknown(tours, known)
        new = self._renew(problem, tours, known, random_state)
        _exchange(tours, new, starts, known.union(keys(tours[new])))  # where kicks are too few
        if costs is not None and not found.all():
            costs[~found] = problem.cost(tours[~found])
        return Batch(tours, costs, new)

    def _renew(
        self, problem: Problem, tours: Tours, known: set[bytes], random_state: np.random.Generator
    ) -> NDArray[np.bool_]:
        """Kick tours that are not new until they are (in place); return which are new."""
        written = problem.canonical(tours)
        new = unknown(written, known)
        known = known.union(keys(written[new]))
        kicked = written
        for _ in range(_TRIES):
            if new.all():
                break
            some = self.kick(problem, kicked[~new], random_state)
            kicked[~new] = problem.canonical(some)
            _exchange(tours, new, kicked, known)
        return new


def _exchange(tours: Tours, new: NDArray[np.bool_], offered: Tours, known: set[bytes]) -> None:
    """Put offered tours in place of those that are not new where they are (all in place)."""
    old = np.flatnonzero(~new)
    taken = old[unknown(offered[old], known)]
    tours[taken], new[taken] = offered[taken], True
    known.update(keys(offered[taken]))


@dataclass
class Offspring:
    """What a generation has made so far: keys of tours, and whether no more can be made."""

    generation: int | None
    tours: set[bytes] = field(default_factory=set)
    exhausted: bool = False


_offspring: WeakKeyDictionary[Any, Offspring] = WeakKeyDictionary()


def offspring_of(run: object, generation: int | None) -> Offspring:
    """Return what this generation of a run has made, to be added to.

    Frameworks may mate many times in a generation where offspring are duplicates, and operators
    are not told what it has already. A run is any object that lives as long and can be weakly
    referenced; without a generation it is not running, and nothing is kept.
    """
    if generation is None:
        return Offspring(None)
    if run not in _offspring or _offspring[run].generation != generation:
        _offspring[run] = Offspring(generation)
    return _offspring[run]
