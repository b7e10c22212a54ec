"""The kernel by which chains go on from tours that others have made for them."""

from __future__ import annotations

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters


def adopt_kernel(cost: str, team: str) -> Kernel:
    """Compose the kernel, with costs of a C++ type."""
    return Kernel(
        "adopt",
        header="searches/chains/adopt.cuh",
        body=f"gls::Adopt<{team}, {cost}>",
        parameters=parse_parameters(
            "int n, const int* found, const void* found_costs, int* tours, int* best_tours, "
            "void* costs, void* best_costs, gls::int64* idle_counts"
        ),
        team=team,
        parts=("adopt",),
    )
