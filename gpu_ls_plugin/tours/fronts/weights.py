"""Which weights the objectives have in the search of a tour: small rules, to be chosen from."""

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

LEAST = 1e-3  # of a weight: a tour is not to be bad in an objective for nothing


class Weights(ABC):
    """A rule that gives every tour of a batch a weight for each objective."""

    @abstractmethod
    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return weights of objectives whose costs are scaled alike.

        Parameters
        ----------
        places : float64 array, shape (P, M)
            Where tours lie: 0 is the best that is known of an objective, 1 the worst of the front.
        random_state : numpy.random.Generator

        Returns
        -------
        float64 array, shape (P, M)
            At least `LEAST`, before rows are scaled to the sum 1.
        """

    def scalarised(
        self,
        problem: MultiObjectiveTSP,
        weights: NDArray[np.float64],
        ideal: NDArray[np.float64],
    ) -> WeightedTSP:
        """Return what tours are searched by: the weighted sum unless overridden.

        Parameters
        ----------
        problem : MultiObjectiveTSP
        weights : float64 array, shape (P, M)
            Of costs as they are.
        ideal : float64 array, shape (M,)
            The least cost that is known in each objective.
        """
        return problem.weighted(weights)


@dataclass(frozen=True)
class RandomWeights(Weights):
    """Weights at random, all with the same probability (Ishibuchi and Murata 1998)."""

    def draw(
        self, places: NDArray[np.float64], random_state: np.random.Generator
    ) -> NDArray[np.float64]:
        """Return weights that do not depend on where tours lie."""
        return normalised(random_state.exponential(size=places.shape))


@dataclass(frozen=True)
class PositionWeights(Weights):
    """High weights of the objectives in which a tour is good already.

    The weight of an objective is the distance of the tour from the worst of the front in it, times
    random numbers, so that tours at one place do not all become the same.

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
        """Return weights by where tours lie."""
        around = np.exp(self.spread * random_state.standard_normal(places.shape))
        return normalised(np.clip(1.0 - places, LEAST, 1.0) * around)


class DirectionWeights(Weights):
    """The weights of a decomposition, such as MOEA/D's: each tour has those next to it.

    Parameters
    ----------
    directions : array_like, shape (K, M)
        At least 0, for example pymoo's reference directions.

    Raises
    ------
    InvalidParameterError
        They are no such array, or one of them is 0 in all objectives.
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
        """Return the direction that a decomposition would give each tour: the nearest weights."""
        if places.shape[1] != self.directions.shape[1]:
            raise InvalidParameterError(
                f"directions: they have {self.directions.shape[1]} objectives, but the problem has "
                f"{places.shape[1]}"
            )
        wanted = normalised(np.clip(1.0 - places, LEAST, 1.0))
        apart = ((wanted[:, None] - self.directions[None]) ** 2).sum(axis=2)
        chosen: NDArray[np.float64] = self.directions[apart.argmin(axis=1)]
        return chosen

    def __repr__(self) -> str:
        return f"DirectionWeights({len(self.directions)} directions)"


@dataclass(frozen=True)
class Tchebycheff(Weights):
    """Weights of another rule, for Tchebycheff distances in place of weighted sums.

    Parameters
    ----------
    weights : Weights
    augmentation : float
        Part of the weighted sum in the distance, more than 0.

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
        """Return the weights of the other rule."""
        return self.weights.draw(places, random_state)

    def scalarised(
        self,
        problem: MultiObjectiveTSP,
        weights: NDArray[np.float64],
        ideal: NDArray[np.float64],
    ) -> WeightedTSP:
        """Return what tours are searched by: the distance from the ideal point."""
        return problem.tchebycheff(weights, ideal, self.augmentation)


def normalised(weights: Any) -> NDArray[np.float64]:
    """Return weights of at least `LEAST` of the highest, with the sum 1 in each row."""
    raised = np.maximum(weights, LEAST * weights.max(axis=1, keepdims=True))
    scaled: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return scaled


def places_of(
    costs: NDArray[Any], ideal: NDArray[np.float64], nadir: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where costs (P, M) lie between the best and the worst of a front."""
    places: NDArray[np.float64] = (costs - ideal) / spans(ideal, nadir)
    return places


def spans(ideal: NDArray[np.float64], nadir: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the extent of a front in each objective, 1 where it has none."""
    return np.where(nadir > ideal, nadir - ideal, 1.0)
