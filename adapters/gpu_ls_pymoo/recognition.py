"""Recognition of pymoo problems by their evaluations, not by their class."""

from __future__ import annotations

import copy
import weakref
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from pymoo.core.problem import LoopedElementwiseEvaluation

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.evolution.recognition import agrees, answer_of, copy_of, require_lengths

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.recognition import Measured

T = TypeVar("T")

SHARED = ("callback", "elementwise_runner")  # attributes that may not be copyable
ASKS = "has objectives or constraints that the search would not see"
ADVICE = (
    "the search uses the wrapped problem alone. Write additional costs of a row as an "
    f"objective of that problem, or use pymoo's own operators. {OWN_OBJECTIVE}"
)


class IdentityCache(Generic[T]):
    """A dict from objects, which need not be hashable, to values."""

    def __init__(self) -> None:
        self._values: dict[int, T] = {}

    def get(self, owner: object) -> T | None:
        """Return the object's value, or None if no value is kept."""
        return self._values.get(id(owner))

    def keep(self, owner: object, value: T) -> T:
        """Keep a value until the object is destroyed, and return the value."""
        weakref.finalize(owner, self._values.pop, id(owner), None).atexit = False
        self._values[id(owner)] = value
        return value


def require_tour_lengths(problem: Any, tsp: Measured) -> None:
    """Raise UnsupportedProblemError unless a pymoo problem evaluates tours by their length.

    A copy of the problem evaluates a few tours, so that neither the state of the problem nor its
    count of evaluations changes. The verdict is cached until the problem is destroyed.
    """
    _once(problem, lambda: _compare_with_lengths(problem, tsp))


def require_own_evaluation(problem: Any, kind: type, rows: Callable[[], NDArray[Any]]) -> None:
    """Raise UnsupportedProblemError unless a problem evaluates rows as its base `kind` does.

    Works like `require_tour_lengths`, for subclasses and changed instances of this package's
    problems. `rows` returns the rows (P, n) on which both evaluations are compared.
    """
    _once(problem, lambda: _compare_with_kind(problem, kind, rows()))


def _compare_with_lengths(problem: Any, tsp: Measured) -> None:
    name = type(problem).__name__
    if problem.n_obj != 1:
        raise UnsupportedProblemError(
            f"problem: {name} has {problem.n_obj} objectives, but a search of tours uses one "
            "length; for tours with several lengths use gpu_ls_pymoo.MultiObjectiveTSPProblem"
        )
    if problem.n_constr:
        raise UnsupportedProblemError(
            f"problem: {name} has {problem.n_constr} constraints, which a search by length alone "
            "would ignore. Write them as a gpu_ls_plugin.extend.Objective and search "
            f"TSPProblem(tsp.under(objective)), or use pymoo's own operators. {OWN_OBJECTIVE}"
        )
    require_lengths(name, tsp, lambda tours: evaluated(problem, tours)["F"][:, 0])


def _compare_with_kind(problem: Any, kind: type, rows: NDArray[Any]) -> None:
    name = type(problem).__name__
    plain = copy.copy(problem)
    plain.__class__ = kind
    for own in [own for own in vars(plain) if callable(getattr(kind, own, None))]:
        del vars(plain)[own]  # a method that only this instance has
    expected: dict[str, Any] = {}
    plain._evaluate(rows, expected)
    wanted = {key: np.reshape(expected[key], (len(rows), -1)) for key in expected}
    counts = {"F": problem.n_obj, "G": problem.n_ieq_constr, "H": problem.n_eq_constr}
    for key, count in counts.items():
        if count != (wanted[key].shape[1] if key in wanted else 0):
            raise UnsupportedProblemError(f"problem: {name} {ASKS}; {ADVICE}")
    found = answer_of(name, lambda some: evaluated(problem, some), rows)
    for key, values in wanted.items():
        if not agrees(found[key], values).all():
            raise UnsupportedProblemError(
                f"problem: {name} does not evaluate rows as {kind.__name__} does: {key} of "
                f"one is {found[key][0].tolist()}, not {values[0].tolist()}; {ADVICE}"
            )


def evaluated(problem: Any, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the values that a copy of the problem evaluates, in this process."""
    twin = twin_of(problem)
    twin.elementwise_runner = LoopedElementwiseEvaluation()
    found: dict[str, NDArray[Any]] = twin.evaluate(rows, return_as_dictionary=True)
    return found


def twin_of(problem: Any) -> Any:
    """Return a copy of a problem without its callback, so that the original does not change."""
    shared = {name: vars(problem)[name] for name in SHARED if name in vars(problem)}
    twin = copy_of(problem, shared)
    for name in problem.exclude_from_serialization or ():  # copying sets these to None
        setattr(twin, name, getattr(problem, name))
    twin.callback = None
    return twin


def _once(problem: Any, compare: Callable[[], None]) -> None:
    """Compare only once per problem; later calls for it raise the same error again."""
    verdict = _verdicts.get(problem)
    if verdict is None:
        verdict = ""
        try:
            compare()
        except UnsupportedProblemError as error:
            verdict = str(error)
        _verdicts.keep(problem, verdict)
    if verdict:
        raise UnsupportedProblemError(verdict)


_verdicts: IdentityCache[str] = IdentityCache()
