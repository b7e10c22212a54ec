"""Statistics of paired results: quantiles, Wilcoxon's test, Holm's correction, ranks."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def quantile(values: Sequence[float], share: float) -> float:
    """Return a linearly interpolated quantile, or NaN without values.

    `share` is from 0 (the lowest value) to 1 (the highest value). Values may be infinite.
    """
    if not len(values):
        return math.nan
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    part = position - below
    if part == 0 or ordered[below] == ordered[below + 1]:
        return float(ordered[below])
    return float(ordered[below] + part * (ordered[below + 1] - ordered[below]))


def wilcoxon(first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
    """Return the two-sided p-value of Wilcoxon's signed-rank test, and the sum of signed ranks.

    Pairs of equal values are left out; if no others remain, p is 1. A difference between a finite
    and an infinite value has the highest rank. The sum is negative if the first values tend to be
    lower, that is, better.
    """
    differences = _differences(first, second)
    if not len(differences):
        return 1.0, 0.0
    leaning = float(np.sign(differences) @ stats.rankdata(np.abs(differences)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about ties and few pairs
        return float(stats.wilcoxon(differences).pvalue), leaning


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the differences other than 0; infinite ones become larger than all others."""
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    with np.errstate(invalid="ignore"):
        differences = np.where(one == two, 0.0, one - two)
    differences = differences[differences != 0]
    finite = np.abs(differences[np.isfinite(differences)])
    most = 2.0 * float(finite.max(initial=0.0)) + 1.0
    clipped: NDArray[np.float64] = np.clip(differences, -most, most)
    return clipped


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the number of tests with Holm's step-down method.

    The lowest p-value is multiplied by the number of tests, the next by one less, and so on. No
    result is lower than the one before it, or higher than 1.
    """
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = least
    return adjusted


def average_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Return the mean rank of each column over the rows; rank 1 is the lowest value."""
    ranks = stats.rankdata(np.asarray(values, dtype=float), axis=1)
    means: NDArray[np.float64] = ranks.mean(axis=0)
    return means


def critical_difference(algorithms: int, problems: int, alpha: float = 0.05) -> float:
    """Return the smallest significant difference between average ranks (Nemenyi; Demsar 2006)."""
    q = stats.studentized_range.ppf(1.0 - alpha, algorithms, np.inf) / math.sqrt(2.0)
    return float(q) * math.sqrt(algorithms * (algorithms + 1) / (6.0 * problems))


def friedman(values: ArrayLike) -> float:
    """Return the p-value of Friedman's test that all columns rank alike.

    It is NaN for fewer than three columns or two rows, and 1 if the values of each row are equal.
    """
    rows = np.asarray(values, dtype=float)
    if rows.shape[0] < 2 or rows.shape[1] < 3:
        return math.nan
    if (rows == rows[:, :1]).all():
        return 1.0
    return float(stats.friedmanchisquare(*rows.T).pvalue)
