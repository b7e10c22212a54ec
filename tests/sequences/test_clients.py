"""Sequence problems in `solve`, on the command line, on islands and in experiments."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError, UnknownPartError
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.plugins.search_text import parse_search, text_of
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.sequences.domain import FEW_JOBS, usual_search
from gpu_ls_plugin.tours.engines.pivoting import Best
from tests.cli.test_cli import gpu_ls, gpu_ls_json
from tests.sequences.problem.functors import permutations

if TYPE_CHECKING:
    from pathlib import Path

TIMES = np.random.default_rng(1).integers(1, 100, (12, 3))
MATRIX = np.random.default_rng(2).integers(0, 100, (9, 9))
QUICK = ("--backend", "cpu", "--kicks", "5", "--population", "2")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.txt"
    path.write_text("12 3\n" + "".join(" ".join(map(str, row)) + "\n" for row in TIMES.T))
    return path


@pytest.fixture
def ordering(tmp_path: Path) -> Path:
    path = tmp_path / "ordering.mat"
    path.write_text("9\n" + "".join(" ".join(map(str, row)) + "\n" for row in MATRIX))
    return path


# ---- the command line


def test_a_flow_shop_is_solved_and_written(shop, tmp_path):
    pytest.importorskip("matplotlib")
    names = {"out": "best.txt", "plot": "gantt.png", "result": "all.json", "history": "a.csv"}
    paths = {name: tmp_path / file for name, file in names.items()}
    options = [word for name, path in paths.items() for word in (f"--{name}", path)]
    found = gpu_ls_json("solve", shop, *QUICK, "--seed", "3", *options)
    problem = gls.FlowShop.read(shop)
    row = problem.read_solution(paths["out"])
    assert row.tolist() == found["best_tour"]
    assert problem.cost(row).tolist() == [found["best_cost"]]
    assert (found["start"], found["stopped_by"], found["kicks"]) == ("neh", "kicks", 10)
    assert paths["plot"].read_bytes().startswith(b"\x89PNG")
    stored = Result.load(paths["result"], problem=problem)
    assert stored.costs.tolist() == problem.cost(stored.tours).tolist()
    again = gls.solve(problem, np.inf, seed=3, kicks=5, population=2, backend="cpu")
    assert again.tours.tolist() == stored.tours.tolist()


def test_lines_of_a_result(shop):
    done = gpu_ls("solve", shop, *QUICK, "--objective", "total_flowtime")
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert lines["problem"] == "shop, 12 items"
    assert lines["mean"].endswith("over 2 sequences")
    best = int(lines["best"].replace(",", ""))
    assert gls.FlowShop(TIMES, "total_flowtime").cost(permutations(200, 12)).min() >= best
    assert done.returncode == 0


def test_a_linear_ordering_ends_at_its_sum(ordering):
    best = -gls.solve(gls.LinearOrdering(MATRIX), np.inf, kicks=50, backend="cpu").best_cost
    options = ("--backend", "cpu", "--kicks", "1000", "--optimum", str(best))
    found = gpu_ls_json("solve", ordering, *options)
    assert (found["best_cost"], found["stopped_by"], found["gap_percent"]) == (-best, "target", 0)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--search", "two_opt"], "search: .* searches tours; sequences are searched by"),
        (["--search", "insertion+two_opt"], "moves: TwoOpt.* is not a move of sequences"),
        (
            ["--search", "insertion/nearest(5)"],
            "not moves of tours, so they take no other parameters",
        ),
        (["--start", "greedy"], "start: 'greedy' does not suit .* to start from neh"),
        (["--tour", "a.tour"], "tour: sequence problems have no tours; --out writes"),
        (["--kind", "lop"], "ends after|follows the last number"),
        (["--objective", "tardiness"], "invalid choice: 'tardiness'"),
        (["--population", "0"], "population"),
    ],
)
def test_bad_options_are_refused(options, reason, shop):
    done = gpu_ls("solve", shop, "--backend", "cpu", "--kicks", "1", *options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.search(reason, done.stderr, re.DOTALL | re.IGNORECASE), done.stderr


def test_orderings_are_not_drawn(ordering, tmp_path):
    done = gpu_ls("solve", ordering, *QUICK, "--plot", tmp_path / "a.png")
    assert (done.returncode, "has no schedule to draw" in done.stderr) == (2, True)


def test_parts_are_listed():
    listed = json.loads(gpu_ls("operators", "--json").stdout)
    names = {(row["kind"], row["name"]) for row in listed}
    moves = {("sequence_move", name) for name in ("insertion", "swap", "reversal")}
    others = {("sequence_kick", "destroy_repair"), ("search", "sequence_search")}
    assert names >= moves | others | {("construction", "neh")}


# ---- searches as text


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("insertion+swap", gls.LocalSearch([gls.Insertion(), gls.Swap()])),
        ("Insertion(3)/best", gls.LocalSearch([gls.Insertion(3)], pivoting=Best())),
        (
            "sequence_search([insertion(longest=2), reversal], destroy_repair(3), better)",
            gls.SequenceSearch(
                [gls.Insertion(2), gls.Reversal()], gls.DestroyRepair(3), gls.Better()
            ),
        ),
        (
            "iterated_local_search(swap)",
            gls.IteratedLocalSearch(gls.LocalSearch([gls.Swap()])),
        ),
    ],
)
def test_texts_describe_searches(text, search):
    assert parse_search(text) == search == parse_search(text_of(search))


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("insertio+swap", UnknownPartError, "did you mean 'insertion'"),
        ("insertion(0)", InvalidParameterError, "longest"),
        ("sequence_search([two_opt])", UnknownPartError, "no sequence_move is called 'two_opt'"),
        ("sequence_search(kick=double_bridge)", UnknownPartError, "no sequence_kick"),
        ("two_opt+swap", InvalidTypeError, "move of sequences"),
    ],
)
def test_wrong_texts_are_refused(text, error, reason):
    with pytest.raises(error, match=reason):
        parse_search(text)


# ---- solve and its plan


def test_solve_starts_from_given_rows():
    problem = gls.FlowShop(TIMES)
    rows = permutations(3, 12)
    found = gls.solve(problem, np.inf, kicks=0, seed=1, start=rows, backend="cpu")
    assert found.tours.shape == (3, 12)
    assert (found.costs < np.sort(problem.cost(rows))).all()  # the rows have descended
    assert found.statistics.kicks == 0


def test_descents_are_iterated():
    problem = gls.FlowShop(TIMES)
    found = gls.solve(problem, np.inf, kicks=5, search="swap", population=2, backend="cpu")
    assert (found.statistics.stopped_by, found.statistics.kicks) == ("kicks", 10)


def test_the_plan_says_what_solve_does():
    text = str(gls.plan(gls.FlowShop(TIMES, name="shop"), seconds=3, population=2, backend="cpu"))
    assert "1. sequences, 2 from neh, 100.0% of the time" in text
    assert "SequenceSearch(kick=DestroyRepair(" in text


def test_large_flow_shops_with_total_flowtime_start_from_a_beam_search():
    times = np.random.default_rng(1).integers(1, 50, (FEW_JOBS + 1, 3))
    few, many = (gls.FlowShop(times[:n], "total_flowtime") for n in (FEW_JOBS, FEW_JOBS + 1))
    for problem, start in ((few, "neh"), (many, "beam_search"), (gls.FlowShop(times), "neh")):
        assert f" from {start}," in str(gls.plan(problem, seconds=3, backend="cpu"))
    assert " from neh," in str(gls.plan(many, seconds=0.1, backend="cpu"))  # too short
    found = gls.solve(many, np.inf, kicks=0, population=2, backend="cpu")
    assert found.best_cost <= many.cost(gls.beam_search(many, 2, backend="cpu"))[0]


# ---- islands and experiments


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_islands():
    pytest.importorskip("distributed", reason='needs pip install "gpu-ls-plugin[cluster]"')
    from tests.distributed.conftest import cluster_of

    problem, rows = gls.FlowShop(TIMES / 8), permutations(4, 12)
    with cluster_of(2) as client:
        islands = gls.Islands(gls.SequenceSearch(), client)
        one, same = (
            islands(problem, rows, seed=1, budget=gls.Budget(kicks=20), backend="cpu")
            for _ in range(2)
        )
        timed = islands.solve(problem, Settings(0.3, population=2, backend="cpu"))
    assert one.tours.tolist() == same.tours.tolist()
    assert one.costs.tolist() == sorted(problem.cost(one.tours).tolist())
    assert one.statistics.kicks == 20 * 4
    assert one.best_cost <= problem.cost(rows).min()
    assert timed.costs.tolist() == problem.cost(timed.tours).tolist()


@pytest.mark.slow
def test_an_experiment_compares_algorithms(tmp_path):
    pytest.importorskip("pymoo", reason='needs pip install "gpu-ls-plugin[pymoo]"')
    from gpu_ls_pymoo import Experiment, MemeticGA

    problems = {"shop": gls.FlowShop(TIMES), "ordering": gls.LinearOrdering(MATRIX)}
    algorithms = {"memetic": MemeticGA(pop_size=4)}
    folder = tmp_path / "experiment"
    experiment = Experiment(algorithms, problems, seeds=2, termination=("n_gen", 2), folder=folder)
    results = experiment.run()
    assert results.missing == []
    assert "shop" in str(results.table())
    assert gpu_ls("report", folder, "--output", tmp_path / "a.html").returncode == 0


def test_flow_shops_and_orderings_move_by_insertions_alone() -> None:
    times, matrix = np.ones((9, 2), int), np.arange(81).reshape(9, 9)
    machine = gls.SingleMachine(times[:, 0], [5] * 9, [1] * 9)
    every = (gls.sequences.Insertion(3), gls.sequences.Swap(), gls.sequences.Reversal())
    for problem, moves in (
        (gls.FlowShop(times), (gls.sequences.Insertion(),)),
        (gls.LinearOrdering(matrix), (gls.sequences.Insertion(),)),
        (machine, every),
        (gls.Latency(gls.TSP.from_matrix(matrix)), every),
    ):
        assert usual_search(problem).moves == moves
