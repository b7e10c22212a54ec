"""The kernels of sequences that the compile check compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin import sequences, tours
from gpu_ls_plugin.sequences.construction.beam_search import NODE_THREADS, beam_kernel
from gpu_ls_plugin.sequences.cooperation.exchanges import CROSSOVERS, crossing_kernel
from gpu_ls_plugin.sequences.domain import GENERAL, usual_search
from gpu_ls_plugin.sequences.engines.kernels import (
    SCRATCH,
    SHARED,
    TEAMS_AHEAD,
    Team,
    build_kernel,
    chain_kernel,
    threads_of,
)
from gpu_ls_plugin.sequences.engines.kicked_rows import kick_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.sequences import Sequence, SequenceSearch

MACHINES = (5, 10, 20, 40, 60)  # of published flow shops
EVERY_MOVE = GENERAL.moves
USUAL = sequences.SequenceSearch()
REPAIR = sequences.DestroyRepair(descend=True)
# Other kicks, pivoting rules and acceptance rules.
LONG = sequences.SequenceSearch(EVERY_MOVE, sequences.DestroyRepair(4), tours.Better())
STEEP = sequences.SequenceSearch(EVERY_MOVE, USUAL.kick, tours.Always(), pivoting="best")


def sequence_kernels(problem: Sequence) -> Iterator[Kernel]:
    """Yield the kernels of the default search of a problem, for ``gpu-ls compile-check``.

    Plugins call it in the hook `gpu_ls_kernel_sources`.
    """
    yield chain(problem, usual_search(problem))
    yield build(problem)


def all_sequence_kernels(warp: str) -> Iterator[Kernel]:
    """Yield kernels with each part and objective; `warp` is the team of crossovers."""
    times, one = np.ones((1, 1), int), [1]
    usual = (
        flow_shop(20),
        sequences.SingleMachine(one, one, one),
        sequences.Latency(tours.TSP.from_matrix(times)),
        sequences.LinearOrdering(times),
    )
    for problem in usual:
        yield from sequence_kernels(problem)
        yield chain(problem, LONG)
        yield kick_kernel(problem, SHARED, team(problem), REPAIR, USUAL.moves)
    for machines in MACHINES:
        yield chain(flow_shop(machines))
        yield chain(flow_shop(machines, "total_flowtime"))
        yield beam(flow_shop(machines, "total_flowtime"))
    yield from (chain(problem, STEEP, SCRATCH) for problem in usual[:2])
    setups = np.ones((20, 1, 1), int)
    yield chain(flow_shop(20, setups=setups))
    yield beam(flow_shop(20, "total_flowtime", setups=setups))
    yield beam(sequences.FlowShop(np.full((1, 20), 0.5), "total_flowtime"))
    yield chain(flow_shop(20, "weighted_tardiness", due_dates=one))
    yield from (chain(sequences.FlowShop(np.full((1, 20), time))) for time in (0.5, 100_000))
    yield chain(sequences.SingleMachine(one, one, one, times), LONG)
    yield chain(sequences.Latency(tours.TSP.from_matrix(times / 2), closed=True), STEEP)
    yield chain(sequences.LinearOrdering(times / 2), STEEP, SCRATCH)
    yield from (crossing_kernel(name, warp) for name in CROSSOVERS)


def team(problem: Sequence) -> Team:
    """Return the team that handles a chain."""
    at_once = TEAMS_AHEAD if problem.objective.looks_ahead else 1
    return Team(f"gls::Block<{threads_of(problem, at_once)}>", at_once)


def flow_shop(machines: int, objective: str = "makespan", **more: object) -> Sequence:
    """Return a flow shop with one job."""
    return sequences.FlowShop(np.ones((1, machines), int), objective, **more)  # type: ignore[arg-type]


def chain(problem: Sequence, search: SequenceSearch = USUAL, memory: str = SHARED) -> Kernel:
    """Compose the chains of a search."""
    assert search.kick is not None
    parts = (search.accept, search.kick, search.moves, search.pivoting)
    return chain_kernel(problem, memory, team(problem), *parts)


def build(problem: Sequence) -> Kernel:
    """Compose the construction by best insertions."""
    return build_kernel(problem, SHARED, team(problem))


def beam(problem: Sequence) -> Kernel:
    """Compose a level of a beam search."""
    return beam_kernel(problem, f"gls::Block<{NODE_THREADS}>")
