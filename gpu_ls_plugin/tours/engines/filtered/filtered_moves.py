"""Engine of filtered complete neighbourhoods (Schulz 2013, sections 6.14, 6.15 and 7)."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import kept_words, packed_words
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.engine import RANKED_BYTES, Engine
from gpu_ls_plugin.tours.engines.filtered import filter_layouts
from gpu_ls_plugin.tours.engines.filtered.filtered_kernels import FilteredKernels
from gpu_ls_plugin.tours.filters.base import Setting
from gpu_ls_plugin.tours.filters.move_filters import Everything
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.kernels.sites import Sites
from gpu_ls_plugin.tours.problem.device_data import batch_data, metric_data
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP

ONES = 0x0101010101010101  # each byte is 1
EAGER_CHUNKS = 16  # minimum number of chunks in an `eager` search
RECORDED = 4  # number of passes that are recorded as one launch
UNWATCHED = 64  # the host checks after this many passes whether all tours are finished


class FilteredMoves(Engine):
    """A batch of descents that evaluate only the moves that a filter keeps.

    A launch queues many passes at once. The device decides whether anything is left to do, so it
    does not wait for the host between passes.

    A pass applies the best move of all chunks or, if `eager`, of the first chunk that has an
    improving move. `memory` is the number of bytes that the batch may use; it limits the size of a
    chunk.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        part: FilteredNeighbourhood,
        max_moves: int,
        *,
        seed: int = 0,
        first_row: int = 0,
        eager: bool = False,
        memory: int = 2**62,
    ) -> None:
        check_size(problem, part)
        super().__init__(backend, problem, tours)
        self.part, self._eager = part, eager
        self._watch = Stopwatch.of(math.inf)  # of a launch
        self.space = filter_layouts.COMPLETE[part.edges]
        self.evaluated = backend.xp.zeros(len(tours), "int64")
        if problem.n < self.smallest:
            return
        sites = Sites.of(backend, problem)
        self.dtype = sites.dtype
        self._sum_bytes = 4 if sites.grid else backend.xp.dtype(sites.dtype).itemsize
        self.kernels = self._composed(sites)
        self._words = kept_words(
            backend.xp, part.filter.words(Setting(backend, problem, sites.dtype, seed))
        )
        self.slots = filter_layouts.filter_slots(
            self.moves_per_evaluation(), len(tours), backend.processors, backend.name
        )
        self.arguments: dict[str, Any] = {
            **sites.arguments,
            **batch_data(backend, problem, len(tours)),
            **self.arrays,
            **self._tour_memory(),
            "first_row": first_row,
            "slots": self.slots,
            "eager": int(eager),
            "parameters": packed_words(backend.xp, self._words, backend.address),
            "max_moves": max_moves,
        }
        self._memory = self._left_of(memory)
        self._kept = 1.0  # share of the moves that the filter has kept so far
        self._set_mode(self._chosen_mode())
        self.backend.launch(self.kernels.step("BeginFiltered"), len(tours), self.arguments)

    def _composed(self, sites: Sites) -> FilteredKernels:
        return FilteredKernels(
            self.part,
            search_metric(self.problem),
            sites.length,
            sites.grid,
            self.backend.warp(filter_layouts.FILTER_WARPS),
            self.backend.block(filter_layouts.FILTER_STEP_LANES),
        )

    def _tour_memory(self) -> dict[str, Any]:
        """Return the arrays for the state of each tour; `_set_mode` adds those of a mode."""
        xp, (size, n) = self.backend.xp, self.tours.shape
        return {
            "placed": xp.empty((size, n, tour_layouts.SITE_BYTES), "uint8"),
            "edges": xp.empty((size, n), self.dtype),
            "filter_state": xp.full((size, self.part.filter.state_words(n)), ONES, "uint64"),
            "cursors": xp.zeros(size, "int32"),
            "looked": xp.zeros(size, "int32"),
            "before": None,
            "best": xp.zeros((size, self.slots, RANKED_BYTES), "uint8"),
            "bars": xp.zeros(size, "int64"),
            "kept": xp.zeros(size, "int64"),
            "evaluated": self.evaluated,
            "entries": None,
            "entry_counts": xp.zeros(size, "uint32"),
        }

    def _left_of(self, memory: int) -> int:
        """Return how many bytes each tour may use for lists if the batch may use `memory` bytes."""
        shared = metric_data(self.backend, self.problem).nbytes + self.arguments["sites"].nbytes
        fixed = (
            self.bytes_per_tour(self.problem.n, self.part)
            + self.problem.objective.kept_bytes(self.problem)
            - filter_layouts.LEAST_CHUNK_BYTES
            + RANKED_BYTES * self.slots
        )
        return int((memory - shared) // len(self.tours) - fixed)

    @staticmethod
    def bytes_per_tour(n: int, part: FilteredNeighbourhood) -> int:
        """Return the minimum number of bytes that a tour needs."""
        state: int = 8 * part.filter.state_words(n)
        return n * (tour_layouts.SITE_BYTES + 12) + state + filter_layouts.LEAST_CHUNK_BYTES

    @property
    def mode(self) -> str:
        """The mode of evaluation; it may change once the share of kept moves is known."""
        return self._mode

    def moves_per_evaluation(self) -> int:
        """Return the size of the neighbourhood without a filter."""
        return self.space.moves(self.problem.n)

    def evaluations(self, passes: int) -> int:
        """Return how many moves the filter has kept so far; `passes` has no effect."""
        return int(self.evaluated.sum())

    def first_passes(self) -> int:
        """Return 1: the driver measures how many passes fit into a launch."""
        return 1

    def launch(self, passes: int, seconds: float) -> None:
        """Queue evaluations of up to `passes` chunks of each unfinished tour."""
        self._watch = Stopwatch.of(seconds)
        for begin in range(0, passes, UNWATCHED):
            count = min(UNWATCHED, passes - begin)
            for replay, times in ((self._many, count // RECORDED), (self._once, count % RECORDED)):
                for _ in range(times):
                    replay()
                    if self._watch.left <= 0:
                        return
            if begin + count < passes and not super().unfinished():
                return

    def unfinished(self) -> int:
        left = super().unfinished()
        if left and (done := int(self.pass_counts.sum())):
            self._kept = self.evaluations(done) / (done * self.moves_per_evaluation())
            self._set_mode(self._chosen_mode(self._kept))
        return left

    def _chosen_mode(self, kept: float | None = None) -> str:
        part = self.part
        if part.mode != "auto":
            return part.mode
        return filter_layouts.filter_mode(
            self.backend.name,
            part.edges,
            self.problem.n,
            opens=part.filter.opens,
            ordered=self._eager,
            asks=self.problem.objective.keeps,
            whole=isinstance(part.filter, Everything),
            kept=kept,
        )

    def _chunk_size(self, mode: str) -> tuple[int, int, int]:
        """Return the numbers of units in a mode, of variants per unit, and of units per chunk.

        A unit is an opening, a square of pairs, or a pair or triple of positions.
        """
        if mode == "openings":
            numbers = self.space.openings(self.problem.n)
            variants = self.space.ways * self.part.filter.rotations(self.space.edges)
        elif mode == "whole":
            numbers = self.space.squares(self.problem.n, self._sum_bytes)
            variants = self.space.ways
        else:
            numbers, variants = self.space.numbers(self.problem.n), self.space.ways
        most = filter_layouts.most_of_chunk(mode, variants, self._memory)
        if self._eager:  # chunks decide on the move, so they must not depend on the device
            return numbers, variants, min(numbers, most, -(-numbers // EAGER_CHUNKS))
        each = len(self.tours) * (variants + self._kept * self.moves_per_evaluation() / numbers)
        return numbers, variants, min(numbers, most, self._in_time(each))

    def _in_time(self, moves: float) -> int:
        """Return how many units, with `moves` moves each, a GPU can evaluate in a launch."""
        if self.backend.name == "cpu":  # a CPU can stop at any time
            return sys.maxsize
        seconds = filter_layouts.CUDA_SECONDS_PER_FILTERED / self.backend.processors
        return max(1, int(tuning.LAUNCH_SECONDS / (seconds * moves)))

    def _set_mode(self, mode: str) -> None:
        """Cut the neighbourhood into chunks for a mode, and record the launches of a pass."""
        numbers, variants, chunk_size = self._chunk_size(mode)
        if mode == getattr(self, "_mode", None) and chunk_size < 2 * self.arguments["chunk_size"]:
            return
        self._mode = mode
        xp, size = self.backend.xp, len(self.tours)
        room = chunk_size * variants if mode == "openings" else 0
        self.arguments |= {
            "chunk_size": chunk_size,
            "chunks": -(-numbers // chunk_size),
            "room": room,
            "entries": xp.empty((size, room), "uint32"),
        }
        for name in ("cursors", "looked"):
            self.arguments[name].fill(0)
        self._pass = [*self.kernels.evaluation(mode), self.kernels.step("TakeFiltered")]
        record = self.backend.recorded
        self._once, self._many = (record(self._one_pass, times) for times in (1, RECORDED))

    def _one_pass(self) -> None:
        self.evaluate(self._pass[:-1], self._pass[-1])

    def evaluate(self, kernels: Sequence[Kernel], step: Kernel) -> None:
        """Queue the evaluation of a chunk of each tour, then the `step`, unless time is up."""
        size = len(self.tours)
        for kernel in kernels:
            left = self._watch.left
            if not self.backend.launch(kernel, size * self.slots, self.arguments, seconds=left):
                return
        self.backend.launch(step, size, self.arguments)


def check_size(problem: TSP, part: FilteredNeighbourhood) -> None:
    """Raise UnsupportedProblemError if the neighbourhood is too large to be enumerated."""
    largest = filter_layouts.COMPLETE[part.edges].largest
    if problem.n > largest:
        raise UnsupportedProblemError(
            f"problem: the complete {part.neighbourhood.name} neighbourhood is for up to "
            f"{largest:,} cities, not {problem.n:,}; use candidates=Nearest(10) without a filter"
        )
