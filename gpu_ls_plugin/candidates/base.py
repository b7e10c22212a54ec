"""What a candidate set is: a rule, and the lists it gives for a problem."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.problems.tsp import check_problem

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.candidates.stored import Stored
    from gpu_ls_plugin.candidates.union import Union
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """Candidates of every city.

    Attributes
    ----------
    cities : ndarray, shape (n, k), int32
        Candidates of each city, the city itself not among them.
    lengths : ndarray, shape (n, k), int64 or float64
        Exact lengths to them.
    """

    cities: NDArray[Any]
    lengths: NDArray[Any]

    @property
    def degree(self) -> int:
        """Number of candidates of a city."""
        return int(self.cities.shape[1])

    @cached_property
    def sorted(self) -> bool:
        """Whether the lengths of no city's candidates ever fall."""
        return bool((self.lengths[:, 1:] >= self.lengths[:, :-1]).all())


class Candidates(ABC):
    """A rule that gives every city its candidates; lists are made once per problem and backend."""

    @abstractmethod
    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""

    def most(self, problem: TSP) -> int:
        """Return how many candidates a city will have, 0 where only making the lists tells."""
        return 0

    def of(self, problem: TSP) -> CandidateLists:
        """Return the lists for a problem; repeated calls return the same object."""
        kept = _lists.setdefault(problem, {})
        if self not in kept:
            kept[self] = self.build(problem)
        return kept[self]

    def on(self, backend: Backend, problem: TSP) -> tuple[Any, Any, int]:
        """Return (cities, lengths, degree) with the arrays on a backend."""
        lists = self.of(problem)
        kept = _arrays.setdefault(problem, {})
        key = (self, id(backend))
        if key not in kept:
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
        from gpu_ls_plugin.candidates.stored import write_lists

        chosen = self._only_problem() if problem is None else problem
        check_problem(chosen)
        write_lists(path, repr(self), chosen, self.of(chosen))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Stored:
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
        from gpu_ls_plugin.candidates.stored import Stored

        return Stored.read(path)

    def _only_problem(self) -> TSP:
        used = [problem for problem, kept in list(_lists.items()) if self in kept]
        if len(used) != 1:
            raise InvalidParameterError(
                f"problem: {self!r} has been used for {len(used)} problems, so that the one to "
                "save is not known; pass problem="
            )
        return used[0]

    def __or__(self, other: Candidates) -> Union:
        """Return both sets in one; see `Union`."""
        from gpu_ls_plugin.candidates.union import Union

        return Union(self, other) if isinstance(other, Candidates) else NotImplemented


def check_candidates(name: str, value: object) -> None:
    """Raise InvalidTypeError where a candidate set is made of something else."""
    if not isinstance(value, Candidates):
        raise InvalidTypeError(f"{name}: {value!r} is no candidate set, such as Nearest(10)")


# Kept beside the problems, not in them: copies and pickles of a problem stay small.
_lists: weakref.WeakKeyDictionary[TSP, dict[Candidates, CandidateLists]] = (
    weakref.WeakKeyDictionary()
)
_arrays: weakref.WeakKeyDictionary[TSP, dict[Any, Any]] = weakref.WeakKeyDictionary()
