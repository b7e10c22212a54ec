"""The check of perturbations passes those that are right and finds planted faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.extend import Perturbation, UnsupportedProblemError, get_backend
from gpu_ls_plugin.testing import check_perturbation
from tests.testing.faults import ON_BOTH, found_out

if TYPE_CHECKING:
    from collections.abc import Callable


def scramble(tour: np.ndarray, random: np.random.Generator) -> None:
    """Put some neighbouring cities in random order, in place."""
    places = (random.integers(len(tour)) + np.arange(min(6, len(tour)))) % len(tour)
    tour[places] = random.permutation(tour[places])


class Scramble(Perturbation):
    """Puts some neighbouring cities in random order, or has a planted fault."""

    name = "scramble"

    def __init__(
        self,
        kick: Callable[[Any, Any], Any] = scramble,
        key: Callable[[Any, int, int, int], list[int]] = lambda s, seed, row, size: [seed, row],
        smallest: int = 1,
        least: int = 1,
        copy: bool = True,
    ) -> None:
        self.kick, self.key, self.smallest = kick, key, smallest
        self.least, self.copy, self.calls = least, copy, 0

    def perturb(
        self,
        problem: gls.TSP,
        tours: Any,
        *,
        seed: int | None = 0,
        backend: str = "auto",
        device: int | None = None,
        first_row: int = 0,
    ) -> Any:
        if problem.n < self.least:
            raise UnsupportedProblemError(f"problem: {problem.n} cities are too few")
        self.calls += 1
        host = tours.get() if hasattr(tours, "get") else tours
        kicked = np.array(host) if self.copy else np.asarray(host)
        for row, tour in enumerate(kicked, first_row):
            key = self.key(self, seed, row, len(kicked))
            self.kick(tour, np.random.default_rng(key))
        return kicked if host is tours else get_backend(backend, device).xp.asarray(kicked)


class Bare:
    """A perturbation without a base class; it does not accept `first_row`."""

    def perturb(self, problem: gls.TSP, tours: Any, seed: int = 0, backend: str = "auto") -> Any:
        return Scramble().perturb(problem, tours, seed=seed)


class Distinct(Scramble):
    """A perturbation that looks at other rows: it kicks only the first of equal tours."""

    def perturb(self, problem: gls.TSP, tours: Any, **options: Any) -> Any:
        kicked = super().perturb(problem, tours, **options)
        for row in range(1, len(kicked)):
            if np.array_equal(tours[row], tours[row - 1]):
                kicked[row] = tours[row]
        return kicked


def one_city(tour: np.ndarray, random: np.random.Generator) -> None:
    tour[:] = tour[0]


FAULTS: dict[str, tuple[Any, str]] = {
    "no permutation": (Scramble(one_city), r"in row 0, not a permutation; return an int32"),
    "depends on the size": (
        Scramble(key=lambda s, seed, row, size: [seed, row, size]),
        "a smaller batch has other kicks .* row r may depend",
    ),
    "ignores the first row": (
        Scramble(key=lambda s, seed, row, size: [seed, row % 2, size > 2]),
        "smaller batch|first_row=2",
    ),
    "ignores its seed": (Scramble(key=lambda s, seed, row, size: [row]), "another seed made"),
    "a generator of its own": (
        Scramble(key=lambda s, seed, row, size: [seed, row, s.calls]),
        "different kicks when called again",
    ),
    "works in place": (Scramble(copy=False), "changed the given tours in place"),
    "does nothing": (Scramble(lambda tour, random: None), "no kick changed its tour"),
    "looks at others": (Distinct(), "a kick depends on the other tours of the batch"),
    "needs more cities": (Scramble(least=9), r"raised UnsupportedProblemError: problem: [58]"),
    "knows no rows": (Bare(), "without first_row, kicks depend on how a batch is divided"),
}


@ON_BOTH
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_perturbation_is_found_out(fault, backend):
    found_out(check_perturbation, *FAULTS[fault], backend=backend)


CUTS = """
struct MyCuts {{
  template <class Random, class View>
  GLS_DEVICE static gls::BridgeCuts draw(Random& random, const View& view, int window) {{
    gls::BridgeCuts cuts = gls::WindowCuts::draw(random, view, window);
    {then}
    return cuts;
  }}
}};
"""


class MyBridge(gls.DoubleBridge):
    """A double bridge whose cuts a third party draws, in chains of one kernel."""

    cuts = "MyCuts"
    then = ""

    def source(self) -> str:
        return CUTS.format(then=self.then)


class Crossed(MyBridge):
    """Cuts whose C++ does not compile."""

    then = "cuts.sort(1);"


@ON_BOTH
@pytest.mark.parametrize(
    "part", [Scramble(), Scramble(smallest=6, least=6), MyBridge(20)], ids=["own", "few", "cuts"]
)
def test_a_perturbation_that_is_right_passes(part, backend):
    check_perturbation(part, backend=backend)


def test_cuts_in_cpp_are_used_and_their_errors_reported():
    found_out(check_perturbation, Crossed(20), "CompilationError", backend="cpu")


def test_cuts_of_others_are_kicks_of_their_own():
    problem = gls.TSP(np.random.default_rng(1).integers(0, 1000, (80, 2)), "EUC_2D")
    starts = gls.random_tours(problem, 3, backend="cpu")
    run = {"budget": gls.Budget(kicks=50), "backend": "cpu"}
    theirs, ours = (
        gls.IteratedLocalSearch(gls.LocalSearch(), kick)(problem, starts, **run)
        for kick in (MyBridge(20), gls.DoubleBridge(20))
    )
    assert np.array_equal(theirs.tours, ours.tours)


@pytest.mark.parametrize("part", [gls.DoubleBridge(walk=4), gls.Restart()], ids=repr)
def test_built_in_perturbations_pass(part):
    check_perturbation(part, backend="cpu")
