"""Stretches of giant tours: those that kernels keep, and those from a walk along the tour."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.problem.device_data import batch_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    import gpu_ls_plugin as gls

PROBE = """
template <class Team, class Metric>
struct ProbeStretches {
  GLS_DEVICE static void run(const Team& team, int item, const void* metric_data, int n,
                             const int* tours, int queries, const int* ends, int bytes,
                             char* found) {
    const int* const tour = tours + gls::int64(item) * n;
    const auto metric = gls::metric_of<Metric>(metric_data, n, item);
    const auto city = [&](int place) { return tour[place]; };
    metric.objective.keep(team, n, city);
    team.sync();
    team.each(queries, [&](int query) {
      const int* const its = ends + (gls::int64(item) * queries + query) * 2;
      char* to = found + (gls::int64(item) * queries + query) * bytes;
      metric.objective.each_stretch(n, city, its[0], its[1],
                                    [&](const auto&, const auto& stretch) {
        memcpy(to, &stretch, sizeof(stretch));
        to += sizeof(stretch);
      });
    });
  }
};
"""


def types_of(problem: gls.CVRP) -> np.dtype[Any]:
    """Return the dtype of a query's result: a stretch of each resource."""
    time = "f8" if problem.service_times.dtype.kind == "f" else "i8"
    segments = {
        "load": ["i4"],
        "duration": [time] * (1 if problem.symmetric else 2),
        "time_windows": ["i8"] * 8,
    }
    resources = []
    for part in problem.tsp.objective.resources:
        segment = np.dtype([(f"f{x}", kind) for x, kind in enumerate(segments[part.name])])
        amount = time if part.name == "duration" else "i8"
        excess = ["there", "back"][: 1 + part.turns(problem)]
        fields = [("head", segment), ("tail", segment), *((name, amount) for name in excess)]
        fields += [("routes", "i4"), ("padding", "i4")]
        resources.append((part.name, np.dtype(fields)))
    return np.dtype(resources)


def kept_stretches(problem: gls.CVRP, tours: Any, ends: Any, backend: str = "cpu") -> Any:
    """Return stretches of tours (P, n) between places (P, queries, 2), by resource."""
    where, giant = get_backend(backend), problem.tsp
    kernel = metric_kernel(
        "probe_stretches",
        search_metric(giant),
        header="tours/problem/objective.cuh",
        body="ProbeStretches<{team}, {metric}>",
        parameters="const void* metric_data, int n, const int* tours, int queries, "
        "const int* ends, int bytes, char* found",
        team=where.warp(),
    )
    kernel = replace(kernel, functors=(*kernel.functors, PROBE))
    kind, (size, queries, _) = types_of(problem), ends.shape
    found = where.xp.zeros((size, queries, kind.itemsize), "uint8")
    arguments = {
        **batch_data(where, giant, size),
        "n": problem.n,
        "tours": where.xp.asarray(tours),
        "queries": queries,
        "ends": where.xp.asarray(ends.astype("int32")),
        "bytes": kind.itemsize,
        "found": found,
    }
    where.launch(kernel, size, arguments)
    return where.to_numpy(found).view(kind)[..., 0]


class Plain(NamedTuple):
    """A stretch: nodes up to the first depot and from the last depot on, and routes between."""

    head: list[int]
    tail: list[int]
    routes: list[list[int]]  # from depot to depot, with customers
    has_depot: bool


def plain_stretch(problem: gls.CVRP, row: Any, first: int, last: int) -> Plain:
    """Return the stretch of places `first` to `last` of a tour, which may pass its end."""
    nodes = [int(row[place % problem.n]) for place in range(first, last + 1)]
    nodes = [0 if node > problem.customers else node for node in nodes]
    depots = [x for x, node in enumerate(nodes) if node == 0]
    if not depots:
        return Plain(nodes, nodes, [], False)
    routes = [nodes[a : b + 1] for a, b in itertools.pairwise(depots) if b > a + 1]
    return Plain(nodes[: depots[0] + 1], nodes[depots[-1] :], routes, True)


def length(problem: gls.CVRP, nodes: list[int]) -> Any:
    """Return the length of a path plus the service times of its customers."""
    way = sum(problem.nodes.distance(a, b).item() for a, b in itertools.pairwise(nodes))
    return way + sum(problem.service_times[node].item() for node in nodes)


def late(problem: gls.CVRP, nodes: list[int], start: int) -> tuple[int, int]:
    """Return the time warp of a path that begins at `start`, and the time at its end."""
    windows = problem.resources[0].windows
    time, warp = start, 0
    for at, node in enumerate(nodes):
        if at:
            time += problem.nodes.distance(nodes[at - 1], node).item()
        time = max(time, int(windows[node, 0]))
        warp += max(0, time - int(windows[node, 1]))
        time = min(time, int(windows[node, 1])) + problem.service_times[node].item()
    return warp, time
