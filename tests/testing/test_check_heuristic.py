"""The check of heuristics passes those that are right and finds planted faults."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import PartCheckError
from gpu_ls_plugin.testing import check_heuristic
from tests.helpers.heuristics import Spread
from tests.helpers.marks import slow_after


@pytest.mark.parametrize(
    "part", slow_after(1, [gls.WeightTable(np.arange(12).reshape(3, 4)), Spread(7, 3, 2)])
)
def test_sound_heuristics_pass(part):
    check_heuristic(part, backend="cpu")


FAULTS = {
    "but size 4": ("return bins; }", "return bins + 3; }"),
    "changed an inactive variable": (
        "++loads(state)[bin]; }",
        "++loads(state)[bin]; state.values[0] = bin; }",
    ),
    "choose different values": (
        "return loads(state)[bin];",
        "return loads(state)[bin]++ & 1;",
    ),
    "raised CompilationError": ("return bins; }", "return no_such_name; }"),
}


@pytest.mark.parametrize("words", slow_after(2, FAULTS))
def test_faults_are_named(words):
    right, wrong = FAULTS[words]

    class Faulty(Spread):
        def source(self):
            assert right in super().source()
            return super().source().replace(right, wrong)

    with pytest.raises(PartCheckError, match=words):
        check_heuristic(Faulty(7, 4, 2), backend="cpu")


class OneForAll(gls.Heuristic):
    """Chooses values in turn, by a counter that states side by side wrongly share."""

    name = "one_for_all"
    rating_bytes = 4
    side_by_side = True

    def sizes(self, problem):
        return np.full(3, 4)

    def functor(self):
        return "OneForAll"

    def words(self, backend, problem):
        return []

    def kept_bytes(self, problem):
        return 16

    def source(self):
        return """
struct OneForAll : gls::KeepsNothing {
  using Rating = gls::uint32;
  GLS_DEVICE explicit OneForAll(const gls::uint64*) {}
  template <class Team, class States>
  GLS_DEVICE void begin(const Team& team, const States& states) const {
    team.once([&] { *states.kept = 0; });
  }
  template <class S>
  GLS_DEVICE int values(const S&, int) const { return 4; }
  template <class S>
  GLS_DEVICE gls::uint32 rate(const S& state, int, int value) const {
    return value == *state.kept % 4;
  }
  GLS_DEVICE gls::uint32 weight(gls::uint32 rating, gls::NoAggregate) const { return rating; }
  template <class S>
  GLS_DEVICE void assign(const S& state, int, int) const { ++*state.kept; }
};"""


def test_data_that_states_side_by_side_share_are_found():
    with pytest.raises(PartCheckError, match="other successors in a large batch"):
        check_heuristic(OneForAll(), backend="cpu")


@pytest.mark.parametrize("sizes", [[], [0, 3], [1.5], None])
def test_invalid_sizes_are_found(sizes):
    class Faulty(Spread):
        def sizes(self, problem):
            return sizes

    with pytest.raises(PartCheckError, match=r"sizes\(\)"):
        check_heuristic(Faulty(7, 4, 2), backend="cpu")
