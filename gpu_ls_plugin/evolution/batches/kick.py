"""Kicks of batches of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.backends.arrays import on_gpu, on_host
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    InvalidTourError,
    InvalidTypeError,
    UnknownPartError,
)
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.evolution.batches.rows import as_tours, checked_rows
from gpu_ls_plugin.runs.domain import domain_of, domains

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.rows import Tours


@dataclass(frozen=True)
class Kick:
    """A perturbation and its backend. Instances are stateless and picklable."""

    part: Any = None  # an object with `perturb`, or its name; None: the default of the domain
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_name(self.backend)  # wrong names raise now rather than during a run
        if isinstance(self.part, str):
            object.__setattr__(self, "part", _named(self.part))
        if not (self.part is None or perturbation_of(self.part)):
            raise InvalidTypeError(
                f"part: {self.part!r} is not a perturbation, such as DoubleBridge() or, for "
                "sequences, DestroyRepair()"
            )

    @property
    def by_lengths(self) -> bool:
        """Whether the given part uses lengths; true if it has no attribute `by_lengths`."""
        return self.part is not None and bool(getattr(self.part, "by_lengths", True))

    def prepare(self, problem: Problem, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
        some = domain_of(problem).some_rows(problem, 1)
        self(problem, some, np.random.default_rng(0))

    def __call__(self, problem: Problem, rows: Any, random_state: Generator) -> Tours:
        """Return kicked copies of rows (P, n); rows that are too short for the kick are shuffled.

        A call that kicks draws one number from `random_state` as the seed for all rows. If no kick
        is given and the domain of the problem has no default, the copies are unchanged. If a third
        party's perturbation returns rows that are not solutions, FaultyPartError is raised.

        Rows on a GPU stay there, except for a third party's perturbation and for shuffling.
        """
        domain = domain_of(problem)
        tours: Tours = rows if on_gpu(rows) else as_tours(rows)
        part = perturbation_of(domain.perturbation(problem) if self.part is None else self.part)
        if part is None:
            return tours.copy()
        shuffled = domain.permutations and problem.n < int(getattr(part, "smallest", 1))
        if on_gpu(tours) and (shuffled or foreign(part)):
            made: Any = self(problem, on_host(tours), random_state)
            return np.asarray(made, like=tours)
        if shuffled:
            return random_state.permuted(tours, axis=1)
        seed = int(random_state.integers(2**63))
        if not foreign(part):
            kicked: Tours = part.perturb(problem, tours, seed=seed, backend=self.backend)
            return kicked
        made = part.perturb(problem, tours.copy(), seed=seed, backend=self.backend)
        return _checked(part, problem, made, tours)


def perturbation_of(part: object) -> Any | None:
    """Return the object whose `perturb` makes the kicks of a part; None if it is not a kick."""
    if callable(getattr(part, "perturb", None)) and not isinstance(part, type):
        return part
    found = (domain.perturbation_of(part) for domain in domains())
    return next((one for one in found if one is not None), None)


def kick_kinds() -> dict[str, str]:
    """Return the kind of registered part of each kick, by name; of two kinds, the first."""
    kinds = dict.fromkeys(["perturbation", *(domain.kicks for domain in domains())])
    return {part.name: kind for kind in reversed(kinds) for part in registry.parts(kind)}


def _named(name: str) -> Any:
    """Return the registered kick with a name; raise if there is none."""
    kinds = kick_kinds()
    try:
        return registry.lookup(kinds.get(name, "perturbation"), name)()
    except UnknownPartError as error:
        others = sorted(known for known, kind in kinds.items() if kind != "perturbation")
        raise UnknownPartError(f"{error}; of other rows: {', '.join(others)}") from error


def _checked(part: Any, problem: Problem, made: Any, tours: Tours) -> Tours:
    """Return the rows of a third party's perturbation; raise unless each is a solution."""
    name = getattr(part, "name", type(part).__name__)
    try:
        kicked = checked_rows(problem, made, "perturb()")
    except (InvalidTourError, InvalidTypeError) as error:
        raise FaultyPartError(f"perturbation: {name!r} returned wrong rows; {error}") from error
    if len(kicked) != len(tours):
        raise FaultyPartError(
            f"perturbation: {name!r} returned {len(kicked)} rows for {len(tours)} tours"
        )
    return kicked
