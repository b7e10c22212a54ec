"""Checks whether a framework's problem evaluates tours by their length."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.batches.rows import Tours

    Measuring = TypeVar("Measuring", bound="Measured")

ROUNDING = 1e-9  # relative tolerance for sums of the same lengths in another order
LARGEST_GREEDY = 500  # cities; the sample of a larger problem has no nearest-neighbour tour
ENTRIES = 400_000  # maximum number of entries in a sample of tours
LARGE = 2**20  # bytes; copies share larger arrays with the original
SHOWN = 6  # number of cities of a tour in a message
ADVICE = (
    "a search here uses the length alone and would ignore the rest. Write additional costs as a "
    "gpu_ls_plugin.extend.Objective and search problem.under(objective), or use the framework's "
    f"own operators. {OWN_OBJECTIVE}"
)


class Measured(Protocol):
    """A problem with tours as rows, which returns lengths of edges and costs of tours."""

    @property
    def n(self) -> int: ...

    def lengths(self, a: Any, b: Any) -> Any:
        """Return the lengths from cities `a` to cities `b`."""

    def cost(self, tours: Any, /) -> Any:
        """Return the cost of every tour."""


def sample_tours(problem: Measured) -> Tours:
    """Return a few tours, int32 (P, n), that reveal an evaluation other than the length.

    They are random tours, the cities in ascending order, rotations and reversals of these tours,
    and a good tour. Rows of a problem without lengths are random permutations and such changes of
    them, with the items in place that the problem fixes.
    """
    n, random = problem.n, np.random.default_rng(0)
    ordered = np.arange(n)
    shuffled, another = random.permutation(n), random.permutation(n)
    rows = [shuffled, ordered, np.roll(shuffled, 1), shuffled[::-1], another, ordered[::-1]]
    if n <= LARGEST_GREEDY and hasattr(problem, "lengths"):
        rows.append(_near_to_near(problem))
    rows = rows[: max(3, ENTRIES // n)]
    made = np.array(rows, dtype=np.int32)
    if not isinstance(problem, Problem):
        return made
    fixed: Tours = domain_of(problem).with_fixed(problem, np, made)
    return fixed


def require_lengths(
    name: str,
    problem: Measured,
    evaluate: Callable[[Tours], Any],
    costs: Callable[[Tours], Any] | None = None,
) -> None:
    """Raise UnsupportedProblemError unless an evaluation returns the lengths of a few tours.

    `evaluate` is called once, with tours (P, n). Its result is compared with that of `costs`, by
    default the `cost` of the problem. `name` is the name of the evaluated object in messages.
    """
    tours = sample_tours(problem)
    found = np.asarray(answer_of(name, evaluate, tours), dtype=np.float64)
    lengths = np.asarray((costs or problem.cost)(tours), dtype=np.float64)
    if found.shape != lengths.shape:
        raise UnsupportedProblemError(
            f"problem: {name} evaluates {len(tours)} tours as an array of shape {found.shape}, not "
            f"as one cost each; {ADVICE}"
        )
    wrong = np.flatnonzero(~agrees(found, lengths))
    if len(wrong):
        row = wrong[0]
        rows, cost = ("tours", "length") if hasattr(problem, "lengths") else ("rows", "cost")
        raise UnsupportedProblemError(
            f"problem: {name} does not evaluate {rows} by their {cost}: the {rows[:-1]} "
            f"{cities_text(tours[row])} is evaluated as {found[row]:.10g}, but its {cost} is "
            f"{lengths[row]:.10g}; {ADVICE}"
        )


def answer_of(name: str, evaluate: Callable[[Any], Any], rows: NDArray[Any]) -> Any:
    """Return the evaluation of rows; raise UnsupportedProblemError if the evaluation fails."""
    try:
        return evaluate(rows.copy())
    except Exception as error:  # third-party code may raise anything
        raise UnsupportedProblemError(
            f"problem: the evaluation of {name} failed on a few rows, which this package "
            f"evaluates to recognise the problem: {type(error).__name__}: {error}"
        ) from error


def require_costs_alone(
    evaluated: Any,
    problem: Measuring,
    cost: Callable[[Any, Any], Any],
    costs: Callable[[Tours], Any] | None = None,
) -> Measuring:
    """Return the problem if a framework's object evaluates tours by their cost; raise otherwise.

    `cost` takes a copy of the object and a tour (n,), and returns the object's cost of the tour.
    `costs` is as in `require_lengths`.
    """
    twin = copy_of(evaluated)
    name = type(evaluated).__name__
    require_lengths(name, problem, lambda tours: [cost(twin, tour) for tour in tours], costs)
    return problem


def agrees(found: NDArray[Any], expected: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which numbers are equal up to rounding."""
    return np.asarray(np.isclose(found, expected, rtol=ROUNDING, atol=0))


def cities_text(tour: NDArray[Any]) -> str:
    """Return the first cities of a tour for a message."""
    cities = ", ".join(str(city) for city in tour[:SHOWN].tolist())
    return f"{cities}{', ...' if len(tour) > SHOWN else ''}"


def copy_of(evaluated: Any, shared: Mapping[str, Any] | None = None) -> Any:
    """Return a copy, so that an evaluation does not change the original.

    The copy shares large arrays with the original. It also shares the attributes in `shared`, a
    mapping from names to values, because they cannot be copied.
    """
    memo = {id(value): value for value in (shared or {}).values()}
    for value in getattr(evaluated, "__dict__", {}).values():
        if isinstance(value, np.ndarray) and value.nbytes > LARGE:
            memo[id(value)] = value
    try:
        made = copy.deepcopy(evaluated, memo)
    except Exception:  # the object has a lock, a file, a pool ...
        made = evaluated
    return copy.copy(evaluated) if made is evaluated else made


def _near_to_near(problem: Measured) -> Any:
    """Return the nearest-neighbour tour from city 0."""
    tour, left = [0], np.arange(1, problem.n)
    while len(left):
        nearest = int(problem.lengths(np.full(len(left), tour[-1]), left).argmin())
        tour.append(int(left[nearest]))
        left = np.delete(left, nearest)
    return np.array(tour)
