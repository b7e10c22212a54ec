"""Problems of PyVRP: costs and feasibility of the same routes, refusals, and files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers.routing import random_vrp

pyvrp = pytest.importorskip("pyvrp", reason="compares with PyVRP")

CLIENTS = 7


def model(seed: int, kind: str = "") -> Any:
    """Return a random model of some kinds, with two loads and several clients at a place."""
    random = np.random.default_rng(seed)
    made = pyvrp.Model()
    places = [made.add_location(*random.integers(0, 50, 2)) for _ in range(CLIENTS)]
    depot: dict[str, Any] = {"location": places[0], "name": "home"}
    vehicle: dict[str, Any] = {"num_available": 4, "capacity": [12, 15]}
    if "windows" in kind:
        depot |= {"tw_early": 5, "tw_late": 300}
        vehicle |= {"tw_early": 9, "tw_late": 290, "start_late": 60}
    if "loading" in kind:
        depot["service_duration"] = 7
    if "limit" in kind:
        vehicle["shift_duration"] = 160
    if "costs" in kind:
        vehicle |= {"fixed_cost": 50, "unit_distance_cost": 3, "initial_load": [2, 0]}
    made.add_depot(**depot)
    made.add_vehicle_type(**vehicle)
    for _ in range(CLIENTS):
        own: dict[str, Any] = {"delivery": random.integers(0, 6, 2).tolist()}
        own |= {"service_duration": int(random.integers(0, 9))}
        if "windows" in kind:
            early = int(random.integers(0, 120))
            own |= {"tw_early": early, "tw_late": early + 90}
        if "releases" in kind:
            own["release_time"] = int(random.integers(0, 50))
        made.add_client(places[int(random.integers(CLIENTS))], **own)
    for a in places:
        for b in places:
            if a is not b:
                distance = random.integers(1, 60)
                made.add_edge(a, b, distance, distance // 2 if "durations" in kind else distance)
    return made


def some_routes(seed: int) -> list[list[int]]:
    random = np.random.default_rng(seed)
    cuts = np.sort(random.choice(np.arange(1, CLIENTS), random.integers(0, 4), replace=False))
    return [part.tolist() for part in np.split(random.permutation(CLIENTS) + 1, cuts)]


KINDS = ["", "limit", "windows", "durations releases windows", "windows limit costs loading"]


@pytest.mark.parametrize("kind", [*KINDS, "durations costs", "releases limit durations loading"])
@pytest.mark.parametrize("seed", range(4))
def test_costs_and_feasibility_are_those_of_pyvrp(seed: int, kind: str) -> None:
    data = model(seed, kind).data()
    problem = gls.VRP.from_pyvrp(data)
    for number in range(30):
        routes = some_routes(100 * seed + number)
        solution = pyvrp.Solution(data, [[client - 1 for client in route] for route in routes])
        row = problem.tour(routes)
        cost = solution.distance_cost() + solution.fixed_vehicle_cost()
        assert problem.cost(row) == [cost]
        found = problem.violations(row)
        assert found.resources.get("time_windows", found.duration)[0] == solution.time_warp()
        loads = [found.load[0], *(found.resources[n][0] for n in found.resources if "load" in n)]
        assert loads == solution.excess_load()
        assert problem.feasible(row) == [solution.is_feasible()]
        for stops, route in zip(problem.schedule(row), solution.routes(), strict=True):
            if route.is_feasible():
                assert stops[-1].begin - stops[0].begin == route.duration()


def test_a_model_without_times_has_no_windows() -> None:
    made = pyvrp.Model()
    depot, place = made.add_location(0, 0), made.add_location(1, 1)
    made.add_depot(depot)
    made.add_vehicle_type(3)
    made.add_client(place)
    made.add_edge(depot, place, 4)
    made.add_edge(place, depot, 5)
    problem = gls.VRP.from_pyvrp(made)
    assert not problem.resources and problem.names is None and problem.fleet == 3
    assert problem.cost(problem.tour([[1]])) == [9]


def test_solutions_are_as_good_as_those_of_pyvrp() -> None:
    data = model(2, "windows costs durations")
    found = gls.solve(gls.VRP.from_pyvrp(data), 0.3, backend="cpu", seed=1)
    best = data.solve(pyvrp.stop.MaxIterations(200), seed=1, display=False)
    assert best.is_feasible() and found.best_feasible and found.best_cost == best.cost()


def replaced(**changes: Any) -> Any:
    return model(0).data().replace(**changes)


def vehicle(**changes: Any) -> Any:
    return replaced(vehicle_types=[model(0).vehicle_types[0].replace(**changes)])


def with_client(**changes: Any) -> Any:
    clients = model(0).data().clients()
    return replaced(clients=[*clients[:-1], pyvrp.Client(1, **changes)])


def model_with_group() -> Any:
    made = model(0)
    group = made.add_client_group()
    made.add_client(made.locations[1], delivery=[0, 0], group=group, required=False)
    return made


def model_with_shipment() -> Any:
    made = model(0)
    made.add_shipment(made.locations[1], made.locations[2], amount=[1, 1])
    return made


def model_without_edge() -> Any:
    made = model(0)
    made.add_client(made.add_location(1, 1), delivery=[0, 0])
    return made


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: replaced(depots=[pyvrp.Depot(0), pyvrp.Depot(1)]), "it has 2 depots"),
        (lambda: replaced(vehicle_types=2 * vehicle().vehicle_types()), "2 vehicle_types"),
        (model_with_group, "it has groups"),
        (model_with_shipment, "it has shipments"),
        (lambda: with_client(delivery=[0, 0], pickup=[1, 0]), "client 7 has a pickup"),
        (
            lambda: with_client(delivery=[0, 0], required=False, prize=5),
            "client 7 is not required .* prize of 5",
        ),
        (lambda: vehicle(unit_duration_cost=2), "unit_duration_cost 2"),
        (lambda: vehicle(reload_depots=[0]), r"reload_depots \[0\]"),
        (lambda: vehicle(max_overtime=3, shift_duration=9), "max_overtime 3"),
        (lambda: vehicle(max_distance=99), "max_distance 99"),
        (lambda: vehicle(unit_distance_cost=2**30), "at unit_distance_cost 1073741824 is not"),
        (model_without_edge, "there is no edge from node 0 to node 8"),
    ],
)
def test_what_is_not_supported_is_named(make: Any, words: str) -> None:
    with pytest.raises(gls.exceptions.UnsupportedProblemError, match=words):
        gls.VRP.from_pyvrp(make())


@pytest.mark.parametrize("given", [None, "model", np.ones(3), gls])
def test_other_objects_are_refused(given: object) -> None:
    with pytest.raises(gls.exceptions.InvalidTypeError, match="neither a pyvrp"):
        gls.VRP.from_pyvrp(given)


VRPLIB = """NAME : some
TYPE : VRPTW
DIMENSION : 5
VEHICLES : 2
CAPACITY : 10
SERVICE_TIME : 9
VEHICLES_MAX_DURATION : 70.5
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 1.25 1
3 2 0.5
4 7 3
5 3 9
DEMAND_SECTION
1 0
2 5
3 5
4 3
5 2
TIME_WINDOW_SECTION
1 0 200
2 10.57 50
3 0 30.55
4 20 34
5 9 40
DEPOT_SECTION
1
-1
EOF
"""
RELEASES = "RELEASE_TIME_SECTION\n1 5\n2 3.25\n3 0\n4 12\n5 1\n"
MATRIX = """EDGE_WEIGHT_TYPE : EXPLICIT
EDGE_WEIGHT_FORMAT : FULL_MATRIX
EDGE_WEIGHT_SECTION
0 2.55 3 4 5
1 0 7 3 7
4 4 0 9 1.49
6 2 2 0 8
4 3 7 8 0
"""
COORDINATES = VRPLIB[VRPLIB.index("EDGE_WEIGHT_TYPE") : VRPLIB.index("DEMAND_SECTION")]
SERVICES = "SERVICE_TIME_SECTION\n1 0\n2 9\n3 1.25\n4 3\n5 8\n"
VARIANTS = {
    "number": VRPLIB,
    "releases": VRPLIB.replace("DEPOT_SECTION", f"{RELEASES}DEPOT_SECTION"),
    "matrix": VRPLIB.replace(COORDINATES, MATRIX),
    "services": VRPLIB.replace("SERVICE_TIME : 9\n", "").replace(
        "DEPOT_SECTION", f"{SERVICES}DEPOT_SECTION"
    ),
    "fleet": VRPLIB.replace("VEHICLES : 2\n", "").replace("VEHICLES_MAX_DURATION : 70.5\n", ""),
}


def check_file(path: Any, customers: int, rounding: str, name: str, seed: int) -> None:
    """Compare routes of a file as both libraries read it."""
    data, problem = pyvrp.read(path, name), gls.VRP.read(path, rounding=rounding)
    random = np.random.default_rng(seed)
    fleet = problem.copies if problem.fleet is None else problem.fleet
    for _ in range(20):
        cuts = np.sort(random.choice(customers, random.integers(fleet), replace=False))
        parts = np.split(random.permutation(customers), cuts)
        solution = pyvrp.Solution(data, [part.tolist() for part in parts if len(part)])
        row = problem.tour([(part + 1).tolist() for part in parts])
        assert problem.cost(row) == [solution.distance()]
        assert problem.violations(row).resources["time_windows"] == [solution.time_warp()]
        assert problem.feasible(row) == [solution.is_feasible()]


@pytest.mark.parametrize("variant", VARIANTS)
def test_files_are_read_as_by_pyvrp(variant: str, tmp_path: Any) -> None:
    (tmp_path / "some.vrp").write_text(VARIANTS[variant])
    check_file(tmp_path / "some.vrp", 4, "dimacs", "dimacs", 1)


def test_written_files_are_read_by_pyvrp(tmp_path: Any) -> None:
    releases = np.r_[0, range(3, 30, 3)]
    random_vrp(9, vehicles=7, route_limit=14321, release_times=releases).write(tmp_path / "a.vrp")
    check_file(tmp_path / "a.vrp", 9, "auto", "dimacs", 1)
    windows = [(0, 900), *[(50, 700)] * 5]
    given: dict[str, Any] = {"windows": windows, "metric": "EUC_2D", "service_times": 7}
    points = np.random.default_rng(2).integers(0, 99, (6, 2))
    gls.VRP(points, np.r_[0, [1] * 5], 3, **given).write(tmp_path / "b.vrp")
    check_file(tmp_path / "b.vrp", 5, "nearest", "round", 1)


def test_rounded_files_are_read_as_by_pyvrp(tmp_path: Any) -> None:
    whole = VRPLIB.replace(".57", "").replace(".55", "").replace("70.5", "70")
    (tmp_path / "some.vrp").write_text(whole.replace(" 1.25 ", " 1 ").replace(" 0.5", " 4"))
    check_file(tmp_path / "some.vrp", 4, "nearest", "round", 1)
