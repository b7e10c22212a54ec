"""A thread generates the same successors side by side and alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.successors import layouts
from gpu_ls_plugin.backends.cpu import CpuBackend, threads_at_most

STATES = layouts.LANES + 5  # some lanes of the second group are idle
MASKS = ("none", "distinct", "conflicts", "capacities", "both")


def heuristic(kind, m, values, largest, rng):
    """Return a table with zeros, one row all zeros, and a mask."""
    weights = rng.integers(0, largest + 1, (m, values))
    weights[rng.integers(m)] = 0
    pairs = [(a, b) for a in range(m) for b in range(a) if rng.random() < 0.4]
    room = gls.Capacities(rng.integers(0, 40, values), rng.integers(0, 20, (m, values)))
    masks = {
        "none": (),
        "distinct": (gls.Distinct(),),
        "conflicts": (gls.Conflicts(np.array(pairs, int).reshape(-1, 2)),),
        "capacities": (room,),
        "both": (gls.Distinct(), room),
    }[kind]
    table = gls.WeightTable(weights)
    return gls.Masked(table, *masks) if masks else table


def launched(monkeypatch):
    """Return a list that collects the names of launched kernels."""
    names, launch = [], CpuBackend.launch

    def noted(self, kernel, *rest, **options):
        names.append(kernel.name)
        return launch(self, kernel, *rest, **options)

    monkeypatch.setattr(CpuBackend, "launch", noted)
    return names


def both_ways(generate, states, monkeypatch, **options):
    """Return successors side by side, and alone."""
    names = launched(monkeypatch)
    with threads_at_most(1):
        together = generate(None, states, backend="cpu", **options)
        with monkeypatch.context() as patch:
            patch.setattr(layouts, "MOST_IN_LANES", 0)
            alone = generate(None, states, backend="cpu", **options)
    assert names == ["generate_side_by_side", "generate_successors"]
    monkeypatch.undo()
    return together, alone


@pytest.mark.parametrize("kind", MASKS)
@given(
    seed=st.integers(0, 2**32),
    m=st.integers(1, 12),
    values=st.sampled_from([1, 2, 7, 8, 9, 40, 300]),  # sums have 16 bits up to 256
    largest=st.sampled_from([0, 1, 100, 255]),
    count=st.integers(1, 3),
    share=st.sampled_from([None, 0.0, 0.5]),
)
@settings(max_examples=15, deadline=None)
def test_successors_are_the_same_as_alone(kind, seed, m, values, largest, count, share):
    rng = np.random.default_rng(seed)
    generate = gls.SuccessorGeneration(heuristic(kind, m, values, largest, rng))
    states = rng.integers(-1, values, (STATES, m), np.int32)
    active = None if share is None else rng.random(m) < share
    with pytest.MonkeyPatch.context() as patch:
        together, alone = both_ways(
            generate, states, patch, count=count, active=active, seed=seed, first_row=seed % 7
        )
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("largest", [2**16 - 1, 2**24 - 1, 2**32 - 1])
def test_sums_of_any_size(largest, monkeypatch):
    rng = np.random.default_rng(largest)
    weights = largest - rng.integers(0, 3, (3, layouts.MOST_IN_LANES))
    states = np.full((STATES, 3), -1, np.int32)
    generate = gls.SuccessorGeneration(gls.WeightTable(weights))
    together, alone = both_ways(generate, states, monkeypatch, seed=largest)
    np.testing.assert_array_equal(together, alone)
    assert together.max() > layouts.MOST_IN_LANES // 2


def test_cases_that_are_generated_alone(monkeypatch):
    """Too few states, a mask for each state, another order or heuristic, little memory."""
    states = np.full((STATES, 4), -1, np.int32)
    table = gls.WeightTable(np.ones((4, 3), int))
    own = np.ones(states.shape, bool)

    class Own(gls.WeightTable):
        def functor(self):  # a user's functor may take one type of states only
            return super().functor()

    names = launched(monkeypatch)
    with threads_at_most(1):
        for part in (Own(table.weights), gls.Masked(Own(table.weights), gls.Distinct())):
            gls.SuccessorGeneration(part)(None, states, backend="cpu")
        gls.SuccessorGeneration(table)(None, states[:5], backend="cpu")
        gls.SuccessorGeneration(table)(None, states, active=own, backend="cpu")
        gls.SuccessorGeneration(table)(None, states, order="shuffled", backend="cpu")
        gls.SuccessorGeneration(gls.ByType([table, table], [0, 0, 1, 1]))(
            None, states, backend="cpu"
        )
        gls.SuccessorGeneration(table)(None, states, memory_limit=1000, backend="cpu")
    assert set(names) == {"generate_successors"}
