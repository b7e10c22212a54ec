"""Rules that choose the weights of the objectives for the search of each tour."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.problem_data import array_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP
    from gpu_ls_plugin.tours.problem.weighted import WeightedTSP

LEAST_WEIGHT = 1e-3  # lower bound on weights, so that no objective is ignored


class Weights(ABC):
    """A rule that gives each tour of a batch a weight for each objective."""

    @abstractmethod
    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return weights for objectives whose costs have been scaled to the same range.

        Parameters
        ----------
        places : float64 array, shape (P, M)
            Scaled costs of the tours: 0 is the lowest known cost of an objective, 1 the highest
            cost of the front.
        random_state : numpy.random.Generator

        Returns
        -------
        float64 array, shape (P, M)
            Weights; each row sums to 1. No weight is 0, so that no objective is ignored.
        """

    def scalarised(
        self, problem: MultiObjectiveTSP, weights: NDArray[np.float64], ideal: NDArray[np.float64]
    ) -> WeightedTSP:
        """Return the problem to search; by default, one whose costs are weighted sums.

        Parameters
        ----------
        problem : MultiObjectiveTSP
        weights : float64 array, shape (P, M)
            Weights of unscaled costs.
        ideal : float64 array, shape (M,)
            The lowest known cost of each objective.
        """
        return problem.weighted(weights)


@dataclass(frozen=True)
class RandomWeights(Weights):
    """Random weights, uniformly distributed (Ishibuchi and Murata 1998)."""

    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return uniformly distributed weights, whatever `places` are; see `Weights.draw`."""
        return normalised(random_state.exponential(size=places.shape))


@dataclass(frozen=True)
class PositionWeights(Weights):
    """High weights for objectives in which a tour is already good.

    The weight of an objective is the scaled distance of the tour's cost from the highest cost of
    the front. It is multiplied by a random number, so that tours with equal costs get different
    weights.

    Parameters
    ----------
    spread : float
        Standard deviation of the logarithms of the random numbers; at least 0.
    """

    spread: float = 0.3

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "spread", least=0.0, most=10.0)

    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return weights that are higher for lower scaled costs; see `Weights.draw`."""
        around = np.exp(self.spread * random_state.standard_normal(places.shape))
        return normalised(np.clip(1.0 - places, LEAST_WEIGHT, 1.0) * around)


class DirectionWeights(Weights):
    """Fixed weight vectors, as in MOEA/D: each tour gets the direction that suits it best.

    Parameters
    ----------
    directions : array_like, shape (K, M)
        Weights of at least 0, for example pymoo's reference directions.

    Raises
    ------
    InvalidParameterError
        `directions` does not have this shape, a weight is negative or not finite, or a direction
        has only weights of 0.
    """

    def __init__(self, directions: ArrayLike) -> None:
        given = array_of(directions, "directions").astype(np.float64)
        if (
            given.ndim != 2
            or not given.size
            or not ((given >= 0) & (given < np.inf)).all()
            or not given.any(axis=1).all()
        ):
            raise InvalidParameterError(
                f"directions: shape {given.shape}; give (K, M) weights of at least 0, not all 0"
            )
        self.directions = normalised(given)

    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return for each tour the direction that is closest to 1 minus its scaled costs."""
        if places.shape[1] != self.directions.shape[1]:
            raise InvalidParameterError(
                f"directions: they have {self.directions.shape[1]} objectives, but the problem has "
                f"{places.shape[1]}"
            )
        wanted = normalised(np.clip(1.0 - places, LEAST_WEIGHT, 1.0))
        apart = ((wanted[:, None] - self.directions[None]) ** 2).sum(axis=2)
        chosen: NDArray[np.float64] = self.directions[apart.argmin(axis=1)]
        return chosen

    def __repr__(self) -> str:
        return f"DirectionWeights({len(self.directions)} directions)"


@dataclass(frozen=True)
class Tchebycheff(Weights):
    """The weights of another rule, used for Tchebycheff distances instead of weighted sums.

    Parameters
    ----------
    weights : Weights
        The rule that draws the weights.
    augmentation : float
        Factor with which the weighted sum of the costs is added to the distance; more than 0.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        `weights` is not a rule, or `augmentation` is out of range.
    """

    weights: Weights = field(default_factory=RandomWeights)
    augmentation: float = 0.05

    def __post_init__(self) -> None:
        wanted = "rule for weights, such as RandomWeights()"
        checks.fields(self, checks.instance, "weights", kind=Weights, wanted=wanted)
        checks.fields(self, checks.number, "augmentation", least=1e-9, most=1e9)

    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        return self.weights.draw(places, random_state)

    def scalarised(
        self, problem: MultiObjectiveTSP, weights: NDArray[np.float64], ideal: NDArray[np.float64]
    ) -> WeightedTSP:
        """Return the problem of minimising the Tchebycheff distance from the ideal point."""
        return problem.tchebycheff(weights, ideal, self.augmentation)


def normalised(weights: Any) -> NDArray[np.float64]:
    """Raise weights to at least `LEAST_WEIGHT` times the row's highest; make rows sum to 1."""
    raised = np.maximum(weights, LEAST_WEIGHT * weights.max(axis=1, keepdims=True))
    scaled: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return scaled


def places_of(
    costs: NDArray[Any], ideal: NDArray[np.float64], nadir: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return costs (P, M) scaled so that the ideal is 0 and the nadir is 1."""
    return (costs - ideal) / spans(ideal, nadir)


def spans(ideal: NDArray[np.float64], nadir: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the extent of a front in each objective; 1 if the extent is 0."""
    return np.where(nadir > ideal, nadir - ideal, 1.0)
