"""The Python face of an objective: what it says of tours, and of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.problem.objective import DIRECTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.testing.subject import Subject
    from gpu_ls_plugin.tours.problem.tsp import TSP

ROWS = 6
PAIRS = 200  # of paths that are turned round, one, the other, and both
FEWEST = 5  # cities in which two paths have no edge in common
ROUNDING = 1e-9  # relative, of real costs
BY_TOUR = (
    "what is said of a tour may depend on which cities are neighbours in it, where lengths are "
    "directed in which order, and on nothing else"
)


def check_faces(subject: Subject, problem: TSP) -> None:
    """Raise unless `costs` and `feasible` go by each tour alone, and claims about them are true."""
    part, tours = subject.part, subject.tours(problem, ROWS)
    _Face(subject, problem, "costs", problem.cost_dtype).check(tours)
    _Face(subject, problem, "feasible", np.dtype(bool)).check(tours)
    if part.length_alone:
        subject.expect(
            not part.costs(problem, tours).any() and part.feasible(problem, tours).all(),
            "length_alone is True, but costs() are not all 0, or feasible() are not all True",
            "leave length_alone out: searches would go by the lengths and know nothing else",
        )
    if part.by_edges and problem.n >= FEWEST:
        _check_sum(subject, problem)


def rounding(problem: TSP, costs: Any) -> Any:
    """Return how far real costs may be off, the largest of which says how large their terms are."""
    return 0 if problem.integer else ROUNDING * np.abs(costs).max(initial=1)


class _Face:
    """One of the two methods."""

    def __init__(self, subject: Subject, problem: TSP, name: str, dtype: np.dtype[Any]) -> None:
        self._subject, self._problem, self._name, self._dtype = subject, problem, name, dtype

    def check(self, tours: NDArray[np.int32]) -> None:
        """Compare what is said of some tours, again, alone and written in other ways."""
        given = tours.copy()
        said = self._said(given)
        self._subject.expect(
            np.array_equal(given, tours),
            f"{self._name}() changed the tours that it was given",
            "work on a copy",
        )
        same, again = self._same, "called again with the same tours"
        same(said, self._said(tours), again, "it may have no state, and no generator of its own")
        same(said[1:3], self._said(tours[1:3]), "given rows 1 and 2 alone", BY_TOUR)
        rotated = np.roll(tours, self._problem.n // 3 + 1, axis=1)
        same(said, self._said(rotated), "given the same tours from another city on", BY_TOUR)
        if self._problem.symmetric and not self._problem.objective.directed:
            turned = np.ascontiguousarray(tours[:, ::-1])
            remedy = f"{BY_TOUR}; if the direction matters: {DIRECTED}"
            same(said, self._said(turned), "given the same tours in the other direction", remedy)

    def _said(self, tours: NDArray[np.int32]) -> NDArray[Any]:
        name, problem = self._name, self._problem
        remedy = f"return a NumPy array of shape (P,) and type {self._dtype}"
        method: Callable[..., Any] = getattr(self._subject.part, name)
        with self._subject.blamed(f"{name}()", remedy):
            said = method(problem, tours)
        self._subject.expect(
            isinstance(said, np.ndarray)
            and said.shape == (len(tours),)
            and said.dtype == self._dtype
            and np.isfinite(said).all(),
            f"{name}() returned {' '.join(repr(said).split()):.200} for {len(tours)} tours",
            f"{remedy}, of finite numbers",
        )
        return np.array(said)

    def _same(self, said: NDArray[Any], other: NDArray[Any], when: str, remedy: str) -> None:
        if self._dtype.kind == "f":
            alike = bool((np.abs(said - other) <= rounding(self._problem, said)).all())
        else:
            alike = np.array_equal(said, other)
        self._subject.expect(
            alike, f"{self._name}() returned {other}, not {said}, when {when}", remedy
        )


def _check_sum(subject: Subject, problem: TSP) -> None:
    """Turn two paths round, one at a time and both: changes of a sum over edges add up."""
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
            "by_edges is True, but costs() are not a sum over edges: two paths without an edge in "
            f"common that are turned round, one, the other, and both, change {costs[0][wrong]} to "
            f"{costs[1][wrong]}, {costs[2][wrong]} and {costs[3][wrong]}",
            "leave by_edges out: independent moves and parts of tours would not add up",
        )
