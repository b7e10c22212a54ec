"""Experiments: runs of pymoo algorithms on all problems with all seeds."""

from __future__ import annotations

import copy
import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.algorithm import Algorithm
from pymoo.core.callback import Callback
from pymoo.core.problem import Problem
from pymoo.core.termination import Termination
from pymoo.optimize import minimize
from pymoo.termination import get_termination
from pymoo.termination.max_eval import MaximumFunctionCallTermination
from pymoo.termination.max_gen import MaximumGenerationTermination
from pymoo.termination.max_time import TimeBasedTermination

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import GpuLsError, InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.experiments.description import brief, describe
from gpu_ls_plugin.experiments.display import ExperimentDisplay
from gpu_ls_plugin.experiments.machine import machine
from gpu_ls_plugin.experiments.plan import Plan, named, seeds_of
from gpu_ls_plugin.experiments.results import Results
from gpu_ls_plugin.experiments.runner import About, run_all
from gpu_ls_pymoo.problems import view_of, wrapper_of
from gpu_ls_pymoo.search import STATISTICS
from gpu_ls_pymoo.used_parts import used_parts

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from gpu_ls_plugin.experiments.plan import Run
    from gpu_ls_plugin.experiments.records import Costs
    from gpu_ls_plugin.experiments.runner import Curve

CURVES = "curves.csv"
PACKAGES = ("pymoo", "cupy-cuda12x", "cupy-cuda13x")


class Experiment(ShownParameters):
    """Runs of all algorithms on all problems with all seeds, saved in a folder.

    The file of each run is written atomically when the run ends. If an experiment was interrupted,
    killed or extended, another call of `run` makes the missing runs. If a file is damaged, `run`
    warns and repeats the run. If the termination does not depend on time, the results are the same
    as without an interruption.

    Parameters
    ----------
    algorithms : mapping or iterable
        pymoo algorithms by name, or callables that return one. In an iterable, each algorithm
        is named after its class. Each run copies the algorithm, or calls the callable for a new
        one.
    problems : mapping or iterable
        Problems of pymoo or of gpu_ls_plugin by name. In an iterable, each problem provides its
        name.
    seeds : int or iterable of int
        The seeds, or a number n for the seeds 1 to n.
    termination : tuple or pymoo termination
        When each run ends: ``("time", 5)``, ``("n_gen", 50)``, ...
    folder : path
        Folder of the results, created if it does not exist. `run` writes ``runs/*.json``, a file
        for each run, ``plan.json`` and ``curves.csv``.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is empty or of the wrong kind; the message names it.
    """

    def __init__(
        self,
        algorithms: Mapping[str, Algorithm | Callable[[], Algorithm]] | Iterable[Algorithm],
        problems: Mapping[str, Any] | Iterable[Any],
        seeds: int | Iterable[int],
        termination: Any,
        folder: str | os.PathLike[str] = "experiment",
    ) -> None:
        self.algorithms = named("algorithms", algorithms, lambda made: type(made).__name__)
        problems = named("problems", problems, lambda problem: _problem(problem).name())
        self.problems = {name: _problem(problem) for name, problem in problems.items()}
        self.termination = _termination(termination)
        self.folder = Path(folder)
        fresh = {name: _fresh(name, made) for name, made in self.algorithms.items()}
        until = f"until {brief(self.termination)}"
        self.plan = Plan(
            {name: describe(algorithm) for name, algorithm in fresh.items()},
            {name: describe(problem) for name, problem in self.problems.items()},
            seeds_of(seeds),
            describe(self.termination),
            {name: f"{brief(algorithm)} {until}" for name, algorithm in fresh.items()},
        )

    def run(self, *, progress: bool = True) -> Results:
        """Make the missing runs, and return the results of all runs.

        After Ctrl-C the results contain the finished runs, and `missing` names the other runs,
        which another call makes. If a run raises an error, the error is recorded, and another call
        repeats the run.

        Parameters
        ----------
        progress : bool
            Whether to show the current run on stderr.

        Raises
        ------
        InvalidParameterError
            The folder has a run with the same names and seed, but other settings.
        OSError
            A file cannot be written.
        KeyboardInterrupt
            Ctrl-C was pressed before any run ended.
        """
        display = ExperimentDisplay(None if progress else _silent())
        records = run_all(self.plan, self.folder, self._about(), self._perform, display)
        results = Results(records, (run.key for run in self.plan.runs()))
        results.save_csv(self.folder / CURVES)
        return results

    def results(self) -> Results:
        """Return the results of the finished runs.

        Raises
        ------
        InvalidParameterError
            No run has finished, or the folder has a run with other settings.
        """
        records = [*map(self._about().updated, self.plan.stored(self.folder).values())]
        if not records:
            raise InvalidParameterError(f"folder: {self.folder} holds none of these runs yet")
        return Results(records, (run.key for run in self.plan.runs()))

    def _about(self) -> About:
        return About(
            {name: int(problem.n_obj) for name, problem in self.problems.items()},
            {name: _optimum(problem) for name, problem in self.problems.items()},
            machine(*PACKAGES),
            {name: _text(problem) for name, problem in self.problems.items()},
            _until(self.termination),
        )

    def _perform(self, run: Run, curve: Curve) -> list[list[Any]]:
        algorithm = _fresh(run.algorithm, self.algorithms[run.algorithm])
        problem = self.problems[run.problem]
        algorithm.callback = _Trace(curve, algorithm.callback)
        result = minimize(
            problem,
            algorithm,
            self.termination,
            copy_algorithm=False,
            seed=run.seed,
        )
        costs = _costs(problem, result.opt)
        curve.end(algorithm.evaluator.n_eval, algorithm.n_iter - 1, costs)
        curve.used = used_parts(algorithm)
        if (counted := algorithm.data.get(STATISTICS)) is not None:
            curve.counts = {"kicks": counted.kicks, "moves": counted.moves}
        return [] if result.X is None else np.atleast_2d(result.X).tolist()


