"""The check of recombinations passes those that are right and finds planted faults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.extend import Recombination, Workspace
from gpu_ls_plugin.testing import check_recombination
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from tests.test_docs import blocks
from tests.testing.faults import ON_BOTH, found_out

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "recombination.md"


@dataclass(frozen=True)
class Mine(Recombination):
    """The head of one tour, then its other cities in the order of another; or a fault."""

    fault: str = ""

    name = "mine"
    reverses = False

    def bytes_per_tour(self, n: int) -> int:
        return 32 * n

    def workspace(
        self,
        backend: Any,
        problem: Any,
        size: int,
        *,
        seed: int,
        first_row: int = 0,
        parts: Any = None,
    ) -> Workspace:
        if self.fault == "refuses all":
            raise UnsupportedProblemError("problem: it is never the right one")
        return Heads(self.fault, backend, problem, (seed, first_row))


class OneSided(Mine):
    """Promises too much."""

    never_worse = True


class Heads(Workspace):
    """A workspace on the host."""

    calls = 0

    def __init__(self, fault: str, backend: Any, problem: Any, numbers: tuple[int, int]) -> None:
        self._fault, self._backend, self._problem = fault, backend, problem
        self._seed, self._first_row = numbers
        self._generations = 0

    def cross(
        self,
        first: Any,
        costs: Any,
        second: Any,
        partners: Any,
        *,
        generation: int = 0,
        seconds: float = np.inf,
    ) -> tuple[Any, Any]:
        fault, backend = self._fault, self._backend
        Heads.calls += 1
        self._generations += 1
        ours, others, chosen = map(backend.to_numpy, (first, second, partners))
        if fault != "ignores partners":
            others = others[chosen]
        children = ours.copy()
        for row, child in enumerate(children):
            number = (0 if fault == "ignores first_row" else self._first_row) + row
            key = [self._seed, number, generation]
            if fault == "of the batch":
                key.append(len(ours))
            elif fault == "of the call":
                key.append(Heads.calls)
            elif fault == "of the workspace":
                key.append(self._generations)
            head = int(np.random.default_rng(key).integers(0, len(child) + 1))
            child[head:] = others[row][~np.isin(others[row], child[:head])]
        if fault == "not tours":
            children[:, 0] = children[:, -1]
        elif fault == "fails on few" and children.shape[1] < 3:
            raise ValueError("too few cities")
        made = backend.xp.asarray(children)
        costs_made = tour_costs(backend, self._problem, made)
        if fault == "says other costs":
            costs_made = costs_made + 1
        elif fault == "in place":
            first[:] = made
        return made, costs_made


FAULTS: dict[str, str] = {
    "not tours": "made what is not a tour|not a permutation",
    "fails on few": "1 cities.* raised ValueError: too few cities|2 cities.* raised ValueError",
    "refuses all": r"refuses every problem; pass problems=",
    "ignores first_row": "same pairs with first_row=1; .* first_row \\+ r",
    "of the batch": "same pairs with first_row=1",
    "of the call": "made other children when called again",
    "of the workspace": "other children of the same pairs .* must not depend on earlier ones",
    "ignores partners": r"other children of the same pairs .* second\[partners\[r\]\]",
    "says other costs": "reports costs .* of children that cost",
    "in place": "changed first in place",
}


@ON_BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_recombination_is_found_out(fault, backend):
    found_out(check_recombination, Mine(fault=fault), FAULTS[fault], backend=backend)


@ON_BOTH
def test_children_that_are_worse_than_was_promised_are_found_out(backend):
    found_out(
        check_recombination,
        OneSided(),
        "its first parent .* remove never_worse",
        backend=backend,
    )


ASSEMBLIES = (gls.EdgeAssembly(), gls.EdgeAssembly(strategy="block"))


@ON_BOTH
@pytest.mark.parametrize("part", [Mine(), *ASSEMBLIES], ids=repr)
def test_a_recombination_that_is_right_passes(part, backend):
    check_recombination(part, backend=backend)


def test_the_recombination_of_the_guide_passes():
    namespace: dict[str, Any] = {"__name__": __name__}
    exec("\n".join(blocks(GUIDE, "python")[2:]), namespace)  # the recombination, and its hook
    check_recombination(namespace["Prefix"](), backend="cpu")
