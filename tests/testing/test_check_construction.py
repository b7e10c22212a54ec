"""The check of constructions passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.extend import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.sequences import parts as of_sequences
from gpu_ls_plugin.testing import check_construction
from tests.testing.faults import ON_BOTH, found_out

if TYPE_CHECKING:
    from collections.abc import Callable


def shuffles(key: Callable[[int, int, int], Any], fault: Any = lambda rows: rows) -> Any:
    """Return a construction of random tours, seeded by key(seed, row, size)."""

    def my_tours(problem, size=1, *, seed=0, backend="auto", device=None):
        rows = [
            np.random.default_rng(key(seed, r, size)).permutation(problem.n) for r in range(size)
        ]
        return fault(np.array(rows, np.int32))

    return my_tours


def refusing(problem, size, *, seed, backend, device):
    raise UnsupportedProblemError("problem: no")


def nameless(problem, size, seed):
    return np.zeros((size, problem.n), np.int32)


def right(seed: int, row: int, size: int) -> list[int]:
    return [seed, row]


FAULTS: dict[str, tuple[Any, str]] = {
    "no tours": (shuffles(right, lambda rows: rows * 0), "in row 0, not a permutation"),
    "one tour": (shuffles(right, lambda rows: rows[0]), "of shape"),
    "real numbers": (shuffles(right, lambda rows: rows * 1.0), "returned float64"),
    "by the size": (shuffles(lambda s, r, size: [s, r, size]), "a smaller batch is not"),
    "without a seed": (shuffles(lambda s, r, size: None), "when called again"),
    "ignores its seed": (shuffles(lambda s, r, size: [r]), "another seed made the same tours"),
    "takes no backend": (nameless, "it is called as construct"),
    "refuses all": (refusing, "refuses every problem"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_construction_is_found_out(fault):
    found_out(check_construction, *FAULTS[fault], backend="cpu")


TIMES = [[3, 1], [2, 5], [4, 4], [1, 6]]
SHOPS = [
    *(gls.FlowShop(TIMES, objective) for objective in ("makespan", "total_flowtime")),
    gls.SingleMachine.generated(9, 1),
]


@ON_BOTH
@pytest.mark.parametrize("name", [part.name for part in registry.parts("construction")])
def test_registered_constructions_pass(name, backend):
    construct = registry.lookup("construction", name)
    problems = SHOPS if construct in of_sequences.PARTS["construction"] else None
    check_construction(construct, problems, backend=backend)


def test_third_party_constructions_pass():
    check_construction(shuffles(right), backend="cpu")
    check_construction(shuffles(lambda s, r, size: 7), backend="cpu")  # always the same tour


def test_what_cannot_be_called_is_refused():
    with pytest.raises(InvalidTypeError, match="cannot be called"):
        check_construction(gls.TSP([[0, 0], [1, 2], [3, 4]]))