class _Trace(Callback):
    """Records the state of an algorithm in each generation, then calls the user's callback."""

    def __init__(self, curve: Curve, other: Any) -> None:
        super().__init__()
        self.curve, self.other = curve, other

    def __call__(self, algorithm: Any) -> None:
        costs = _costs(algorithm.problem, algorithm.opt)
        self.curve.note(algorithm.evaluator.n_eval, algorithm.n_iter, costs)
        self.other(algorithm)


def _costs(problem: Any, solutions: Any) -> Costs:
    """Return the finite objectives of feasible solutions, published; an empty list for None."""
    if solutions is None or not len(solutions):
        return []
    costs = solutions.get("F")
    costs = costs[solutions.get("FEAS")[:, 0] & np.isfinite(costs).all(axis=1)]
    kept: Costs = (costs if problem.n_obj > 1 else view_of(problem).published(costs)).tolist()
    return kept


def _fresh(name: str, made: Any) -> Any:
    """Return an algorithm that has not run yet."""
    algorithm = made
    if not isinstance(made, Algorithm) and callable(made):
        algorithm = made()
    if not isinstance(algorithm, Algorithm):
        raise InvalidTypeError(
            f"algorithms: {name!r} is {made!r}, neither a pymoo algorithm nor a function that "
            "returns one"
        )
    if algorithm.problem is not None:
        raise InvalidParameterError(
            f"algorithms: {name!r} was run before; pass a function that makes a new one"
        )
    return copy.deepcopy(algorithm) if algorithm is made else algorithm


def _problem(given: Any) -> Any:
    wrapper = wrapper_of(given)
    if wrapper is not None:
        return wrapper(given)
    return checks.instance(
        "problems", given, kind=Problem, wanted="problem of pymoo or of gpu_ls_plugin"
    )


def _termination(given: Any) -> Termination:
    if isinstance(given, Termination):
        return copy.deepcopy(given)
    if not isinstance(given, tuple):
        raise InvalidTypeError(
            f'termination: {given!r} is neither a tuple such as ("time", 5) nor a termination'
        )
    try:
        return get_termination(*given)
    except Exception as error:  # pymoo raises various errors for wrong names and values
        raise InvalidParameterError(f"termination: {given!r}: {error}") from error


def _until(termination: Termination) -> str:
    """Return when runs end, as a phrase."""
    match termination:
        case TimeBasedTermination():
            return f"after {termination.max_time:g} s"
        case MaximumGenerationTermination():
            return f"after {termination.n_max_gen} generations"
        case MaximumFunctionCallTermination():
            return f"after {termination.n_max_evals} evaluations"
    return f"by {brief(termination)}"


def _text(problem: Any) -> str:
    """Return the kind and the size of a problem."""
    known = None
    with suppress(GpuLsError):  # a subclass may evaluate something else
        known = view_of(problem).known_problem()
    return f"{type(problem).__name__}, {problem.n_var} variables" if known is None else f"{known}"


def _optimum(problem: Any) -> float | None:
    """Return the known, published optimum of a problem with one objective."""
    if problem.n_obj > 1:
        return None
    front, view = problem.pareto_front(), view_of(problem)
    best = view.least_cost() if front is None else float(front[0, 0])
    return float(view.published(best)) if best is not None and math.isfinite(best) else None


def _silent() -> Any:
    from rich.console import Console

    return Console(quiet=True)
