"""The interface between the suite and an adapter."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpu_ls_plugin.sequences.problem.sequence import with_front

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import gpu_ls_plugin as gls

    Rows = NDArray[Any]


NAMES = {
    "search": "LocalSearchMutation",
    "kick": "DoubleBridgeMutation",
    "perturb": "PerturbationMutation",
    "starts": "LocalSearchSampling",
    "reassign": "SuccessorMutation",
    "assigned": "SuccessorSampling",
}


class Outcome(NamedTuple):
    """The outcome of a run of the framework's plain genetic algorithm."""

    seconds: float
    cost: float
    tour: Rows
    generations: int


class Face(ABC):
    """The operators of an adapter, as functions from rows to rows."""

    framework: str

    def operators(self, problem: Any) -> dict[str, Any]:
        """Return constructors of the operators in `NAMES`, with the problem if they need one."""
        package = importlib.import_module(f"gpu_ls_{self.framework}")
        return {kind: partial(getattr(package, name), problem) for kind, name in NAMES.items()}

    @abstractmethod
    def mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        """Return a whole batch after a mutation, an operator of `NAMES`."""

    @abstractmethod
    def sampled(self, kind: str, problem: Any, size: int, seed: int, options: Any) -> Rows:
        """Return a start population of an operator of `NAMES`."""

    def search(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("search", problem, rows, seed, options)

    def kick(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("kick", problem, rows, seed, options)

    def perturb(self, problem: Any, part: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("perturb", problem, rows, seed, {"part": part, **options})

    def reassign(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self.mutated("reassign", problem, rows, seed, options)

    def starts(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        return self.sampled("starts", problem, size, seed, options)

    def assigned(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        return self.sampled("assigned", problem, size, seed, options)

    @abstractmethod
    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        """Return one child for each pair."""

    @abstractmethod
    def costs(self, problem: Any, rows: Rows) -> list[float]:
        """Return the costs of rows from the framework's fitness."""

    @abstractmethod
    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        """Run the framework's genetic algorithm with local search as its mutation."""


def others(problem: Any, size: int = 4) -> Rows:
    """Return random rows that differ from those of the tests."""
    rng = np.random.default_rng(12345)
    rows = rng.permuted(np.tile(np.arange(problem.n), (size, 1)), axis=1)
    return with_front(np, rows, getattr(problem, "front", ()))
