"""Compiling what chains need behind the first descent: kicks, restarts and exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.searches.chains.chains import SteppedChains
from gpu_ls_plugin.searches.chains.start import Start
from gpu_ls_plugin.searches.rehearsal import A_MOMENT

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.tsp import TSP

SMALLEST_KICKED = 8  # cities; below, an iterated search only descends


def compile_chains(search: Any, problem: TSP, tours: Any, chosen: Backend) -> None:
    """Compile what the chains of an IteratedLocalSearch need for a batch like `tours`.

    Raises
    ------
    CompilationError
        A part does not compile.
    KeyboardInterrupt
        Ctrl-C.
    """
    if problem.n < SMALLEST_KICKED:
        return
    with chosen.current():
        chains = search.chains(Start(chosen, problem, chosen.xp.array(tours, "int32"), 0))
        chains.advance(1, 0.0, 0.0, 0.0)
        chains.behind(1)  # waits for the GPU
        chains.restart(search.search, chosen.xp.zeros(1, "int64"), A_MOMENT)
        if search.cooperation is not None:
            search.cooperation.exchange(chains, 0.0, seconds=A_MOMENT)
        if isinstance(chains, SteppedChains):
            search.kick.perturb(problem, tours[:1], backend=chosen.name)
