"""Chains of other domains, for kicks that have kernels of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.engines.chains.rounds import Kicking
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation

# Return chains of an iterated search that kick so, None if they are of no kind of theirs; other
# domains add their function when they are imported.
of_other_domains: list[Callable[[Kicking, Start, Perturbation], Chains | None]] = []
