"""Where a tour lies while a team works on it, and what it takes: the sizes of tour_memory.cuh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, LARGEST_SHORT, padded

if TYPE_CHECKING:
    from collections.abc import Iterable

SITE_BYTES = constant("tours/problem/lengths.cuh", "kSiteBytes")  # of the largest one
POINT_BYTES = constant("tours/problem/metric.cuh", "kPointBytes")
LAYOUTS = ("warp", "block", "global")
LARGE_LANES = 384  # beyond, and where tours lie in global memory; more would lack registers


def survivor_bytes(length_bytes: int) -> int:
    """Return what is kept of a first step that gains; there is room for two for each lane."""
    return 16 + 2 * length_bytes


def tour_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour in a descent: order, positions, queue and its bits."""
    return 3 * padded(n * city_bytes) + padded((n + 31) // 32 * 4)


@dataclass(frozen=True)
class DescentShape:
    """How descents are laid out."""

    team: str  # C++ type that holds a tour
    lanes: int  # of a team
    teams: int  # that share a block
    in_shared: bool  # whether the tour lies in shared memory
    sites_in_shared: bool  # and its cities

    @property
    def memory(self) -> str:
        """C++ type of the place where tours are kept."""
        if not self.in_shared:
            return "gls::GlobalMemory"
        return f"gls::SharedMemory<{str(self.sites_in_shared).lower()}>"

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        if not self.in_shared:
            return 0
        sites = padded(n * SITE_BYTES) if self.sites_in_shared else 0
        return sites + self.teams * tour_bytes(n, 2)

    @property
    def first_steps(self) -> int:
        """How many a team looks at together."""
        return 64 if self.lanes == 32 else self.lanes

    def ahead(self, steps: int, listed: bool = False) -> int:
        """Return how many cities of `steps` first steps a team looks at together.

        Where moves are `listed` before they are evaluated, all lanes should have some to evaluate.
        """
        together = 4 * max(self.lanes, 64) if listed else self.first_steps
        return max(1, together // max(1, steps))


# Warps of a block of chains, and blocks of a multiprocessor, by how many registers the moves need;
# the first that fit are taken. Chains on parts need a few more than those on whole tours.
ONE_BLOCK = tuple((warps, 1) for warps in (16, 14, 12, *range(10, 0, -1)))
FEW_CHAINS = 10  # on a multiprocessor
CHAIN = "tours/kernels/chain_sizes.cuh"
JOURNAL, CHAIN_QUEUE = constant(CHAIN, "kJournal"), constant(CHAIN, "kChainQueue")
MOVE_BYTES, DRAWN_BYTES = constant(CHAIN, "kMoveBytes"), constant(CHAIN, "kDrawnBytes")
STATE_BYTES = constant(CHAIN, "kStateBytes")  # without its counts of moves


@dataclass(frozen=True)
class ChainNeeds:
    """What a chain needs besides its tour.

    A city's site takes `site_bytes`, a number in which lengths are added up `length_bytes`; moves
    are counted by `neighbourhoods` and need "few", "some", "many" or "most" `registers`, in
    descents more where they look for places (`chooses`). They are `listed` where an objective keeps
    something of tours, before it is asked about them.
    """

    site_bytes: int = SITE_BYTES
    length_bytes: int = 4
    neighbourhoods: int = 1
    registers: str = "some"
    chooses: bool = False
    listed: bool = False

    @property
    def slot_bytes(self) -> int:
        """Of gls::Chain::ChainMemory."""
        survivors = 2 * 32 * survivor_bytes(self.length_bytes)
        kick = 16 + 9 * self.length_bytes + DRAWN_BYTES  # five places, aligned, and eight lengths
        counts = 4 * self.neighbourhoods if self.neighbourhoods > 1 else 0
        return padded(padded(MOVE_BYTES + survivors + kick, 8) + padded(counts, 8) + STATE_BYTES)


def chain_bytes(n: int, city_bytes: int) -> int:
    """Return the memory of a tour in a chain: order, positions, queue, its bits, journal."""
    return (
        2 * padded(n * city_bytes)
        + padded(CHAIN_QUEUE * city_bytes)
        + padded(2 * JOURNAL * city_bytes)
        + padded((n + 31) // 32 * 4)
    )


def warp_bytes(n: int, needs: ChainNeeds) -> int:
    """Return the shared memory of a warp that holds a chain."""
    return chain_bytes(n, 2) + needs.slot_bytes


@dataclass(frozen=True)
class ChainShape(DescentShape):
    """How chains are laid out."""

    blocks: int = 1  # that should be resident on a multiprocessor
    needs: ChainNeeds = ChainNeeds()

    @property
    def first_steps(self) -> int:
        """How many a team looks at together: more where few warps leave a scheduler idle."""
        few = self.lanes == 32 and self.teams * self.blocks <= FEW_CHAINS
        return super().first_steps * (2 if few else 1)

    @property
    def city(self) -> str:
        """C++ type of the cities' numbers."""
        return "gls::uint16" if self.in_shared else "int"

    def shared_bytes(self, n: int) -> int:
        """Return the dynamic shared memory of a block."""
        if not self.in_shared:
            return 0
        sites = padded(n * self.needs.site_bytes) if self.sites_in_shared else 0
        return sites + self.teams * warp_bytes(n, self.needs)


@dataclass(frozen=True)
class HostShape(ChainShape):
    """Tours on the CPU, one for each thread."""

    short: bool = False

    @classmethod
    def of(cls, n: int) -> HostShape:
        """Return the layout for tours of n cities."""
        return cls("gls::Host", 1, 1, True, False, short=n <= LARGEST_SHORT)

    @property
    def city(self) -> str:
        """C++ type of the cities' numbers."""
        return "gls::uint16" if self.short else "int"

    @property
    def memory(self) -> str:
        """C++ type of the place where tours are kept."""
        return f"gls::HostMemory<{self.city}>"

    def shared_bytes(self, n: int) -> int:
        """Return 0."""
        return 0


def first_fitting(
    layouts: Iterable[tuple[int, int]], own: int, shared_memory: int
) -> tuple[int, int, int] | None:
    """Return the first warps and blocks with `own` bytes a warp, and the bytes a block has left."""
    for warps, blocks in layouts:
        room = (shared_memory + BLOCK_OVERHEAD) // blocks - BLOCK_OVERHEAD
        left = room - warps * own
        if left >= 0:
            return warps, blocks, left
    return None
