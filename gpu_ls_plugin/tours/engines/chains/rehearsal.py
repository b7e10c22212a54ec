"""Compiling what chains need behind the first descent: kicks, restarts and exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.runs.compiling import compile_batch
from gpu_ls_plugin.tours.engines.chains.chains import SteppedChains
from gpu_ls_plugin.tours.engines.chains.equal_costs import equal
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.engines.rehearsal import A_MOMENT

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP

SMALLEST_KICKED = 8  # cities; below, an iterated search only descends


def compile_chains(search: Any, problem: TSP, tours: Any, chosen: Backend) -> None:
    """Compile what the chains of an IteratedLocalSearch need for a batch like `tours`."""
    if problem.n < SMALLEST_KICKED:
        return
    with chosen.current():
        chains = search.chains(Start(chosen, problem, chosen.xp.array(tours, "int32"), 0))
        chains.advance(1, 0.0, 0.0, 0.0)
        chains.behind(1)  # waits for the GPU
        equal(chains)
        row = chosen.xp.zeros(1, "int64")
        chains.restart(search.search, row, A_MOMENT)  # in which it may have come to nothing
        chains.begin_anew(row, chains.tours[row], chains.costs[row])
        chains.keep_best()
        if len(tours) > 1:  # as many as restart together, whose descent has a layout of its own
            compile_batch(search.search, problem, tours[1::2], chosen)
        for gaining in (1.0, 0.0) if search.cooperation is not None else ():
            chains.gaining = gaining  # kernels may be others where few gain
            search.cooperation.exchange(chains, 0.0, seconds=A_MOMENT)
        if isinstance(chains, SteppedChains):
            search.kick.perturb(problem, tours[:1], backend=chosen.name)
