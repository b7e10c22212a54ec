"""Children of 1,000 pairs of tours by every recombination, beside pymoo's crossovers.

Parents are random tours, which have hardly any edges in common, and local optima, as a memetic
algorithm crosses them. Each call makes one child for each pair: `array` with parents on the
backend, `NumPy` with parents and children on the host. Results are medians of several calls;
kernels are compiled before. `kernels`, on a GPU, are the same children without checks and waiting:
many queued calls between two events of the stream. pymoo crosses 50 pairs at once; its seconds are
scaled to the same number of children.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError

if TYPE_CHECKING:
    import argparse

PEER_PAIRS = 50
REPEATS, QUEUED = {"cuda": 15, "cpu": 5}, 10
COLUMNS = ("who", "parents", "array_ms", "numpy_ms", "kernels_ms", "faster_than_pymoo")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Time every recombination with both kinds of parents."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.core.registry import registry

    backend = get_backend(options.backend)
    problem, pairs = gls.TSP(common.uniform(options.cities)), options.pairs
    random = gls.random_tours(problem, 2 * pairs, seed=1, backend=backend)
    optima = gls.LocalSearch()(problem, random, backend=backend).tours
    rows: list[dict[str, Any]] = []
    for kind, tours in (("random", random), ("optima", optima)):
        peers = [{**row, "parents": kind} for row in _peers(tours, pairs)]
        fastest = min(row["numpy_ms"] for row in peers)
        rows += peers
        there = backend.xp.asarray(tours)
        parts = {part.name: part.factory() for part in registry.parts("recombination")}
        parts["edge_assembly, blocks"] = gls.EdgeAssembly(strategy="block")
        only = tuple(options.only)
        named = {name: part for name, part in parts.items() if name.startswith(only)}
        chosen = {name: part for name, part in named.items() if _crosses(part, problem)}
        for name, part in chosen.items():
            ours = {
                "array_ms": _milliseconds(part, problem, there, pairs, backend),
                "numpy_ms": _milliseconds(part, problem, tours, pairs, backend),
            }
            if backend.name == "cuda":
                ours["kernels_ms"] = _kernels(part, problem, there, pairs, backend)
            ratio = {"faster_than_pymoo": fastest / ours["array_ms"]}
            rows.append({"who": name, "parents": kind, **ours, **ratio})
    title = f"{pairs:,} pairs of {options.cities:,} cities, {backend.name}"
    common.show(title, COLUMNS, [[row.get(c, "") for c in COLUMNS] for row in rows])
    return {backend.name: {"pairs": pairs, "cities": options.cities, "rows": rows}}


def _crosses(part: Any, problem: Any) -> bool:
    """Return whether a recombination crosses tours; some cross routes."""
    try:
        part.check(problem)
    except UnsupportedProblemError:
        return False
    return True


def _milliseconds(part: Any, problem: Any, tours: Any, pairs: int, backend: Any) -> float:
    """Return the milliseconds of crossing the first half of tours with the second half."""

    def call() -> None:
        part.cross(problem, tours[:pairs], tours[pairs:], seed=1, backend=backend)
        backend.wait()

    call()
    return 1e3 * common.median(common.seconds_of(call, REPEATS[backend.name]))


def _kernels(part: Any, problem: Any, tours: Any, pairs: int, backend: Any) -> float:
    """Return the milliseconds of the kernels alone."""
    tours = tours.astype("int32")
    workspace = part.workspace(backend, problem, pairs, seed=1)
    mates = backend.xp.arange(pairs, dtype="int32")
    costs = backend.xp.asarray(problem.cost(backend.to_numpy(tours[:pairs])))

    event, elapsed = backend.xp.cuda.Event, backend.xp.cuda.get_elapsed_time

    def call() -> float:
        begin, end = event(), event()
        begin.record()
        for _ in range(QUEUED):
            workspace.children(tours[:pairs], lambda: costs, tours[pairs:], mates)
        end.record()
        end.synchronize()
        return float(elapsed(begin, end)) / QUEUED

    call()
    return min(call() for _ in range(5))


def _peers(tours: Any, pairs: int) -> list[dict[str, Any]]:
    """Return pymoo's milliseconds for the same number of children."""
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem
    from pymoo.operators.crossover.erx import EdgeRecombinationCrossover
    from pymoo.operators.crossover.ox import OrderCrossover

    n = tours.shape[1]
    problem = Problem(n_var=n, n_obj=1, xl=0, xu=n - 1, vtype=int)
    rows = []
    for crossover in (OrderCrossover(prob=1.0), EdgeRecombinationCrossover(prob=1.0)):
        some = np.array(tours[: 2 * PEER_PAIRS], dtype=np.int64)
        population = Population.new(X=some)
        mates = np.arange(2 * PEER_PAIRS).reshape(PEER_PAIRS, 2)

        def call(
            crossover: Any = crossover, population: Any = population, mates: Any = mates
        ) -> Any:
            state = np.random.default_rng(1)
            return crossover.do(problem, population, mates, random_state=state)

        children = len(call())
        seconds = common.median(common.seconds_of(call, 1))
        whole = 1e3 * seconds / children * pairs
        name = f"pymoo {type(crossover).__name__}"
        rows.append({"who": name, "array_ms": whole, "numpy_ms": whole})
    return rows


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw the milliseconds of every crossover, on a logarithmic axis."""
    (backend,) = (name for name in ("cuda", "cpu") if name in record)
    rows = [row for row in record[backend]["rows"] if row["parents"] == "optima"]
    with common.Figure(out, f"crossovers_{backend}") as (axes,):
        axes.barh([row["who"] for row in rows], [row["array_ms"] for row in rows])
        axes.set(xscale="log", xlabel="milliseconds for 1,000 children of local optima")
        axes.set_title(f"{record[backend]['cities']:,} cities, {backend}")


if __name__ == "__main__":
    given = common.arguments(
        __doc__,
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu", "help": "backend"}),
        ("--pairs", {"type": int, "default": 1000}),
        ("--cities", {"type": int, "default": 1000}),
        ("--only", {"nargs": "+", "default": [""], "help": "beginnings of names"}),
    )
    common.finish(given, f"crossovers_{given.backend}", measure, draw, __doc__ or "")
