"""The part to check, and the errors that report its faults."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    BackendUnavailableError,
    CompilationError,
    GpuLsError,
    InsufficientMemoryError,
    InvalidTypeError,
    PartCheckError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.origins import CALLED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP

P = TypeVar("P")
Q = TypeVar("Q")
PATIENCE = 30.0  # seconds to wait for work that takes some milliseconds
OF_THE_MACHINE = (BackendUnavailableError, InsufficientMemoryError)  # not faults of a part
SEEDED = (
    "a part may depend on its arguments only, and draw random numbers from the seed, the row and "
    "the step: it must not depend on earlier calls, the time, another random generator, or "
    "uninitialised variables"
)
BOUNDS_OF_TOURS = "cities and steps of a path are 0 to n - 1, ranks of candidates 0 to degree - 1"
COMPILES = "correct the first error above"
SERVES_NONE = "it refuses every problem", "pass problems=[...] that it accepts"


@dataclass(frozen=True)
class Subject:
    """A part to check, its kind, the backend, the seed, and the problem on which it is tried."""

    kind: str
    part: Any
    backend: Backend
    seed: int
    where: object = ""

    @classmethod
    def of(cls, kind: str, part: Any, backend: str, seed: int, base: type | None = None) -> Subject:
        """Return a part as a subject; raise InvalidTypeError unless it derives from `base`."""
        if base is not None and not isinstance(part, base):
            raise InvalidTypeError(
                f"{kind}: {part!r} does not derive from gpu_ls_plugin.extend.{base.__name__}; pass "
                "the part itself, neither its class nor its name"
            )
        return cls(kind, part, get_backend(backend), checks.seed(seed))

    @property
    def name(self) -> str:
        """The name of the part, or of its class."""
        own = getattr(self.part, "name", None) or getattr(self.part, "__name__", None)
        return own if isinstance(own, str) else type(self.part).__name__

    def on(self, problem: object) -> Subject:
        """Return the same part on a problem, which error messages then name."""
        return replace(self, where=problem)

    def fault(self, wrong: str, remedy: str) -> PartCheckError:
        """Return an error that says what is wrong, on which problem, and what to do."""
        place = f" on {self.where}" if self.where else ""
        return PartCheckError(
            f"{self.kind} {self.name!r}{place} (backend={self.backend.name!r}, seed={self.seed}): "
            f"{wrong}; {remedy}"
        )

    def expect(self, holds: object, wrong: str, remedy: str) -> None:
        """Raise PartCheckError unless a condition holds."""
        if not holds:
            raise self.fault(wrong, remedy)

    def expect_equal(self, found: ArrayLike, other: ArrayLike, wrong: str, remedy: str) -> None:
        """Raise PartCheckError unless two arrays are equal."""
        self.expect(np.array_equal(found, other), wrong, remedy)

    def expect_repeated(self, found: ArrayLike, again: ArrayLike, wrong: str) -> None:
        """Raise PartCheckError unless two calls with the same seed returned equal arrays."""
        self.expect_equal(found, again, f"{wrong} when called again with the same seed", SEEDED)

    @contextmanager
    def blamed(self, action: str, remedy: str) -> Iterator[None]:
        """Turn errors that are raised in the block into faults of the part."""
        try:
            yield
        except (PartCheckError, *OF_THE_MACHINE):
            raise
        except CompilationError as error:
            advice = remedy if CALLED in str(error) else COMPILES
            raise self.fault(f"{action} raised CompilationError: {error}", advice) from error
        except (GpuLsError, ArithmeticError, LookupError, TypeError, ValueError,
                AttributeError, NotImplementedError) as error:  # fmt: skip
            wrong = f"{action} raised {type(error).__name__}: {error}"
            raise self.fault(wrong, remedy) from error

    def served(self, given: Sequence[P], under: Callable[[P], Q]) -> list[Q]:
        """Return each problem with the part applied; skip problems that the part refuses."""
        served = []
        for problem in given:
            remedy = "raise UnsupportedProblemError for problems that the part does not apply to"
            with self.on(problem).blamed("check()", remedy), suppress(UnsupportedProblemError):
                served.append(under(problem))
        self.expect(served, *SERVES_NONE)
        return served

    def rehearse(
        self, work: Callable[[], object], caller: str, bounds: str = BOUNDS_OF_TOURS
    ) -> None:
        """Raise if work hangs or kills its process; on a CPU, a child process tries it first.

        Kernels must have been compiled before. Python errors are ignored here: the caller repeats
        the work, which raises them again. `bounds` says which indices are valid.
        """
        if self.backend.name != "cpu" or not hasattr(os, "fork"):
            return
        child = multiprocessing.get_context("fork").Process(target=_quietly, args=(work,))
        with warnings.catch_warnings():  # Python warns of threads, but they are idle
            warnings.simplefilter("ignore", DeprecationWarning)
            child.start()
        child.join(PATIENCE)
        if child.is_alive():
            child.kill()
            child.join()
            wrong = f"{caller} did not finish within {PATIENCE:g} seconds"
            raise self.fault(wrong, "check that every loop of the C++ ends")
        code = child.exitcode or 0
        self.expect(
            code >= 0,
            f"{caller} ended the process with {signal.Signals(-code).name if code < 0 else code}",
            f"the C++ must stay within its arrays: {bounds}",
        )

    def tours(self, problem: TSP, rows: int) -> NDArray[np.int32]:
        """Return random tours of a problem, shape (rows, n)."""
        ordered = np.tile(np.arange(problem.n, dtype=np.int32), (rows, 1))
        return np.random.default_rng([self.seed, problem.n]).permuted(ordered, axis=1)

    def expect_tours(self, problem: TSP, tours: Any, rows: int, source: str) -> NDArray[np.int32]:
        """Return the part's tours, copied to the host; raise unless they are permutations."""
        remedy = f"return an int32 array of shape ({rows}, {problem.n}) whose rows are permutations"
        found = tours.get() if hasattr(tours, "get") else np.asarray(tours)
        here = self.on(problem)
        text = f"{source} returned {found.dtype} of shape {found.shape}"
        here.expect(found.shape == (rows, problem.n) and found.dtype.kind in "iu", text, remedy)
        wrong = (np.sort(found, axis=1) != np.arange(problem.n)).any(axis=1)
        if wrong.any():
            row = int(wrong.argmax())
            text = f"{source} returned {found[row].tolist()} in row {row}, not a permutation"
            raise here.fault(text, remedy)
        return found.astype(np.int32)


def _quietly(work: Callable[[], object]) -> None:
    """Do the work in a child process, ignoring errors; the parent reports how the child ends."""
    faulthandler.disable()
    with suppress(Exception):
        work()
