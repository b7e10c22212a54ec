"""FANG's own structure, which a benchmark measures, chooses the same values as the library."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from benchmarks.papers.paper004 import GridWalk
from benchmarks.papers.paper004_structure import PaperStructure, bit_sets, xorshift
from gpu_ls_plugin.assignment.successors.arguments import take_keys
from gpu_ls_plugin.backends import get_backend
from tests.helpers.heuristics import Spread
from tests.helpers.successor_oracle import chosen

BACKENDS = ("cpu", pytest.param("cuda", marks=pytest.mark.gpu))
backends = pytest.mark.parametrize("backend", BACKENDS)
PARTS = [GridWalk(9, 4), GridWalk(40, 35), GridWalk(9, 67, 8), Spread(70, 40, 2), Spread(33, 1, 5)]


def to_numpy(backend, rows):
    return get_backend(backend).to_numpy(rows)


@pytest.mark.parametrize(
    ("backend", "threads"),
    [("cpu", 32), *(pytest.param("cuda", n, marks=pytest.mark.gpu) for n in (32, 256, 1024))],
)
@pytest.mark.parametrize("part", PARTS, ids=lambda part: f"{part.name} {part.sizes(None)[0]}")
def test_the_same_random_bits_choose_the_same_values(part, threads, backend):
    m = len(part.sizes(None))
    keys = np.random.default_rng(m).random((20, m))
    keys[0], keys[1] = 0, 1
    bits, _ = take_keys(get_backend("cpu"), m, keys)
    found = PaperStructure(part, threads)(np.full((20, m), -1), bits=bits, backend=backend)
    expected = gls.SuccessorGeneration(part).decode(None, keys, backend="cpu")
    assert np.array_equal(to_numpy(backend, found), expected)


@backends
def test_seeds_and_active_variables(backend):
    part, rng = Spread(70, 9, 6), np.random.default_rng(4)
    states, active = rng.integers(-1, 9, (8, 70)).astype(np.int32), rng.random((8, 70)) < 0.7
    seeds = rng.integers(1, 2**63, 8).astype(np.uint64)
    found = PaperStructure(part)(states, active=active, seeds=seeds, backend=backend)
    expected = np.where(active, -1, states)
    for row, mask, first in zip(expected, active, seeds, strict=True):
        seed = np.array([first])
        for variable in np.flatnonzero(mask):
            weights = part.weigh(row.tolist(), variable)
            if not any(weights):  # no number is drawn
                continue
            number, seed = xorshift(seed)
            row[variable] = chosen(weights, int(number[0]))
    assert (expected[active] == -1).any() and (expected[active] >= 0).any()
    assert np.array_equal(to_numpy(backend, found), expected)


def test_bit_sets():
    active = np.zeros((2, 40), bool)
    active[0, [0, 5, 31]], active[1, [32, 39]] = True, True
    assert bit_sets(active).tolist() == [[1 | 1 << 5 | 1 << 31, 0], [0, 1 | 1 << 7]]
