"""The 2-opt neighbourhood (Croes 1958)."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.neighbourhoods.base import Neighbourhood


@dataclass(frozen=True)
class TwoOpt(Neighbourhood):
    """Take out two edges and reconnect the tour the other way round: n (n - 3) / 2 moves."""

    name = "two_opt"
