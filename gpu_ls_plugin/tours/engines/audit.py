"""Parts that somebody else wrote: what a search claims, beside what its tours cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.exceptions import FaultyPartError, InvalidTourError
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.tours.problem.objective import DIRECTED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.tours.engines.engine import Engine
    from gpu_ls_plugin.tours.problem.tsp import TSP

ROUNDING = 1e-9  # relative, of what kernels add up


def foreign_names(problem: TSP, parts: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of a problem's metric and objective, and of parts, that others wrote."""
    others = filter(foreign, (problem.metric, problem.objective, *parts))
    return tuple(str(getattr(part, "name", type(part).__name__)) for part in others)


class Audit:
    """Sees to it that descents go down: with every launch at first, then ever more rarely.

    `names` are those of the parts that may be at fault; without any nothing is done.
    """

    def __init__(self, engine: Engine, names: tuple[str, ...]) -> None:
        self._engine, self._names = engine, names
        self._launches, self._next = 0, 1
        if names:
            self._costs, self._moves = self._state()

    def __call__(self) -> None:
        """Take note of a launch; FaultyPartError if moves made a tour costlier, or none cheaper."""
        self._launches += 1
        if self._names and self._launches >= self._next:
            self._next *= 2
            self.compare()

    def compare(self) -> None:
        """Raise as above, whatever the number of launches."""
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
    """Return whether costs fell, and none rose by more than rounding."""
    return bool((after <= before * (1 + ROUNDING)).all() and after.sum() < before.sum())


def refereed_costs(names: tuple[str, ...], problem: TSP, tours: Any) -> Any:
    """Return the costs of tours that parts of such names have made; FaultyPartError of others."""
    try:
        return problem.cost(tours)
    except InvalidTourError as error:
        raise FaultyPartError(
            f"search: {' or '.join(map(repr, names))} made a row that is not a tour; {error}"
        ) from error


def check_tours(
    names: tuple[str, ...], problem: TSP, backend: Backend, tours: Any, claimed: Any
) -> None:
    """Raise FaultyPartError if tours cost something else than others' parts claim."""
    if names:
        costs = refereed_costs(names, problem, backend.to_numpy(tours))
        check_claims(names, backend.to_numpy(claimed), costs, problem)


def advice(problem: TSP) -> str:
    """Return what to look at in the objective that a third party wrote, if there is one."""
    if not foreign(problem.objective):
        return ""
    if problem.objective.directed or not problem.symmetric:
        reason = DIRECTED
    else:
        reason = f"if the direction of a tour matters: {DIRECTED}"
    return f"; gpu_ls_plugin.testing.check_objective says which move is at fault; {reason}"


def check_claims(
    names: tuple[str, ...], claimed: Any, costs: Any, problem: TSP | None = None
) -> None:
    """Raise FaultyPartError where chains claim other costs (P,) than their tours have.

    With a problem, whose objective may be at fault, the message says what to look at.
    """
    if names and not np.allclose(claimed, costs, rtol=ROUNDING, atol=ROUNDING):
        raise FaultyPartError(
            f"search: tours were reported to cost {np.asarray(claimed)}, but cost "
            f"{np.asarray(costs)}; what {' or '.join(map(repr, names))} computes is wrong"
            f"{'' if problem is None else advice(problem)}"
        )


def as_asked(found: Result, problem: Problem, search: object = None) -> Result:
    """Return what a search found, possibly on a softened problem, as a result of the problem."""
    if found.problem is not problem:
        found = replace(found, problem=problem)
    if search is None or not foreign(search):
        return found
    costs = problem.cost(found.tours)
    name = getattr(search, "name", getattr(search, "__name__", type(search).__name__))
    check_claims((str(name),), on_host(found.costs), on_host(costs))
    return replace(found, costs=costs)
