"""Edges that a tour has in common with an elite, contracted: chains work where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.tours.engines.chains.part_search import TourParts

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves

SMALLEST = 16  # edges of a tour, at least, that are left free where hardly any differs


def contract_kernel(lists: str, team: str) -> Kernel:
    """Compose the kernel that makes small problems, with candidate lists of a C++ type."""
    return Kernel(
        "contract",
        header="tours/cooperation/contraction.cuh",
        body=f"gls::Contract<{team}, {lists}>",
        parameters=parse_parameters(
            "int n, int stride, int degree, const int* tours, const unsigned char* fixed, "
            "const int* candidates, const void* candidate_lengths, const int* sizes, "
            "int* numbers, int* places, int* names, int* mates, void* near, void* near_lengths"
        ),
        team=team,
        parts=("contract",),
    )


def expand_kernel(team: str) -> Kernel:
    """Compose the kernel that makes whole tours again."""
    return Kernel(
        "expand",
        header="tours/cooperation/contraction.cuh",
        body=f"gls::Expand<{team}>",
        parameters=parse_parameters(
            "int n, int stride, const int* tours, const int* sizes, const int* places, "
            "const int* mates, const int* rings, int* expanded"
        ),
        team=team,
        parts=("expand",),
    )


class Contraction:
    """Small problems, one for each of some tours: the cities where it differs from an elite.

    Edges of a tour (P, n) that all of the elite (E, n) have are `fixed`, bool (P, n), each at the
    place that it is behind; cities between two of them are left out, and the rest, `sizes` (P,),
    have numbers of their own, in the order of the tour. A path of fixed edges becomes one between
    its ends.
    """

    def __init__(self, backend: Backend, tours: Any, elite: Any) -> None:
        xp = backend.xp
        self._backend, self._tours = backend, tours
        before, after = _common_neighbours(xp, elite)
        following = xp.roll(tours, -1, axis=1)
        self.fixed = (before[tours] == following) | (after[tours] == following)
        self.fixed[:, :SMALLEST] &= (self._remaining() >= SMALLEST)[:, None]
        self.sizes = self._remaining()

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return the memory of one tour in bytes where all cities remain, with ten candidates."""
        return 176 * n

    def _remaining(self) -> Any:
        inner = self.fixed & self._backend.xp.roll(self.fixed, 1, axis=1)
        return self.fixed.shape[1] - inner.sum(axis=1, dtype="int32")

    def cut(self, parts: CandidateMoves) -> TourParts:
        """Return the small problems; `parts` has the candidates of the whole one."""
        backend, (count, n) = self._backend, self._tours.shape
        xp, stride = backend.xp, int(self.sizes.max())
        cut = TourParts.empty(xp, count, stride, parts.arguments)
        cut.sizes[:] = self.sizes
        self._arguments = {
            "n": n,
            "stride": stride,
            "tours": self._tours,
            "fixed": self.fixed,
            "numbers": xp.empty((count, n), "int32"),
            "places": xp.empty((count, stride), "int32"),
            **{key: parts.arguments[key] for key in ("degree", "candidates", "candidate_lengths")},
            **vars(cut),  # under the names that the kernels' parameters have
        }
        backend.launch(contract_kernel(parts.moves.lists, backend.warp()), count, self._arguments)
        return cut

    def expand(self, rings: Any) -> Any:
        """Return rings of what remains, shape (P, m), as tours; needs what `cut` has made."""
        expanded = self._backend.xp.empty_like(self._tours)
        arguments = {**self._arguments, "rings": rings, "expanded": expanded}
        self._backend.launch(expand_kernel(self._backend.warp()), len(rings), arguments)
        return expanded


def _common_neighbours(xp: Any, tours: Any) -> Any:
    """Return the neighbours of every city that all tours have, -1 for none, shape (2, n)."""
    each = xp.arange(len(tours))[:, None]
    before, after = (xp.empty_like(tours) for _ in range(2))
    before[each, tours] = xp.roll(tours, 1, axis=1)
    after[each, tours] = xp.roll(tours, -1, axis=1)
    common = xp.stack([before[0], after[0]])[:, None]
    shared = ((common == before) | (common == after)).all(axis=1)
    return xp.where(shared, common[:, 0], -1)
