"""A comparison of a genetic algorithm with its usual mutation and with local search.

The script runs pymoo's GA with order crossover and inversion, the same GA with
`LocalSearchMutation` instead of the inversion, and `MemeticGA`, each for the same time on one
TSPLIB instance. It prints a table; with ``--plot``, it also draws tours and convergence curves.

    python examples/memetic_ga.py --instance FILE --seconds 10 --pop 100 --seed 1 --plot out.png
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.callback import Callback
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from rich.console import Console
from rich.table import Table

import gpu_ls_plugin as gls
from gpu_ls_pymoo import LocalSearchMutation, MemeticGA, TSPProblem

if TYPE_CHECKING:
    from numpy.typing import NDArray

CAPITALS = Path(__file__).parent / "data" / "europe_capitals.tsp"


class Curve(Callback):
    """Records the seconds since the start and the best length of each generation."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []
        self.best: list[float] = []

    def notify(self, algorithm: Any) -> None:
        """Record one generation."""
        self.seconds.append(time.time() - algorithm.start_time)
        self.best.append(float(algorithm.opt.get("F")[0, 0]))


@dataclass
class Run:
    """An algorithm and its result."""

    name: str
    algorithm: Any
    curve: Curve = field(default_factory=Curve)
    tour: NDArray[Any] | None = None
    length: float = float("inf")
    evaluations: int = 0

    def minimise(self, problem: TSPProblem, seconds: float, seed: int) -> None:
        """Run the algorithm for a number of seconds."""
        result = minimize(
            problem, self.algorithm, ("time", seconds), seed=seed, callback=self.curve
        )
        self.tour, self.length = result.X, float(result.F[0])
        self.evaluations = result.algorithm.evaluator.n_eval


def contestants(pop: int) -> list[Run]:
    """Return the three algorithms; the second differs from the first in one line."""
    usual = GA(
        pop_size=pop,
        sampling=PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=InversionMutation(),
    )
    searched = GA(
        pop_size=pop,
        sampling=PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=LocalSearchMutation(),
    )
    return [
        Run("GA, InversionMutation", usual),
        Run("GA, LocalSearchMutation", searched),
        Run("MemeticGA", MemeticGA(pop_size=pop)),
    ]


def table(runs: list[Run], problem: gls.TSP, seconds: float) -> Table:
    """Return a table of lengths, their gaps to the optimum or the best run, and evaluations."""
    reference = problem.optimum or min(run.length for run in runs)
    made = Table(title=f"{problem.name}: {problem.n} cities, {seconds:g} s each")
    made.add_column("algorithm", no_wrap=True)
    above = "above optimum" if problem.optimum else "above best"
    for column in ("start", "length", above, "n_gen", "n_eval"):
        made.add_column(column, justify="right")
    for run in runs:
        made.add_row(
            run.name,
            f"{run.curve.best[0]:.10g}",
            f"{run.length:.10g}",
            f"{100 * (run.length / reference - 1):.2f} %",
            str(len(run.curve.best)),
            str(run.evaluations),
        )
    return made


def draw(runs: list[Run], problem: gls.TSP, path: Path) -> None:
    """Draw the tours of the first and the last run, and all curves, into one image file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 5), layout="constrained")
    *maps, curves = figure.subplots(1, 3)
    for axes, run in zip(maps, (runs[0], runs[-1]), strict=True):
        axes.set_title(f"{run.name}: {run.length:.10g}")
        axes.set_axis_off()
        if problem.coordinates is not None:
            geographic = problem.metric.name == "GEO"  # (latitude, longitude): north is up
            points = problem.coordinates[:, ::-1] if geographic else problem.coordinates
            x, y = points[[*run.tour, run.tour[0]]].T
            axes.set_aspect("auto" if geographic else "equal")
            axes.plot(x, y, color="tab:blue", linewidth=1)
            axes.scatter(x, y, color="tab:red", s=min(16, 8000 / problem.n), zorder=2)
    for run in runs:
        curves.step(run.curve.seconds, run.curve.best, where="post", label=run.name)
    curves.set(xlabel="seconds", ylabel="best length", yscale="log", title=problem.name)
    curves.grid(visible=True, which="both", alpha=0.3)
    curves.legend()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instance", type=Path, default=CAPITALS, help="TSPLIB file")
    parser.add_argument("--optimum", type=float, help="optimal length of the instance, if known")
    parser.add_argument("--seconds", type=float, default=3.0, help="time of each run")
    parser.add_argument("--pop", type=int, default=100, help="population size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="image file for tours and curves")
    options = parser.parse_args()

    problem = gls.TSP.read(options.instance, optimum=options.optimum)
    console, runs = Console(), contestants(options.pop)
    for run in runs:
        with console.status(f"{run.name} on {problem.name} for {options.seconds:g} s"):
            run.minimise(TSPProblem(problem), options.seconds, options.seed)
    console.print(table(runs, problem, options.seconds))
    if options.plot:
        draw(runs, problem, options.plot)
        console.print(f"Tours and curves: {options.plot}")


if __name__ == "__main__":
    main()
