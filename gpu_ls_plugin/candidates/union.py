"""Two candidate sets in one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.candidates.base import Candidates, check_sets
from gpu_ls_plugin.candidates.nearest import Nearest
from gpu_ls_plugin.candidates.quadrant import Quadrant
from gpu_ls_plugin.candidates.rows import equal_rows

if TYPE_CHECKING:
    from gpu_ls_plugin.candidates.lists import CandidateLists
    from gpu_ls_plugin.problems.tsp import TSP


@dataclass(frozen=True)
class Union(Candidates):
    """The candidates of one set, then those of another that are not listed yet: `first | second`.

    Both keep their order. Every city has as many candidates as the one with most; lists that are
    shorter are filled up with the nearest cities that they do not hold, nearest first.

    Parameters
    ----------
    first, second : Candidates

    Raises
    ------
    InvalidTypeError
        One of them is not a candidate set.
    """

    first: Candidates = field(default_factory=lambda: Quadrant(8))
    second: Candidates = field(default_factory=lambda: Nearest(5))

    def __post_init__(self) -> None:
        check_sets(self, "first", "second")

    def compile(self, problem: TSP) -> None:
        """Compile what makes the parts."""
        self.first.compile(problem)
        self.second.compile(problem)

    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""
        both = (self.first.of(problem), self.second.of(problem))
        return equal_rows(problem, np.concatenate([lists.cities for lists in both], axis=1))

    def most(self, problem: TSP) -> int:
        """Return what the longer part is known to have."""
        return max(self.first.most(problem), self.second.most(problem))
