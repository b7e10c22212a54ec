"""What the suite asks of an adapter, and what faces have in common."""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

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
    """What a run of the framework's plain genetic algorithm has come to."""

    seconds: float
    cost: float
    tour: Rows
    generations: int


class Face(Protocol):
    """What the suite asks of an adapter."""

    framework: str

    def operators(self, problem: gls.TSP | gls.CVRP) -> dict[str, Any]:
        """Constructors of the operators of `NAMES`; their problem is given where they want one."""

    def search(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        """Mutate a whole batch by local search."""

    def kick(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        """Mutate a whole batch by double bridges."""

    def perturb(self, problem: Any, part: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        """Mutate a whole batch by a perturbation, or by a registered one's name."""

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        """Return one child for each pair."""

    def starts(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        """Return a start population."""

    def reassign(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        """Mutate a whole batch of states of an assignment problem."""

    def assigned(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        """Return a start population of states."""

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        """Return what the framework's fitness says that rows cost."""

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        """Run the framework's genetic algorithm with local search as its mutation."""


class Bound:
    """Operators that are given their problem when they are made."""

    package: str

    def operators(self, problem: Any) -> dict[str, Any]:
        package = importlib.import_module(self.package)
        return {kind: partial(getattr(package, name), problem) for kind, name in NAMES.items()}


def others(n: int, size: int = 4) -> Rows:
    """Random tours of a population, other ones than the tests'."""
    rng = np.random.default_rng(12345)
    return rng.permuted(np.tile(np.arange(n), (size, 1)), axis=1)
