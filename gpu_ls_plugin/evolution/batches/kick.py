"""Kick a batch of tours, whatever their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.core.exceptions import FaultyPartError, InvalidTourError, InvalidTypeError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.evolution.batches.rows import as_tours, checked
from gpu_ls_plugin.tours.kicks.base import as_perturbation
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.tsp import TSP

USUAL = DoubleBridge(segment=50)  # changes a tour in one place, which a search repairs cheaply


@dataclass(frozen=True)
class Kick:
    """A perturbation as operators hold it: without state, picklable."""

    part: Any = USUAL  # a perturbation, its name, or any object that can `perturb`
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_name(self.backend)  # here, not in the first generation
        if isinstance(self.part, str):
            object.__setattr__(self, "part", registry.lookup("perturbation", self.part)())
        try:
            as_perturbation(self.part)
        except InvalidTypeError as error:
            raise InvalidTypeError(f"part: {str(error).removeprefix('perturbation: ')}") from None

    @property
    def perturbation(self) -> Perturbation:
        """The part, with all that the contract of perturbations has."""
        return as_perturbation(self.part)

    def prepare(self, problem: TSP, size: int = 1) -> None:
        """Compile, so that the first kick of a timed run does not have to; any `size` works."""
        self(problem, np.arange(problem.n), np.random.default_rng(0))

    def __call__(self, problem: TSP, rows: ArrayLike, random_state: np.random.Generator) -> Tours:
        """Return kicked copies of tours (P, n); those too small for the kick are shuffled instead.

        One number is drawn, if there is a kick at all. FaultyPartError: a perturbation of a third
        party returned other rows than tours.
        """
        tours, kick = as_tours(rows), self.perturbation
        if problem.n < kick.smallest:
            return random_state.permuted(tours, axis=1)
        seed = int(random_state.integers(2**63))
        if not foreign(self.part):
            kicked: Tours = kick.perturb(problem, tours, seed=seed, backend=self.backend)
            return kicked
        made = kick.perturb(problem, tours.copy(), seed=seed, backend=self.backend)
        return self._checked(made, tours)

    def _checked(self, made: Any, tours: Tours) -> Tours:
        """Return what a third party's perturbation made of tours, if it is as many tours."""
        name = getattr(self.part, "name", type(self.part).__name__)
        try:
            kicked = checked(made, tours.shape[-1], "perturb()")
        except (InvalidTourError, InvalidTypeError) as error:
            raise FaultyPartError(f"perturbation: {name!r} returned wrong rows; {error}") from error
        if len(kicked) != len(tours):
            raise FaultyPartError(
                f"perturbation: {name!r} returned {len(kicked)} rows for {len(tours)} tours"
            )
        return kicked
