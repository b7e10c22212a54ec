"""A kernel that writes down all moves that a neighbourhood offers in some tours."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.testing import moves
from gpu_ls_plugin.tours.kernels.sites import DTYPES
from gpu_ls_plugin.tours.moves import composed
from gpu_ls_plugin.tours.moves.base import DEEPEST_EDGES
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.testing.subject import Subject
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves
    from gpu_ls_plugin.tours.problem.tsp import TSP

MOST_VARIANTS = 10**5
OFFER_INTS = 3 + 2 * DEEPEST_EDGES  # shape, direction, edges, ends
PARAMETERS = (*composed.PARAMETERS, struct_of("testing/probe_moves.cuh", "Probes"))


def kernel_of(problem: TSP, parts: CandidateMoves, functor: str, backend: Backend) -> Kernel:
    """Return the kernel for the moves of a functor, without the usual check of their gains."""
    raw = replace(parts.moves, functor=functor, checked=())
    return raw.kernel(
        "probe_moves",
        search_metric(problem),
        header="testing/probe_moves.cuh",
        body="gls::ProbeMoves<{team}, {metric}, {length}, {moves}>",
        parameters=PARAMETERS,
        team=backend.block(256),
    )


def variants_of(subject: Subject, kernel: Kernel, parts: CandidateMoves) -> int:
    """Return the number of variants, without evaluating a move."""
    counts = subject.backend.xp.zeros(1, "int32")
    names = ("tours", "positions", "mates", "gains", "shared_gains", "offers")
    arguments = {**parts.arguments, **dict.fromkeys(names), "variant_counts": counts}
    subject.backend.launch(kernel, 1, {**arguments, "variants": -1})
    variants = int(subject.backend.to_numpy(counts)[0])
    subject.expect(
        0 < variants <= MOST_VARIANTS,
        f"variants({parts.arguments['degree']}) is {variants}",
        "variants(degree) must return the number of ways to continue a first step, at least 1",
    )
    return variants


def offers_in(
    backend: Backend,
    kernel: Kernel,
    parts: CandidateMoves,
    variants: int,
    tours: NDArray[Any],
    mates: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return gains, gains by `each_gain`, and offers, by (row, city, rank, direction, variant)."""
    rows, n = tours.shape
    xp, shape = backend.xp, (rows, n, parts.arguments["breadth"], 2, variants)
    dtype = DTYPES[parts.moves.length]
    written = {
        "gains": xp.zeros(shape, dtype),
        "shared_gains": xp.zeros(shape, dtype),
        "offers": xp.zeros((*shape, OFFER_INTS), "int32"),
    }
    arguments = {
        **parts.arguments,
        **written,
        "tours": xp.asarray(tours),
        "positions": xp.asarray(np.argsort(tours, axis=1).astype(np.int32)),
        "mates": xp.asarray(mates),
        "variants": variants,
        "variant_counts": xp.zeros(rows, "int32"),
    }
    backend.launch(kernel, rows, arguments)
    gains, shared, offers = map(backend.to_numpy, written.values())
    return gains, shared, offers


def offer_of(numbers: NDArray[Any]) -> moves.Offer:
    """Return the move that the kernel wrote."""
    shape, forward, edges, *ends = numbers.tolist()
    return moves.Offer(shape, forward, edges, tuple(ends))
