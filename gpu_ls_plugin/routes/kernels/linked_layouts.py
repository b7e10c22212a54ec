"""Launch layouts of giant tours as linked lists, and the sizes of their memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.backends.tuning import BLOCK_OVERHEAD, LARGEST_SHORT, padded
from gpu_ls_plugin.routes.construction.batch import bytes_of_a_segment
from gpu_ls_plugin.tours.kernels.tour_layouts import DescentShape

if TYPE_CHECKING:
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.tours.problem.tsp import TSP

# Warps per block: fewer if registers limit them, because lengths are real.
MOST_WARPS, FEWER_WARPS = 16, 12
NOTES_BYTES = 1024  # bytes of shared memory per row, in addition to its lists


class RowSizes(Protocol):
    """The sizes that decide the memory of a row, as in `CVRP`."""

    @property
    def n(self) -> int: ...

    @property
    def customers(self) -> int: ...

    @property
    def copies(self) -> int: ...

    @property
    def integer(self) -> bool: ...

    @property
    def route_limit(self) -> float | None: ...

    @property
    def resources(self) -> tuple[Any, ...]: ...


def most_rows(problem: TSP | RowSizes) -> int:
    """Return how many rows, one per warp, a multiprocessor searches at once if memory allows."""
    return MOST_WARPS if problem.integer else FEWER_WARPS


def rows_at_once(problem: CVRP, shared_memory: int) -> int:
    """Return how many rows a multiprocessor should search, with some bytes for its blocks.

    A few rows less than `most_rows` avoid a second turn in which most multiprocessors wait.
    """
    most = most_rows(problem)
    fitting = shared_memory // (row_bytes(problem, 2, 1) + NOTES_BYTES)
    return fitting if most // 2 <= fitting < most else most


def list_bytes(problem: RowSizes, city_bytes: int) -> int:
    """Return the size of gls::RouteLists in bytes."""
    nodes, routes = problem.n, problem.copies
    lists = 4 * padded(nodes * city_bytes) + padded(4 * nodes)
    lists += padded(routes * city_bytes) + padded(4 * routes)
    if problem.route_limit is not None:
        lists += padded(8 * nodes)
    if problem.route_limit is not None or not problem.integer:
        lists += padded(8 * routes)
    if problem.resources:
        lists += padded(8 * routes)
    return lists


def row_bytes(problem: RowSizes, city_bytes: int, kinds: int) -> int:
    """Return the size of a row in bytes: its lists, and a bit for each node and kind of moves."""
    marks = padded(problem.copies) if problem.resources else 0
    bits = padded(kinds * ((problem.n + 31) // 32) * 4)
    return list_bytes(problem, city_bytes) + bits + marks


def segment_bytes(problem: CVRP) -> int:
    """Return the size of gls::RouteSegments of a row in bytes, or a little more."""
    return 2 * problem.n * bytes_of_a_segment(problem)


@dataclass(frozen=True)
class LinkedShape(DescentShape):
    """Launch layout of linked lists, one row per warp.

    A block needs `shared` bytes of dynamic shared memory; a multiprocessor runs `blocks` blocks.
    """

    shared: int = 0
    blocks: int = 1

    @classmethod
    def of(
        cls,
        problem: CVRP,
        rows: int,
        shared_memory: int,
        site_bytes: int,
        *,
        kinds: int = 1,
        uneven: bool = False,
    ) -> LinkedShape:
        """Return the layout for a multiprocessor that searches as many of its `rows` rows as fit.

        Lengths are computed from `site_bytes` bytes per node; `kinds` is the number of kinds of
        moves. If memory allows, each row gets a separate block in two cases. First, if there are
        few rows: the program then does not depend on their number, so a search with varying numbers
        of rows needs only two programs. Second, if rows are `uneven`: no row then has to wait for
        the slowest row of its block.
        """
        own = row_bytes(problem, 2, kinds)
        of_all = padded(site_bytes * problem.n) + padded(4 * (problem.customers + 1))
        most = most_rows(problem)
        alone = of_all + own + NOTES_BYTES + BLOCK_OVERHEAD
        if (uneven or rows < most) and min(rows, most) * alone <= shared_memory:
            most = 1
        # The smallest blocks that search all rows in the same number of turns.
        most = -(-rows // -(-rows // most))
        for warps in range(most, 0, -1) if problem.n <= LARGEST_SHORT else ():
            for sites in (of_all, 0):
                if sites + warps * (own + NOTES_BYTES) <= shared_memory:
                    shared = sites + warps * own
                    return cls(f"gls::Warp<{warps}>", 32, warps, True, sites > 0, shared)
        return cls("gls::Warp<4>", 32, 4, False, False)

    @classmethod
    def of_host(cls, problem: RowSizes) -> LinkedShape:
        """Return the layout on a CPU: one row per thread; `in_shared` means 16-bit node numbers."""
        return cls("gls::Host", 1, 1, problem.n <= LARGEST_SHORT, False)

    def shared_bytes(self, n: int) -> int:
        return self.shared

    @property
    def memory(self) -> str:
        """C++ type of the memory for lists."""
        if self.team != "gls::Host":
            return super().memory
        return f"gls::HostMemory<{'gls::uint16' if self.in_shared else 'int'}>"

    @property
    def city_bytes(self) -> int:
        """Bytes per node number."""
        return 2 if self.in_shared else 4
