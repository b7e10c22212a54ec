"""Layouts of tours in the memory of a GPU or CPU; sizes agree with tour_memory.cuh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gpu_ls_plugin.backends.structs import constant
from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, LARGEST_SHORT, padded

if TYPE_CHECKING:
    from collections.abc import Iterable

SITE_BYTES = constant("tours/problem/lengths.cuh", "kSiteBytes")  # size of the largest kind of site
POINT_BYTES = constant("tours/problem/metric.cuh", "kPointBytes")
LAYOUTS = ("warp", "block", "global")
LARGE_LANES = 384  # lanes for a tour that is large or in global memory; registers allow no more


def survivor_bytes(length_bytes: int) -> int:
    """Return the size in bytes of a first step that gains; each lane has room for two."""
    return 16 + 2 * length_bytes


def tour_bytes(n: int, city_bytes: int) -> int:
    """Return the size in bytes of a tour in a descent: order, positions, queue and bits."""
    return 3 * padded(n * city_bytes) + padded((n + 31) // 32 * 4)


class Machine(Protocol):
    """The properties of a `Backend`, or of the GPU of the compile check, that decide a layout."""

    @property
    def name(self) -> str: ...

    @property
    def shared_memory(self) -> int: ...

    def warp(self) -> str: ...

    def block(self, threads: int) -> str: ...


@dataclass(frozen=True)
class DescentShape:
    """The launch layout of descents."""

    team: str  # C++ type of the team that works on a tour
    lanes: int  # lanes per team
    teams: int  # teams per block
    in_shared: bool  # whether the tour is in shared memory
    sites_in_shared: bool  # whether the sites are in shared memory, too

    @property
    def memory(self) -> str:
        """C++ type of the memory of a tour."""
        if not self.in_shared:
            return "gls::GlobalMemory"
        return f"gls::SharedMemory<{str(self.sites_in_shared).lower()}>"

    def shared_bytes(self, n: int) -> int:
        """Return how many bytes of dynamic shared memory a block needs."""
        if not self.in_shared:
            return 0
        sites = padded(n * SITE_BYTES) if self.sites_in_shared else 0
        return sites + self.teams * tour_bytes(n, 2)

    @property
    def first_steps(self) -> int:
        """Number of first steps that a team looks at together."""
        return 64 if self.lanes == 32 else self.lanes

    def ahead(self, steps: int) -> int:
        """Return how many cities, with `steps` first steps each, a team looks at together."""
        return max(1, self.first_steps // max(1, steps))


# Warps per block and blocks per multiprocessor; the first pair that fits is used.
ONE_BLOCK = tuple((warps, 1) for warps in (16, 14, 12, *range(10, 0, -1)))
FEW_CHAINS = 10  # chains per multiprocessor; up to this number, each looks at more steps at once
CHAIN = "tours/kernels/chain_sizes.cuh"
JOURNAL, CHAIN_QUEUE = constant(CHAIN, "kJournal"), constant(CHAIN, "kChainQueue")
MOVE_BYTES, DRAWN_BYTES = constant(CHAIN, "kMoveBytes"), constant(CHAIN, "kDrawnBytes")
STATE_BYTES = constant(CHAIN, "kStateBytes")  # without counts of moves


@dataclass(frozen=True)
class ChainNeeds:
    """Properties of a chain that determine its memory and registers."""

    site_bytes: int = SITE_BYTES  # size of the site of a city
    length_bytes: int = 4  # size of a sum of lengths
    neighbourhoods: int = 1  # number of neighbourhoods; each has a separate count of moves
    registers: str = "some"  # how many the moves need: "few", "some", "many" or "most"

    @property
    def slot_bytes(self) -> int:
        """Size of gls::Chain::ChainMemory in bytes."""
        survivors = 2 * 32 * survivor_bytes(self.length_bytes)
        # A kick: five places of 4 bytes, padded to a length; eight lengths; random numbers.
        kick = 16 + 9 * self.length_bytes + DRAWN_BYTES
        counts = 4 * self.neighbourhoods if self.neighbourhoods > 1 else 0
        return padded(padded(MOVE_BYTES + survivors + kick, 8) + padded(counts, 8) + STATE_BYTES)


def chain_bytes(n: int, city_bytes: int) -> int:
    """Return the size in bytes of a tour in a chain: order, positions, queue, bits, journal."""
    return (
        2 * padded(n * city_bytes)
        + padded(CHAIN_QUEUE * city_bytes)
        + padded(2 * JOURNAL * city_bytes)
        + padded((n + 31) // 32 * 4)
    )


def warp_bytes(n: int, needs: ChainNeeds) -> int:
    """Return how many bytes of shared memory a warp needs for one chain."""
    return chain_bytes(n, 2) + needs.slot_bytes


@dataclass(frozen=True)
class ChainShape(DescentShape):
    """The launch layout of chains."""

    blocks: int = 1  # resident blocks per multiprocessor
    needs: ChainNeeds = ChainNeeds()

    @property
    def first_steps(self) -> int:
        """Number of first steps that a team looks at together; twice as many for few chains."""
        few = self.lanes == 32 and self.teams * self.blocks <= FEW_CHAINS
        return super().first_steps * (2 if few else 1)

    @property
    def city(self) -> str:
        """C++ type of the numbers of cities."""
        return "gls::uint16" if self.in_shared else "int"

    def shared_bytes(self, n: int) -> int:
        if not self.in_shared:
            return 0
        sites = padded(n * self.needs.site_bytes) if self.sites_in_shared else 0
        return sites + self.teams * warp_bytes(n, self.needs)


@dataclass(frozen=True)
class HostShape(ChainShape):
    """The layout on a CPU: each thread works on a tour."""

    short: bool = False  # whether 16 bits suffice for the number of a city

    @classmethod
    def of(cls, n: int) -> HostShape:
        """Return the layout for tours of n cities."""
        return cls("gls::Host", 1, 1, True, False, short=n <= LARGEST_SHORT)

    @property
    def city(self) -> str:
        return "gls::uint16" if self.short else "int"

    @property
    def memory(self) -> str:
        return f"gls::HostMemory<{self.city}>"

    def shared_bytes(self, n: int) -> int:
        """Return 0: a CPU has no shared memory."""
        return 0


def first_fitting(
    layouts: Iterable[tuple[int, int]], own: int, shared_memory: int
) -> tuple[int, int, int] | None:
    """Return the first layout that fits, with the bytes left per block; None if none fits.

    A layout consists of the number of warps per block and the number of blocks per multiprocessor.
    A warp needs `own` bytes of shared memory; a multiprocessor has `shared_memory` bytes.
    """
    for warps, blocks in layouts:
        room = (shared_memory + BLOCK_OVERHEAD) // blocks - BLOCK_OVERHEAD
        left = room - warps * own
        if left >= 0:
            return warps, blocks, left
    return None
