"""The steps of a call that improves rows of instances: launches that calls of a kind share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.prepared import Launch, SharedBlock
from gpu_ls_plugin.tours.tensors.kernels import kernels_of, own_bytes

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.tensors.search_parts import SearchParts

ALL_PASSES = 2**31 - 1  # a descent ends at a local optimum
QUADRANTS = 4  # shorter lists have no room for a city of each quadrant
KINDS = 256  # kinds of calls, by shapes and options, that are kept


@dataclass(frozen=True)
class Steps:
    """The launches of a call, and where their arrays are in one block of memory.

    `begin` and `chain` are None if no row is kicked.
    """

    memory: SharedBlock
    check: Launch
    take: Launch
    lists: Launch
    descend: Launch
    begin: Launch | None
    chain: Launch | None
    give: Launch


@lru_cache(KINDS)
def steps_of(
    backend: Backend,
    metric: Metric,
    parts: SearchParts,
    n: int,
    instances: int,
    rows: int,
    per_processor: int,
    item: str,
    data_bytes: int,
    max_moves: int,
    kicked: bool,
) -> Steps:
    """Prepare the steps for `rows` rows of type `item`, of some instances of n cities.

    There are `per_processor` rows per multiprocessor; an instance has `data_bytes` bytes of
    coordinates or distances.
    """
    kick, accept = parts.kick
    kicked = kicked and n >= kick.smallest
    kernels = kernels_of(
        backend,
        metric,
        parts.neighbourhoods,
        degree := min(parts.degree, n - 1),
        parts.quadrants and not metric.explicit and degree >= QUADRANTS,
        n,
        per_processor,
        item,
        parts.kick if kicked else None,
    )
    shape, neighbourhoods = kernels.shape, len(parts.neighbourhoods)
    arrays: dict[str, tuple[tuple[int, ...], str]] = {
        "usable": ((instances,), "uint8"),
        "tours": ((rows, n), "int32"),
        "states": ((rows,), "uint8"),
        "bits": ((rows, -(-n // 32)), "uint32"),
        "candidates": ((instances * n, degree), "int32"),
        "candidate_lengths": ((instances * n, degree), "float32"),
        "pass_counts": ((rows,), "int64"),
        "move_counts": ((rows,), "int64"),
        "moves_by": ((neighbourhoods,), "int64"),
        "queues": ((rows, n), "int32"),
        "queue_sizes": ((rows,), "int32"),
    }
    descent = {"ahead": kernels.ahead[0], "passes": ALL_PASSES}
    if shape.in_shared:
        descent["scratch"] = 0
    else:
        arrays["scratch"] = (rows, own_bytes(n, 4, kernels.site_bytes)), "uint8"
    if kicked:
        counts = ("kick_counts", "accepted_counts", "idle_counts", "look_counts")
        arrays |= dict.fromkeys(counts, ((rows,), "int64"))
        arrays |= dict.fromkeys(("costs", "best_costs"), ((rows,), "float64"))
        arrays["units"] = (rows,), "float32"
        if not accept.never_worse:  # otherwise, the current tour is the best one
            arrays["best_tours"] = (rows, n), "int32"
    memory = SharedBlock(arrays)
    each_instance = {
        **dict(kernels.arguments),
        **{"n": n, "replicas": 1, "data_bytes": data_bytes},
        **{"max_moves": max_moves, "neighbourhoods": neighbourhoods},
    }
    each_row = {**each_instance, "replicas": rows // instances}
    begin = chain = None
    if kernels.chain is not None:
        chained = {"ahead": kernels.ahead[1], "patience": 0, "window": kick.window(n), "scratch": 0}
        begin = Launch(kernels.begin, rows, each_row, memory)
        chain = Launch(kernels.chain, rows, {**each_row, **chained}, memory, kernels.chain_shared)
    return Steps(
        memory=memory,
        check=Launch(kernels.check, instances, each_instance, memory),
        take=Launch(kernels.take, rows, each_row, memory),
        lists=Launch(kernels.lists, instances * n, each_instance, memory),
        descend=Launch(
            kernels.descent, rows, {**each_row, **descent}, memory, shape.shared_bytes(n)
        ),
        begin=begin,
        chain=chain,
        give=Launch(kernels.give, rows, each_row, memory),
    )
