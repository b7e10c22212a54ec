"""An experiment, and a process that kills itself in the middle of it.

``python -m tests.helpers.killed_experiment FOLDER run|file`` kills itself during a run, or while it
writes the file of a run.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.problems.single.traveling_salesman import create_random_tsp_problem

import gpu_ls_plugin as gls
from gpu_ls_pymoo import Experiment, LocalSearchMutation, MemeticGA, TSPProblem
from gpu_ls_pymoo import experiment as experiments
from tests.evolution.samples import cities

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = 5
ENDS_AT = 22  # the run of 45 at which the process ends


def experiment(folder: Path | str, **changes: Any) -> Experiment:
    """Three algorithms on three instances with five seeds."""
    usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
    arguments = {
        "algorithms": {
            "GA": GA(pop_size=8, mutation=InversionMutation(), **usual),
            "GA, searched": GA(pop_size=8, mutation=LocalSearchMutation(backend="cpu"), **usual),
            "MemeticGA": lambda: MemeticGA(pop_size=8, backend="cpu"),
        },
        "problems": {
            "pymoo's": create_random_tsp_problem(15, 100, seed=1),
            "wrapped": TSPProblem(gls.TSP(cities(20), "EUC_2D")),
            "bare": gls.TSP(cities(25), "EUC_2D"),
        },
        "seeds": SEEDS,
        "termination": ("n_gen", 3),
        "folder": folder,
    }
    return Experiment(**arguments | changes)


def die() -> None:
    """Kill this process."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, where: str) -> None:
    """Begin the experiment and die in the middle of it."""
    run_all, rename, count = experiments.run_all, os.replace, 0

    def counting(plan: Any, place: Any, about: Any, perform: Any, display: Any) -> Any:
        def counted(run: Any, curve: Any) -> Any:
            nonlocal count
            count += 1
            if count == ENDS_AT and where == "run":
                curve.watch = lambda point: die()
            return perform(run, curve)

        return run_all(plan, place, about, counted, display)

    def renaming(source: Any, target: Any) -> None:
        if count == ENDS_AT and where == "file":
            die()
        rename(source, target)

    experiments.run_all, os.replace = counting, renaming
    experiment(folder).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
