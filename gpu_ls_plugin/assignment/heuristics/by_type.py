"""A heuristic that rates each variable with the heuristic for its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.heuristics.base import (
    Functor,
    Heuristic,
    integer_array,
    pair_kept_bytes,
    pair_words,
)
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem


class ByType(Heuristic):
    """Rate variables of several types, each type with a different heuristic.

    Each heuristic sees all assignments and so keeps track of the whole state. It must therefore
    allow every variable, even those of other types, at least as many values as the variable has.

    Parameters
    ----------
    heuristics : sequence of Heuristic
        One for each type. Their C++ ratings must not have destructors.
    types : array_like of integers, shape (variables,)
        For each variable, the index of its heuristic in `heuristics`. Copied.

    Raises
    ------
    InvalidParameterError
        There are no variables, or a variable's type has no heuristic; the message names the
        variable.
    InvalidTypeError
        `heuristics` is not a list or is empty, an element is not a heuristic, or the types are not
        integers.
    """

    name = "by_type"
    header = "assignment/heuristics/by_type.cuh"

    def __init__(self, heuristics: Sequence[Heuristic], types: ArrayLike) -> None:
        if not isinstance(heuristics, (tuple, list)) or not heuristics:
            raise InvalidTypeError(
                f"heuristics: {heuristics!r} is not a list of at least one heuristic"
            )
        for part in heuristics:
            checks.instance("heuristics", part, kind=Heuristic, wanted="Heuristic")
        self.heuristics: tuple[Heuristic, ...] = tuple(heuristics)
        most = len(heuristics) - 1
        self.types = integer_array("types", types, "(variables,)", (1,), np.int32, most)
        *others, self.rating_bytes = (part.rating_bytes for part in self.heuristics)
        for first in reversed(others):
            self.rating_bytes = padded(max(first, self.rating_bytes), 8) + 8

    def __repr__(self) -> str:
        return f"ByType({list(self.heuristics)}, {len(self.types)} variables)"

    def on(self, problem: Problem | None) -> Heuristic:
        return ByType([part.on(problem) for part in self.heuristics], self.types)

    @property
    def parts(self) -> tuple[Functor, ...]:
        """This heuristic, followed by the parts of `heuristics`."""
        return (self, *(own for part in self.heuristics for own in part.parts))

    def sizes(self, problem: Problem | None) -> NDArray[Any]:
        """Return each variable's number of values, from the heuristic of its type.

        Raises
        ------
        UnsupportedProblemError
            A heuristic has the wrong number of variables, or too few values for a variable.
        """
        each = [np.asarray(part.sizes(problem)) for part in self.heuristics]
        for number, sizes in enumerate(each):
            if len(sizes) != len(self.types):
                raise UnsupportedProblemError(
                    f"heuristics: heuristic {number} is for {len(sizes)} variables, but there are "
                    f"{len(self.types)} types"
                )
        chosen: NDArray[Any] = np.stack(each)[self.types, np.arange(len(self.types))]
        for number, sizes in enumerate(each):
            if (fewer := sizes < chosen).any():
                variable = int(fewer.argmax())
                raise UnsupportedProblemError(
                    f"heuristics: variable {variable} has {chosen[variable]} values, but heuristic "
                    f"{number}, which sees all variables, knows only {sizes[variable]}"
                )
        return chosen

    def functor(self) -> str:
        others = [part.functor() for part in self.heuristics]
        functor = others.pop()
        for first in reversed(others):
            functor = f"gls::ByType<{first}, {functor}>"
        return functor

    def words(self, backend: Backend, problem: Problem | None) -> list[Any]:
        """Return the types, followed by the parameters of each heuristic in order."""
        others = [part.words(backend, problem) for part in self.heuristics]
        words = others.pop()
        for number, first in reversed(list(enumerate(others))):
            kept = self.heuristics[number].kept_bytes(problem)
            own = in_order(ByType.header, "ByTypeData", {"types": self.types, "type": number})
            words = [*own, *pair_words(first, kept, words)]
        return words

    def kept_bytes(self, problem: Problem | None) -> int:
        others = [part.kept_bytes(problem) for part in self.heuristics]
        kept = others.pop()
        for first in reversed(others):
            kept = pair_kept_bytes(first, kept)
        return kept
