"""The double bridge (Martin, Otto and Felten 1991)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.tours.kicks.base import KernelPerturbation

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP

LONGEST_WALK = 100  # maximum number of steps from one cut to the next
SMALLEST = 6  # minimum number of cities: segments of 1, 2, 1 and 2 cities


def double_bridge_kernel(team: str) -> Kernel:
    """Compose the kernel that cuts and reconnects tours."""
    body = f"gls::DoubleBridge<{team}>"
    parameters = parse_parameters(
        "int n, int window, gls::uint64 seed, gls::int64 first_row, const int* tours, int* kicked"
    )
    header = "tours/kicks/double_bridge.cuh"
    return Kernel("double_bridge", header, body, parameters, team, parts=("double_bridge",))


@dataclass(frozen=True)
class DoubleBridge(KernelPerturbation):
    """Cut a tour into A B C D and reconnect it as A D C B, which changes exactly four edges.

    This is the double bridge (Martin, Otto and Felten 1991). No path is reversed. Cuts that leave
    two neighbouring segments of one city each are drawn again, as they would change only three
    edges.

    Parameters
    ----------
    segment : int, optional
        Number of consecutive cities that contain all four cut edges, at least 6. Their place in
        the tour is drawn uniformly. By default, the cuts are uniform over the whole tour.
    walk : int, optional
        Number of steps, 1 to 100, of the random walks along the candidate lists that lead from each
        cut to the next, so that the cuts are close to each other in space. Only an iterated search
        supports walks.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is not an integer of at least 6, `walk` is not an integer from 1 to 100, or both
        are given.
    """

    segment: int | None = None
    walk: int | None = None

    name = "double_bridge"
    smallest = SMALLEST
    by_lengths = False

    def __post_init__(self) -> None:
        checks.given_fields(self, checks.integer, "segment", least=SMALLEST)
        checks.given_fields(self, checks.integer, "walk", least=1, most=LONGEST_WALK)
        if self.walk is not None and self.segment is not None:
            raise InvalidParameterError(
                "walk: cuts are either in a segment of the tour or along a walk; "
                "pass only one of these parameters"
            )

    @property
    def cuts(self) -> str:
        """C++ type that draws the cuts; see `tours/kicks/bridge_cuts.cuh`."""
        return "gls::WindowCuts" if self.walk is None else "gls::WalkCuts"

    def window(self, n: int) -> int:
        """Return the number of steps of the walk, or of cities in the segment if `walk` is None."""
        return self.walk or min(self.segment or n, n)

    def problem_of(self, problem: Problem) -> TSP:
        """Return the problem, or raise if it has too few cities or the cuts need a walk."""
        if self.walk is not None:
            raise InvalidParameterError(
                "walk: a walk needs the candidate lists of an IteratedLocalSearch; "
                "use DoubleBridge(segment=...) here"
            )
        tsp = super().problem_of(problem)
        if tsp.n < SMALLEST:
            raise UnsupportedProblemError(
                f"problem: a double bridge needs at least {SMALLEST} cities, not {tsp.n}"
            )
        return tsp

    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        kicked = backend.xp.empty_like(tours)
        own = {"n": problem.n, "window": self.window(problem.n), "tours": tours, "kicked": kicked}
        backend.launch(double_bridge_kernel(backend.warp()), len(tours), {**own, **numbers})
        return kicked
