"""The kernel of chains whose kicks take strings out of linked lists of routes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.routes.kernels.linked_rows import linked_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance

HEADER, CHAINS = "routes/engines/linked_chain.cuh", "tours/engines/chains/chain_batch.cuh"
OWN = (
    *(struct_of(CHAINS, name) for name in ("KickSchedule", "ChainBatch")),
    struct_of(HEADER, "LinkedBatch"),
)
RUIN = (struct_of("routes/engines/string_removal.cuh", "StringRuin"),)


def string_kernel(accept: Acceptance, *types: Any) -> Kernel:
    """Compose the search of chains that kick so, of `LinkedRows.types`."""
    kernel = linked_kernel(
        HEADER, "LinkedChain", *types, own=OWN, more=(accept.functor,), others=RUIN
    )
    return replace(
        kernel,
        headers=(*kernel.headers, accept.header),
        functors=(*kernel.functors, *sources_of(accept)),
        parts=(*kernel.parts, "string_removal", accept.name),
    )
