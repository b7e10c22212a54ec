"""Crossovers of orders: each child is what a plain definition says, and by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import evaluation
from gpu_ls_plugin.recombination import base, pair_workspace
from gpu_ls_plugin.testing import check_recombination
from tests.helpers import order_oracle
from tests.helpers.chain_oracle import philox
from tests.helpers.order_oracle import drawn_section
from tests.helpers.parents import crossings
from tests.helpers.random_problems import random_problem, random_tours

PURPOSE = 9  # of the random numbers


def order_crossover(first, second, numbers):
    return order_oracle.order_crossover(first, second, drawn_section(len(first), numbers))


PARTS = {gls.OrderCrossover(): order_crossover}
DRAWING = [gls.OrderCrossover()]
parts = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)


def children_of(part, first, second, rows=1, **options):
    pairs = (np.tile(np.array(tour), (rows, 1)) for tour in (first, second))
    return part.cross(random_problem("EUC_2D", len(first)), *pairs, backend="cpu", **options)


@parts
def test_is_what_a_contract_of_recombinations_says(part):
    check_recombination(part, backend="cpu")


@parts
@settings(max_examples=100)
@given(crossings(), st.integers(0, 2**40))
def test_children_are_the_oracles(part, crossing, first_row):
    problem, first, second, seed = crossing
    children = part.cross(problem, first, second, seed=seed, backend="cpu", first_row=first_row)
    for row, child in enumerate(children):
        numbers = philox(seed, PURPOSE, first_row + row, 0)
        pair = first[row].tolist(), second[row].tolist()
        assert child.tolist() == PARTS[part](*pair, numbers)


@parts
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_equal_parents_have_themselves_as_child(part, n):
    tour = random_tours(n, 1)[0]
    assert (children_of(part, tour, tour, 20) == tour).all()


@pytest.mark.parametrize("part", DRAWING, ids=lambda part: part.name)
def test_rows_draw_numbers_of_their_own(part):
    first, second = (random_tours(60, 1, seed)[0] for seed in (1, 2))
    found = [
        set(map(tuple, children_of(part, first, second, 8, **given_).tolist()))
        for given_ in ({"seed": 1}, {"seed": 2}, {"seed": 1, "first_row": 8})
    ]
    assert len(set.union(*found)) == 24


@parts
def test_lengths_are_not_looked_at(part, monkeypatch):
    """Directed ones will do; and nobody computes what parents or children cost."""

    def fail(*_):
        raise AssertionError("a cost was computed")

    first, second = random_tours(30, 4), random_tours(30, 4, 1)
    expected = part.cross(random_problem("EUC_2D", 30), first, second, backend="cpu")
    for module in (base, evaluation, pair_workspace):
        monkeypatch.setattr(module, "tour_costs", fail)
    problem = gls.TSP.from_matrix(np.random.default_rng(1).integers(1, 99, (30, 30)))
    assert np.array_equal(part.cross(problem, first, second, backend="cpu"), expected)


# ---- Order crossover -----------------------------------------------------------------------------


def test_order_crossover_by_hand():
    """Places 2 to 4 are kept, the others follow from place 5 on."""
    first, second = [0, 1, 2, 3, 4, 5, 6, 7], [3, 7, 4, 0, 5, 6, 1, 2]
    # Behind place 4 the second parent has 6 1 2 3 7 4 0 5; without 2 3 4: 6 1 7 0 5.
    child = [0, 5, 2, 3, 4, 6, 1, 7]
    assert order_oracle.order_crossover(first, second, [2, 3, 4]) == child
    found = children_of(gls.OrderCrossover(), first, second, 900).tolist()
    assert child in found


@pytest.mark.parametrize("n", [2, 3, 8])
def test_all_sections_but_the_whole_tour_are_equally_likely(n):
    rows = 4000
    drawn = [tuple(drawn_section(n, philox(3, PURPOSE, row, 0))) for row in range(rows)]
    expected, counts = rows / (n * (n - 1)), Counter(drawn)
    assert len(counts) == n * (n - 1)
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())
