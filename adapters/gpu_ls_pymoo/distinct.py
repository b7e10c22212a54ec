"""What is known in a run of pymoo: the tours of populations, and of this generation's offspring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.evolution.batches.distinct import offspring_of
from gpu_ls_plugin.evolution.batches.rows import keys
from gpu_ls_pymoo.problems import canonical_tours

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.batches.distinct import Offspring


def known_tours(problem: Any, *populations: Any) -> set[bytes]:
    """Return the keys of the tours in populations, each of which may be empty or None."""
    rows = [pop.get("X") for pop in populations if pop is not None and len(pop)]
    return {key for some in rows for key in keys(canonical_tours(problem, some))}


def offspring_so_far(algorithm: Any) -> Offspring:
    """Return what this generation of a run has made, to be added to.

    pymoo mates up to a hundred times in a generation where offspring are duplicates.
    """
    return offspring_of(algorithm, getattr(algorithm, "n_gen", None))
