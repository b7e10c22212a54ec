"""Fronts of two instances' coordinates at once: MemeticNSGA2 beside pymoo's NSGA2.

The objectives are the lengths of a tour by the coordinates of kroA100 and of kroB100, whose exact
front has 3,332 points (Florios and Mavrotas 2014). Hypervolumes have three reference points:
`nadir` is 1.1 in objectives of which 0 is the ideal and 1 the nadir point of all our fronts
together, slightly worse than the nadir as is usual (Ishibuchi, Imada, Setoguchi and Nojima 2018);
`random` the mean costs of 1,000 random tours; `half` one half of these. Volumes are parts of the
rectangle between the ideal and the reference point. The row `ideal point` is no front but a bound:
the volume of a tour that were the best in both objectives. A long run says how good fronts can be;
`share` is a hypervolume by that of the best front of a long run (of any of ours where there is
none). Seconds are limits given to `minimize`; kernels are compiled before. pymoo's NSGA2 has its
own operators for permutations, order crossover and inversion.
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
RANDOM = {"random": 1.0, "half": 0.5}  # of the mean costs of random tours
BEYOND = 1.1  # the nadir point is 1
REFERENCES = ("nadir", *RANDOM)
PLAIN_POP = 100
DRAWN = 400  # points of a front that are stored
LIMITS = ("who", "limit", "seconds", "points")
COLUMNS = (*LIMITS, *(f"{what}_{name}" for name in REFERENCES for what in ("hv", "by_peer")))
OURS, LONG, PEER, IDEAL = "MemeticNSGA2", "MemeticNSGA2, long", "pymoo NSGA2", "ideal point"


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run both algorithms with every seed, and ours for long."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.evolution.fronts.front import non_dominated
    from gpu_ls_pymoo import MultiObjectiveTSP

    folder = common.require_instances()
    parts = [gls.TSP.read(folder / f"{name}.tsp") for name in INSTANCES]
    problem = MultiObjectiveTSP(parts)
    random = problem.tours.cost(gls.random_tours(parts[0], 1000, seed=0, backend="cpu"))
    limits = ((OURS, options.seconds), (PEER, options.peer_seconds))
    runs = [(who, limit, seed) for who, limit in limits for seed in range(1, options.seeds + 1)]
    runs += [(LONG, options.long, seed) for seed in range(1, options.long_runs + 1)]
    rows: list[dict[str, Any]] = []
    fronts = []
    for who, limit, seed in runs:
        if limit <= 0:
            continue
        costs, seconds = _front(problem, who, limit, seed, options)
        row: dict[str, Any] = {"who": who, "limit": limit, "seed": seed, "seconds": seconds}
        print({**row, "points": len(costs)}, flush=True)
        rows.append(row | {"points": len(costs), "front": _some(costs)})
        fronts.append(costs)
    ours = np.concatenate([f for row, f in zip(rows, fronts, strict=True) if row["who"] != PEER])
    ideal, nadir = ours.min(axis=0), ours[non_dominated(ours)].max(axis=0)
    references = {"nadir": ideal + BEYOND * (nadir - ideal)}
    references |= {name: random.mean(axis=0) * part for name, part in RANDOM.items()}
    rows.append({"who": IDEAL, "limit": 0, "seconds": 0, "points": 1, "front": [ideal.tolist()]})
    for row, costs in zip(rows, [*fronts, ideal[None]], strict=True):
        row |= {f"hv_{name}": _volume(costs, ideal, at) for name, at in references.items()}
    table = _summary(rows)
    common.show(f"{' and '.join(INSTANCES)}, {options.backend}", COLUMNS, _cells(table))
    points = {name: point.tolist() for name, point in references.items()}
    exact = {"exact_points": EXACT_POINTS, "references": points}
    exact |= {"ideal": ideal.tolist(), "nadir": nadir.tolist()}
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


def _volume(costs: Any, ideal: Any, reference: Any) -> float:
    """Return pymoo's hypervolume, by that of the rectangle from the ideal to a reference point."""
    from pymoo.indicators.hv import HV

    return float(HV(ref_point=np.ones(2))((costs - ideal) / (reference - ideal)))


def _some(costs: Any) -> list[list[int]]:
    """Return a front thinned out, for pictures."""
    chosen = np.unique(np.linspace(0, len(costs) - 1, DRAWN).astype(int))
    some: list[list[int]] = costs[chosen].astype(int).tolist()
    return some


def _summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return medians over seeds, and hypervolumes by that of the best front."""
    whos = dict.fromkeys(row["who"] for row in rows)
    best_of = [row for row in rows if row["who"] == LONG]
    best_of = best_of or [row for row in rows if row["who"] == OURS]
    peers = [row for row in rows if row["who"] == PEER]
    table = []
    for who in whos:
        own = [row for row in rows if row["who"] == who]
        line = {"who": who, "limit": own[0]["limit"]}
        for column in ("seconds", "points", *(f"hv_{name}" for name in REFERENCES)):
            line[column] = common.median([row[column] for row in own])
        for name in REFERENCES:
            volume, best = line[f"hv_{name}"], max(row[f"hv_{name}"] for row in best_of)
            line[f"share_{name}"] = volume / best
            peer = common.median([row[f"hv_{name}"] for row in peers]) if peers else 0.0
            line[f"by_peer_{name}"] = volume / peer if peer else None
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
            if who == IDEAL:
                continue
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
