"""Successors are the same on both backends, with each team of threads."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from benchmarks.papers.paper004 import GridWalk
from gpu_ls_plugin.assignment.successors import layouts
from tests.helpers.bin_packing import BinPacking
from tests.helpers.both_backends import assert_same_rows
from tests.helpers.heuristics import Spread

pytestmark = pytest.mark.gpu

TEAMS = ("gls::Warp<1>", "gls::Warp<4>", "gls::Block<64>", "gls::Block<256>", "gls::Block<1024>")
samplers = pytest.mark.parametrize("sampler", ["stored", "rescan"])
orders = pytest.mark.parametrize("order", ["given", "shuffled"])


def assert_same(part, states, sampler, **options):
    assert_same_rows(gls.SuccessorGeneration(part, sampler), None, states, **options)


def random_table(variables, values, most=2**32):
    rng = np.random.default_rng(values)
    weights = rng.integers(0, most, (variables, values)) * rng.integers(0, 2, (variables, values))
    weights[0] = 0
    return gls.WeightTable(weights)


@samplers
@orders
@pytest.mark.parametrize("values", [1, 2, 31, 32, 33, 100, 300, 1025, 5000])
def test_tables_of_all_sizes(sampler, order, values):
    rng = np.random.default_rng(values)
    states = rng.integers(-1, values, (7, 5))
    for active in (None, rng.random(5) < 0.6, rng.random((7, 5)) < 0.6):
        options = {"count": 3, "active": active, "order": order, "seed": 2**50}
        assert_same(random_table(5, values), states, sampler, first_row=2**40, **options)
        assert_same(random_table(5, values, 3), states, sampler, **options)


@samplers
@orders
@pytest.mark.parametrize("team", TEAMS)
def test_the_number_of_lanes_does_not_matter(sampler, order, team, monkeypatch):
    choose = layouts.team
    monkeypatch.setattr(
        layouts, "team", lambda b, most: team if b.name == "cuda" else choose(b, most)
    )
    for values in (3, 70, 3000):
        states = np.full((9, 4), -1)
        assert_same(random_table(4, values), states, sampler, count=5, order=order)
    states = np.random.default_rng(1).integers(-1, 6, (9, 40))
    assert_same(Spread(40, 6, 6), states, sampler, count=5, order=order)


@samplers
def test_data_beside_states(sampler):
    for bins in (1, 5, 40, 700):
        states = np.random.default_rng(bins).integers(-1, bins, (33, 60))
        assert_same(Spread(60, bins, 2), states, sampler, count=3, order="shuffled")
        assert_same(Spread(60, bins, 2), states, sampler, memory_limit=100_000)


@samplers
@pytest.mark.parametrize(("side", "load"), [(4, 1), (35, 8), (99, 1)])
def test_small_weights_of_floats(sampler, side, load):
    assert_same(GridWalk(9, side, load), np.full((20, 9), -1), sampler, count=2)


@pytest.mark.parametrize("sampler", ["stored", "rescan"])
def test_random_keys_give_the_same_states(sampler):
    for part, values in ((random_table(5, 300), 5), (Spread(40, 7, 6), 40)):
        keys = np.random.default_rng(values).random((65, 2 * values))
        keys[0] = 1
        for given in (keys, keys[:, :values], keys.astype(np.float32)):
            decode = gls.SuccessorGeneration(part, sampler).decode
            assert_same_rows(decode, None, given)


@samplers
def test_many_values_of_one_variable(sampler):
    assert_same(random_table(2, 1_000_000), np.full((2, 2), -1), sampler, count=2)


@pytest.mark.slow
def test_ten_million_values():
    weights = np.random.default_rng(1).integers(0, 2**32, (1, 10_000_000))
    weights[0, :-1] //= 2**31
    for sampler in ("stored", "rescan"):
        assert_same(gls.WeightTable(weights), [[-1]], sampler, count=20)


RNG = np.random.default_rng(3)
PROBLEMS = {
    "bins": BinPacking(RNG.integers(1, 9, 20), 20, 10),
    "colours": gls.GraphColouring.random(20, 0.5, colours=20),
    "jobs": gls.GeneralisedAssignment.generated("D", jobs=20, agents=300),
    "plants": gls.QuadraticAssignment.generated(20),
}


@samplers
@pytest.mark.parametrize("values", [1, 33, 700])
def test_masks(sampler, values):
    rng = np.random.default_rng(values)
    pairs = rng.integers(0, 50, (200, 2))
    masks = (
        gls.Conflicts(pairs[pairs[:, 0] != pairs[:, 1]]),
        gls.Capacities(rng.integers(0, 9, values), rng.integers(0, 4, (50, values))),
    )
    states, active = rng.integers(-1, min(values, 9), (9, 50)), rng.random((9, 50)) < 0.8
    options = {"count": 3, "active": active, "order": "shuffled"}
    for part in (random_table(50, values), Spread(50, values, 3)):
        assert_same(gls.Masked(part, *masks), states, sampler, **options)
        assert_same(gls.Masked(part, gls.Distinct()), states, sampler, **options)


@samplers
@pytest.mark.parametrize("values", [5, 700])
def test_types_of_variables(sampler, values):
    rng = np.random.default_rng(values)
    parts = [
        Spread(30, values, 2),
        random_table(30, values),
        gls.Masked(random_table(30, values, 4), gls.Conflicts([(i, i + 1) for i in range(29)])),
    ]
    states, active = rng.integers(-1, values, (9, 30)), rng.random((9, 30)) < 0.8
    part = gls.ByType(parts, rng.integers(0, 3, 30))
    assert_same(part, states, sampler, count=3, active=active, order="shuffled")
    assert_same(gls.Masked(part, gls.Distinct()), states, sampler, count=3, active=active)


@samplers
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_cheapest_values(sampler, name):
    problem, rng = PROBLEMS[name], np.random.default_rng(6)
    states, active = rng.integers(-1, 12, (9, 20)), rng.random((9, 20)) < 0.8
    for sharpness in (0, 8, 30):
        part = gls.CheapestValue(sharpness, problem)
        assert_same(part, states, sampler, count=3, active=active, order="shuffled")


def test_arrays_stay_on_the_device():
    cupy = pytest.importorskip("cupy")
    part, states = random_table(5, 30), np.random.default_rng(2).integers(-1, 30, (6, 5))
    active = np.array([True, False, True, True, False])
    generate = gls.SuccessorGeneration(part)
    for distinct in (False, True):
        expected = generate(None, states, count=4, active=active, backend="cpu", distinct=distinct)
        found = generate(
            None, cupy.asarray(states), count=4, active=cupy.asarray(active), distinct=distinct
        )
        assert isinstance(found, cupy.ndarray) and found.dtype == np.int32
        assert np.array_equal(found.get(), expected)
    with pytest.raises(gls.exceptions.InvalidTourError, match="row 1 assigns value 30"):
        generate(None, cupy.asarray([[0] * 5, [30] * 5]))
