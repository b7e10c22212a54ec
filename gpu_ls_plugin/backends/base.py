"""What searches ask of a backend."""

from __future__ import annotations

import math
import weakref
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
    from types import ModuleType

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem

SURE = 1 << 26  # bytes that any backend has


class Backend(ABC):
    """Arrays and kernels of one kind of processor.

    Attributes
    ----------
    name : str
        "cpu" or "cuda".
    xp : module
        NumPy or CuPy.
    """

    name: ClassVar[str]
    xp: ModuleType

    def __init__(self) -> None:
        self._made: weakref.WeakKeyDictionary[Problem, dict[Any, Any]] = weakref.WeakKeyDictionary()

    def current(self) -> AbstractContextManager[Any]:
        """Make the backend's device the current one of this thread for a ``with`` block.

        All arrays and kernels of a call live there; whoever takes a backend from `get_backend`
        works with it in such a block.
        """
        return nullcontext()

    @abstractmethod
    def lane(self, number: int, processors: int) -> AbstractContextManager[Any]:
        """Let this thread work beside others for a ``with`` block, on a queue of its own.

        Within it, `processors` is no more than was given, by which searches lay out their work.
        No two threads are in a lane of the same number at a time. Arrays that are made there are
        used there alone; what others have made has to be waited for first.

        Parameters
        ----------
        number : int
            Of the lane. Lanes keep their memory for whoever takes the same number later.
        processors : int
            At least 1. Nothing keeps a GPU's kernels to so many.
        """

    @property
    @abstractmethod
    def processors(self) -> int:
        """Threads (CPU) or multiprocessors (CUDA)."""

    @property
    def shared_memory(self) -> int:
        """Bytes of shared memory that one block may have; 0 where there is none."""
        return 0

    @abstractmethod
    def block(self, threads: int) -> str:
        """Return the C++ type of a team of about `threads` lanes."""

    @abstractmethod
    def warp(self, count: int = 4) -> str:
        """Return the C++ type of a team of 32 lanes, `count` to a block."""

    @abstractmethod
    def launch(
        self,
        kernel: Kernel,
        count: int,
        arguments: Mapping[str, Any],
        *,
        shared_bytes: int = 0,
        seconds: float = math.inf,
    ) -> bool:
        """Run a kernel on items 0..count-1 with arguments by name; None is a null pointer.

        Returns once the work is queued (CUDA, current stream) or done (CPU). After `seconds` the
        CPU begins no further items, and ends long ones.

        Returns
        -------
        bool
            Whether all items are worked on, or will be, to their end.

        Raises
        ------
        InvalidTypeError
            An array is not laid out as the kernel reads it.
        FaultyPartError
            A neighbourhood that somebody else wrote reports gains that its moves do not have.
        """

    def wait(self) -> None:
        """Wait until all work that is queued is done."""

    @abstractmethod
    def available_memory(self) -> int:
        """Return the bytes that can still be allocated."""

    @abstractmethod
    def address(self, array: Any) -> int:
        """Return where an array of this backend begins in memory."""

    def bound(
        self, kernel: Kernel, count: int, arguments: Mapping[str, Any], *, shared_bytes: int = 0
    ) -> Callable[[], Any]:
        """Return a function that launches a kernel, the same each time: again and again."""
        return partial(self.launch, kernel, count, arguments, shared_bytes=shared_bytes)

    def recorded(self, work: Callable[[], None], times: int) -> Callable[[], None]:
        """Return a function that repeats the launches of `work`, which are always the same."""
        return repeated(work, times)

    def ahead(self, arrays: Iterable[Any]) -> Iterator[Any]:
        """Iterate over NumPy arrays as arrays of this backend, each for the work queued with it."""
        yield from arrays

    def adopt(self, array: Any) -> Any:
        """Return an array that is on a GPU as one of this backend: itself, or a copy.

        Raises
        ------
        InvalidTypeError
            This backend cannot read it.
        """
        raise InvalidTypeError(
            f"tours: the array is on a GPU, which the {self.name} backend cannot read; "
            "pass tours.get() or choose backend='cuda'"
        )

    def to_numpy(self, array: Any) -> Any:
        """Return an array of this backend as NumPy."""
        return array

    def device_data(self, problem: Problem) -> Mapping[str, Any]:
        """Return `Problem.device_data` as arrays of this backend; made once."""

        def make() -> Mapping[str, Any]:
            with self.current():
                return problem.device_arrays(self)

        made: Mapping[str, Any] = self.made_once(problem, "device data", make)
        return made

    def made_once(self, problem: Problem, what: Hashable, make: Callable[[], Any]) -> Any:
        """Return what `make` returned when `what` of a problem was first asked for."""
        made = self._made.setdefault(problem, {})
        if what not in made:
            made[what] = make()
        return made[what]

    def memory(self, memory_limit: int | None, needed: float = math.inf) -> int:
        """Return the bytes that may be used: what is available, or `memory_limit` if it is less.

        Where `needed` bytes are surely there, nobody asks how many more.
        """
        available = self.sure_memory()
        if available < needed:
            available = self.available_memory()
        if memory_limit is not None:
            available = min(available, checks.integer("memory_limit", memory_limit, least=0))
        return available

    def sure_memory(self) -> int:
        """Return bytes that are there without asking, which takes a while."""
        return SURE

    def rows_that_fit(self, per_row: int, fixed: int, available: int) -> int:
        """Return how many rows of `per_row` bytes fit beside `fixed` bytes; none raises."""
        rows = (available - fixed) // per_row
        if rows < 1:
            raise InsufficientMemoryError(
                f"memory_limit: one tour needs {fixed + per_row:,} bytes on the {self.name} "
                f"backend, but only {available:,} are available; raise memory_limit or free memory"
            )
        return int(rows)


def repeated(work: Callable[[], None], times: int) -> Callable[[], None]:
    """Return a function that calls another one a number of times."""

    def repeat() -> None:
        for _ in range(times):
            work()

    return repeat
