"""PyGAD and DEAP on rat783, population 100, before and after one changed line.

The programs are those of the examples pygad_tsp.py and deap_tsp.py: with order crossover and
inversion; with LocalSearchMutation in place of the inversion; and with whole batches in DEAP or a
crossover of segments in PyGAD. All run in this process one after the other, from random tours, with
the same seed and seconds; kernels are compiled before. Gap is the length of the best tour over the
optimal length less one, in percent, after each generation.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

BAR = 1.0  # percent, after the changed line
NAME = "frameworks_cpu"


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Run all programs and collect their curves."""
    import gpu_ls_plugin as gls

    path = common.require_instances() / f"{options.instance}.tsp"
    problem = gls.TSP.read(path, optimum=common.optima()[options.instance])
    runs = [
        {
            "framework": framework,
            "operators": name,
            "generations": len(curve) - 1,  # the first is the start
            "seconds": curve[-1][0],
            "start_gap": gap(problem, curve[0][1]),
            "gap": gap(problem, min(length for _, length in curve)),
            "curve": [(seconds, gap(problem, length)) for seconds, length in curve],
        }
        for framework, program in (("PyGAD", pygad_runs), ("DEAP", deap_runs))
        for name, curve in program(problem, options)
    ]
    columns = ("framework", "operators", "generations", "seconds", "start_gap", "gap")
    common.show(
        f"{options.instance}, population {options.population}, {options.seconds:g} s each",
        ["framework", "operators", "generations", "seconds", "start best %", "best %"],
        [[r[column] for column in columns] for r in runs],
    )
    return {
        "instance": options.instance,
        "population": options.population,
        "seed": options.seed,
        "limit": options.seconds,
        "runs": runs,
        "bar": BAR,
    }


def gap(problem: Any, length: float) -> float:
    """Return the gap of a length to the optimum in percent."""
    return 100 * (length / problem.optimum - 1)


def pygad_runs(problem: Any, options: argparse.Namespace) -> Any:
    """Yield the name and the curve of each program in PyGAD."""
    from benchmarks.peers import pygad_runs as pygad

    for name, operators in pygad.contestants(problem).items():
        _, curve = pygad.run(problem, operators, options.seconds, options.population, options.seed)
        yield name, curve


def deap_runs(problem: Any, options: argparse.Namespace) -> Any:
    """Yield the name and the curve of each program in DEAP."""
    from benchmarks.peers import deap_runs as deap
    from gpu_ls_deap import TimedRun

    clock = TimedRun(options.seconds)
    for name, (toolbox, vary) in deap.contestants(problem, clock).items():
        _, curve = deap.run(toolbox, vary, problem.n, clock, options.population, options.seed)
        yield name, curve


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw gap against time on logarithmic axes, one picture for each framework."""
    with common.Figure(out, NAME, columns=2) as axes:
        for ax, framework in zip(axes, ("PyGAD", "DEAP"), strict=True):
            for r in (r for r in record["runs"] if r["framework"] == framework):
                times, gaps = zip(*r["curve"], strict=True)
                ax.step(times, gaps, where="post", label=f"{r['operators']}: {r['gap']:.3g} %")
            ax.axhline(record["bar"], color="gray", linestyle=":")
            ax.set(xlabel="seconds", ylabel="gap in percent", xscale="log", yscale="log")
            ax.set_title(f"{framework}, {record['instance']}, population {record['population']}")
            ax.legend(loc="lower left")


if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, draw),
        ("--instance", {"default": "rat783"}),
        ("--population", {"type": int, "default": 100}),
        ("--seconds", {"type": float, "default": 10.0, "help": "of each of the six runs"}),
        ("--seed", {"type": int, "default": 1}),
    )
