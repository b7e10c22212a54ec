"""A search that returns neither duplicates nor known tours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.evolution.batches.rows import checked_rows, keys, unknown

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.kick import Kick
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun

_TRIES = 4  # maximum number of kicks of a tour that stays known


class Batch(NamedTuple):
    """Tours (P, n) in canonical form, costs (P,) as in `Improver`, and a mask of new tours (P,)."""

    tours: Tours
    costs: NDArray[np.int64] | None
    new: NDArray[np.bool_]


@dataclass(frozen=True)
class DistinctSearch:
    """A search and a kick that make the tours of a batch distinct and different from known tours.

    A known tour is kicked before the search, because it is usually a local optimum, which the
    search would return unchanged. If the search itself returns a known tour, this tour is kicked,
    but not searched again, so that one batch suffices. If no kick makes the tour new, as may happen
    on tiny problems, it is replaced with the tour from before the search, if that one is new.
    """

    improver: Improver
    kick: Kick

    def prepare(self, problem: Problem, size: int = 1) -> None:
        """Compile ahead of a timed run, for batches of `size` rows."""
        self.kick.prepare(problem, size)
        self.improver.prepare(problem, size)

    def __call__(
        self,
        problem: Problem,
        rows: ArrayLike,
        known: set[bytes],
        random_state: Generator,
        run: FrameworkRun | None = None,
    ) -> Batch:
        """Search all rows (P, n) in one batch, within the time that a run has left.

        `known` holds the keys of known tours in canonical form. If all tours stay known despite
        kicks, nothing is searched.
        """
        tours = checked_rows(problem, rows, "tours").copy()
        new = self._renew(problem, tours, known, random_state)
        starts = problem.canonical(tours)
        if not new.any():
            return Batch(starts, None, new)
        tours, costs = self.improver(problem, tours, random_state, run)
        found = unknown(tours, known)
        new = self._renew(problem, tours, known, random_state)
        _exchange(tours, new, starts, known.union(keys(tours[new])))  # if kicks did not help
        if costs is not None and not found.all():
            costs[~found] = problem.cost(tours[~found])
        return Batch(tours, costs, new)

    def _renew(
        self, problem: Problem, tours: Tours, known: set[bytes], random_state: Generator
    ) -> NDArray[np.bool_]:
        """Kick known tours, in place, until they are new or tries run out; return which are new."""
        kicked = problem.canonical(tours)
        new = unknown(kicked, known)
        known = known.union(keys(kicked[new]))
        for _ in range(_TRIES):
            if new.all():
                break
            some = self.kick(problem, kicked[~new], random_state)
            kicked[~new] = problem.canonical(some)
            _exchange(tours, new, kicked, known)
        return new


def _exchange(tours: Tours, new: NDArray[np.bool_], offered: Tours, known: set[bytes]) -> None:
    """Replace tours that are not new with offered ones that are; update `new` and `known`."""
    old = np.flatnonzero(~new)
    taken = old[unknown(offered[old], known)]
    tours[taken], new[taken] = offered[taken], True
    known.update(keys(offered[taken]))


@dataclass
class Offspring:
    """Keys of the tours that a generation has made; `exhausted` if kicks find no more new ones."""

    generation: int | None
    tours: set[bytes] = field(default_factory=set)
    exhausted: bool = False


_offspring: WeakKeyDictionary[Any, Offspring] = WeakKeyDictionary()


def offspring_of(run: object, generation: int | None) -> Offspring:
    """Return the record of a generation's offspring; the caller adds new tours to it.

    A framework may mate repeatedly in a generation to replace duplicate offspring, but it does not
    tell operators which offspring it already has. `run` is any object that lives as long as the
    run and supports weak references. If `generation` is None, each call returns an empty record.
    """
    if generation is None:
        return Offspring(None)
    if run not in _offspring or _offspring[run].generation != generation:
        _offspring[run] = Offspring(generation)
    return _offspring[run]
