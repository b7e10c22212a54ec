"""pymoo's GA with its usual mutation and with local search, and `MemeticGA`.

All three run for the same time on a TSPLIB instance, by default the capitals of Europe. The script
prints a table of lengths; with `--plot`, it also draws tours and the lengths over time.

    python examples/memetic_ga.py --instance FILE --seconds 10 --pop 100 --seed 1 --plot out.png
"""

import argparse
import time
from pathlib import Path

from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls
from gpu_ls_pymoo import LocalSearchMutation, MemeticGA, TSPProblem

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


def run(problem, algorithm, seconds, seed):
    """Return pymoo's result, and the seconds and the best length of each generation."""
    curve = []

    def note(running):
        curve.append((time.time() - running.start_time, running.opt.get("F")[0, 0]))

    end = ("time", seconds)
    return minimize(TSPProblem(problem), algorithm, end, seed=seed, callback=note), curve


def table_of(problem, runs, seconds):
    """Return a table of lengths, their gaps to the optimum or the best run, and evaluations."""
    best = problem.optimum or min(result.F[0] for result, _ in runs.values())
    above = "above optimum" if problem.optimum else "above best"
    table = Table(title=f"{problem.name}: {problem.n} cities, {seconds:g} s each")
    table.add_column("algorithm", no_wrap=True)
    for column in ("start", "length", above, "n_gen", "n_eval"):
        table.add_column(column, justify="right")
    for name, (result, curve) in runs.items():
        length, evaluations = result.F[0], result.algorithm.evaluator.n_eval
        lengths = f"{curve[0][1]:.10g}", f"{length:.10g}", f"{100 * (length / best - 1):.2f} %"
        table.add_row(name, *lengths, str(len(curve)), str(evaluations))
    return table


def draw(problem, runs, path):
    """Draw the tours of the first and the last run, and the lengths of all over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 5), layout="constrained")
    *maps, lengths = figure.subplots(1, 3)
    for axes, name in zip(maps, (next(iter(runs)), next(reversed(runs))), strict=True):
        tour, length = runs[name][0].X, runs[name][0].F[0]
        axes.set_title(f"{name}: {length:.10g}")
        axes.set_axis_off()
        if problem.coordinates is not None:
            geographic = problem.metric.name == "GEO"  # (latitude, longitude): north is up
            points = problem.coordinates[:, ::-1] if geographic else problem.coordinates
            axes.set_aspect("auto" if geographic else "equal")
            axes.plot(*points[[*tour, tour[0]]].T, color="tab:blue", linewidth=1)
            axes.scatter(*points.T, color="tab:red", s=min(16, 800 / problem.n), zorder=2)
    for name, (_, curve) in runs.items():
        lengths.step(*zip(*curve, strict=True), where="post", label=name)
    lengths.set(xlabel="seconds", ylabel="best length", yscale="log", title=problem.name)
    lengths.grid(visible=True, which="both", alpha=0.3)
    lengths.legend()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instance", type=Path, default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--optimum", type=float, help="optimal length of the instance, if known")
    parser.add_argument("--seconds", type=float, default=3.0, help="time of each run")
    parser.add_argument("--pop", type=int, default=100, help="population size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="image file for tours and curves")
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance, optimum=options.optimum)
    usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
    algorithms = {
        "GA, InversionMutation": GA(options.pop, mutation=InversionMutation(), **usual),
        "GA, LocalSearchMutation": GA(options.pop, mutation=LocalSearchMutation(), **usual),
        "MemeticGA": MemeticGA(pop_size=options.pop),
    }
    runs, console = {}, Console()
    for name, algorithm in algorithms.items():
        with console.status(f"{name} on {problem.name} for {options.seconds:g} s"):
            runs[name] = run(problem, algorithm, options.seconds, options.seed)
    console.print(table_of(problem, runs, options.seconds))
    if options.plot:
        draw(problem, runs, options.plot)
        console.print(f"Tours and curves: {options.plot}")
