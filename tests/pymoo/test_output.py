"""The columns of a run, for all kinds of problems."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.brkga import BRKGA
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.callback import Callback
from pymoo.operators.crossover.ox import OrderCrossover
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize
from pymoo.problems.single.flowshop_scheduling import create_random_flowshop_problem
from pymoo.problems.single.traveling_salesman import TravelingSalesman

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.diversity import different, entropy
from gpu_ls_pymoo import (
    DoubleBridgeMutation,
    LocalSearchMutation,
    LocalSearchOutput,
    MemeticGA,
    RandomKeysProblem,
    TSPProblem,
    output,
)
from tests.evolution.samples import cities


class Populations(Callback):
    """Keeps each generation as it was when its line was written."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def notify(self, algorithm: Any) -> None:
        pop, search = algorithm.pop, algorithm.data.get("local_search")
        counts = (search.moves, search.climbs / search.seconds) if search else (0, None)
        self.seen.append((pop.get("X"), pop.get("F"), *counts))


def table(text: str) -> list[dict[str, str]]:
    names, _, *lines = [
        [cell.strip() for cell in line.split("|")] for line in text.splitlines()[1:]
    ]
    return [dict(zip(names, line, strict=True)) for line in lines]


def shown(problem: Any, algorithm: Any, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the lines of a run of three generations, its populations, and its result."""
    pops = Populations()
    result = minimize(problem, algorithm, ("n_gen", 3), seed=1, verbose=True, callback=pops)
    return table(capsys.readouterr().out), pops.seen, result


def test_the_columns_of_a_run(capsys):
    known = TSPProblem(gls.TSP(cities(60), "EUC_2D", optimum=4000))
    lines, _, _ = shown(known, MemeticGA(20), capsys)
    assert list(lines[0]) == [
        "n_gen", "n_eval", "best", "mean", "gap %", "distinct", "entropy", "moves", "moves/s",
        "tours/s", "search %",
    ]  # fmt: skip
    for number, line in enumerate(lines, start=1):
        assert (line["n_gen"], line["n_eval"]) == (str(number), str(20 * number))
        assert float(line["gap %"]) == pytest.approx(int(line["best"]) / 40 - 100, abs=1e-3)
        assert re.fullmatch(r"[\d.]+e\+\d+", line["moves/s"])


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("own", [True, False])
def test_columns_are_those_of_the_population(own, symmetric, capsys):
    matrix = np.random.default_rng(0).integers(1, 100, (40, 40))
    search = gls.LocalSearch([gls.OrOpt()])
    tsp = gls.TSP.from_matrix(matrix + matrix.T if symmetric else matrix)
    plain = GA(
        20,
        PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=LocalSearchMutation(search),
        output=LocalSearchOutput(),
    )
    algorithm = MemeticGA(20, search) if own else plain
    lines, pops, result = shown(TSPProblem(tsp), algorithm, capsys)
    for line, (tours, costs, moves, rate) in zip(lines, pops, strict=True):
        assert float(line["best"]) == costs.min()
        assert float(line["mean"]) == pytest.approx(costs.mean(), rel=1e-7)
        assert int(line["distinct"]) == different(tsp, tours)
        assert float(line["entropy"]) == pytest.approx(entropy(tsp, tours), abs=0.006)
        assert int(line["moves"]) == moves
        if rate is None:  # the start population of a plain GA is not searched
            assert (line["tours/s"], line["moves/s"], line["search %"]) == ("-", "-", "0.0")
        else:
            assert float(line["tours/s"]) == pytest.approx(rate, rel=0.06)
            assert 0 < float(line["search %"]) <= 100
    search_seconds = result.data["local_search"].seconds
    assert float(lines[-1]["search %"]) == pytest.approx(
        100 * search_seconds / result.exec_time, abs=15
    )


@pytest.mark.parametrize("share", [0, 1])
@pytest.mark.parametrize(
    "make",
    [
        lambda: DE(20, output=LocalSearchOutput()),
        lambda: BRKGA(6, 10, 4, output=LocalSearchOutput()),
    ],
)
def test_random_keys_are_tours(make, share, capsys):
    problem = RandomKeysProblem(gls.TSP(cities(40), optimum=4000), lamarckian_share=share)
    lines, _, result = shown(problem, make(), capsys)
    tours = problem.tours(result.pop)
    assert int(lines[-1]["distinct"]) == different(problem.inner.tsp, tours)
    assert float(lines[-1]["gap %"]) == pytest.approx(result.F[0] / 40 - 100, abs=1e-3)


def test_random_keys_of_a_flow_shop(capsys):
    problem = RandomKeysProblem(create_random_flowshop_problem(3, 8), local_search_probability=0)
    lines, _, _ = shown(problem, DE(20, output=LocalSearchOutput()), capsys)
    assert 1 <= int(lines[-1]["distinct"]) <= 20
    assert lines[-1]["tours/s"] == "-"


class Scaled(TravelingSalesman):
    def _evaluate(self, x: Any, out: Any, *args: Any, **kwargs: Any) -> None:
        out["F"] = 2 * self.get_route_length(x)


def test_other_permutations_have_no_entropy(capsys):
    problem = Scaled(cities(8))
    algorithm = GA(
        20,
        PermutationRandomSampling(),
        crossover=OrderCrossover(),
        mutation=DoubleBridgeMutation(),
        output=LocalSearchOutput(),
    )
    lines, pops, _ = shown(problem, algorithm, capsys)
    for line, (rows, *_) in zip(lines, pops, strict=True):
        assert int(line["distinct"]) == len(np.unique(rows, axis=0))
        assert line["entropy"] == "-"


def test_pymoos_problem(capsys):
    lines, _, result = shown(TravelingSalesman(cities(30)), MemeticGA(10), capsys)
    assert float(lines[-1]["best"]) == pytest.approx(result.F[0], rel=1e-9)
    assert "gap %" not in lines[0]


def test_nothing_is_computed_unless_it_is_shown(tsp, monkeypatch):
    monkeypatch.delattr(output, "entropy_of")
    minimize(TSPProblem(tsp), MemeticGA(10), ("n_gen", 2), seed=1)
