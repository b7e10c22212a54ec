"""Base classes of heuristics and masks, and helpers for their parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gpu_ls_plugin.backends.structs import in_order, words_of
from gpu_ls_plugin.backends.tuning import padded
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

PAIR = "assignment/heuristics/pair.cuh"


class Functor(ABC):
    """Base of the Python classes of functors that take part in successor generation.

    Attributes
    ----------
    name : str
        Name in the registry and in listings of kernels.
    header : str
        Path of the functor's header in the package; empty if `source` defines the functor.
    side_by_side : bool
        Whether the functor takes states of any type, as `heuristic.cuh` describes, so that a CPU
        thread can generate several successors side by side. A subclass that overrides `functor`
        has to set it again.
    """

    name: ClassVar[str]
    header: ClassVar[str] = ""
    side_by_side: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "functor" in vars(cls) and "side_by_side" not in vars(cls):
            cls.side_by_side = False

    @abstractmethod
    def functor(self) -> str:
        """Return the C++ type, as `heuristic.cuh` or `masked.cuh` describes it."""

    def source(self) -> str:
        """Return the C++ text that defines the functor; empty if `header` does."""
        return ""

    @property
    def headers(self) -> tuple[str, ...]:
        """The headers of the functor."""
        return (self.header,) if self.header else ()

    @property
    def parts(self) -> tuple[Functor, ...]:
        """This part, followed by all parts that it is composed of."""
        return (self,)


class Heuristic(Functor):
    """Guides the assignment of values to variables, one variable after the other.

    Its functor rates each value of a variable in a state. It turns a rating, and the aggregate of
    all ratings of the variable, into a weight; values are chosen in proportion to their weights.

    Attributes
    ----------
    name, header, side_by_side
        As in `Functor`.
    rating_bytes : int
        Size of the functor's `Rating` in bytes.
    """

    rating_bytes: int = 8

    def on(self, problem: Problem | None) -> Heuristic:
        """Return the heuristic for a problem: itself, unless its functor depends on the problem."""
        return self

    @abstractmethod
    def sizes(self, problem: Problem | None) -> NDArray[Any]:
        """Return how many values each variable may have, shape (m,).

        Raises
        ------
        UnsupportedProblemError
            The heuristic does not fit the problem.
        """

    @abstractmethod
    def words(self, backend: Backend, problem: Problem | None) -> list[Any]:
        """Return the functor's parameters: integers, floats and NumPy arrays.

        Called once for each backend and problem.
        """

    def kept_bytes(self, problem: Problem | None) -> int:
        """Return the bytes of functor data per state; 0 unless overridden."""
        return 0


def pair_words(first: list[Any], kept_by_first: int, second: list[Any]) -> list[Any]:
    """Return the parameters of a `gls::FunctorPair`, made from those of its two functors."""
    begin = words_of(PAIR, "FunctorPairData") + len(first)
    data = {"second": begin, "kept_by_first": padded(kept_by_first)}
    return [*in_order(PAIR, "FunctorPairData", data), *first, *second]


def pair_kept_bytes(first: int, second: int) -> int:
    """Return how many bytes two functors keep; the second one's data follow the first one's."""
    return padded(first) + second


def integer_array(
    name: str, given: ArrayLike, shape: str, axes: Collection[int], dtype: Any, most: int
) -> NDArray[Any]:
    """Return a read-only copy of integers from 0 to `most`.

    `axes` contains the allowed numbers of axes; `shape` describes them in messages.
    """
    checks.unmasked(name, given)
    try:
        array = np.asarray(given)
    except (ValueError, TypeError) as error:
        raise InvalidTypeError(f"{name}: {error}") from error
    if array.ndim not in axes or 0 in array.shape[-1:]:
        raise InvalidParameterError(f"{name}: shape {array.shape} is not {shape}")
    if array.dtype.kind not in "iu":
        raise InvalidTypeError(f"{name}: must be integers, not {array.dtype}; round them first")
    outside = (array < 0) | (array > most)
    if outside.any():
        place = tuple(int(i) for i in np.argwhere(outside)[0])
        raise InvalidParameterError(
            f"{name}: {array[place]} at {place} is not between 0 and {most}"
        )
    array = np.array(array, dtype, order="C")
    array.flags.writeable = False
    return array
