"""All cities as candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.candidates.base import Candidates
from gpu_ls_plugin.candidates.nearest import nearest_lists

if TYPE_CHECKING:
    from gpu_ls_plugin.candidates.lists import CandidateLists
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True)
class All(Candidates):
    """Every other city is a candidate: the exhaustive neighbourhood."""

    def build(self, problem: TSP) -> CandidateLists:
        """Sort all cities by length for every city: n (n - 1) entries, for small problems only."""
        return nearest_lists(problem, problem.n - 1)

    def most(self, problem: TSP) -> int:
        """Return n - 1."""
        return problem.n - 1
