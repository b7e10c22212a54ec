"""Statistics, compared with SciPy, definitions and published values."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gpu_ls_plugin.experiments.comparison import (
    average_ranks,
    critical_difference,
    friedman,
    holm,
    quantile,
    wilcoxon,
)

NUMBERS = st.floats(-1e6, 1e6)
P_VALUES = st.lists(st.floats(0.0, 1.0), max_size=8)


@given(st.lists(NUMBERS, min_size=1, max_size=9), st.floats(0.0, 1.0))
def test_quantiles_of_finite_values_are_those_of_numpy(values, share):
    expected = np.quantile(values, share)
    assert quantile(values, share) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([1.0, math.inf], 0.5, math.inf),  # NumPy returns NaN for some of these
        ([1.0, 2.0, math.inf], 0.5, 2.0),
        ([2.0, math.inf, 1.0, math.inf], 0.5, math.inf),
        ([math.inf] * 3, 0.25, math.inf),
        ([3.0, math.inf], 0.0, 3.0),
    ],
)
def test_quantiles_of_infinite_values(values, share, expected):
    assert quantile(values, share) == expected


def test_the_quantile_of_no_values():
    assert math.isnan(quantile([], 0.5))


def exact_p(differences: list[float]) -> float:
    """Return the p-value by its definition: the share of signs with rank sums as unequal."""
    ranks = stats.rankdata(np.abs(differences))
    seen = abs(float(np.sign(differences) @ ranks))
    signs = product((-1, 1), repeat=len(ranks))
    return float(np.mean([abs(np.dot(sign, ranks)) >= seen - 1e-9 for sign in signs]))


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=9, unique_by=abs))
def test_wilcoxon_counts_signs(differences):
    p, leaning = wilcoxon(differences, [0] * len(differences))
    nonzero = [float(value) for value in differences if value]
    assert p == pytest.approx(exact_p(nonzero) if nonzero else 1.0)
    assert wilcoxon([0] * len(differences), differences) == (pytest.approx(p), -leaning)


def test_wilcoxon_favours_lower_values():
    p, leaning = wilcoxon([1, 2, 3, 4, 5, 6], [2, 4, 6, 8, 10, 12])
    assert (p, leaning) == (2 / 2**6, -21.0)


@pytest.mark.parametrize(
    ("first", "second", "finite"),
    [
        ([math.inf, 1, 1, 1], [0, 3, 4, 5], [100, -2, -3, -4]),
        ([math.inf, math.inf, 1, 2, 4], [math.inf, 0, 2, 4, 7], [100, -1, -2, -3]),
        ([math.inf] * 2, [math.inf] * 2, []),
    ],
)
def test_infinite_values_are_worse_than_all_others(first, second, finite):
    expected = wilcoxon(finite, [0] * len(finite)) if finite else (1.0, 0.0)
    assert wilcoxon(first, second) == expected


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0] and holm([]) == []


@given(P_VALUES, st.floats(0.001, 0.5))
def test_holm_rejects_step_by_step(p_values, alpha):
    ordered = sorted(range(len(p_values)), key=p_values.__getitem__)
    kept = next(
        (i for i, index in enumerate(ordered) if (len(ordered) - i) * p_values[index] > alpha),
        len(ordered),
    )
    rejected = {index for index, p in enumerate(holm(p_values)) if p <= alpha}
    assert rejected == set(ordered[:kept])


def test_ranks_of_ties_and_of_failures():
    assert average_ranks([[1, 1, 3], [2, math.inf, math.inf]]).tolist() == [1.25, 2.0, 2.75]


# Demsar 2006, table 5(a).
@pytest.mark.parametrize(("algorithms", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_difference_is_that_of_the_table(algorithms, q):
    expected = q * math.sqrt(algorithms * (algorithms + 1) / (6 * 14))
    assert critical_difference(algorithms, 14) == pytest.approx(expected, abs=2e-3)


def test_friedman_is_that_of_scipy():
    values = np.random.default_rng(1).random((6, 4))
    assert friedman(values) == pytest.approx(stats.friedmanchisquare(*values.T).pvalue)
    values[0, 1] = math.inf
    assert 0 < friedman(values) < 1
    assert friedman([[1, 1, 1]] * 3) == 1.0
    assert math.isnan(friedman([[1, 2, 3]])) and math.isnan(friedman([[1, 2]] * 5))
