"""Routes with windows, loads, open ends and fixed costs: costs, files, schedules, refusals."""

from __future__ import annotations

import itertools
import json
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.core.history import load_history
from tests.helpers.marks import slow_after
from tests.helpers.routing import giant_tours, random_vrp

POINTS = [(0, 0), (3, 4), (0, 6), (8, 0)]
ONES = [0, 1, 1, 1]
SOLOMON = """R000

VEHICLE
NUMBER     CAPACITY
  2         10

CUSTOMER
CUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE DATE  SERVICE TIME

    0      0       0        0        0         200        0
    1      1       1        5        10        50         9
    2      2       0        5        0         100.5      9
"""
VRPLIB = """NAME : some
TYPE : VRPTW
DIMENSION : 3
CAPACITY : 10
VEHICLES : 2
SERVICE_TIME : 9
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 1 1
3 2 0
DEMAND_SECTION
1 0
2 5
3 5
TIME_WINDOW_SECTION
1 0 200
2 10 50
3 0 100.5
DEPOT_SECTION
1
-1
EOF
"""


def some(seed: int, customers: int = 5, **options: Any) -> gls.VRP:
    """Return a small problem; options are those of the class, or `many` demands."""
    random = np.random.default_rng(seed)
    n = customers + 1
    early = np.r_[0, random.integers(0, 150, customers)]
    windows = np.c_[early, early + 150]
    windows[0, 1] = 600
    demands = np.r_[[(0, 0)], random.integers(1, 6, (customers, 2))]
    many = options.pop("many", False)
    given: dict[str, Any] = {"windows": windows, "metric": "EUC_2D", "service_times": 5, **options}
    points = random.integers(0, 60, (n, 2))
    return gls.VRP(points, demands if many else demands[:, 0], [12, 12] if many else 12, **given)


OPTIONS: dict[str, dict[str, Any]] = {
    "windows": {},
    "loads": {"many": True},
    "fixed": {"fixed_cost": 30},
    "open": {"open_routes": True},
    "all": {"many": True, "fixed_cost": 30, "open_routes": True, "start_window": (10, 200)},
    "limit": {"route_limit": 180},
    "no windows": {"windows": None, "fixed_cost": 30, "open_routes": True, "route_limit": 180},
}


def routes_of(customers: int) -> Any:
    """Yield every set of routes of customers, each once: orders, cut in every way."""
    for order in itertools.permutations(range(1, customers + 1)):
        for cuts in itertools.product([False, True], repeat=customers - 1):
            routes = [[order[0]]]
            for customer, cut in zip(order[1:], cuts, strict=True):
                if cut:
                    routes.append([customer])
                else:
                    routes[-1].append(customer)
            firsts = [route[0] for route in routes]
            if firsts == sorted(firsts):
                yield routes


@pytest.mark.parametrize("kind", slow_after(2, list(OPTIONS)))
def test_solve_finds_the_best_of_all_routes(kind):
    problem = some(3, 4, **OPTIONS[kind], copies=4)
    rows = np.array([problem.tour(routes) for routes in routes_of(4)])
    costs = problem.cost(rows)[problem.feasible(rows)]
    found = gls.solve(problem, 0.5, backend="cpu", seed=1)
    assert found.best_feasible and found.best_cost == costs.min()


def test_schedules_are_written_in_units_of_files(tmp_path):
    problem = gls.VRP.read(written(tmp_path, VRPLIB))
    row = problem.tour([[1], [2]])
    problem.write_schedule(row, tmp_path / "plan.csv")
    head, *lines = (tmp_path / "plan.csv").read_text().splitlines()
    assert head == "route,stop,node,name,arrival,wait,begin,departure,load,slack"
    assert lines[1] == "1,1,1,1,10.0,0.0,10.0,19.0,0,40.0" and len(lines) == 6
    problem.write_schedule(row, tmp_path / "plan.JSON")
    found = json.loads((tmp_path / "plan.JSON").read_text())
    assert (found["cost"], found["vehicles"], found["routes"]) == (6.8, 2, [[1], [2]])
    assert [str(value) for value in found["stops"][1].values()] == lines[1].split(",")
    with pytest.raises(gls.exceptions.InvalidParameterError, match=r"must end in .csv or .json"):
        problem.write_schedule(row, tmp_path / "plan.txt")


