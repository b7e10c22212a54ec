"""Heuristics with masks, which forbid values."""

from __future__ import annotations

from abc import abstractmethod
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import Functor, Heuristic, pair_kept_bytes, pair_words
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem


class Mask(Functor):
    """Forbids values of a variable, depending on the values of other variables.

    `assignment/heuristics/masked.cuh` describes its functor.
    """

    @abstractmethod
    def check(self, sizes: NDArray[Any]) -> None:
        """Raise UnsupportedProblemError unless the mask fits variables with `sizes` values."""

    @abstractmethod
    def words(self, sizes: NDArray[Any]) -> list[Any]:
        """Return the functor's parameters for variables with `sizes` values, shape (m,)."""

    def kept_bytes(self, sizes: NDArray[Any]) -> int:
        """Return the bytes of functor data per state; 0 unless overridden."""
        return 0


class Masked(Heuristic):
    """A heuristic with masks: a value that a mask forbids in the current state has weight 0.

    The heuristic's aggregate covers only allowed values. Variables that are not active (not to be
    reassigned) keep their values, even if a mask forbids them.

    Parameters
    ----------
    heuristic : Heuristic
    *masks : Mask
        At least one.

    Raises
    ------
    InvalidParameterError
        There is no mask.
    InvalidTypeError
        An argument is of another type.
    """

    name = "masked"
    header = "assignment/heuristics/masked.cuh"
    side_by_side = True  # has an effect only if all its parts set it

    def __init__(self, heuristic: Heuristic, *masks: Mask) -> None:
        self.heuristic = checks.instance("heuristic", heuristic, kind=Heuristic, wanted="Heuristic")
        if not masks:
            raise InvalidParameterError("masks: there is none; pass Conflicts(...), for example")
        for mask in masks:
            checks.instance("masks", mask, kind=Mask, wanted="Mask")
        self.masks = masks
        self._mask = reduce(_BothAllow, masks)
        self.rating_bytes = padded(heuristic.rating_bytes + 1, 8)

    def __repr__(self) -> str:
        return f"Masked({', '.join(map(repr, (self.heuristic, *self.masks)))})"

    def on(self, problem: Problem | None) -> Heuristic:
        return Masked(self.heuristic.on(problem), *self.masks)

    @property
    def parts(self) -> tuple[Functor, ...]:
        """This part, the heuristic's parts and the masks' parts."""
        return (self, *self.heuristic.parts, *self._mask.parts)

    def sizes(self, problem: Problem | None) -> NDArray[Any]:
        """Return how many values each variable has according to the heuristic.

        Raises
        ------
        UnsupportedProblemError
            The heuristic or a mask is for other variables or values.
        """
        sizes = np.asarray(self.heuristic.sizes(problem))
        self._mask.check(sizes)
        return sizes

    def functor(self) -> str:
        return f"gls::Masked<{self.heuristic.functor()}, {self._mask.functor()}>"

    def words(self, backend: Backend, problem: Problem | None) -> list[Any]:
        first, kept = self.heuristic.words(backend, problem), self.heuristic.kept_bytes(problem)
        return pair_words(first, kept, self._mask.words(self.sizes(problem)))

    def kept_bytes(self, problem: Problem | None) -> int:
        own = self.heuristic.kept_bytes(problem)
        return pair_kept_bytes(own, self._mask.kept_bytes(self.sizes(problem)))


class _BothAllow(Mask):
    """Allows a value if both masks do."""

    name = "both_allow"
    header = "assignment/heuristics/masked.cuh"

    def __init__(self, first: Mask, second: Mask) -> None:
        self.first, self.second = first, second

    @property
    def parts(self) -> tuple[Functor, ...]:
        return (*self.first.parts, *self.second.parts)

    def check(self, sizes: NDArray[Any]) -> None:
        self.first.check(sizes)
        self.second.check(sizes)

    def functor(self) -> str:
        return f"gls::BothAllow<{self.first.functor()}, {self.second.functor()}>"

    def words(self, sizes: NDArray[Any]) -> list[Any]:
        first, kept = self.first.words(sizes), self.first.kept_bytes(sizes)
        return pair_words(first, kept, self.second.words(sizes))

    def kept_bytes(self, sizes: NDArray[Any]) -> int:
        return pair_kept_bytes(self.first.kept_bytes(sizes), self.second.kept_bytes(sizes))
