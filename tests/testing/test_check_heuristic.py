"""The check of heuristics passes sound ones and names what is wrong with others."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.exceptions import PartCheckError
from gpu_ls_plugin.testing import check_heuristic
from tests.helpers.heuristics import Spread
from tests.helpers.marks import slow_after


@pytest.mark.parametrize(
    "part", slow_after(1, [gls.WeightTable(np.arange(12).reshape(3, 4)), Spread(7, 3, 2)])
)
def test_sound_heuristics_pass(part):
    check_heuristic(part, backend="cpu")


FAULTS = {
    "of 4": ("return bins; }", "return bins + 3; }"),
    "changed a variable that is not active": (
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


@pytest.mark.parametrize("sizes", [[], [0, 3], [1.5], None])
def test_sizes_that_are_none(sizes):
    class Faulty(Spread):
        def sizes(self, problem):
            return sizes

    with pytest.raises(PartCheckError, match=r"sizes\(\)"):
        check_heuristic(Faulty(7, 4, 2), backend="cpu")