def test_routes_without_windows_have_schedules(tmp_path):
    problem = gls.CVRP(POINTS, ONES, 3, service_times=2)
    row = problem.tour([[1, 2], [3]])
    assert [stop.arrival for stop in problem.schedule(row)[0]] == [0, 5, 11, 19]
    problem.write_schedule(row, tmp_path / "plan.csv")
    assert (tmp_path / "plan.csv").read_text().splitlines()[2] == "1,1,1,1,5,0,5,7,1,"


def written(folder, text):
    (folder / "some.vrp").write_text(text)
    return folder / "some.vrp"


@pytest.mark.parametrize("name", ["PRIZE", "BACKHAUL", "VEHICLES_DEPOT", "CAPACITY"])
@pytest.mark.parametrize("kind", ["VRPTW", "PCVRPTW"])
def test_sections_that_are_not_supported_are_named(kind, name, tmp_path):
    text = VRPLIB.replace("TYPE : VRPTW", f"TYPE : {kind}")
    path = written(tmp_path, text.replace("EOF", f"{name}_SECTION\n1 0\n2 5\n3 1\nEOF"))
    with pytest.raises(gls.exceptions.UnsupportedProblemError, match=f"{name}_SECTION"):
        gls.VRP.read(path)


def test_reports_are_in_units_of_files(tmp_path, capsys):
    (tmp_path / "some.txt").write_text(SOLOMON)
    best = ["--optimum", "4.8", "--backend", "cpu", "--seconds", "0.2"]
    files = ["--out", tmp_path / "o.sol", "--history", tmp_path / "h.csv", "--plot"]
    given = ["solve", tmp_path / "some.txt", *best, *files, tmp_path / "map.svg", "--json"]
    assert main(list(map(str, given))) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best_cost"] == found["optimum"] == 4.8 <= found["mean_cost"] < 7
    assert found["gap_percent"] == 0 and found["travelled_cost"] == 4.8
    (route,) = found["routes"]  # from 8.6: it waits for nothing
    assert (route["cost"], route["duration"]) == (4.8, 4.8 + 18)
    assert found["history"][-1]["best_cost"] == 4.8 == found["routes"][0]["cost"]
    assert load_history(tmp_path / "h.csv")[-1].best_cost == 4.8
    assert (tmp_path / "o.sol").read_text().endswith("Cost 4.8\n")
    assert "R000: 4.80" in (tmp_path / "map.svg").read_text()
    assert main(list(map(str, given[:-1]))) == 0
    shown = capsys.readouterr()
    assert "best     4.80 (0 % above 4.80)" in shown.out


def test_results_have_the_costs_of_the_problem(tmp_path):
    problem = random_vrp(9)
    found = gls.solve(problem, 0.1, backend="cpu", seed=1)
    assert found.best_cost == problem.cost(found.best_tour)[0] == found.to_dict()["best_cost"]
    found.to_csv(tmp_path / "rows.csv")
    line = (tmp_path / "rows.csv").read_text().splitlines()[1]
    assert line.startswith(f"0,{found.costs[0] / 10},yes")
    assert found.published_history[-1].best_cost == found.statistics.history[-1].best_cost / 10
    assert found.plot().axes[0].lines[0].get_ydata()[-1] == found.best_cost / 10
    assert found.plot(optimum=found.best_cost).axes[0].lines[0].get_ydata()[-1] == 0
    found.save(tmp_path / "found.json")
    assert (gls.Result.load(tmp_path / "found.json", problem).costs == found.costs).all()


def test_costs_have_open_ends_and_fixed_costs():
    plain = gls.VRP(POINTS, ONES, 3, metric="EUC_2D")
    row = plain.tour([[1, 2], [3]])
    assert plain.cost(row) == [5 + 4 + 6 + 8 + 8]
    assert gls.VRP(POINTS, ONES, 3, metric="EUC_2D", open_routes=True).cost(row) == [5 + 4 + 8]
    assert gls.VRP(POINTS, ONES, 3, metric="EUC_2D", fixed_cost=7).cost(row) == [31 + 14]
    assert gls.VRP(None, ONES, 3, distances=np.ones((4, 4), int)).cost(row) == [5]


