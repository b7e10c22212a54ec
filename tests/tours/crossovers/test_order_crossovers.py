"""Crossovers of orders: children agree with a plain implementation and with examples by hand."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.rows import canonical
from tests.helpers import order_oracle
from tests.helpers.examples import examples
from tests.helpers.order_oracle import WORD, drawn_section
from tests.helpers.parents import crossings
from tests.helpers.philox import philox
from tests.helpers.random_problems import random_problem, random_tours

PURPOSE = 9  # of the random numbers


def order_crossover(first, second, numbers):
    return order_oracle.order_crossover(first, second, drawn_section(len(first), numbers))


def partially_mapped(first, second, numbers):
    return order_oracle.partially_mapped(first, second, drawn_section(len(first), numbers))


def cycle(first, second, numbers):
    return order_oracle.cycle(first, second)


def segment_crossover(first, second, numbers, shortest=0.125, longest=0.5):
    n = len(first)
    least = max(1, int(shortest * n))
    length = least + next(numbers) * (max(least, int(longest * n)) - least + 1) // WORD
    return order_oracle.segment_crossover(first, second, next(numbers) * n // WORD, length)


LONG = {"shortest": 0.4, "longest": 1}
PARTS = {
    gls.OrderRecombination(): order_crossover,
    gls.PartiallyMappedRecombination(): partially_mapped,
    gls.CycleRecombination(): cycle,
    gls.SegmentRecombination(): segment_crossover,
    gls.SegmentRecombination(**LONG): partial(segment_crossover, **LONG),
}
parts = pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)


def children_of(part, first, second, rows=1, **options):
    pairs = (np.tile(np.array(tour), (rows, 1)) for tour in (first, second))
    return part.cross(random_problem("EUC_2D", len(first)), *pairs, backend="cpu", **options)


@parts
@examples(100)
@given(crossings(), st.integers(0, 2**40))
def test_children_are_the_oracles(part, crossing, first_row):
    problem, first, second, seed = crossing
    children = part.cross(problem, first, second, seed=seed, backend="cpu", first_row=first_row)
    for row, child in enumerate(children):
        numbers = philox(seed, PURPOSE, first_row + row, 0)
        pair = first[row].tolist(), second[row].tolist()
        assert child.tolist() == PARTS[part](*pair, numbers)


# ---- Order crossover -----------------------------------------------------------------------------


def test_order_crossover_by_hand():
    """Places 2 to 4 are kept; the other cities follow from place 5 on."""
    first, second = [0, 1, 2, 3, 4, 5, 6, 7], [3, 7, 4, 0, 5, 6, 1, 2]
    # After place 4 the second parent has 6 1 2 3 7 4 0 5; without 2 3 4 that is 6 1 7 0 5.
    child = [0, 5, 2, 3, 4, 6, 1, 7]
    assert order_oracle.order_crossover(first, second, [2, 3, 4]) == child
    found = children_of(gls.OrderRecombination(), first, second, 900).tolist()
    assert child in found


# ---- Partially mapped crossover ------------------------------------------------------------------


def test_partially_mapped_by_hand():
    """Places 3 to 5 are kept: 5 6 7 of the first parent; the second has 2 3 0 there."""
    first, second = [9, 8, 4, 5, 6, 7, 1, 3, 2, 0], [8, 7, 1, 2, 3, 0, 9, 5, 4, 6]
    # In the second parent's other places, 2 replaces 5, 3 replaces 6 and 0 replaces 7.
    child = [8, 0, 1, 5, 6, 7, 9, 2, 4, 3]
    assert order_oracle.partially_mapped(first, second, [3, 4, 5]) == child
    assert child in children_of(gls.PartiallyMappedRecombination(), first, second, 1500).tolist()


@pytest.mark.parametrize("n", [5, 300])
def test_long_chains_of_mappings_end(n):
    """If one parent is the other shifted by a place, a single chain visits all places."""
    first = np.arange(n)
    children = children_of(gls.PartiallyMappedRecombination(), first, np.roll(first, 1), 50)
    assert (np.sort(children, axis=1) == first).all()
    assert ((children == first) | (children == np.roll(first, 1))).sum(axis=1).min() >= n - 1


# ---- Cycle crossover -----------------------------------------------------------------------------


def test_cycles_by_hand():
    """The cycles of places are 0 3 7 8, 1 2 6 4, and 5, which has city 6 in both parents."""
    first, second = [1, 2, 3, 4, 5, 6, 7, 8, 9], [4, 3, 7, 8, 2, 6, 5, 9, 1]
    child = [1, 3, 7, 4, 2, 6, 5, 8, 9]
    pair = [[city - 1 for city in tour] for tour in (first, second)]
    expected = [city - 1 for city in child]
    assert order_oracle.cycle(*pair) == expected
    assert children_of(gls.CycleRecombination(), *pair)[0].tolist() == expected


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 255, 256, 257, 1000])
def test_one_cycle_of_all_places_is_the_first_parent(n):
    first = np.arange(n)
    assert (children_of(gls.CycleRecombination(), first, np.roll(first, 1)) == first).all()


# ---- Segment crossover ---------------------------------------------------------------------------


def test_a_segment_by_hand():
    """The segment 6 5 4 runs backward in the first parent, which continues with 3 2 1 0 7."""
    first, second = list(range(8)), [0, 2, 1, 7, 6, 5, 4, 3]
    child = [6, 5, 4, 3, 2, 1, 0, 7]
    assert order_oracle.segment_crossover(first, second, 4, 3) == child
    assert child in children_of(gls.SegmentRecombination(), first, second, 900).tolist()


@pytest.mark.parametrize("backward", [False, True])
def test_a_tour_that_is_written_otherwise_stays_itself(backward):
    first = random_tours(40, 10)
    second = np.roll(first[:, ::-1] if backward else first, 7, axis=1)
    for part in (gls.SegmentRecombination(), gls.SegmentRecombination(**LONG)):
        children = part.cross(random_problem("EUC_2D", 40), first, second, backend="cpu")
        assert np.array_equal(canonical(children), canonical(first))


def test_lengths_have_bounds():
    part = gls.SegmentRecombination(shortest=0.25, longest=0.5)
    assert part.numbers(40) == {"shortest": 10, "longest": 20}
    assert part.numbers(1) == part.numbers(3) == {"shortest": 1, "longest": 1}


@pytest.mark.parametrize("bounds", [(0, 0.5), (0.5, 0.2), (0.5, 1.1), (float("nan"), 0.5)])
def test_wrong_bounds(bounds):
    with pytest.raises((InvalidParameterError, InvalidTypeError), match=r"shortest|longest"):
        gls.SegmentRecombination(shortest=bounds[0], longest=bounds[1])
