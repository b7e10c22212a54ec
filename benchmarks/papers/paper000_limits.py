"""Route limits that bind, and mappings from threads to moves under constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.papers import paper000
from benchmarks.papers.paper000_ablation import Ablation, Variant
from benchmarks.papers.paper000_kernels import pass_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (399, 967)  # of generated instances, with and without a limit that binds
MOST_COUNTED = {2: 4000, 3: 400}  # nodes: a CPU counts the moves, one by one
MAPPINGS = {2: ("roots", "lexicographic", "cut_triangle"), 3: ("roots", "lexicographic")}
MAPPED = {2: (399, 2401), 3: (399,)}
TIMED = ("CMT13", "Golden_3", "Golden_7")
SHORTER, LOAD, DURATION, FLEET = 1, 2, 4, 8  # bits of a count, as in paper000.cu


def problems(
    backend: str, names: tuple[str, ...] = paper000.LIMITED
) -> Iterator[tuple[str, Any, Any]]:
    """Yield instances with route limits by name, each with a feasible tour from a sweep."""
    import gpu_ls_plugin as gls

    folder = common.require_instances().parent / "cvrp"
    for name in names:
        problem = paper000.limited_instance(folder, name)
        tours = gls.sweep(problem, 1, seed=1, backend=backend)
        if not problem.feasible(tours).all():
            print(f"{name}: the sweep is not feasible", flush=True)
            continue
        yield name, problem, paper000.on_device(tours, backend)
    for n in SIZES:
        for tight in (False, True):
            name = f"uniform {n}, {'binding' if tight else 'loose'}"
            yield (name, *paper000.constrained(n, tight=tight, backend=backend))


def counted() -> Iterator[dict[str, Any]]:
    """Count the moves that break the route limit, from a sweep and at its local optimum."""
    for name, problem, tours in problems("cpu"):
        for edges, most in MOST_COUNTED.items():
            if problem.n > most:
                continue
            best = paper000.search_of(edges)(problem, tours, backend="cpu").tours
            for place, rows in (("sweep", tours), ("local optimum", best)):
                tour = first_at_depot(problem, np.asarray(rows)[0])
                yield {
                    **{"instance": name, "n": problem.n, "edges": edges, "tour": place},
                    **shares(counts(problem, tour, edges)),
                }


def first_at_depot(problem: Any, tour: Any) -> Any:
    """Return the tour from one of its depots on."""
    depots = np.flatnonzero((tour == 0) | (tour > problem.customers))
    return np.roll(tour, -depots[0])


def counts(problem: Any, tour: Any, edges: int) -> Any:
    """Return the number of moves of each kind."""
    variant = Variant(
        edges, levels=0, index=4, held=2, mapping=edges - 1, sink=1, groups=2, value="int"
    )
    return Ablation(problem, tour, variant, backend="cpu").counts()


def shares(kinds: Any) -> dict[str, Any]:
    """Return the share of the route limit among moves that break no other constraint."""

    def among(chosen: Any) -> dict[str, Any]:
        fitting = [k for k in chosen if not k & (LOAD | FLEET)]
        late = sum(int(kinds[k]) for k in fitting if k & DURATION)
        return {"fitting": sum(int(kinds[k]) for k in fitting), "too_long": late}

    every = among(range(16))
    shorter = among([k for k in range(16) if k & SHORTER])
    return {
        "moves": int(kinds.sum()),
        "pass_load": every["fitting"],
        "fail_limit": every["too_long"],
        "share": every["too_long"] / max(1, every["fitting"]),
        "shorter": sum(int(kinds[k]) for k in range(16) if k & SHORTER),
        "shorter_pass_load": shorter["fitting"],
        "shorter_fail_limit": shorter["too_long"],
        "shorter_share": shorter["too_long"] / max(1, shorter["fitting"]),
    }


def iterations() -> Iterator[dict[str, Any]]:
    """Time iterations of 2-opt and 3-opt with a route limit that binds."""
    for name, problem, tours in problems("cuda", TIMED):
        for edges, most in ((2, 100), (3, 20)):
            seconds = paper000.iteration_seconds(paper000.search_of(edges), problem, tours, most)
            free = problem.limited_by_load
            other = paper000.iteration_seconds(paper000.search_of(edges), free, tours, most)
            row = {"instance": name, "n": problem.n, "edges": edges}
            yield {**row, "seconds": seconds, "without_limit": other}


def mappings() -> Iterator[dict[str, Any]]:
    """Time evaluations of the library under all constraints by each mapping (figures 15, 18)."""
    for edges, sizes in MAPPED.items():
        for n in sizes:
            for tight in (False, True):
                problem, tours = paper000.constrained(n, tight=tight)
                for mapping in MAPPINGS[edges]:
                    row = {"edges": edges, "n": n, "binding": tight, "mapping": mapping}
                    yield {**row, "seconds": pass_seconds(problem.tsp, tours, edges, mapping)[0]}