def test_costs_of_routes_need_no_resource():
    problem = gls.VRP(POINTS, ONES, 3, metric="EUC_2D", fixed_cost=50, service_times=2)
    assert not problem.resources and problem.windows is None and problem.symmetric
    row = problem.tour([[1, 2], [3]])
    for same in (problem, pickle.loads(pickle.dumps(problem)), problem.with_fleet(2)):
        assert [stop.arrival for stop in same.schedule(row)[0]] == [0, 5, 11, 19]
    half = gls.VRP(POINTS, ONES, 3, metric="EUC_2D", fixed_cost=50.5, service_times=2)
    assert half.cost(row) == problem.cost(row) + 1  # two vehicles
    odd = gls.VRP(POINTS, ONES, 3, metric="EUC_2D", fixed_cost=51)
    assert odd.cost(row) == problem.cost(row) + 2 and not odd.symmetric
    slow = gls.VRP(POINTS, ONES, 3, durations=np.full((4, 4), 7))
    assert not slow.resources and slow.schedule(row)[1][-1].arrival == 14


def test_durations_have_no_fixed_costs():
    problem = gls.VRP(POINTS, ONES, 3, metric="EUC_2D", fixed_cost=50, route_limit=20)
    assert problem.feasible(problem.tour([[1, 2], [3]])).all()
    assert not problem.feasible(problem.tour([[1, 2, 3]])).any()


def test_all_dimensions_are_limited():
    demands = np.array([(0, 0), (1, 5), (1, 5), (1, 1)])
    problem = gls.VRP(POINTS, demands, [3, 6], metric="EUC_2D")
    assert problem.feasible(
        [problem.tour([[1, 3], [2]]), problem.tour([[1, 2], [3]])]
    ).tolist() == [
        True,
        False,
    ]
    row = problem.tour([[3], [1, 2]])
    assert problem.complaints(row) == ["route 2: load 2 is 10, 4 more than 6"]


def test_complaints_name_the_route_and_its_first_late_stop():
    named = {"metric": "EUC_2D", "names": ["north", "west", "east"], "scale": 10}

    def complaints(routes: list[list[int]], **limits: Any) -> list[str]:
        problem = gls.VRP(10 * np.array(POINTS), ONES, 3, **named, **limits)
        return problem.complaints(problem.tour(routes))

    windows = [(0, 300), (0, 60), (0, 60), (0, 90)]
    assert complaints([[2], [1], [3]], windows=windows) == []
    late = "route 2: 7 late at customer 3 (east)"  # it arrives at 16, and must begin at 9
    assert complaints([[1], [2, 3]], windows=windows, route_limit=200) == [late]
    late = "route 1: 12 late in all, first by 8.4 at customer 1 (north)"
    assert complaints([[3, 1, 2]], windows=windows) == [late]
    late = "route 1: 6.6 late back at the depot"
    assert complaints([[1, 2, 3]], windows=[(0, 200)] * 4) == [late]
    long = "route 1: duration 26.6, 6.6 more than 20"
    assert complaints([[1, 2, 3]], windows=[(0, 900)] * 4, route_limit=200) == [long]


@pytest.mark.parametrize("seed", range(10))
def test_complaints_about_windows_add_up(seed):
    problem = some(seed, start_window=(5, 60), release_times=[0, 3, 9, 30, 2, 1])
    problem = problem.with_resources(next(p for p in problem.resources if p.name == "time_windows"))
    for row in giant_tours(problem, 5, seed):
        lines = " ".join(problem.complaints(row))
        numbers = re.findall(r"([\d.]+) late|duration [\d.]+, ([\d.]+) more", lines)
        total = sum(float(late or more) for late, more in numbers)
        assert total == problem.violations(row).resources["time_windows"][0]


