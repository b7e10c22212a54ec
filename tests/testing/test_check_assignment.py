"""The check of assignment problems passes those that are right and finds planted faults."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.testing import check_assignment
from tests.helpers.bin_packing import BinPacking
from tests.helpers.marks import slow_after
from tests.testing.faults import ON_BOTH, found_out

PACKING = BinPacking([3, 1, 4, 1, 5, 9, 2, 6], bins=4, room=10)


@ON_BOTH
def test_a_problem_without_incremental_moves_passes(backend):
    check_assignment(PACKING, backend=backend)
    check_assignment(BinPacking([7], 1, 6), backend=backend, seed=4)  # one variable, one value


HEAD = "  template <class Values>\n"
# Members that replace those of FromScratch.
ADDED = {
    r"swapped\(.*\(cost, excess\), but worth\(\) changes by": """
  GLS_DEVICE gls::Worth swapped(const gls::State& state, int first, int second) const {
    return gls::FromScratch<BinPacking>::swapped(state, first, second) + gls::Worth{0, 1};
  }
""",
    r"is .*\(cost, excess\), but worth\(\) changes by": """
  template <class Team>
  GLS_DEVICE void assign(const Team&, const gls::State&, int, int) const {}
""",
    r"after the moves, worth\(\) is": """
  GLS_DEVICE gls::Worth assigned(const gls::State& state, int variable, int value) const {
    const Changed changed{state.values, variable, value, -1, 0};
    return worth_of(state.m, changed) - worth_of(state.m, state.values);
  }
  GLS_DEVICE gls::Worth swapped(const gls::State& state, int a, int b) const {
    const Changed changed{state.values, a, state.values[b], b, state.values[a]};
    return worth_of(state.m, changed) - worth_of(state.m, state.values);
  }
  template <class Team>
  GLS_DEVICE void assign(const Team&, const gls::State&, int, int) const {}
""",
    "changed values": """
  template <class Team>
  GLS_DEVICE void swap(const Team& team, const gls::State& state, int first, int) const {
    team.once([&] { state.values[(first + 1) % state.m] = -1; });
  }
""",
}
REPLACED = {
    r"worth\(\) has cost": ("worth.cost += items > 0;", "worth.cost += items > 1;"),
    r"excess 0, but cost\(\)": ("load > room ?", "load > room + 3 ?"),
    "raised CompilationError": ("int load = 0", "int lod = 0"),
}


def faulty(right: str, wrong: str, kept: int = 16) -> BinPacking:
    class Faulty(BinPacking):
        def source(self):
            assert right in super().source()
            return super().source().replace(right, wrong, 1)

        def kept_bytes(self):
            return kept

    return Faulty(PACKING.weights, PACKING.bins, PACKING.room)


@pytest.mark.parametrize("words", slow_after(2, REPLACED))
def test_wrong_costs_are_found(words):
    found_out(check_assignment, faulty(*REPLACED[words]), words, backend="cpu")


@pytest.mark.parametrize("words", slow_after(1, ADDED))
def test_wrong_changes_of_moves_are_found(words):
    found_out(check_assignment, faulty(HEAD, ADDED[words] + HEAD), words, backend="cpu")


def test_too_little_memory_is_found():
    found_out(check_assignment, faulty("", "", kept=0), "beyond the 0 bytes", backend="cpu")


def test_errors_in_python_are_reported():
    class Faulty(BinPacking):
        def cost(self, rows):
            return super().cost(rows)[0:0].max()

    part = Faulty(PACKING.weights, PACKING.bins, PACKING.room)
    found_out(check_assignment, part, r"cost\(\) or feasible\(\) raised ValueError", backend="cpu")


def test_wrong_kinds_are_found():
    class Faulty(gls.QuadraticAssignment):
        @property
        def kinds(self):
            return np.array([0, 1, 1, 3], np.int32)

    tables = np.random.default_rng(1).integers(0, 9, (2, 4, 4))
    found_out(check_assignment, Faulty(*tables), "variables 1 and 2 are of one kind", backend="cpu")
