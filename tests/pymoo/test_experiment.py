"""Experiments with algorithms of pymoo: an interruption does not change their results."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.problem import Problem
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.crossover.ux import UX
from pymoo.operators.mutation.inversion import InversionMutation
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.multi import ZDT1
from pymoo.problems.single import Sphere
from pymoo.termination import get_termination

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_pymoo import (
    CVRPProblem,
    Experiment,
    LocalSearchMutation,
    LocalSearchOutput,
    MemeticGA,
    TSPProblem,
)
from tests.evolution.samples import cities
from tests.helpers.killed_experiment import ENDS_AT, SEEDS, experiment
from tests.helpers.routing import random_vrp
from tests.tours.problem.test_known_optima import burma14

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"algorithms": {"DE": DE(pop_size=8)}, "problems": [Sphere(2)]}
SMALL |= {"seeds": 2, "termination": ("n_gen", 4)}


def small(folder: Path, **changes: Any) -> Experiment:
    return Experiment(**SMALL | {"folder": folder} | changes)


def stored(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "runs").glob("*.json")}


def csv_without_times(folder: Path) -> list[list[str]]:
    lines = list(csv.reader((folder / "curves.csv").read_text(encoding="utf-8").splitlines()))
    column = lines[0].index("seconds")
    return [[*line[:column], *line[column + 1 :]] for line in lines]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an experiment that was not interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    experiment(folder).run(progress=False)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("where", ["run", "file"])
def test_an_experiment_that_is_killed_ends_with_the_same_table(where, whole, tmp_path):
    command = [sys.executable, "-m", "tests.helpers.killed_experiment", str(tmp_path), where]
    path = os.pathsep.join(map(str, (ROOT, ROOT / "adapters")))
    killed = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, timeout=300
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    kept = stored(tmp_path)
    assert len(kept) == ENDS_AT - 1

    results = experiment(tmp_path).run(progress=False)
    expected = experiment(whole).results()
    assert results.table() == expected.table() and len(results.table().rows) == 9
    assert all(row["runs"] == SEEDS and not row["failed"] for row in results.table().as_dicts())
    assert results.tests() == expected.tests() and results.missing == []
    assert csv_without_times(tmp_path) == csv_without_times(whole)
    after = stored(tmp_path)
    assert len(after) == 9 * SEEDS and kept.items() <= after.items()  # none was made twice


def test_a_run_has_the_result_of_minimize(whole):
    made = experiment(whole)
    record = made.results().runs_of("MemeticGA", "bare")[1]
    problem = made.problems["bare"]
    result = minimize(problem, made.algorithms["MemeticGA"](), ("n_gen", 3), seed=2)
    assert record.seed == 2 and record.costs == [result.F.tolist()]
    assert record.solutions == [result.X.tolist()]
    assert problem.tsp.cost(record.solutions[0])[0] == record.costs[0][0]
    end = record.curve[-1]
    assert (end.generation, end.evaluations) == (3, result.algorithm.evaluator.n_eval)
    best = [point.costs[0][0] for point in record.curve]
    assert best == sorted(best, reverse=True) and record.seconds > 0


def test_other_settings_in_the_same_folder_are_refused(whole):
    before = stored(whole)
    with pytest.raises(InvalidParameterError, match=r"termination: .*n_max_gen=3.* there.*=4"):
        experiment(whole, termination=("n_gen", 4)).run(progress=False)
    other = {"bare": gls.TSP(cities(26), "EUC_2D")}
    with pytest.raises(InvalidParameterError, match="another problem"):
        experiment(whole, problems=other).run(progress=False)
    with pytest.raises(InvalidParameterError, match="another algorithm"):
        experiment(whole, algorithms={"GA": GA(pop_size=9)}).results()
    assert stored(whole) == before


class Hopeless(Problem):
    """A problem without feasible solutions, or without finite costs."""

    def __init__(self, cost: float, excess: float) -> None:
        super().__init__(n_var=2, n_obj=1, n_ieq_constr=1, xl=0, xu=1)
        self.cost, self.excess = cost, excess

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"], out["G"] = np.full(len(x), self.cost), np.full(len(x), self.excess)


def test_runs_that_find_nothing_have_no_costs(tmp_path):
    problems = {"infeasible": Hopeless(1.0, 1.0), "infinite": Hopeless(np.inf, -1.0)}
    results = small(tmp_path, problems=problems).run(progress=False)
    assert results.missing == [] and not any(record.error for record in results.records)
    assert all(point.costs == [] for record in results.records for point in record.curve)
    assert set(results.gaps.values()) == {np.inf}
    assert "infeasible: nothing, since" in results.table().note


def test_problems_with_several_objectives_have_fronts(tmp_path):
    algorithms = {"20": NSGA2(pop_size=20), "40": NSGA2(pop_size=40)}
    results = small(tmp_path, algorithms=algorithms, problems=[ZDT1(n_var=4)]).run(progress=False)
    record = results.runs_of("20", "ZDT1")[0]
    result = minimize(ZDT1(n_var=4), NSGA2(pop_size=20), ("n_gen", 4), seed=1)
    assert record.costs == result.F.tolist() and record.objectives == 2
    assert [point.generation for point in record.curve] == [1, 2, 4, 4]
    assert all(0 <= gap < 100 for gap in results.gaps.values())


def test_costs_are_in_units_of_files(tmp_path, capsys):
    problem = random_vrp(9, optimum=100, name="tenths")
    results = small(tmp_path, algorithms=[MemeticGA(6)], problems=[problem], seeds=1).run()
    (record,) = results.records
    (row,) = record.solutions
    assert record.optimum == 100 and record.costs == [[problem.cost(row)[0] / 10]]
    assert f"best {record.costs[0][0]:,.2f}" in capsys.readouterr().err
    shows = MemeticGA(6, output=LocalSearchOutput())
    found = minimize(CVRPProblem(problem), shows, ("n_gen", 1), seed=1, verbose=True)
    best, shown = found.F[0], capsys.readouterr().out
    assert f" {best / 10:.10g} " in shown and f" {best / 10 - 100:.3f} " in shown


def test_lists_are_named_by_class_and_problem(tmp_path):
    made = small(tmp_path, algorithms=[DE(), GA()], problems=[Sphere(), gls.TSP(cities(5))])
    assert list(made.algorithms) == ["DE", "GA"] and next(iter(made.problems)) == "Sphere"
    named = gls.TSP(cities(5), name="five", optimum=3.0)
    made = small(
        tmp_path, problems=(problem for problem in [named, TSPProblem(gls.TSP(cities(6)))])
    )
    assert list(made.problems) == ["five", "TSPProblem"]


def test_records_have_the_optimum_and_the_machine(tmp_path):
    known, unknown = gls.TSP(cities(6), "EUC_2D", optimum=1), gls.TSP(cities(6), "EUC_2D")
    published = burma14()
    problems = {"known": known, "unknown": unknown, "plain": Sphere(2), "published": published}
    results = small(tmp_path, algorithms={"GA": lambda: GA(pop_size=4)}, problems=problems).run(
        progress=False
    )
    optima = {record.problem: record.optimum for record in results.records}
    assert optima == {"known": 1.0, "unknown": None, "plain": 0.0, "published": 3323.0}
    facts = dict(results.machines().rows)
    assert int(facts["cores"]) > 0 < int(facts["threads"]) and "-O3" in facts["compiler"]
    assert facts["memory"].endswith(" GiB")
    assert facts["pymoo"].startswith("0.6") and facts["gpu"]
    plan = json.loads((tmp_path / "plan.json").read_bytes())
    assert plan["problems"] == list(problems)


def test_records_have_a_short_text_about_settings(tmp_path):
    algorithms = {
        "GA": GA(pop_size=4, crossover=UX(prob=0.8), mutation=LocalSearchMutation(kicks=3)),
        "MemeticGA": MemeticGA(pop_size=4),
    }
    made = small(tmp_path, algorithms=algorithms, termination=("time", 2))
    until = "until TimeBasedTermination(max_time=2)"
    assert made.plan.summaries["MemeticGA"] == f"MemeticGA(pop_size=4, n_offsprings=4) {until}"
    text = made.plan.summaries["GA"]
    assert text.startswith("GA(pop_size=4, crossover=UX(prob=0.8), mutation=LocalSearchMutation(")
    assert "kicks=3" in text and text.endswith(f", n_offsprings=4) {until}") and len(text) < 250


def test_an_optimum_that_is_known_later_counts_for_stored_runs(tmp_path):
    algorithms = [MemeticGA(4, backend="cpu")]
    for optimum, gap in ((None, 0.0), (1.0, 100.0)):
        problems = {"p": gls.TSP(cities(8), "EUC_2D", optimum=optimum)}
        made = small(tmp_path, algorithms=algorithms, problems=problems, seeds=1)
        for results in (made.run(progress=False), made.results()):
            assert (results.gaps["MemeticGA", "p", 1] > gap) == (optimum is not None)
    assert len(stored(tmp_path)) == 1


class LongestEdge(TSPProblem):
    """A problem that evaluates something other than lengths."""

    def _evaluate(self, x: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        out["F"] = np.arange(float(len(x)))


def test_records_have_the_parts_that_were_used(tmp_path):
    tsp = gls.TSP(cities(12), "EUC_2D")
    usual = {"sampling": PermutationRandomSampling(), "crossover": OrderCrossover()}
    algorithms = {
        "plain": GA(pop_size=4, mutation=InversionMutation(), **usual),
        "kicked": GA(
            pop_size=4,
            mutation=LocalSearchMutation("iterated_local_search", kicks=3, backend="cpu"),
            **usual,
        ),
        "MemeticGA": MemeticGA(4, backend="cpu"),
        "searched": MemeticGA(4, crossover=gls.OrderRecombination(), moves=9, backend="cpu"),
        "restarted": MemeticGA(4, restarts=gls.evolution.convergence.Stagnation(5), backend="cpu"),
    }
    problems = {"tsp": tsp, "other": LongestEdge(tsp)}
    results = small(tmp_path, algorithms=algorithms, problems=problems, seeds=1).run(progress=False)
    texts = {record.key[:2]: record.description for record in results.records}
    used = {name: texts[name, "tsp"]["used"] for name in algorithms}
    assert used["plain"] == ""
    assert used["kicked"].startswith("LocalSearchMutation: IteratedLocalSearch(LinKernighan(")
    assert used["kicked"].endswith(", at most 3 kicks per row, on cpu")
    assert used["MemeticGA"].startswith("tours, 4 rows from ")
    assert "IteratedLocalSearch(LinKernighan" in used["MemeticGA"]
    assert used["MemeticGA"].endswith("; on cpu")
    assert "4 children; crossover: OrderRecombination(" in used["searched"]
    assert "at most 9 moves per row, on cpu; replacement: " in used["searched"]
    assert "; restarts: Stagnation(" in used["restarted"]
    assert texts["plain", "tsp"]["problem"] == f"{tsp}"
    assert texts["plain", "tsp"]["until"] == "after 4 generations"
    assert texts["plain", "other"]["problem"] == "LongestEdge, 12 variables"
    counts = {record.algorithm: record.counts for record in results.records[:5]}
    assert counts["plain"] == {} and counts["kicked"]["kicks"] > 0 < counts["MemeticGA"]["moves"]
    assert all(record.cpu_seconds > 0 for record in results.records)


@pytest.mark.parametrize(
    ("termination", "text"),
    [
        (("time", 2), "after 2 s"),
        (("n_eval", 30), "after 30 evaluations"),
        (("fmin", 0.5), "by MinimumFunctionValueTermination(fmin=0.5)"),
    ],
)
def test_terminations_are_phrases(termination, text, tmp_path):
    assert small(tmp_path, termination=termination)._about().until == text


def test_results_without_runs(tmp_path):
    with pytest.raises(InvalidParameterError, match="holds none of these runs"):
        small(tmp_path / "none").results()
    assert not list(tmp_path.iterdir())


begun = DE(pop_size=8).setup(Sphere(), get_termination("n_gen", 2))


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"algorithms": {}}, InvalidParameterError, "algorithms: it is empty"),
        ({"algorithms": DE()}, InvalidTypeError, "algorithms: .* neither a mapping nor a list"),
        ({"algorithms": {"a": 1}}, InvalidTypeError, "algorithms: 'a' is 1, neither a pymoo"),
        ({"algorithms": {"a": list}}, InvalidTypeError, "algorithms: 'a' is .* neither"),
        ({"algorithms": {1: DE()}}, InvalidTypeError, "algorithms"),
        ({"algorithms": [DE(), DE()]}, InvalidParameterError, "algorithms: 'DE' is the name of"),
        ({"algorithms": {"a": begun}}, InvalidParameterError, "algorithms: 'a' was run before"),
        ({"problems": []}, InvalidParameterError, "problems: it is empty"),
        ({"problems": Sphere()}, InvalidTypeError, "problems: .* neither a mapping nor a list"),
        ({"problems": ["a"]}, InvalidTypeError, "problems: .* of pymoo or of gpu_ls_plugin"),
        ({"problems": [Sphere(), Sphere()]}, InvalidParameterError, "problems: 'Sphere' is the"),
        ({"seeds": 0}, InvalidParameterError, "seeds"),
        ({"seeds": []}, InvalidParameterError, "seeds"),
        ({"seeds": [1, 1]}, InvalidParameterError, r"seeds: \[1, 1\]"),
        ({"seeds": [-1]}, InvalidParameterError, "seeds"),
        ({"seeds": "12"}, InvalidTypeError, "seeds"),
        ({"termination": "time"}, InvalidTypeError, "termination: 'time' is neither"),
        ({"termination": ("never", 1)}, InvalidParameterError, r"termination: \('never', 1\)"),
    ],
)
def test_wrong_parameters(changes, error, words, tmp_path):
    with pytest.raises(error, match=words):
        small(tmp_path, **changes)