@pytest.mark.parametrize(
    ("windows", "words"),
    [
        (
            [(0, 90), (0, 90), (0, 5), (0, 90)],
            r"customer 2 \(west\) alone is 1 late at the customer",
        ),
        (
            [(0, 11), (0, 90), (0, 90), (0, 8)],
            r"customer 2 \(west\) .* is 1 late back at the depot",
        ),
        ([(0, 7), (0, 4), (0, 9), (0, 9)], "is 3 late in all, first by 1 at the customer"),
        ([(0, 90), (0, 9), (5, 3), (0, 9)], r"^windows: the window of node 2 \(west\) ends at 3"),
    ],
)
def test_errors_have_the_names_of_customers(windows, words):
    names = {"names": ["north", "west", "east"], "metric": "EUC_2D"}
    with pytest.raises(gls.exceptions.InvalidProblemError, match=words):
        gls.VRP(POINTS, ONES, 3, windows=windows, **names)
    with pytest.raises(gls.exceptions.InvalidProblemError, match=r"customer 2 \(west\) demands 9"):
        gls.VRP(POINTS, [0, 1, 9, 1], 3, **names)


def test_errors_without_names_have_none():
    for names in (None, ["1", "2", "3"], ["", "", ""]):
        with pytest.raises(gls.exceptions.InvalidProblemError, match="customer 2 demands 9"):
            gls.VRP(POINTS, [0, 1, 9, 1], 3, names=names)


@pytest.mark.parametrize("seed", range(20))
def test_schedules_are_late_where_the_referee_says_so(seed):
    problem = some(seed, start_window=(5, 60), release_times=[0, 3, 9, 30, 2, 1])
    for row in giant_tours(problem, 3, seed):
        plan, windows = problem.schedule(row), problem.windows
        late = sum(max(0, -stop.slack) for stops in plan for stop in stops)
        assert late == problem.violations(row).resources["time_windows"][0]
        assert [[stop.node for stop in stops[1:-1]] for stops in plan] == problem.routes(row)
        for stops in plan:
            assert stops[0].node == stops[-1].node == stops[-1].load == 0
            assert stops[0].begin >= 5
            for stop in stops[1:]:
                assert stop.begin == stop.arrival + stop.wait >= windows[stop.node, 0]


def followed(problem, stops, number, delay):
    """Return whether a route is feasible if the stop with this number is delayed."""
    begin, now, ends = problem.windows[:, 0], stops[number].begin + delay, problem.windows[:, 1]
    start = now if number == 0 else stops[0].begin
    in_time = now <= (ends[stops[number].node] if number else 30)
    for at, to in itertools.pairwise(stop.node for stop in stops[number:]):
        travel = problem.nodes.lengths(at, to) + problem.service_times[at]
        now = max(now + travel, begin[to])
        in_time &= now <= ends[to]
    limit = next(part for part in problem.resources if part.name == "time_windows").limit
    return in_time and (limit is None or now - start <= limit)


@pytest.mark.parametrize("limit", [None, 220])
@pytest.mark.parametrize("seed", range(10))
def test_slack_is_the_longest_delay(seed, limit):
    problem, seen = some(seed, route_limit=limit, start_window=(0, 30)), 0
    for row in giant_tours(problem, 30, seed):
        if not problem.feasible(row)[0]:
            continue
        for stops in problem.schedule(row):
            for number, stop in enumerate(stops):
                seen += stop.wait > 0
                assert followed(problem, stops, number, stop.slack)
                assert not followed(problem, stops, number, stop.slack + 1)
    assert seen


def test_what_a_problem_holds_survives_changes():
    problem = some(1, names=list("abcde"), scale=10, optimum=12.5)
    for other in (pickle.loads(pickle.dumps(problem)), problem.with_fleet(4)):
        assert other.names == ("depot", *"abcde") and other.scale == 10 and other.optimum == 125
        assert (other.windows == problem.windows).all()


