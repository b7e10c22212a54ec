"""A genetic algorithm in pymoo with its usual operators beside MemeticGA: rat783, population 100.

Both run in this process, one after the other, from the same seed; time is pymoo's own `("time",
seconds)` termination and the curves hold the best tour after each generation. On a machine without
a GPU both get the same time. Gap is the length over the optimal length less one, in percent. The
same GA with `LocalSearchMutation()` in place of inversion, and nothing else, runs for 5 s with
several seeds: its bar is a median of 0.5 %.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

BARS = {"cpu": {"seconds": 10, "gap": 4.5, "gain": 0.5}, "cuda": {"seconds": 2, "gap": 4.0}}
PLAIN = "GA, order crossover and inversion"
MEMETIC = "MemeticGA"
SEARCHED, SEARCHED_SECONDS, SEARCHED_BAR = "GA, LocalSearchMutation", 5.0, 0.5


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run the algorithms and collect their curves."""
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.mutation.inversion import InversionMutation
    from pymoo.operators.sampling.rnd import PermutationRandomSampling

    import gpu_ls_plugin as gls
    from gpu_ls_pymoo import LocalSearchMutation, MemeticGA, TSPProblem

    path = common.require_instances() / f"{options.instance}.tsp"
    optimum = common.optima()[options.instance]
    problem = TSPProblem(gls.TSP.read(path))
    backend = options.backend
    if backend == "auto":
        backend = "cuda" if common.has_gpu() else "cpu"

    def plain(mutation: Any) -> Any:
        usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
        return GA(pop_size=options.population, mutation=mutation, **usual)

    memetic = MemeticGA(pop_size=options.population, backend=backend)
    seconds = BARS[backend]["seconds"] if options.seconds is None else options.seconds
    inversion, searched = plain(InversionMutation()), plain(LocalSearchMutation(backend=backend))
    tried = [(PLAIN, inversion, options.plain_seconds, options.seed)]
    tried += [(f"{MEMETIC}, {backend}", memetic, seconds, options.seed)]
    seeds = range(1, options.searched_seeds + 1)
    tried += [(f"{SEARCHED}, {backend}", searched, SEARCHED_SECONDS, seed) for seed in seeds]
    runs = [
        run(name, algorithm, problem, limit, seed, optimum)
        for name, algorithm, limit, seed in tried
        if limit > 0
    ]
    columns = ("algorithm", "seconds", "generations", "start_gap", "gap")
    common.show(
        f"{options.instance}, population {options.population}",
        ["algorithm", "seconds", "generations", "start best %", "best %", "gain"],
        [[*(r[k] for k in columns), r["start_gap"] - r["gap"]] for r in runs],
    )
    return {
        "instance": options.instance,
        "population": options.population,
        "seed": options.seed,
        "runs": runs,
        "bars": BARS[backend],
        "searched": {
            "backend": backend,
            "bar": SEARCHED_BAR,
            "gaps": [row["gap"] for row in runs if row["algorithm"].startswith(SEARCHED)],
        },
    }


def run(
    name: str, algorithm: Any, problem: Any, seconds: float, seed: int, optimum: int
) -> dict[str, Any]:
    """Run one algorithm for a time and record its best tour by generation."""
    from pymoo.core.callback import Callback
    from pymoo.optimize import minimize

    class Curve(Callback):
        def __init__(self) -> None:
            super().__init__()
            self.begin = time.perf_counter()
            self.points: list[tuple[float, float]] = []

        def notify(self, algorithm: Any) -> None:
            best = float(algorithm.pop.get("F").min())
            self.points.append((time.perf_counter() - self.begin, 100 * (best / optimum - 1)))

    # The first search of a kind compiles, which is not timed.
    minimize(problem, algorithm, ("n_gen", 2), seed=seed)
    curve = Curve()
    begin = time.perf_counter()
    result = minimize(problem, algorithm, ("time", seconds), seed=seed, callback=curve)
    return {
        "algorithm": name,
        "limit": seconds,
        "seconds": time.perf_counter() - begin,
        "generations": len(result.algorithm.callback.points),
        "evaluations": result.algorithm.evaluator.n_eval,
        "start_gap": result.algorithm.callback.points[0][1],
        "gap": 100 * (float(result.F[0]) / optimum - 1),
        "curve": result.algorithm.callback.points,
    }


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw gap against time on logarithmic axes."""
    with common.Figure(out, "pymoo") as (axes,):
        for r in record["runs"]:
            times, gaps = zip(*r["curve"], strict=True)
            label = f"{r['algorithm']}: {r['gap']:.3g} %"
            axes.plot([*times, r["seconds"]], [*gaps, r["gap"]], label=label)
        axes.axhline(record["bars"]["gap"], color="gray", linestyle=":")
        axes.set(xlabel="seconds", ylabel="gap in percent", xscale="log", yscale="log")
        axes.set_title(f"{record['instance']}, population {record['population']}")
        axes.legend()


if __name__ == "__main__":
    common.main(
        *(__doc__, "pymoo", measure, draw),
        ("--instance", {"default": "rat783"}),
        ("--population", {"type": int, "default": 100}),
        ("--seconds", {"type": float, "help": "for MemeticGA: 10 on a CPU, 2 on a GPU"}),
        ("--plain-seconds", {"type": float, "default": 10.0}),
        ("--seed", {"type": int, "default": 1}),
        ("--searched-seeds", {"type": int, "default": 5, "help": "of the GA that searches"}),
        ("--backend", {"default": "auto", "help": "auto, cpu or cuda"}),
    )
