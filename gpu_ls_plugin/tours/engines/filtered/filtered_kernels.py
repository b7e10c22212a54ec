"""Composition of the kernels of a filtered neighbourhood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.tours.engines.filtered import filter_layouts
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import MAPPINGS
from gpu_ls_plugin.tours.kernels.sites import metric_type
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import keeps

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
    from gpu_ls_plugin.tours.problem.metrics import Metric

PARAMETERS = (struct_of("tours/engines/filtered/filtered_batch.cuh", "FilteredBatch"),)
# The steps of an evaluation, by mode; `FilteredKernels.evaluation` fills in {moves} and {sink}.
STEPS = {
    "masked": ("EvaluateMasked<{moves}, {sink}>",),
    "fused": ("EvaluateFused<{moves}, {sink}>",),
    "whole": ("EvaluateWhole<{moves}, {sink}>",),
    "openings": ("ListOpenings<{moves}>", "EvaluateOpenings<{moves}, {sink}>"),
}
MAPPINGS_HEADER = "tours/moves/mappings.cuh"
HEADERS = {"whole": "tours/engines/filtered/whole_mode.cuh"}  # of modes that have a separate header


@dataclass(frozen=True)
class FilteredKernels:
    """Composes the kernels of one filtered neighbourhood."""

    part: FilteredNeighbourhood
    metric: Metric
    length: str  # `Sites.length`
    grid: str = ""  # `Sites.grid`
    warp: str = f"gls::Warp<{filter_layouts.FILTER_WARPS}>"  # team that evaluates
    block: str = f"gls::Block<{filter_layouts.FILTER_STEP_LANES}>"  # team that applies moves

    def evaluation(self, mode: str, sink: str = "Improving") -> list[Kernel]:
        """Return the kernels that evaluate a chunk in a mode; `sink` takes the kept moves."""
        chosen = {"moves": self._moves(self.part.mapping), "sink": f"gls::{sink}"}
        header = HEADERS.get(mode, "tours/engines/filtered/filtered_modes.cuh")
        kernels = (self._evaluation(header, step.format(**chosen)) for step in STEPS[mode])
        asks = keeps(self.metric)  # if so, the objective needs registers
        blocks = filter_layouts.ASKING_BLOCKS if asks else filter_layouts.FILTER_BLOCKS
        return [replace(kernel, blocks_per_multiprocessor=blocks) for kernel in kernels]

    def step(self, body: str) -> Kernel:
        """Return the kernel `body`: "BeginFiltered", "TakeFiltered" or "NoteFiltered"."""
        header, moves = "tours/engines/filtered/filtered_step.cuh", self._moves("roots")
        return self._kernel(header, body, f"{body}<{self.block}, {moves}>", self.block)

    def _moves(self, mapping: str) -> str:
        """Return the C++ type of the moves of a tour."""
        types = (
            filter_layouts.COMPLETE[self.part.edges].functor,
            MAPPINGS[mapping][0],
            metric_type(self.metric, self.grid),
            self.length,
            self.part.filter.functor(),
        )
        return f"gls::FilteredMoves<{', '.join(types)}>"

    def _evaluation(self, header: str, step: str) -> Kernel:
        name, body = step.partition("<")[0], f"OnSlots<{self.warp}, gls::{step}>"
        return self._kernel(header, name, body, self.warp)

    def _kernel(self, header: str, name: str, body: str, team: str) -> Kernel:
        name, body = f"filtered_{name.lower()}", f"gls::{body}"
        kernel = metric_kernel(name, self.metric, header, body, PARAMETERS, team)
        filters = self.part.filter.parts
        return replace(
            kernel,
            functors=(*kernel.functors, *sources_of(*filters)),
            headers=(*kernel.headers, MAPPINGS_HEADER, *(part.header for part in filters)),
            parts=(*kernel.parts, *(part.name for part in (self.part, *filters))),
        )
