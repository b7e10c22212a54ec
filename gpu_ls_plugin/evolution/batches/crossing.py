"""Cross pairs of a framework's rows, all of them in one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.evolution.batches.rows import checked
from gpu_ls_plugin.tours.crossovers.base import Recombination

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Crossing:
    """A recombination and where it runs, as operators hold it: without state, picklable."""

    part: Any  # a recombination, or the name of a registered one
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_name(self.backend)
        if isinstance(self.part, str):
            object.__setattr__(self, "part", registry.lookup("recombination", self.part)())
        if not isinstance(self.part, Recombination):
            raise InvalidTypeError(
                f"part: {self.part!r} is not a recombination, such as EdgeAssembly()"
            )

    def prepare(self, problem: TSP, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        tours = np.tile(np.arange(problem.n, dtype=np.int32), (size, 1))
        self.part.cross(problem, tours, tours, backend=self.backend)

    def __call__(
        self,
        problem: TSP,
        first: ArrayLike,
        second: ArrayLike,
        random_state: np.random.Generator,
    ) -> Tours:
        """Return one child (P, n), int32, for each pair of rows, by the lengths of a problem.

        One number is drawn. A row that is not a permutation of the cities is named.
        """
        parents = [checked(rows, problem.n, "parents") for rows in (first, second)]
        seed = int(random_state.integers(2**63))
        children: Tours = self.part.cross(problem, *parents, seed=seed, backend=self.backend)
        return np.asarray(children)
