"""The Python methods of an objective: what they return, and whether its claims are true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.problem.objective import DIRECTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.testing.subject import Subject
    from gpu_ls_plugin.tours.problem.tsp import TSP

ROWS = 6
PAIRS = 200  # tours in which two paths are reversed, each alone and both
FEWEST = 5  # cities for two paths without a common edge
ROUNDING = 1e-9  # relative, of real costs
BY_TOUR = (
    "the value of a tour may depend only on which cities are neighbours in it, and on their order "
    "if lengths are directed"
)


def check_python(subject: Subject, problem: TSP) -> None:
    """Raise unless `costs` and `feasible` depend on each tour only, and claims about them hold."""
    part, tours = subject.part, subject.tours(problem, ROWS)
    _check_method(subject, problem, "costs", np.dtype(problem.cost_dtype), tours)
    _check_method(subject, problem, "feasible", np.dtype(bool), tours)
    if part.length_alone:
        subject.expect(
            not part.costs(problem, tours).any() and part.feasible(problem, tours).all(),
            "length_alone is True, but costs() has values other than 0, or feasible() has False",
            "remove length_alone: with it, searches ignore the objective",
        )
    if part.by_edges and problem.n >= FEWEST:
        _check_sum(subject, problem)


def rounding(problem: TSP, costs: Any) -> Any:
    """Return the error to allow for in real costs; it grows with the largest cost."""
    return 0 if problem.integer else ROUNDING * np.abs(costs).max(initial=1)


def _check_method(
    subject: Subject, problem: TSP, name: str, dtype: np.dtype[Any], tours: NDArray[np.int32]
) -> None:
    """Compare the values of tours with those of the same tours given in other ways."""

    def values(rows: NDArray[np.int32]) -> NDArray[Any]:
        remedy = f"return a NumPy array of shape (P,) and type {dtype}"
        with subject.blamed(f"{name}()", remedy):
            found = getattr(subject.part, name)(problem, rows)
        subject.expect(
            isinstance(found, np.ndarray)
            and found.shape == (len(rows),)
            and found.dtype == dtype
            and np.isfinite(found).all(),
            f"{name}() returned {' '.join(repr(found).split()):.200} for {len(rows)} tours",
            f"{remedy}, of finite numbers",
        )
        return np.array(found)

    def compare(expected: NDArray[Any], rows: NDArray[np.int32], given: str, remedy: str) -> None:
        found = values(rows)
        alike = np.array_equal(expected, found)
        if dtype.kind == "f":
            alike = bool((np.abs(expected - found) <= rounding(problem, expected)).all())
        subject.expect(alike, f"{name}() returned {found}, not {expected}, for {given}", remedy)

    own = tours.copy()
    first = values(own)
    subject.expect_equal(own, tours, f"{name}() changed the tours in place", "work on a copy")
    remedy = "it must not use state or a random generator of its own"
    compare(first, tours, "the same tours when called again", remedy)
    compare(first[1:3], tours[1:3], "rows 1 and 2 without the other rows", BY_TOUR)
    rotated = np.roll(tours, problem.n // 3 + 1, axis=1)
    compare(first, rotated, "the same tours that begin at another city", BY_TOUR)
    if problem.symmetric and not problem.objective.directed:
        reversed_ = np.ascontiguousarray(tours[:, ::-1])
        remedy = f"{BY_TOUR}; if the direction matters: {DIRECTED}"
        compare(first, reversed_, "the same tours in the other direction", remedy)


def _check_sum(subject: Subject, problem: TSP) -> None:
    """Reverse two paths, each alone and both: the changes of a sum over edges must add up."""
    random = np.random.default_rng([subject.seed, problem.n])
    base = subject.tours(problem, PAIRS)
    first, second, both = base.copy(), base.copy(), base.copy()
    for row, tour in enumerate(base):
        a, b, c, d = np.sort(random.choice(np.arange(1, problem.n + 1), 4, replace=False))
        for paths in (first, both):
            paths[row, a:b] = tour[a:b][::-1]
        for paths in (second, both):
            paths[row, c:d] = tour[c:d][::-1]
    costs = [subject.part.costs(problem, tours) for tours in (base, first, second, both)]
    change = costs[0] - costs[1] - costs[2] + costs[3]
    for wrong in np.nonzero(np.abs(change) > rounding(problem, costs[0]))[0]:
        raise subject.fault(
            f"by_edges is True, but costs() is not a sum over edges: a tour costs {costs[0][wrong]}"
            f", {costs[1][wrong]} with one path reversed, {costs[2][wrong]} with another path "
            f"reversed that has no edge in common with it, and {costs[3][wrong]} with both",
            "remove by_edges: independent moves and parts of tours need a sum over edges",
        )
