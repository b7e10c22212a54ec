"""The built-in time windows against enumeration of all starts; their C++ against their Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import GpuLsError, UnsupportedProblemError
from gpu_ls_plugin.routes.problem.resources.time_windows import TimeWindows
from gpu_ls_plugin.testing import check_resource
from tests.helpers.marks import slow_after
from tests.helpers.routing import giant_tours, random_cvrp

HORIZON = 80  # all windows are within it
BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
PARTS = {
    "windows": (),
    "releases": ("release_times",),
    "durations": ("durations",),
    "starts": ("start_window",),
    "limit": ("limit",),
    "all": ("release_times", "durations", "start_window", "limit"),
}


def some(parts: tuple[str, ...], customers: int, seed: int, scale: int = 1) -> TimeWindows:
    """Return random windows that many routes miss, with some of the other parameters."""
    random = np.random.default_rng(seed)
    n = customers + 1
    early = random.integers(0, HORIZON // 2, n)
    late = early + random.integers(0, HORIZON // 3, n)
    early[0], late[0] = random.integers(0, 10), HORIZON
    given: dict[str, Any] = {
        "release_times": np.r_[0, random.integers(0, HORIZON // 3, customers)] * scale,
        "durations": random.integers(1, 12, (n, n)) * scale,
        "start_window": tuple((np.sort(random.integers(0, HORIZON // 2, 2)) * scale).tolist()),
        "limit": int(random.integers(20, HORIZON // 2)) * scale,
    }
    windows = np.stack([early, late], axis=1) * scale
    return TimeWindows(windows, **{name: given[name] for name in parts})


def small(seed: int, customers: int = 5) -> gls.CVRP:
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 12, (customers + 1, customers + 1))
    services = np.r_[0, random.integers(0, 5, customers)]
    ones = np.r_[0, np.ones(customers, int)]
    return gls.CVRP.from_matrix(lengths, ones, customers, service_times=services, copies=customers)


def by_enumeration(problem: gls.CVRP, windows: TimeWindows, route: list[int]) -> int:
    """Try every start of a vehicle; the least time warp, and then the least duration, count."""
    limits = np.asarray(windows.windows)
    first, last = map(int, windows.start_window or (0, 2 * HORIZON))
    latest = min(limits[0, 1], last)
    release = max(np.asarray(windows.release_times)[[0, *route]])
    ways = []
    for start in range(max(limits[0, 0], first, release), max(latest, release, first) + 1):
        warp, time = max(0, start - latest), min(start, latest)
        begin, back = time, 0
        for a, b in zip([0, *route], [*route, 0], strict=True):
            travel = windows.durations if windows.durations is not None else problem.nodes.matrix
            time += int(np.asarray(travel)[a, b] + problem.service_times[a])
            time = max(time, limits[b, 0])
            back += max(0, time - limits[b, 1])
            time = min(time, limits[b, 1])
        ways.append((warp + back, time - begin + back))
    warp, duration = min(ways)
    beyond = 0 if windows.limit is None else max(0, duration - warp - windows.limit)
    return int(warp + beyond)


@pytest.mark.parametrize("parts", slow_after(4, list(PARTS)))
def test_excess_is_the_least_of_all_starts(parts):
    for seed in range(60):
        problem = small(seed)
        windows = some(PARTS[parts], problem.customers, seed)
        rows = giant_tours(problem, 4, seed)
        expected = [
            sum(by_enumeration(problem, windows, route) for route in problem.routes(row))
            for row in rows
        ]
        assert windows.excess(problem, rows).tolist() == expected


@BOTH
@pytest.mark.parametrize("kind", slow_after(1, ["directed", "capacity", "real"]))
@pytest.mark.parametrize("parts", slow_after(2, ["all", "windows", "releases", "limit"]))
def test_kernels_agree(kind, parts, backend):
    problem = random_cvrp(kind, 20, 1, capacity=40)
    check_resource(some(PARTS[parts], 20, 2, scale=8), [problem], backend=backend)


def test_searches_keep_to_windows():
    problem = random_cvrp("directed", 20, 1, capacity=40)
    windows = some((), 20, 3, scale=12)
    found = gls.solve(problem.with_resources(windows), 0.5, backend="cpu", seed=1)
    assert windows.excess(problem, found.best_tour[None]).tolist() == [0] or not found.best_feasible


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"windows": [(0, 9), (5, 4)]}, "node 1 ends at 4, before it begins at 5"),
        ({"windows": [(0, 9), (5, np.nan)]}, "windows: entry .* nan"),
        ({"windows": [(0, 9, 1)]}, r"windows: shape \(1, 3\)"),
        ({"release_times": [1]}, r"release_times: shape"),
        ({"durations": [[0, -1], [1, 0]]}, "durations: entry .* -1"),
        ({"start_window": (5, 3)}, "start_window: ends at 3.0, before 5.0"),
        ({"limit": -1}, "limit: -1 is not"),
    ],
)
def test_bad_windows_are_named(given, words):
    with pytest.raises(GpuLsError, match=words):
        TimeWindows(**{"windows": [(0, 9), (0, 9)], **given})


def test_windows_of_another_problem_are_refused():
    problem = small(1)
    with pytest.raises(UnsupportedProblemError, match="6 nodes, but there are windows for 2"):
        problem.with_resources(TimeWindows([(0, 9), (0, 9)]))
    with pytest.raises(UnsupportedProblemError, match="scale all of them up"):
        problem.with_resources(TimeWindows([(0, 9.5)] * 6))
