"""Fronts of two instances' coordinates at once: MemeticNSGA2 beside pymoo's NSGA2.

The objectives are the lengths of a tour by the coordinates of kroA100 and of kroB100, whose exact
front has 3,332 points (Florios and Mavrotas 2014). Hypervolumes have three reference points:
`nadir` is 1.1, in objectives scaled so that 0 is the ideal point and 1 the nadir point of all our
fronts together, slightly worse than the nadir as is usual (Ishibuchi, Imada, Setoguchi and Nojima
2018); `random` has the mean costs of 1,000 random tours; `half` has one half of these. Volumes are
shares of the rectangle up to the reference point, from the ideal point for `nadir`, else from 0;
`by_peer` is computed by pymoo.

The row `ideal point` is no front but a bound: the volume of a tour that is best in both objectives.
A long run shows how good fronts can be; `share` is a hypervolume over that of the best front of a
long run (of any of ours if there is none). Seconds are limits given to `minimize`, 0 if stored rows
are reused; kernels are compiled before. pymoo's NSGA2 has its own operators for permutations, order
crossover and inversion.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common, summary

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
    from gpu_ls_plugin.tours.fronts.front import non_dominated
    from gpu_ls_pymoo import MultiObjectiveTSPProblem

    folder = common.require_instances()
    parts = [gls.TSP.read(folder / f"{name}.tsp") for name in INSTANCES]
    problem = MultiObjectiveTSPProblem(parts)
    random = problem.tours.cost(gls.random_tours(parts[0], 1000, seed=0, backend="cpu"))
    limits = ((OURS, options.seconds), (PEER, options.peer_seconds))
    runs = [(who, limit, seed) for who, limit in limits for seed in range(1, options.seeds + 1)]
    runs += [(LONG, options.long, seed) for seed in range(1, options.long_runs + 1)]
    rows = _kept(options, {who for who, limit, _ in runs if limit <= 0})
    fronts = [np.array(row["front"] if isinstance(row["front"], list) else []) for row in rows]
    for who, limit, seed in runs:
        if limit <= 0:
            continue
        costs, seconds = _front(problem, who, limit, seed, options)
        row: dict[str, Any] = {"who": who, "limit": limit, "seed": seed, "seconds": seconds}
        print({**row, "points": len(costs)}, flush=True)
        rows.append(row | {"points": len(costs), "front": _some(costs)})
        fronts.append(costs)
    ours = [f for row, f in zip(rows, fronts, strict=True) if row["who"] != PEER and len(f)]
    ours = np.concatenate(ours)
    ideal, nadir = ours.min(axis=0), ours[non_dominated(ours)].max(axis=0)
    references = {"nadir": ideal + BEYOND * (nadir - ideal)}
    references |= {name: random.mean(axis=0) * part for name, part in RANDOM.items()}
    rows.append({"who": IDEAL, "limit": 0, "seconds": 0, "points": 1, "front": [ideal.tolist()]})
    for row, costs in zip(rows, [*fronts, ideal[None]], strict=True):
        for name, at in references.items():
            if len(costs):  # a run without a stored front keeps its volumes
                origin = ideal if name == "nadir" else np.zeros(2)
                row[f"hv_{name}"] = _volume(costs, origin, at)
    table = _summary(rows)
    common.show(f"{' and '.join(INSTANCES)}, {options.backend}", COLUMNS, _cells(table))
    points = {name: point.tolist() for name, point in references.items()}
    exact = {"exact_points": EXACT_POINTS, "references": points}
    exact |= {"ideal": ideal.tolist(), "nadir": nadir.tolist()}
    return {options.backend: {**exact, "pop_size": options.pop_size, "table": table, "runs": rows}}


def _kept(options: argparse.Namespace, whos: set[str]) -> list[dict[str, Any]]:
    """Return the stored runs of some algorithms."""
    file = options.out / f"multi_objective_{options.backend}.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    runs = summary.rows(before.get(options.backend, {}).get("runs", []))
    return [row for row in runs if row["who"] in whos]


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

    from gpu_ls_plugin.tours.fronts.front import non_dominated
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


def _volume(costs: Any, origin: Any, reference: Any) -> float:
    """Return pymoo's hypervolume as a share of the rectangle from `origin` to `reference`."""
    from pymoo.indicators.hv import HV

    return float(HV(ref_point=np.ones(2))((costs - origin) / (reference - origin)))


def _some(costs: Any) -> list[list[int]]:
    """Return a front thinned out, for pictures."""
    chosen = np.unique(np.linspace(0, len(costs) - 1, DRAWN).astype(int))
    some: list[list[int]] = costs[chosen].astype(int).tolist()
    return some


def _summary(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return medians over seeds, and hypervolumes relative to the best front."""
    whos = dict.fromkeys(row["who"] for row in rows)
    best_of = [row for row in rows if row["who"] == LONG]
    best_of = best_of or [row for row in rows if row["who"] == OURS]
    peers = [row for row in rows if row["who"] == PEER]
    table = []
    for who in whos:
        own = [row for row in rows if row["who"] == who]
        line: dict[str, Any] = {"who": who, "limit": own[0]["limit"]}
        for column in ("seconds", "points", *(f"hv_{name}" for name in REFERENCES)):
            line[column] = _median(own, column)
        for name in REFERENCES:
            column, volume = f"hv_{name}", line[f"hv_{name}"]
            best = max(row.get(column, 0.0) for row in best_of)
            peer = _median(peers, column)
            line[f"share_{name}"] = volume / best if volume and best else None
            line[f"by_peer_{name}"] = volume / peer if volume and peer else None
        table.append(line)
    return table


def _median(rows: list[dict[str, Any]], column: str) -> float | None:
    """Return the median of a column if all rows have it."""
    known = [row[column] for row in rows if column in row]
    return common.median(known) if known and len(known) == len(rows) else None


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
            if not isinstance(
                row["front"], list
            ):  # reused from stored results, which have no front
                continue
            label = f"{who}, {row['limit']:g} s: {row['points']:,} tours"
            axes.plot(*np.array(row["front"]).T, ".", markersize=2, label=label)
        axes.set(xlabel=f"length in {INSTANCES[0]}", ylabel=f"length in {INSTANCES[1]}")
        axes.set_title(f"exact front: {measured['exact_points']:,} points; {backend}")
        axes.legend()


if __name__ == "__main__":
    given = common.arguments(
        __doc__,
        ("--backend", {"choices": ("cpu", "cuda"), "default": "cpu", "help": "backend"}),
        ("--seconds", {"type": float, "default": 10.0, "help": "limit of MemeticNSGA2"}),
        ("--peer-seconds", {"type": float, "default": 60.0, "help": "limit of pymoo's NSGA2"}),
        ("--long", {"type": float, "default": 600.0, "help": "limit of long runs; 0 for none"}),
        ("--long-runs", {"type": int, "default": 1, "help": "number of long runs"}),
        ("--seeds", {"type": int, "default": 5}),
        ("--pop-size", {"type": int, "default": 100}),
        ("--explored", {"type": int, "default": 256, "help": "tours a generation"}),
    )
    common.finish(given, f"multi_objective_{given.backend}", measure, draw, __doc__ or "")
