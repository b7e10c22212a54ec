"""Fronts of two instances' coordinates at once: MemeticNSGA2 beside pymoo's NSGA2.

The objectives are the lengths of a tour by the coordinates of kroA100 and of kroB100, whose exact
front has 3,332 points (Florios and Mavrotas 2014). Hypervolumes have two reference points: the mean
costs of 1,000 random tours, and half of these; in the former most of the volume is what every tour
that is no random one has. A long run says how good fronts can be; `share` is a hypervolume by that
of the best front of a long run (of any run where there is none). Seconds are limits given to
`minimize`; kernels are compiled before. pymoo's NSGA2 has its own operators for permutations, order
crossover and inversion.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

INSTANCES = ("kroA100", "kroB100")
EXACT_POINTS = 3332
REFERENCES = {"random": 1.0, "half": 0.5}  # of the mean costs of random tours
PLAIN_POP = 100
DRAWN = 400  # points of a front that are stored
LIMITS = ("who", "limit", "seconds", "points")
COLUMNS = (*LIMITS, "hv_random", "share_random", "hv_half", "share_half")
OURS, LONG, PEER = "MemeticNSGA2", "MemeticNSGA2, long", "pymoo NSGA2"


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run both algorithms with every seed, and ours for long."""
    import gpu_ls_plugin as gls
    from gpu_ls_pymoo import MultiObjectiveTSP

    folder = common.require_instances()
    parts = [gls.TSP.read(folder / f"{name}.tsp") for name in INSTANCES]
    problem = MultiObjectiveTSP(parts)
    random = problem.tours.cost(gls.random_tours(parts[0], 1000, seed=0, backend="cpu"))
    references = {name: random.mean(axis=0) * part for name, part in REFERENCES.items()}
    limits = ((OURS, options.seconds), (PEER, options.peer_seconds))
    runs = [(who, limit, seed) for who, limit in limits for seed in range(1, options.seeds + 1)]
    runs += [(LONG, options.long, seed) for seed in range(1, options.long_runs + 1)]
    rows: list[dict[str, Any]] = []
    for who, limit, seed in runs:
        if limit <= 0:
            continue
        costs, seconds = _front(problem, who, limit, seed, options)
        row: dict[str, Any] = {"who": who, "limit": limit, "seed": seed, "seconds": seconds}
        row |= {"points": len(costs), "front": _some(costs)}
        row |= {f"hv_{name}": _volume(costs, point) for name, point in references.items()}
        print({name: value for name, value in row.items() if name != "front"}, flush=True)
        rows.append(row)
    table = _summary(rows)
    common.show(f"{' and '.join(INSTANCES)}, {options.backend}", COLUMNS, _cells(table))
    points = {name: point.tolist() for name, point in references.items()}
    exact = {"exact_points": EXACT_POINTS, "references": points}
    return {options.backend: {**exact, "pop_size": options.pop_size, "table": table, "runs": rows}}


def _front(
    problem: Any, who: str, limit: float, seed: int, options: argparse.Namespace
) -> tuple[Any, float]:
    """Return the costs of a run's non-dominated tours, and its seconds."""
    import time

    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.mutation.inversion import InversionMutation
    from pymoo.operators.sampling.rnd import PermutationRandomSampling
    from pymoo.optimize import minimize

    from gpu_ls_plugin.evolution.fronts.front import non_dominated
    from gpu_ls_pymoo import MemeticNSGA2, ParetoLocalSearch

    if who == PEER:
        algorithm: Any = NSGA2(
            pop_size=PLAIN_POP,
            sampling=PermutationRandomSampling(),
            crossover=OrderCrossover(),
            mutation=InversionMutation(),
        )
    else:
        pareto = ParetoLocalSearch(options.explored, options.backend)

        def ours() -> Any:
            return MemeticNSGA2(options.pop_size, backend=options.backend, pareto=pareto)

        minimize(problem, ours(), ("n_gen", 2), seed=seed)  # compiles
        algorithm = ours()
    begun = time.perf_counter()
    found = minimize(problem, algorithm, ("time", limit), seed=seed)
    seconds = time.perf_counter() - begun
    return found.F[non_dominated(found.F)], seconds


def _volume(costs: Any, reference: Any) -> float:
    """Return pymoo's hypervolume, by that of the whole rectangle up to the reference point."""
    from pymoo.indicators.hv import HV

    return float(HV(ref_point=np.ones(2))(costs / reference))


def _some(costs: Any) -> list[list[int]]:
    """Return a front thinned out, for pictures."""
    chosen = np.unique(np.linspace(0, len(costs) - 1, DRAWN).astype(int))
    some: list[list[int]] = costs[chosen].astype(int).tolist()
    return some


def _summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return medians over seeds, and hypervolumes by that of the best front."""
    whos = dict.fromkeys(row["who"] for row in rows)
    best_of = [row for row in rows if row["who"] == LONG] or rows
    table = []
    for who in whos:
        own = [row for row in rows if row["who"] == who]
        line = {"who": who, "limit": own[0]["limit"]}
        for column in ("seconds", "points", "hv_random", "hv_half"):
            line[column] = common.median([row[column] for row in own])
        for name in REFERENCES:
            best = max(row[f"hv_{name}"] for row in best_of)
            line[f"share_{name}"] = line[f"hv_{name}"] / best
        table.append(line)
    return table


def _cells(table: list[dict[str, Any]]) -> list[list[Any]]:
    return [[line[column] for column in COLUMNS] for line in table]


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw one front of each algorithm."""
    (backend,) = (name for name in ("cuda", "cpu") if name in record)
    measured = record[backend]
    with common.Figure(out, f"multi_objective_{backend}") as (axes,):
        for who in dict.fromkeys(row["who"] for row in measured["runs"]):
            row = next(row for row in measured["runs"] if row["who"] == who)
            label = f"{who}, {row['limit']:g} s: {row['points']:,} tours"
            axes.plot(*np.array(row["front"]).T, ".", markersize=2, label=label)
        axes.set(xlabel=f"length in {INSTANCES[0]}", ylabel=f"length in {INSTANCES[1]}")
        axes.set_title(f"exact front: {measured['exact_points']:,} points; {backend}")
        axes.legend()


if __name__ == "__main__":
    given = common.arguments(
        __doc__,
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu", "help": "where it runs"}),
        ("--seconds", {"type": float, "default": 10.0, "help": "limit of MemeticNSGA2"}),
        ("--peer-seconds", {"type": float, "default": 60.0, "help": "limit of pymoo's NSGA2"}),
        ("--long", {"type": float, "default": 600.0, "help": "limit of long runs, 0: none"}),
        ("--long-runs", {"type": int, "default": 1, "help": "number of long runs"}),
        ("--seeds", {"type": int, "default": 5}),
        ("--pop-size", {"type": int, "default": 100}),
        (
            "--explored",
            {"type": int, "default": 64, "help": "tours a generation"},
        ),
    )
    common.finish(given, f"multi_objective_{given.backend}", measure, draw, __doc__ or "")
