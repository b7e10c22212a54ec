"""`gpu-ls solve` and `generate` for vehicle routing: files, options, output and display."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rich.console import Console

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.routes.plan.reports import RouteDisplay
from tests.cli.test_cli import CAPITALS, QUICK, gpu_ls, gpu_ls_json
from tests.core.test_progress import STATE

if TYPE_CHECKING:
    from pathlib import Path

SMALL = """NAME : small
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 4
NODE_COORD_SECTION
1 0 0
2 0 3
3 0 5
4 4 0
DEMAND_SECTION
1 0
2 2
3 2
4 3
DEPOT_SECTION
1
-1
EOF
"""


def write_routing(path: Path, customers: int, **limits: float) -> Path:
    random = np.random.default_rng(1)
    places = random.integers(0, 999, (customers + 1, 2))
    demands = np.r_[0, random.integers(1, 10, customers)]
    gls.CVRP(places, demands, 30, name="some", **limits).write(path)
    return path


def solve(*arguments: object) -> int:
    return main(["solve", *map(str, arguments), *QUICK])


# output


@pytest.mark.slow
def test_solve_writes_solution_plot_and_json(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = write_routing(tmp_path / "some.vrp", 29, route_limit=3500, service_times=10)
    solution, plot = tmp_path / "out.sol", tmp_path / "out.png"
    found = gpu_ls_json("solve", file, *QUICK, "--tour", solution, "--plot", plot)
    problem = gls.CVRP.read(file)
    tour = problem.read_solution(solution)
    assert problem.routes(tour) == [route["customers"] for route in found["routes"]]
    np.testing.assert_array_equal(problem.canonical(tour), problem.canonical(found["best_tour"]))
    assert found["best_cost"] == found["travelled_cost"] == problem.cost(tour)[0]
    assert found["feasible"] and found["complaints"] == [] and found["infeasible_share"] == 0
    assert (found["customers"], found["capacity"], found["vehicles"]) == (29, 30, None)
    assert found["route_limit"] == 3500 and found["metric"] == "EUC_2D"
    for route in found["routes"]:
        assert route["load"] == problem.demands[route["customers"]].sum() <= 30
        assert route["duration"] == route["cost"] + 10 * len(route["customers"]) <= 3500
    assert sum(route["cost"] for route in found["routes"]) == found["best_cost"]
    assert found["start"] == "savings" and "RouteMoves" in found["search"]
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert sorted(tmp_path.iterdir()) == sorted([file, solution, plot])


def test_solve_prints_lines(tmp_path: Path) -> None:
    file = write_routing(tmp_path / "some.vrp", 29, route_limit=3500)
    done = gpu_ls("solve", file, *QUICK, "--vehicles", 9, "--optimum", 5000)
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "some, 29 customers, EUC_2D" in lines["problem"] and "broken" not in lines
    assert " of 9, loads " in lines["routes"] and "of 30, the longest takes" in lines["routes"]
    assert "above 5,000" in lines["best"] or "below 5,000" in lines["best"]
    assert "infeasible 0 %" in done.stderr and "routes" in done.stderr and "gap" in done.stderr


def test_the_best_tour_of_a_small_problem(tmp_path: Path) -> None:
    file = tmp_path / "small.vrp"
    file.write_text(SMALL)
    found = gpu_ls_json("solve", file, *QUICK)
    assert found["best_cost"] == 18
    assert sorted(sorted(route["customers"]) for route in found["routes"]) == [[1, 2], [3]]


@pytest.mark.slow
def test_rounding_and_vehicles_are_taken(tmp_path: Path) -> None:
    file = write_routing(tmp_path / "some.vrp", 11)
    found = gpu_ls_json("solve", file, *QUICK, "--rounding", "none", "--vehicles", 5)
    assert found["metric"] == "EUC" and found["vehicles"] == 5 and len(found["routes"]) <= 5
    assert isinstance(found["best_cost"], float) and not found["best_cost"].is_integer()


def test_a_solve_without_feasible_routes_fails(tmp_path: Path) -> None:
    file = tmp_path / "odd.vrp"  # two vehicles of 3 cannot carry three demands of 2
    file.write_text(
        SMALL.replace("CAPACITY : 4", "CAPACITY : 3\nVEHICLES : 2").replace("4 3\n", "4 2\n")
    )
    done = gpu_ls("solve", file, *QUICK)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "no feasible solution was found" in done.stderr
    assert "broken" in done.stdout and "1 more than 3" in done.stdout


# the display


def shown(display: RouteDisplay, problem: gls.CVRP, tours: list[list[list[int]]]) -> str:
    rows = np.stack([problem.tour(routes) for routes in tours])
    display(replace(STATE, kicks=5, best_tours=lambda: rows))
    return display.console.file.getvalue().splitlines()[-1]


def display_of(problem: gls.CVRP) -> RouteDisplay:
    return RouteDisplay(problem, 10.0, Console(file=io.StringIO(), width=200))


@pytest.mark.parametrize(
    ("tours", "words"),
    [
        ([[[1, 2], [3]], [[1], [2], [3]]], "best 18  gap 5.88 %  2 routes  infeasible 0 %"),
        ([[[1, 2, 3]], [[1], [2], [3]]], "best 24  gap 41.18 %  3 routes  infeasible 50 %"),
        ([[[1, 2, 3]], [[3, 2, 1]]], "no feasible routes yet  infeasible 100 %"),
    ],
)
def test_the_display_shows_feasible_routes(tours, words, tmp_path: Path) -> None:
    (tmp_path / "small.vrp").write_text(SMALL)
    problem = gls.CVRP.read(tmp_path / "small.vrp", optimum=17)
    assert words in shown(display_of(problem), problem, tours)


def test_the_display_seldom_reads_tours(tmp_path: Path) -> None:
    (tmp_path / "small.vrp").write_text(SMALL)
    problem, reads = gls.CVRP.read(tmp_path / "small.vrp"), []
    tours = problem.tour([[1, 2], [3]])[np.newaxis]
    display = display_of(problem)
    for _ in range(100):
        display(replace(STATE, best_tours=lambda: [tours, reads.append(1)][0]))
    assert len(reads) == 1
    display = display_of(problem)
    display(STATE)  # of a search without chains
    assert "mean 1,033.50" in display.console.file.getvalue()


# bad input

BAD = {
    "another type": (SMALL.replace("CVRP", "VRPTW"), [], "TIME_WINDOW_SECTION"),
    "small fleet": (SMALL, ["--vehicles", 1], "vehicles: 1 of capacity 4 hold 4, but customers"),
    "no fleet": (SMALL, ["--vehicles", 0], "vehicles: 0 is not between 1"),
    "out of reach": ("DISTANCE : 5\n" + SMALL, [], "route to customer 2 alone takes 10"),
    "fractional demand": (SMALL.replace("4 3\n", "4 1.5\n"), [], "entry 3 is 1.5, not an integer"),
    "cut off": (SMALL[:150], [], "the file may be cut off"),
    "text": ("Dear Sir,", [], "is not a TSPLIB file"),
    "rounding": (SMALL, ["--rounding", "down"], "invalid choice: 'down'"),
    "name of a tour": (SMALL, ["--tour", "out.tour"], "the name of a file of a tour, but"),
    "name of a plot": (SMALL, ["--plot", "out.txt"], "must end in one of"),
    "start": (SMALL, ["--start", "saving"], "'savings'"),
    "search": (SMALL, ["--search", "route_move"], "did you mean 'route_moves'"),
    "exchange of edges": (
        *(SMALL, ["--search", "IteratedLocalSearch(route_moves, cooperation=EdgeAssembly())"]),
        "length",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, options, reason = BAD[case]
    file = tmp_path / "in.vrp"
    file.write_text(text)
    try:
        code = solve(file, *options)
    except SystemExit as end:  # raised by argparse
        code = end.code
    printed = capsys.readouterr()
    lines = [line for line in printed.err.splitlines() if "error: " in line]
    assert code == 2 and printed.out == "" and "Traceback" not in printed.err
    assert len(lines) == 1 and reason in lines[0]
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--vehicles", 3], "vehicles: .* is a travelling salesman problem"),
        (["--rounding", "none"], "rounding: .* is a travelling salesman problem"),
        (["--tour", "out.sol"], "'out.sol' is the name of a file of routes, but"),
        (["--start", "savings"], "has no routes"),
    ],
)
def test_options_of_routes_are_not_for_tours(options, reason, capsys) -> None:
    assert solve(CAPITALS, *options) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "error: " in line]
    assert re.search(reason, line)


def test_instances_are_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made.vrp"
    rules = ["--customers", "60", "--demands", "quadrant", "--depot", "central", "--seed", "3"]
    assert main(["generate", str(path), *rules, "--route-size", "6", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    read = gls.CVRP.read(path)
    expected = gls.CVRP.generated(60, demands="quadrant", depot="central", route_size=6, seed=3)
    assert (read.nodes.coordinates == expected.nodes.coordinates).all()
    assert (read.demands == expected.demands).all()
    assert made["name"] == read.name == expected.name and made["capacity"] == read.capacity
    assert main(["generate", str(path), *rules, "--route-size", "0"]) == 2
    assert "route_size: 0.0 is not" in capsys.readouterr().err
    assert main(["generate", str(path), *rules]) == 0
    assert "60 customers" in capsys.readouterr().out