def test_further_resources_keep_the_length_of_tours():
    """Tours have four copies of the depot; customers that are served at once need eight."""
    problem = gls.VRP(np.full((2, 9), range(0, 90, 10)).T, [0, *[1] * 8], 100, metric="EUC_2D")
    together = gls.TimeWindows([(0, 1000), *[(200, 200)] * 8])
    for same in (problem.with_resources(together), problem.with_resources(together).penalised()):
        assert (same.n, same.vehicles) == (problem.n, problem.vehicles)
        assert pickle.loads(pickle.dumps(same)).n == problem.n


@pytest.mark.parametrize(("text", "suffix"), [(SOLOMON, ".txt"), (VRPLIB, ".vrp")])
def test_files_are_read_by_each_convention(text, suffix, tmp_path):
    path = tmp_path / f"some{suffix}"
    path.write_text(text)
    tenths = gls.CVRP.read(path)
    assert isinstance(tenths, gls.VRP) and tenths.scale == 10 and tenths.fleet == 2
    assert tenths.windows.tolist() == [[0, 2000], [100, 500], [0, 1005]]
    assert tenths.service_times.tolist() == [0, 90, 90]
    row = tenths.tour([[1, 2]])
    assert tenths.cost(row) == [14 + 14 + 20]
    tenths.write_solution(row, tmp_path / "found.sol")
    assert "Cost 4.8" in (tmp_path / "found.sol").read_text()
    assert (tenths.read_solution(tmp_path / "found.sol") == row).all()
    exact = gls.VRP.read(path, rounding="none")
    assert exact.cost(row) == pytest.approx([2 * 2**0.5 + 2]) and exact.scale == 1
    assert gls.solve(path, 0.2, backend="cpu").best_cost == 48


