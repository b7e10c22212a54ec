"""Checks that the functor of a metric agrees with its Python methods, alone and in searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.testing import search_checks
from gpu_ls_plugin.testing.small_problems import distance_matrix, planar
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.engines.pivoting import Best
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.problem import metric_check
from gpu_ls_plugin.tours.problem.metrics import Metric
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.tours.problem.tsp import TSP

NO_GAIN = 1e-12  # real gains below this share of the removed length may be rounding errors
ALIKE = (
    "the functor must compute exactly the number that lengths() computes: in float64, with the "
    "same operations in the same order and the same rounding, from the array that data() returns"
)


def check_metric(
    metric: Metric, problems: Sequence[TSP] | None = None, *, backend: str = "auto", seed: int = 0
) -> None:
    """Raise unless a metric's functor and its Python methods agree, alone and in searches.

    The check compares the lengths of all pairs of cities in each problem, and tests what `longest`,
    `slack`, `estimate_error` and `tree_points` promise. On the first problem, exhaustive 2-opt must
    end in local optima, which the check verifies by brute force. Descents, chains (on whole tours
    and on parts of tours) and crossovers must return exact costs.

    Parameters
    ----------
    metric : Metric
    problems : sequence of TSP, optional
        Problems with this metric, the first with 20 to 100 cities. By default random and degenerate
        points from 0 to 1000, without those that the metric refuses.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the pair of cities and a remedy.
    """
    subject = Subject.of("metric", metric, backend, seed, Metric)
    given = _problems(subject, problems)
    for problem in given:
        _check_lengths(subject.on(problem), problem)
        _check_promises(subject.on(problem), problem)
    _check_climbs(subject.on(given[0]), given[0])
    large = given[0] if problems is not None else planar(metric, seed, search_checks.CITIES)[0]
    search_checks.expect_sound_everywhere(
        subject, large, LocalSearch([TwoOpt()], Nearest(8)), ALIKE
    )


def _problems(subject: Subject, problems: Sequence[TSP] | None) -> list[TSP]:
    metric = subject.part
    usual = problems is None and not metric.explicit
    given = planar(metric, subject.seed) if usual else list(problems or ())
    wrong = (
        "check() refuses all points from 0 to 1000"
        if usual
        else "there is no problem to check it on"
    )
    remedy = "pass problems=[TSP(coordinates, metric), ...] that it accepts"
    subject.expect(given, wrong, remedy)
    strange = [problem for problem in given if problem.metric != metric]
    subject.expect(
        not strange, f"problems {strange} have other metrics", "pass TSPs with this metric"
    )
    return given


def _check_lengths(subject: Subject, problem: TSP) -> None:
    """Compare functor and `lengths()` for all pairs, and `lengths()` for several shapes."""
    metric, n = subject.part, problem.n
    with subject.blamed("lengths()", "accept integer arrays that broadcast"):
        a, b = np.arange(n)[:, None], (np.arange(n) + 1) % n
        table = metric.lengths(problem.values, a, np.broadcast_to(b, (n, n)))
        row = metric.lengths(problem.values, a[:, 0], b)
        broadcast = metric.lengths(problem.values, a, b[None, :])
    same = np.shape(table) == (n, n) and np.array_equal(np.diagonal(table), row)
    wrong = "lengths() returns other numbers for the same cities in arrays of other shapes"
    remedy = "compute elementwise, for all shapes that broadcast against each other"
    subject.expect(same and np.array_equal(broadcast, table), wrong, remedy)
    with subject.blamed("the comparison of functor and lengths()", ALIKE):
        data = subject.backend.xp.asarray(np.ascontiguousarray(metric.data(problem.values)))
        metric_check.check_metric(subject.backend, problem, data)


def _check_promises(subject: Subject, problem: TSP) -> None:
    """Compare the promised bounds and the distances between `tree_points` with the lengths."""
    metric, lengths = subject.part, distance_matrix(problem)
    bound, slack = metric.longest(problem.values), metric.slack(problem.values)
    wrong = f"the longest length is {lengths.max()}, but longest() returns {bound}"
    remedy = "longest() must be an upper bound of all lengths; remove it if you are not sure"
    subject.expect(lengths.max() <= bound, wrong, remedy)
    absolute, relative = metric.estimate_error(problem.values)
    subject.expect(
        np.isfinite([slack, absolute, relative]).all() and slack >= 0 and relative >= 0,
        f"slack() returns {slack}, estimate_error() returns {absolute, relative}",
        "return finite bounds, 0 or more",
    )
    points = metric.tree_points(problem.values)
    if points is None:
        return
    steps = np.abs(points[:, None] - points[None, :])
    far = steps.max(axis=2) if np.isinf(metric.tree_p) else (steps**metric.tree_p).sum(axis=2)
    for city in range(problem.n):
        others = np.delete(np.arange(problem.n), city)
        order = others[np.lexsort((lengths[city, others], far[city, others]))]
        apart = np.diff(far[city, order]) > 1e-9 * far.max()
        falls = (np.diff(lengths[city, order].astype(float)) < 0) & apart
        if falls.any():
            near, next_one = order[int(falls.argmax())], order[int(falls.argmax()) + 1]
            raise subject.fault(
                f"city {near} is nearer to city {city} than city {next_one} by tree_points(), but "
                "farther by lengths()",
                "Minkowski distances of order tree_p between the points must grow with the "
                "lengths; remove tree_points if no such points exist",
            )


def _check_climbs(subject: Subject, problem: TSP) -> None:
    """Check by brute force that exhaustive 2-opt, which relies on estimates, finds local optima."""
    climb = LocalSearch([TwoOpt()], All(), Best())
    found = search_checks.expect_sound(subject, problem, climb, "exhaustive 2-opt", ALIKE, rows=3)
    lengths = distance_matrix(problem)
    for row, tour in enumerate(found.tours):
        gain = best_two_opt_gain(lengths, tour)
        subject.expect(
            gain <= 0,
            f"exhaustive 2-opt ended in row {row} with a tour that a move makes {gain} shorter",
            "the functor's estimate() must be within slack() of each length: derive the functor "
            "from gls::EstimateByLength, or return a larger slack",
        )


def best_two_opt_gain(lengths: Any, tour: Any) -> Any:
    """Return the gain of the best 2-opt move by brute force; 0 if it may be a rounding error."""
    following = np.roll(tour, -1)
    kept = lengths[tour, following]
    removed = kept[:, None] + kept[None, :]
    added = lengths[np.ix_(tour, tour)] + lengths[np.ix_(following, following)]
    gains = removed - added
    gains[gains <= NO_GAIN * removed] = 0
    return gains[np.triu_indices(len(tour), 2)].max(initial=0)
