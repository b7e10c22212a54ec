"""A part under examination: who it is, where it is examined, and how a fault is reported."""

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
    GpuLsError,
    InsufficientMemoryError,
    InvalidTypeError,
    PartCheckError,
    UnsupportedProblemError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP

P = TypeVar("P")
Q = TypeVar("Q")
PATIENCE = 30.0  # seconds, for what takes some milliseconds
OF_THE_MACHINE = (BackendUnavailableError, InsufficientMemoryError)  # faults of no part


@dataclass(frozen=True)
class Subject:
    """A part, its kind in the registry, where it is examined, and the seed of all that takes."""

    kind: str
    part: Any
    backend: Backend
    seed: int
    where: object = ""

    @classmethod
    def of(cls, kind: str, part: Any, backend: str, seed: int, base: type | None = None) -> Subject:
        """Return a part as a subject."""
        if base is not None and not isinstance(part, base):
            raise InvalidTypeError(
                f"{kind}: {part!r} does not derive from gpu_ls_plugin.extend.{base.__name__}; pass "
                "the part itself, neither its class nor its name"
            )
        return cls(kind, part, get_backend(backend), checks.seed(seed))

    @property
    def name(self) -> str:
        """What the part is called."""
        own = getattr(self.part, "name", None) or getattr(self.part, "__name__", None)
        return own if isinstance(own, str) else type(self.part).__name__

    def on(self, problem: object) -> Subject:
        """Return the same part as it is examined on a problem, which faults name."""
        return replace(self, where=problem)

    def fault(self, wrong: str, remedy: str) -> PartCheckError:
        """Return the error that says what is wrong, where, and how it is put right."""
        place = f" on {self.where}" if self.where else ""
        return PartCheckError(
            f"{self.kind} {self.name!r}{place} (backend={self.backend.name!r}, seed={self.seed}): "
            f"{wrong}; {remedy}"
        )

    def expect(self, holds: object, wrong: str, remedy: str) -> None:
        """Raise PartCheckError unless something holds."""
        if not holds:
            raise self.fault(wrong, remedy)

    @contextmanager
    def blamed(self, doing: str, remedy: str) -> Iterator[None]:
        """Report whatever is raised meanwhile as a fault of the part."""
        try:
            yield
        except (PartCheckError, *OF_THE_MACHINE):
            raise
        except (GpuLsError, ArithmeticError, LookupError, TypeError, ValueError,
                AttributeError, NotImplementedError) as error:  # fmt: skip
            wrong = f"{doing} raised {type(error).__name__}: {error}"
            raise self.fault(wrong, remedy) from error

    def served(self, given: Sequence[P], under: Callable[[P], Q]) -> list[Q]:
        """Return problems under the part, without those that it refuses."""
        served = []
        for problem in given:
            remedy = "raise UnsupportedProblemError for problems that it makes no sense on"
            with self.on(problem).blamed("check()", remedy), suppress(UnsupportedProblemError):
                served.append(under(problem))
        self.expect(served, "it refuses every problem", "pass problems=[...] that check() accepts")
        return served

    def rehearse(self, work: Callable[[], object], who: str) -> None:
        """Report what does not finish, or kills its process: on a CPU a child tries it.

        What the part needs is compiled already. Errors in Python are left to who does it next.
        """
        if self.backend.name != "cpu" or not hasattr(os, "fork"):
            return
        child = multiprocessing.get_context("fork").Process(target=_quietly, args=(work,))
        with warnings.catch_warnings():  # of threads: none is in the middle of something
            warnings.simplefilter("ignore", DeprecationWarning)
            child.start()
        child.join(PATIENCE)
        if child.is_alive():
            child.kill()
            child.join()
            wrong = f"{who} has not finished within {PATIENCE:g} seconds"
            raise self.fault(wrong, "bound every loop of the C++")
        code = child.exitcode or 0
        self.expect(
            code >= 0,
            f"{who} ended the process by {signal.Signals(-code).name if code < 0 else code}",
            "the C++ must read and write its own arrays only: cities are from 0 to n - 1, steps of "
            "a path too, ranks of candidates from 0 to degree - 1",
        )

    def tours(self, problem: TSP, rows: int) -> NDArray[np.int32]:
        """Return random tours of the problem."""
        ordered = np.tile(np.arange(problem.n, dtype=np.int32), (rows, 1))
        return np.random.default_rng([self.seed, problem.n]).permuted(ordered, axis=1)

    def expect_tours(self, problem: TSP, tours: Any, rows: int, who: str) -> NDArray[np.int32]:
        """Return what the part has made of a batch, which must be as many tours of the problem."""
        remedy = f"return an int32 array of shape ({rows}, {problem.n}) whose rows are permutations"
        found = tours.get() if hasattr(tours, "get") else np.asarray(tours)
        here = self.on(problem)
        here.expect(
            found.shape == (rows, problem.n) and found.dtype.kind in "iu",
            f"{who} returned {found.dtype} of shape {found.shape}",
            remedy,
        )
        wrong = (np.sort(found, axis=1) != np.arange(problem.n)).any(axis=1)
        if wrong.any():
            row = int(wrong.argmax())
            said = f"{who} returned {found[row].tolist()} in row {row}, not a permutation"
            raise here.fault(said, remedy)
        return found.astype(np.int32)


def _quietly(work: Callable[[], object]) -> None:
    faulthandler.disable()  # how the child ends is reported by its parent
    with suppress(Exception):
        work()