WRITTEN: dict[str, Any] = {
    "tenths": lambda: random_vrp(9, vehicles=7, release_times=np.r_[0, range(3, 30, 3)]),
    "limits": lambda: random_vrp(9, route_limit=12345, service_times=np.r_[0, range(9)]),
    "times": lambda: gls.VRP(POINTS, ONES, 3, windows=[(0, 2**50)] * 4, service_times=0.3),
    "rounded": lambda: some(3, route_limit=180),
    "distances": lambda: gls.VRP(
        None, ONES, 3, distances=np.arange(16).reshape(4, 4), release_times=[0, 5, 1, 2]
    ),
    "no windows": lambda: gls.VRP(POINTS, ONES, 3, route_limit=25.5, vehicles=3),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_files_make_the_same_problem(kind, tmp_path):
    problem = WRITTEN[kind]()
    problem.write(tmp_path / "some.vrp")
    found = gls.VRP.read(tmp_path / "some.vrp", rounding="nearest" if kind == "rounded" else "auto")
    for name in ("n", "fleet", "capacity", "scale", "route_limit"):
        assert getattr(found, name) == getattr(problem, name)
    for name in ("service_times", "windows", "demands"):
        np.testing.assert_array_equal(getattr(found, name), getattr(problem, name))
    assert found.integer == problem.integer and found.nodes.metric == problem.nodes.metric
    rows = giant_tours(problem, 9, 1)
    np.testing.assert_array_equal(found.cost(rows), problem.cost(rows))
    np.testing.assert_array_equal(found.excess(rows), problem.excess(rows))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fixed_cost": 3}, "fixed_cost"),
        ({"open_routes": True}, "open_routes"),
        ({"durations": np.ones((10, 10)) - np.eye(10)}, "durations"),
        ({"start_window": (0, 5000)}, "start_window"),
        ({"scale": 100}, "scale 100"),
        ({"windows": None}, "scale 10"),
        ({"metric": "EUC_2D"}, "scale 10"),
        ({"demands": np.ones((10, 2), int) * np.r_[0, [1] * 9][:, None]}, "load 2"),
    ],
)
def test_what_files_cannot_express_is_named(options, words, tmp_path):
    given = {"capacity": [25, 25], **options} if "demands" in options else options
    with pytest.raises(gls.exceptions.UnsupportedProblemError, match=f"express .*{words}"):
        random_vrp(9, **given).write(tmp_path / "some.vrp")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    2      2       0 ", "    3      2       0 ", "numbers are not 0, 1, 2"),
        ("100.5      9", "100.5", "not 7 numbers"),
        ("100.5", "abc", "not all numbers"),
        ("  2         10", "  2.5       10", "not integers"),
    ],
)
def test_damaged_text_is_named(old, new, words, tmp_path):
    (tmp_path / "some.txt").write_text(SOLOMON.replace(old, new))
    with pytest.raises(gls.exceptions.FileFormatError, match=words):
        gls.VRP.read(tmp_path / "some.txt")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"windows": [(0, 90), (0, 4), (0, 90), (0, 90)]}, "customer 1 alone is 1 late"),
        ({"windows": [(0, 90)] * 3}, "windows: 3 rows, but there are 4 nodes"),
        ({"names": ["a"]}, "names: 1 of them"),
        ({"distances": np.ones((4, 4))}, "locations: give either"),
        ({"locations": [(0, 0), (1, np.nan)]}, r"^locations: entry \(1, 1\) is nan"),
        ({"locations": [(0, 0)]}, "^locations: a depot alone"),
        ({"locations": np.ones((4, 4))}, "^locations: .*; pass a matrix of lengths as `distances`"),
        ({"locations": None, "distances": [(0, 1)]}, r"^distances: shape \(1, 2\)"),
        ({"locations": None, "distances": [(0,)]}, "^distances: a depot alone"),
        ({"metric": "EXPLICIT"}, "^metric: 'EXPLICIT' .*; pass `distances`"),
        ({"fixed_cost": 2**31 - 1}, "^fixed_cost: with it, the length from city 0 to city 1 is"),
        ({"demands": np.ones((4, 2), int)}, "capacity"),
        ({"demands": [(0, 0), (1, 9), (1, 1), (1, 1)], "capacity": [3, 5]}, "customer 1 demands 9"),
        ({"fixed_cost": -1}, "fixed_cost"),
        ({"scale": 0}, "scale"),
        ({"vehicles": 0}, "vehicles: 0 is not between 1"),
        ({"windows": []}, "windows: shape"),
        (
            {"windows": [("07:00", "18:00")] * 4},
            "windows: entries must be numbers, not <U5; such as minutes after midnight",
        ),
        ({"windows": [(1, 2, 3)] * 4}, "windows: shape"),
        ({"windows": [(0, 90), (0, 90), (0, np.nan), (0, 90)]}, r"windows: entry \(2, 1\) is nan"),
        ({"windows": [(0, 90), (-1, 90), (0, 9), (0, 90)]}, r"windows: entry \(1, 0\) is -1"),
        (
            {"windows": [(0, 90), (5, 3), (0, 9), (0, 90)]},
            "windows: the window of node 1 ends at 3",
        ),
        (
            {"windows": [(0, 90), (0, 2**51), (0, 9), (0, 90)]},
            r"windows: entry \(1, 1\) .* 2\*\*50",
        ),
        ({"windows": [(0, 9)] * 4}, "windows: a route to customer 1 alone is 1 late"),
        ({"demands": [0, 1, 9, 1]}, "customer 2 demands 9, more than the capacity of 3"),
        ({"demands": [(0, 0), *[(1, 2)] * 3], "capacity": [3, 5], "vehicles": 1}, "of load 2"),
        ({"demands": [(0, 0), *[(1, 2**40)] * 3], "capacity": [3, 2**41]}, "demands, capacity: 21"),
        ({"route_limit": 9}, "route_limit: a route to customer 3 alone takes 16, more than 9"),
        ({"route_limit": 9, "windows": [(0, 90)] * 4}, "route_limit: .* 1 alone takes 10, more"),
        ({"route_limit": 9, "durations": np.full((4, 4), 7)}, "route_limit: .* 1 alone takes 14"),
        ({"route_limit": np.nan, "windows": [(0, 90)] * 4}, "route_limit: nan"),
        ({"durations": np.full((4, 4), -7)}, r"durations: entry \(0, 0\) is -7"),
        ({"durations": np.full((4, 4), 2**51)}, r"durations: entry \(0, 0\) .* 2\*\*50"),
        ({"durations": np.zeros((3, 3))}, "durations: shape"),
        ({"release_times": [0, 2**51, 0, 0]}, "release_times: entry .1,. .* more than"),
        ({"release_times": [0, 99, 0, 0], "windows": [(0, 90)] * 4}, "customer 1 alone is 19 late"),
        ({"start_window": (0, 2**51)}, "start_window"),
        ({"fixed_cost": np.inf}, "fixed_cost"),
        ({"names": "abc"}, "names: 'abc' is not a sequence"),
        ({"names": list("abcde")}, "names: 5 of them, but there are 4 nodes"),
        ({"names": ["a", np.nan, "c"]}, "names: nan is not a name"),
        (
            {"windows": [(0, 90)] * 3, "durations": np.ones((4, 4))},
            "windows: 3 rows, but there are 4 nodes",
        ),
    ],
)
def test_bad_problems_are_named(change, words):
    given: dict[str, Any] = {"locations": POINTS, "demands": ONES, "capacity": 3}
    with pytest.raises(gls.exceptions.GpuLsError, match=words):
        gls.VRP(**given | {"metric": "EUC_2D"} | change)


