"""Candidate sets: rules that make candidate lists for a problem."""

from __future__ import annotations

import math
import weakref
from abc import ABC, abstractmethod
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import FaultyPartError, InvalidParameterError
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.tours.candidates.lists import CandidateLists, lists_of, write_lists, wrong_row
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP


# Functions that create a `Union` and a `Stored`. Their modules import this one, so
# tours/__init__.py sets these variables.
union: Callable[[Candidates, Candidates], Candidates] | None = None
stored: Callable[[str | os.PathLike[str]], Candidates] | None = None


class Candidates(ABC):
    """A rule that chooses the candidates of each city. Lists are made once per problem."""

    @abstractmethod
    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""

    def compile(self, problem: TSP) -> None:
        """Compile the programs that `build` runs; by default, there are none."""

    def most(self, problem: TSP) -> int:
        """Return how many candidates a city will have, or 0 if that is not known in advance."""
        return 0

    def of(self, problem: TSP) -> CandidateLists:
        """Return the lists for a problem; repeated calls return the same object.

        Raises
        ------
        FaultyPartError
            The rule comes from a plugin and builds invalid lists.
        """
        problem = problem.listed
        kept = _lists.setdefault(problem, {})
        if self not in kept:
            lists = problem.lists_by(self._built)
            kept.setdefault(self, lists)  # if two threads build, both return the first result
        return kept[self]

    def _built(self, problem: TSP) -> CandidateLists:
        lists = self.build(problem)
        return _checked_lists(self, problem, lists) if foreign(self) else lists

    def ready(self, problem: TSP, seconds: float = math.inf) -> bool:
        """Make the lists for a problem in a separate thread; return whether they are ready.

        The call waits for at most `seconds`, and Ctrl-C interrupts it at once. In both cases, the
        thread continues, and the next call waits for the thread again.
        """
        problem = problem.listed
        if self in _lists.get(problem, {}):
            return True
        making = _making.setdefault(problem, {})
        work = making.get(self)
        if work is None:
            self.compile(problem)  # in the calling thread: compiling stops its search clock
            work = making[self] = _in_a_thread(partial(self.of, problem))
        try:
            work.result(None if seconds == math.inf else max(0.0, seconds))
        except TimeoutError:
            if not work.done():
                return False
            raise
        finally:
            if work.done():
                making.pop(self, None)  # another waiting thread may have removed it
        return True

    def on(self, backend: Backend, problem: TSP) -> tuple[Any, Any, int]:
        """Return the lists as (cities, lengths, degree), with both arrays on a backend."""
        problem = problem.listed
        lists = self.of(problem)
        kept = _arrays.setdefault(problem, {})
        key = (self, backend)  # a backend belongs to one device
        if key not in kept:
            with backend.current():
                xp = backend.xp
                kept[key] = (xp.asarray(lists.cities), xp.asarray(lists.lengths))
        return (*kept[key], lists.degree)

    def save(self, path: str | os.PathLike[str], problem: TSP | None = None) -> None:
        """Write the lists of a problem to an NPZ file, which `load` reads.

        The file is written completely or not at all, and replaces an older one. No extension is
        added to `path`.

        Parameters
        ----------
        path : str or path
        problem : TSP, optional
            The problem whose lists are saved; they are made if necessary. By default, the only
            existing problem for which this set has been used.

        Raises
        ------
        InvalidParameterError
            `problem` is None, but the set has not been used for exactly one existing problem.
        """
        chosen = self._only_problem() if problem is None else tour_problem(problem)
        write_lists(path, repr(self), chosen.fingerprint, self.of(chosen).cities)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Candidates:
        """Return a candidate set that holds the lists of a file; it fits only their instance.

        The set raises InvalidParameterError if it is used for another instance, that is, if the
        metric's name, the coordinates or the matrix differ.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        FileFormatError
            The file does not contain candidate lists.
        """
        assert stored is not None
        return stored(path)

    def _only_problem(self) -> TSP:
        used = [problem for problem, kept in list(_lists.items()) if self in kept]
        if len(used) != 1:
            raise InvalidParameterError(
                f"problem: {self!r} has been used for {len(used)} problems, so it is not known "
                "which one to save; pass problem="
            )
        return used[0]

    def __or__(self, other: Candidates) -> Candidates:
        """Return the union of two sets; see `Union`."""
        assert union is not None
        return union(self, other) if isinstance(other, Candidates) else NotImplemented


def _checked_lists(rule: Candidates, problem: TSP, lists: CandidateLists) -> CandidateLists:
    """Return a plugin's lists with recomputed lengths; raise FaultyPartError if invalid."""
    cities = np.asarray(lists.cities)
    if cities.dtype.kind not in "iu" or cities.ndim != 2 or len(cities) != problem.n:
        raise FaultyPartError(
            f"candidates: {rule!r} builds {cities.dtype} of shape {cities.shape}, not integers of "
            f"shape ({problem.n}, k)"
        )
    if (row := wrong_row(cities)) is not None:
        raise FaultyPartError(
            f"candidates: {rule!r} lists {cities[row].tolist()} for city {row}, but a list must "
            f"contain other cities from 0 to {problem.n - 1}, each only once"
        )
    return lists_of(problem, np.ascontiguousarray(cities, np.int32))


def _in_a_thread(work: Callable[[], object]) -> Future[None]:
    """Run `work` in a daemon thread, so that the process can exit before the work is done."""
    done: Future[None] = Future()

    def run() -> None:
        try:
            work()
        except BaseException as error:
            done.set_exception(error)
        else:
            done.set_result(None)

    Thread(target=run, daemon=True).start()
    return done


def check_sets(part: object, *names: str) -> None:
    """Raise InvalidTypeError unless these fields of a part are candidate sets."""
    wanted = "candidate set, such as Nearest(10)"
    checks.fields(part, checks.instance, *names, kind=Candidates, wanted=wanted)


# For each problem: its lists, the lists that threads are making, and the arrays on backends. They
# are not stored in the problem, so its pickles stay small.
_lists: weakref.WeakKeyDictionary[TSP, dict[Candidates, CandidateLists]] = (
    weakref.WeakKeyDictionary()
)
_making: weakref.WeakKeyDictionary[TSP, dict[Candidates, Future[None]]] = (
    weakref.WeakKeyDictionary()
)
_arrays: weakref.WeakKeyDictionary[TSP, dict[Any, Any]] = weakref.WeakKeyDictionary()
