"""A heuristic that rates values by what they would add to the cost of a state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.heuristics.masked import Masked
from gpu_ls_plugin.assignment.heuristics.masks.conflicts import Distinct
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidProblemError, UnsupportedProblemError
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem

MOST_SHARPNESS = 30  # the smallest weight is then 2, the largest 2**31
PARTS = 256  # ratings are in 256ths of a unit of cost
MOST_PENALTY = 2**54  # in 256ths, it still fits into 64 bits


@dataclass(frozen=True)
class CheapestValue(Heuristic):
    """Prefer values that add little to the cost of the state: greedy randomised construction.

    The rating of a value is the cost that it would add, plus `problem.penalty` times the excess
    that it would add. Between the lowest and the highest rating of a variable's values, weights
    fall by a factor of ``2**sharpness``: they halve in each of `sharpness` equal intervals. So the
    worst values are unlikely, whereas the restricted candidate list of GRASP excludes them (Feo and
    Resende 1995). If the problem's values must be distinct, values that are already used have
    weight 0.

    Parameters
    ----------
    sharpness : int, from 0 to 30
        How often weights are halved. With 0, all values are equally likely.
    problem : Assignment, optional
        The problem that defines the costs; it needs a functor. By default the problem of the call.
        Ratings must be below 2**54.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        The sharpness is out of range, or the problem is not an `Assignment`.
    """

    sharpness: int = 8
    problem: Assignment | None = None

    name = "cheapest_value"
    header = "assignment/heuristics/cheapest_value.cuh"

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "sharpness", least=0, most=MOST_SHARPNESS)
        checks.given_fields(self, checks.instance, "problem", kind=Assignment, wanted="Assignment")

    def on(self, problem: Problem | None) -> Heuristic:
        """Return the heuristic for the problem's costs, with a mask if values must be distinct.

        Raises
        ------
        UnsupportedProblemError
            There is no problem, or it is not an `Assignment`.
        """
        bound = self if self.problem else replace(self, problem=_assignment(problem))
        return Masked(bound, Distinct()) if _assignment(bound.problem).distinct else bound

    @property
    def headers(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.header, _assignment(self.problem).header)))

    def sizes(self, problem: Problem | None) -> NDArray[np.int32]:
        return _assignment(self.problem or problem).sizes

    def functor(self) -> str:
        """Return the C++ type with the problem's functor."""
        return f"gls::CheapestValue<{_assignment(self.problem).functor()}>"

    def source(self) -> str:
        return "\n".join(sources_of(_assignment(self.problem)))

    def words(self, backend: Backend, problem: Problem | None) -> list[Any]:
        """Return numbers of values, penalty in 256ths, sharpness, and the problem's parameters.

        Raises
        ------
        InvalidProblemError
            The penalty is not between 0 and 2**54.
        """
        own = _assignment(self.problem)
        if not 0 <= own.penalty <= MOST_PENALTY:
            raise InvalidProblemError(f"penalty: {own.penalty} is not between 0 and {MOST_PENALTY}")
        penalty = round(own.penalty * PARTS)
        data = {"sizes": own.sizes, "penalty": penalty, "sharpness": self.sharpness}
        return [*in_order(CheapestValue.header, "CheapestValueData", data), *own.words()]

    def kept_bytes(self, problem: Problem | None) -> int:
        return _assignment(self.problem).kept_bytes()


def _assignment(problem: Problem | None) -> Assignment:
    if isinstance(problem, Assignment):
        return problem
    given = "none is given" if problem is None else f"{type(problem).__name__} is not one"
    raise UnsupportedProblemError(
        f"heuristic: CheapestValue needs the costs of an Assignment problem, but {given}"
    )
