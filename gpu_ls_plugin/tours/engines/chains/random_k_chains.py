"""Chains that repair kicks by random-k-best improvement, in one kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.tours.engines.chains.chain_kernel import BATCH
from gpu_ls_plugin.tours.engines.chains.chains import NumberedChains
from gpu_ls_plugin.tours.engines.exhaustive.random_k import (
    RECONNECTIONS,
    RULES,
    RandomKShape,
    first_way,
    random_k_rules,
    seconds_of_step,
)
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.metrics import Metric

HEADER = "tours/engines/chains/random_k_chain.cuh"
PARAMETERS = (
    *RULES,
    *(struct_of(BATCH, name) for name in ("KickSchedule", "ChainBatch")),
    struct_of(HEADER, "RepairBatch"),
)
CUTS = "gls::WindowCuts"  # the cuts of the kick in the kernel
STEPS_PER_KICK = 8  # number of steps of a usual repair
MOST_LAUNCHES = 4  # maximum time of a launch, in usual ones, if steps take as long as their bound


def random_k_chain_kernel(
    metric: Metric, way: int, accept: Acceptance, shape: RandomKShape
) -> Kernel:
    """Compose the kernel that runs one chain per team, with the reconnections from `way` on."""
    body = f"gls::RandomKChain<{{team}}, {{metric}}, {way}, {shape.memory}, {accept.functor}>"
    kernel = metric_kernel("random_k_chain", metric, HEADER, body, PARAMETERS, shape.team)
    return replace(
        kernel,
        blocks_per_multiprocessor=shape.resident,
        headers=(*kernel.headers, accept.header),
        functors=(*kernel.functors, *sources_of(accept)),
        parts=(*kernel.parts, accept.name),
    )


class RandomKChains(NumberedChains):
    """Chains with random-k-best improvement and double bridges with cuts in a window.

    They return the tours that `SteppedChains` returns, except that `Annealing` draws other random
    numbers. A launch may end within a repair, which the next one continues. If another part changes
    tours in between, the kicks under way are made again.
    """

    def __init__(
        self,
        start: Start,
        accept: Acceptance,
        patience: int | None,
        k: int,
        three_opt: bool,
        perturbation: Perturbation,
    ) -> None:
        super().__init__(start, accept, patience)
        backend, problem, (size, n) = start.backend, start.problem, start.tours.shape
        way = first_way(three_opt)
        shape = RandomKShape.of(backend, problem.metric, n, size, k)
        self._kernel = random_k_chain_kernel(problem.metric, way, accept, shape)
        self._shared_bytes = shape.shared_bytes
        self._neighbours = k * (RECONNECTIONS - way)
        seconds = seconds_of_step(backend, n, size, k, shape.blocks)
        self._repair_steps = backend.xp.zeros(size, "int64")
        self._most_steps = max(1, int(MOST_LAUNCHES * tuning.LAUNCH_SECONDS / seconds))
        self._arguments = {
            "metric_data": metric_data(backend, problem),
            **random_k_rules(problem, k, start.seed, start.first_row),
            **self.state_arguments,
            "ahead": 1,
            "max_moves": start.max_moves,
            "patience": self.patience,
            "window": perturbation.window(n),
            "scratch": shape.scratch(backend, size),
            "most_steps": self._most_steps,
            "repaired": backend.xp.empty_like(self.tours),
            "rises": backend.xp.zeros_like(self.costs),
            "repair_steps": self._repair_steps,
        }

    def first_kicks(self) -> int:
        return max(1, self._most_steps // (MOST_LAUNCHES * STEPS_PER_KICK))

    def moves_per_look(self) -> int:
        """Return the number of moves of a step; `looks` counts the steps."""
        return self._neighbours

    def take(self, rows: Any, others: Any) -> None:
        self._drop_repairs()
        super().take(rows, others)

    def adopt(self, tours: Any, costs: Any) -> Any:
        self._drop_repairs()
        return super().adopt(tours, costs)

    def begin_anew(self, rows: Any, tours: Any, costs: Any) -> None:
        self._drop_repairs()
        super().begin_anew(rows, tours, costs)

    def restore(self, state: dict[str, Any]) -> None:
        self._drop_repairs()
        super().restore(state)

    def _drop_repairs(self) -> None:
        """Let chains make the kicks that are under way again, on tours that may have changed."""
        self._repair_steps.fill(0)
