"""Comparison of candidate lists with expected ones, and a metric without a k-d tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.tours.problem.metrics import Euc2D
from tests.helpers import oracles

if TYPE_CHECKING:
    from gpu_ls_plugin import TSP
    from gpu_ls_plugin.tours.candidates.lists import CandidateLists


def assert_lists(problem: TSP, lists: CandidateLists, expected: list[list[int]]) -> None:
    """Cities are the expected ones, with exact lengths of the problem's type."""
    d = oracles.distance_matrix(problem)
    assert lists.cities.tolist() == expected
    assert lists.lengths.tolist() == [d[city, row].tolist() for city, row in enumerate(expected)]
    assert (lists.cities.dtype, lists.lengths.dtype) == (np.int32, problem.cost_dtype)
    assert lists.degree == len(expected[0])


class Treeless(Euc2D):
    """EUC_2D as a plugin's metric without points for a k-d tree: all cities must be searched."""

    name = "TREELESS"

    def tree_points(self, values):
        return None
