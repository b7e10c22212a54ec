"""What a candidate set is: a rule, and the lists it gives for a problem."""

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
from gpu_ls_plugin.tours.candidates.list_files import write_lists
from gpu_ls_plugin.tours.candidates.lists import CandidateLists, lists_of, wrong_row
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP


# What `|` and `load` make: these modules need this one, and the room hangs them in here.
union: Callable[[Candidates, Candidates], Candidates] | None = None
stored: Callable[[str | os.PathLike[str]], Candidates] | None = None


class Candidates(ABC):
    """A rule that gives every city its candidates; lists are made once per problem and backend."""

    @abstractmethod
    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""

    def compile(self, problem: TSP) -> None:
        """Compile what `build` runs, if anything: nothing unless overridden."""

    def most(self, problem: TSP) -> int:
        """Return how many candidates a city will have, 0 where only making the lists tells."""
        return 0

    def of(self, problem: TSP) -> CandidateLists:
        """Return the lists for a problem; repeated calls return the same object.

        Raises
        ------
        FaultyPartError
            The rule is somebody else's, and what it builds are not candidate lists.
        """
        problem = problem.listed
        kept = _lists.setdefault(problem, {})
        if self not in kept:
            lists = problem.lists_by(self._built)
            kept.setdefault(self, lists)  # of two threads, both have those of the first
        return kept[self]

    def _built(self, problem: TSP) -> CandidateLists:
        lists = self.build(problem)
        return _measured(self, problem, lists) if foreign(self) else lists

    def ready(self, problem: TSP, seconds: float = math.inf) -> bool:
        """Make the lists for a problem in a thread of their own; return whether they are made.

        Ctrl-C has its effect at once. What is not ready after so many seconds goes on being made,
        for the next call.
        """
        problem = problem.listed
        if self in _lists.get(problem, {}):
            return True
        making = _making.setdefault(problem, {})
        work = making.get(self)
        if work is None:
            self.compile(problem)  # in this thread, whose clock stands still meanwhile
            work = making[self] = _in_a_thread(partial(self.of, problem))
        try:
            work.result(None if seconds == math.inf else max(0.0, seconds))
        except TimeoutError:
            if not work.done():
                return False
            raise
        finally:
            if work.done():
                making.pop(self, None)  # unless another thread has, which waited as well
        return True

    def on(self, backend: Backend, problem: TSP) -> tuple[Any, Any, int]:
        """Return (cities, lengths, degree) with the arrays on a backend."""
        problem = problem.listed
        lists = self.of(problem)
        kept = _arrays.setdefault(problem, {})
        key = (self, backend)  # of which there is one for each device
        if key not in kept:
            with backend.current():
                xp = backend.xp
                kept[key] = (xp.asarray(lists.cities), xp.asarray(lists.lengths))
        return (*kept[key], lists.degree)

    def save(self, path: str | os.PathLike[str], problem: TSP | None = None) -> None:
        """Write the lists of a problem to an NPZ file, which `load` reads.

        The file appears complete or not at all and replaces one of the same name; `path` is
        taken as it is, without an added suffix.

        Parameters
        ----------
        path : str or path
        problem : TSP, optional
            Whose lists are saved (and made, if they are not yet). May be left out where this set
            has been used for exactly one problem that still exists.

        Raises
        ------
        InvalidParameterError
            `problem` is left out, but the set has been used for none or several.
        """
        chosen = self._only_problem() if problem is None else tour_problem(problem)
        write_lists(path, repr(self), chosen.fingerprint, self.of(chosen).cities)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Candidates:
        """Return the lists in a file as a candidate set, which serves their own instance only.

        Another instance raises InvalidParameterError when the set is used: what counts is the
        metric's name and the coordinates or the matrix, not the problem's name.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file holds no candidate lists.
        """
        assert stored is not None
        return stored(path)

    def _only_problem(self) -> TSP:
        used = [problem for problem, kept in list(_lists.items()) if self in kept]
        if len(used) != 1:
            raise InvalidParameterError(
                f"problem: {self!r} has been used for {len(used)} problems, so that the one to "
                "save is not known; pass problem="
            )
        return used[0]

    def __or__(self, other: Candidates) -> Candidates:
        """Return both sets in one; see `Union`."""
        assert union is not None
        return union(self, other) if isinstance(other, Candidates) else NotImplemented


def _measured(rule: Candidates, problem: TSP, lists: CandidateLists) -> CandidateLists:
    """Return lists that somebody else has made with exact lengths, if they are any."""
    cities = np.asarray(lists.cities)
    if cities.dtype.kind not in "iu" or cities.ndim != 2 or len(cities) != problem.n:
        raise FaultyPartError(
            f"candidates: {rule!r} builds {cities.dtype} of shape {cities.shape}, not integers of "
            f"shape ({problem.n}, k)"
        )
    if (row := wrong_row(cities)) is not None:
        raise FaultyPartError(
            f"candidates: {rule!r} lists {cities[row].tolist()} for city {row}, not other cities "
            f"from 0 to {problem.n - 1}, each once"
        )
    return lists_of(problem, np.ascontiguousarray(cities, np.int32))


def _in_a_thread(work: Callable[[], object]) -> Future[None]:
    """Begin some work that nobody waits for when the process ends."""
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
    """Raise unless these fields of a part are candidate sets."""
    wanted = "candidate set, such as Nearest(10)"
    checks.fields(part, checks.instance, *names, kind=Candidates, wanted=wanted)


# Kept beside the problems, not in them: copies and pickles of a problem stay small.
_lists: weakref.WeakKeyDictionary[TSP, dict[Candidates, CandidateLists]] = (
    weakref.WeakKeyDictionary()
)
_making: weakref.WeakKeyDictionary[TSP, dict[Candidates, Future[None]]] = (
    weakref.WeakKeyDictionary()
)
_arrays: weakref.WeakKeyDictionary[TSP, dict[Any, Any]] = weakref.WeakKeyDictionary()
