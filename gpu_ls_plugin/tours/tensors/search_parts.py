"""The parts of the search that improves rows of tensors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.runs.acceptance import Acceptance, Annealing
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.engines.pivoting import First
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.moves.base import Neighbourhood

KICK, ACCEPT = DoubleBridge(segment=100), Annealing(0.6)
# One candidate from each quadrant and the nearest other one: on clustered cities, tours are 2 to
# 12 % shorter than with the nearest cities alone, and on uniform ones no longer.
USUAL = LocalSearch((LinKernighan(3),), Quadrant(5))


@dataclass(frozen=True)
class SearchParts:
    """Neighbourhoods, candidates and kicks, as kernels for tensors need them.

    `quadrants` says whether lists have cities from each quadrant.
    """

    neighbourhoods: tuple[Neighbourhood, ...]
    degree: int
    quadrants: bool
    kick: tuple[Perturbation, Acceptance]


def search_parts(search: Any) -> SearchParts:
    """Return the parts of a `LocalSearch`, an `IteratedLocalSearch` or None.

    Raises
    ------
    InvalidTypeError, UnsupportedProblemError
        The search is of another kind, or has parts that cannot search tensors.
    """
    search = USUAL if search is None else search
    if not isinstance(search, LocalSearch | IteratedLocalSearch):
        raise InvalidTypeError(
            f"search: {search!r:.80} is neither a LocalSearch nor an IteratedLocalSearch"
        )
    return _parts(search)


@cache
def _parts(search: Any) -> SearchParts:
    kick: tuple[Perturbation, Acceptance] = KICK, ACCEPT
    if isinstance(search, IteratedLocalSearch):
        kick = (search.perturbation or KICK, search.accept)
        search = search.search
    if not isinstance(search.pivoting, First):
        raise UnsupportedProblemError(
            f"search: {search.pivoting!r} does not work on tensors; use First()"
        )
    candidates = search.candidates
    if isinstance(candidates, Nearest):
        degree = candidates.k
    elif isinstance(candidates, Quadrant):
        degree = candidates.m
    else:
        raise UnsupportedProblemError(
            f"search: {candidates!r} does not work on tensors; use Nearest or Quadrant"
        )
    return SearchParts(tuple(search.neighbourhoods), degree, isinstance(candidates, Quadrant), kick)
