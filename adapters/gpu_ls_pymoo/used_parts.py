"""The parts that a finished run of a pymoo algorithm used, with all defaults, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import GpuLsError
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_pymoo.problems import view_of

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH = 3  # objects within each other that may hold a search


def used_parts(algorithm: Any) -> str:
    """Return the searches, crossovers and backends of a run; empty if it used none of ours."""
    view = view_of(algorithm.problem)
    try:
        if isinstance(evolution := getattr(algorithm, "evolution", None), Evolution):
            return evolution.text(view.for_algorithms())
        mating = getattr(algorithm, "mating", None)
        holders = (
            getattr(getattr(algorithm, "initialization", None), "sampling", None),
            *(getattr(mating, name, None) for name in ("crossover", "mutation")),
            *(mating, algorithm.problem, getattr(algorithm, "generation", None)),
        )
        texts = (
            f"{type(holder).__name__}: {improver.text(view.for_starts())}"
            for holder in holders
            for improver in _improvers(holder, DEPTH)
        )
        return "; ".join(dict.fromkeys(texts))
    except GpuLsError:  # such as rows that are searched by weighted sums
        return ""


def _improvers(holder: Any, depth: int) -> Iterator[Improver]:
    """Yield the searches that an object of this package holds."""
    if isinstance(holder, Improver):
        yield holder
    elif depth and type(holder).__module__.startswith("gpu_ls_"):
        for part in getattr(holder, "__dict__", {}).values():
            yield from _improvers(part, depth - 1)
