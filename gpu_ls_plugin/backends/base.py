"""The base class of backends, and the check that a batch fits into their memory."""

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
    from collections.abc import Callable, Hashable, Mapping
    from types import ModuleType

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.backends.structs import Packed
    from gpu_ls_plugin.core.problem import Problem

    Starter = Callable[..., object]  # takes packed arguments, and `seconds`

SURE = 1 << 26  # bytes of memory that any machine is assumed to have free


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
        self.starters: weakref.WeakKeyDictionary[Any, Starter] = weakref.WeakKeyDictionary()

    def current(self) -> AbstractContextManager[Any]:
        """Make the backend's device the current one of this thread for a ``with`` block.

        All arrays and kernels of a call belong to that device. Code that gets a backend from
        `get_backend` must use it in such a block.
        """
        return nullcontext()

    def on_stream(self, handle: int) -> AbstractContextManager[Any]:
        """Queue work on a stream of another library during a ``with`` block, by its handle."""
        return nullcontext()

    @abstractmethod
    def lane(self, number: int, processors: int) -> AbstractContextManager[Any]:
        """Give this thread its own queue during a ``with`` block, so that threads work in parallel.

        Within the block, the property `processors` is at most the given number, and searches
        choose the sizes of their launches accordingly.
        Only one thread at a time may be in a lane. Arrays that are created in a lane must be used
        only in that lane. Before a thread enters a lane, it must wait until all arrays that it
        reads are computed.

        Parameters
        ----------
        number : int
            Number of the lane. The next thread in the same lane reuses its memory.
        processors : int
            Limit of the property `processors`, at least 1. On a GPU, kernels may still run on more
            multiprocessors.
        """

    @property
    @abstractmethod
    def processors(self) -> int:
        """Number of threads (CPU) or multiprocessors (CUDA)."""

    @property
    def shared_memory(self) -> int:
        """Maximum size of a block's shared memory in bytes; 0 on a CPU."""
        return 0

    @property
    def cache(self) -> int:
        """Size in bytes of the cache that all multiprocessors share; 0 on a CPU."""
        return 0

    @property
    def largest_cluster(self) -> int:
        """Maximum number of blocks that can work on one item; 1 if the device has no clusters."""
        return 1

    @abstractmethod
    def block(self, threads: int) -> str:
        """Return the C++ type of a team of about `threads` lanes."""

    @abstractmethod
    def warp(self, count: int = 4) -> str:
        """Return the C++ type of a team of 32 lanes, for blocks of `count` such teams."""

    @abstractmethod
    def launch(
        self,
        kernel: Kernel,
        count: int,
        arguments: Mapping[str, Any] | Packed,
        *,
        shared_bytes: int = 0,
        seconds: float = math.inf,
    ) -> bool:
        """Run a kernel on items 0..count-1, with a dict of arguments; None is a null pointer.

        A `Launch` passes arguments that are already packed instead of a dict.

        CUDA queues the work on the current stream and returns; the CPU returns when it is done.
        After `seconds`, the CPU starts no more items and cuts short long loops of unfinished ones.
        `shared_bytes` is the size of a block's dynamic shared memory.

        Returns
        -------
        bool
            Whether all items are completed, or will be.

        Raises
        ------
        InvalidTypeError
            An array does not have the type or layout that the kernel reads.
        FaultyPartError
            A neighbourhood of another package reports wrong gains.
        """

    @abstractmethod
    def begin(self, kernel: Kernel) -> None:
        """Start compiling a kernel in the background, for later launches."""

    def wait(self) -> None:
        """Wait until all queued work is done."""

    @abstractmethod
    def available_memory(self) -> int:
        """Return how many bytes can still be allocated."""

    @abstractmethod
    def address(self, array: Any) -> int:
        """Return the address of an array of this backend."""

    def bound(
        self, kernel: Kernel, count: int, arguments: Mapping[str, Any], *, shared_bytes: int = 0
    ) -> Callable[[], Any]:
        """Return a function that launches a kernel with these arguments, for repeated launches."""
        return partial(self.launch, kernel, count, arguments, shared_bytes=shared_bytes)

    def starter(self, kernel: Kernel, count: int, shared_bytes: int) -> Starter:
        """Return a function that launches a kernel with packed arguments, any number of times.

        The backend's device must be the current one; a `Launch` keeps the function in `starters`.
        """
        return partial(self.launch, kernel, count, shared_bytes=shared_bytes)

    def recorded(self, work: Callable[[], None], times: int) -> Callable[[], None]:
        """Return a function that repeats `work`, which must make the same launches each time.

        `times` is the number of repetitions.
        """
        return repeated(work, times)

    def expect(self, operations: Callable[[Any], list[Callable[[], Any]]]) -> None:
        """Compile kernels of array operations in the background, before the arrays exist.

        `operations(xp)` returns functions that perform the operations on small arrays. On a CPU,
        the method does nothing.
        """

    def adopt(self, array: Any) -> Any:
        """Return an array on a GPU as an array of this backend, copied if necessary.

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
        """Return an array of this backend as a NumPy array."""
        return array

    def device_data(self, problem: Problem) -> Mapping[str, Any]:
        """Return `Problem.device_data` as arrays of this backend, which are created only once."""

        def make() -> Mapping[str, Any]:
            with self.current():
                return problem.device_arrays(self)

        made: Mapping[str, Any] = self.made_once(problem, "device data", make)
        return made

    def made_once(self, problem: Problem, what: Hashable, make: Callable[[], Any]) -> Any:
        """Return the data of a problem under the key `what`; `make` creates them the first time."""
        made = self._made.setdefault(problem, {})
        if what not in made:
            made[what] = make()
        return made[what]

    def memory(self, memory_limit: int | None, needed: float = math.inf) -> int:
        """Return how many bytes may be used: all available ones, or `memory_limit` if it is less.

        If `sure_memory` is at least `needed`, the method uses it instead of the exact number of
        available bytes, which is slow to query.
        """
        available = self.sure_memory()
        if available < needed:
            available = self.available_memory()
        if memory_limit is not None:
            available = min(available, checks.integer("memory_limit", memory_limit, least=0))
        return available

    def sure_memory(self) -> int:
        """Return a lower bound on the available bytes, without the slow query."""
        return SURE

    def rows_that_fit(self, per_row: int, fixed: int, available: int) -> int:
        """Return how many rows of `per_row` bytes fit into memory; raise if none fits.

        `fixed` bytes of the `available` ones are needed for other data.
        """
        rows = (available - fixed) // per_row
        if rows < 1:
            raise InsufficientMemoryError(
                f"memory_limit: one tour needs {fixed + per_row:,} bytes on the {self.name} "
                f"backend, but only {available:,} are available; raise memory_limit or free memory"
            )
        return int(rows)


def repeated(work: Callable[[], None], times: int) -> Callable[[], None]:
    """Return a function that runs `work` `times` times."""

    def repeat() -> None:
        for _ in range(times):
            work()

    return repeat


def batch_size(
    backend: Backend, n: int, size: Any, *, per_city: int = 4, name: str = "size"
) -> int:
    """Return the checked number of tours of n cities; raise if they do not fit into memory.

    `per_city` is the number of bytes that a tour needs for each city; messages call the number of
    tours `name`.
    """
    count = checks.integer(name, size, least=1, most=checks.MOST_INT)
    needed = count * n * per_city
    if needed > (available := backend.memory(None, needed)):
        raise InsufficientMemoryError(
            f"{name}: {count:,} tours of {n:,} cities need about {needed:,} bytes on the "
            f"{backend.name} backend, but only {available:,} are available; make fewer at a time"
        )
    return count
