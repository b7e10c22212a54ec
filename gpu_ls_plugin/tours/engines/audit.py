"""Checks that tours have the costs that third-party parts claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import FaultyPartError, InvalidTourError
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.runs.claims import ROUNDING, check_claims
from gpu_ls_plugin.tours.problem.objective import DIRECTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.engines.engine import Engine
    from gpu_ls_plugin.tours.problem.tsp import TSP


def foreign_names(problem: TSP, parts: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of third-party parts among a problem's metric, its objective and `parts`."""
    foreign_parts = filter(foreign, (problem.metric, problem.objective, *parts))
    return tuple(str(getattr(part, "name", type(part).__name__)) for part in foreign_parts)


class Audit:
    """Checks after 1, 2, 4, ... launches whether the moves of descents have lowered costs.

    `names` are the names of the third-party parts. If there are none, the audit does nothing.
    """

    def __init__(self, engine: Engine, names: tuple[str, ...]) -> None:
        self._engine, self._names = engine, names
        self._launches, self._next = 0, 1
        if names:
            self._costs, self._moves = self._state()

    def __call__(self) -> None:
        """Count a launch, and compare costs if a check is due."""
        self._launches += 1
        if self._names and self._launches >= self._next:
            self._next *= 2
            self.compare()

    def compare(self) -> None:
        """Raise FaultyPartError if the moves since the last check raised a cost or lowered none."""
        if not self._names:
            return
        before, moved = self._costs, self._moves
        self._costs, self._moves = self._state()
        if self._moves > moved and not _fell(before, self._costs):
            raise FaultyPartError(
                f"search: {self._moves - moved} improving moves were made, but costs have not "
                f"fallen; what {' or '.join(map(repr, self._names))} computes in C++ is wrong"
                f"{advice(self._engine.problem)}"
            )

    def _state(self) -> tuple[Any, int]:
        tours = self._engine.backend.to_numpy(self._engine.tours)
        return self._engine.problem.cost(tours), int(self._engine.move_counts.sum())


def _fell(before: Any, after: Any) -> bool:
    """Return whether the sum of costs fell, and no cost rose by more than a rounding error."""
    return bool((after <= before * (1 + ROUNDING)).all() and after.sum() < before.sum())


def refereed_costs(names: tuple[str, ...], problem: TSP, tours: Any) -> Any:
    """Return the costs of tours; raise FaultyPartError, blaming `names`, if a row is not a tour."""
    try:
        return problem.cost(tours)
    except InvalidTourError as error:
        raise FaultyPartError(
            f"search: {' or '.join(map(repr, names))} made a row that is not a tour; {error}"
        ) from error


def check_tours(
    names: tuple[str, ...], problem: TSP, backend: Backend, tours: Any, claimed: Any
) -> None:
    """Raise FaultyPartError if tours do not cost what the named parts claim."""
    if names:
        costs = refereed_costs(names, problem, backend.to_numpy(tours))
        check_claims(names, backend.to_numpy(claimed), costs, advice(problem))


def advice(problem: TSP) -> str:
    """Return a hint about a third-party objective, or "" if the objective is built in."""
    if not foreign(problem.objective):
        return ""
    if problem.objective.directed or not problem.symmetric:
        reason = DIRECTED
    else:
        reason = f"if the direction of a tour matters: {DIRECTED}"
    return f"; gpu_ls_plugin.testing.check_objective says which move is at fault; {reason}"
