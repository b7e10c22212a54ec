"""Criteria that say whether a population has converged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.diversity import different, entropy

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.generations.evolution import Bred


class Convergence(Protocol):
    """A stateless criterion of convergence, for arrays of NumPy or CuPy."""

    def __call__(self, problem: Problem, population: Bred, unimproved: int) -> bool:
        """Return whether a population has converged.

        Parameters
        ----------
        problem : Problem
        population : Bred
            The population after a generation.
        unimproved : int
            Generations since its best tour improved.
        """
        ...


@dataclass(frozen=True)
class Stagnation:
    """The best tour has not improved for a number of generations.

    Parameters
    ----------
    generations : int
        Generations without improvement, at least 1.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        `generations` is not an integer of at least 1.
    """

    generations: int = 50

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "generations", least=1)

    def __call__(self, problem: Problem, population: Bred, unimproved: int) -> bool:
        return unimproved >= self.generations


@dataclass(frozen=True)
class LowEntropy:
    """The entropy of the rows' features, such as edges, is below a bound.

    Parameters
    ----------
    nats : float
        Bound on `entropy` divided by the number of cities, at least 0. A population of
        equal tours has entropy 0; two tours without a common edge have log 2 = 0.69 per city.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        `nats` is not a number of at least 0.
    """

    nats: float = 0.05

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "nats", least=0)

    def __call__(self, problem: Problem, population: Bred, unimproved: int) -> bool:
        return entropy(problem, population.tours) < self.nats * problem.n


@dataclass(frozen=True)
class FewTours:
    """The population has fewer distinct tours than a given number.

    Parameters
    ----------
    tours : int
        Minimum number of distinct tours, at least 1; a population with fewer has converged.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        `tours` is not an integer of at least 1.
    """

    tours: int = 10

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "tours", least=1)

    def __call__(self, problem: Problem, population: Bred, unimproved: int) -> bool:
        return different(problem, population.tours) < self.tours