LYON = [(45.667, 4.9), (45.76, 4.85), (45.77, 4.83), (45.74, 4.9)]
DAY = [(420, 1080)] * 4


@pytest.mark.parametrize(
    ("locations", "windows", "metric", "words"),
    [
        (LYON, DAY, "HAVERSINE", "kilometres of HAVERSINE count as times; pass `durations`"),
        (LYON, DAY, "EUC", "tiny beside the windows; if locations are latitudes and longitudes"),
    ],
)
def test_times_that_seem_to_be_degrees_or_kilometres_warn(locations, windows, metric, words):
    with pytest.warns(gls.exceptions.PrecisionWarning, match=words) as caught:
        problem = gls.VRP(locations, ONES, 3, windows=windows, metric=metric)
        problem.with_fleet(3)  # does not warn again
        pickle.loads(pickle.dumps(problem))
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("locations", "more"),
    [
        (LYON, {"metric": "HAVERSINE", "windows": DAY, "durations": np.ones((4, 4), int)}),
        (LYON, {"windows": DAY, "durations": np.ones((4, 4))}),
        (LYON, {"metric": "HAVERSINE"}),
        (LYON, {"windows": [(0, 10)] * 4}),
        (LYON, {"windows": [(0, 2**50)] * 4}),
        (POINTS, {"windows": [(0, 5000)] * 4}),
        (np.array(POINTS) * 100.5, {"windows": [(0, 99999)] * 4}),
    ],
)
def test_other_times_do_not_warn(locations, more):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gls.VRP(locations, ONES, 3, **more)


def test_a_customer_may_be_in_time_behind_another_one_only():
    slow = np.array([[0, 1, 99, 1], [1, 0, 1, 1], [99, 1, 0, 1], [1, 1, 1, 0]])
    given: dict[str, Any] = {"durations": slow, "metric": "EUC_2D"}
    problem = gls.VRP(POINTS, ONES, 3, windows=[(0, 9), (0, 9), (0, 2), (0, 9)], **given)
    assert problem.feasible(problem.tour([[1, 2, 3]])).all()
    assert not problem.feasible(problem.tour([[2, 1, 3]])).any()
    with pytest.raises(gls.exceptions.InvalidProblemError, match="a route to customer 2 alone"):
        gls.VRP(POINTS, ONES, 3, windows=[(0, 9), (0, 9), (0, 1), (0, 9)], **given)


def test_an_unlimited_fleet_suffices_for_all_limits():
    ones, points = np.r_[0, np.ones(20, int)], np.random.default_rng(1).integers(0, 9, (21, 2))
    loads = gls.VRP(points, np.c_[ones, ones], [99, 1])
    assert loads.copies == 20
    far = np.r_[[(0, 0)], np.tile((50, 0), (20, 1))]
    times = {"windows": np.tile((0, 999), (21, 1)), "metric": "EUC_2D", "service_times": 9}
    assert gls.VRP(far, ones, 99, **times, route_limit=120).copies >= 10
