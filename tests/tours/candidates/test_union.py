"""Unions of candidate sets."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.candidates.union import Union
from tests.helpers import oracles
from tests.helpers.candidate_lists import assert_lists
from tests.helpers.examples import examples
from tests.helpers.random_problems import random_problem

if TYPE_CHECKING:
    from gpu_ls_plugin import TSP

SETS = st.sampled_from([Nearest(1), Nearest(6), Quadrant(4), Quadrant(9), Alpha(3), All()])
PROBLEMS = st.builds(
    random_problem,
    st.just("EUC_2D"),
    st.integers(1, 40),
    st.integers(0, 99),
    st.integers(2, 60),
)


def filled(problem: TSP, rows: list[list[int]]) -> list[list[int]]:
    """Rows made equally long by the nearest cities that they lack."""
    longest = max(map(len, rows))
    nearest = oracles.nearest(oracles.distance_matrix(problem).tolist(), problem.n)
    return [
        (row + [c for c in near if c not in row])[:longest]
        for row, near in zip(rows, nearest, strict=True)
    ]


@examples(80)
@given(PROBLEMS, SETS, SETS)
def test_a_union_lists_the_first_set_then_the_rest_of_the_second(problem, first, second):
    a, b = (part.of(problem).cities.tolist() for part in (first, second))
    rows = [x + [c for c in y if c not in x] for x, y in zip(a, b, strict=True)]
    assert_lists(problem, (first | second).of(problem), filled(problem, rows))


def test_unions_nest_and_compare():
    union = Alpha(5) | Quadrant(8) | Nearest(4)
    assert union == Union(Union(Alpha(5), Quadrant(8)), Nearest(4))
    assert union != Alpha(5) | Nearest(4) | Quadrant(8)
    assert repr(Nearest(2) | All()) == "Union(first=Nearest(k=2), second=All())"
    problem = random_problem("EUC_2D", 60)
    assert (Alpha(5) | Quadrant(8) | Nearest(4)).of(problem) is union.of(problem)


def test_a_union_is_of_candidate_sets():
    with pytest.raises(TypeError, match="unsupported operand"):
        Nearest(5) | 8


def test_parts_of_a_union_are_made_once():
    problem = random_problem("EUC_2D", 60)
    part = Alpha(5).of(problem)
    combined = (Alpha(5) | Quadrant(8)).of(problem)
    assert Alpha(5).of(problem) is part
    assert np.array_equal(combined.cities[:, :5], part.cities)


def test_pickles_contain_only_the_rule():
    problem = random_problem("EUC_2D", 200)
    for candidates in (Quadrant(8), Alpha(5), Alpha(5) | Quadrant(8)):
        bare = pickle.dumps(candidates)
        candidates.of(problem)
        assert pickle.dumps(candidates) == bare
        copy = pickle.loads(bare)
        assert copy == candidates and hash(copy) == hash(candidates)
        assert copy.of(problem) is candidates.of(problem)


def test_bounds_of_the_degree():
    problem = random_problem("EUC_2D", 50)
    assert (All() | Nearest(3)).most(problem) == (Nearest(3) | All()).most(problem) == 49
    assert Alpha(5).most(problem) == 0
