"""CVRPLIB files: each entry counts, and messages name what is wrong."""

from __future__ import annotations

import itertools
import json
import stat

import numpy as np
import pytest
import vrplib
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, GpuLsError, UnsupportedProblemError
from gpu_ls_plugin.routes.problem.cvrplib import rounds
from tests.helpers.examples import examples
from tests.helpers.instances import FOLDER, each_name, instance_path

HEAD = "NAME : small\nTYPE : CVRP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 4\n"
NODES = "NODE_COORD_SECTION\n1 0 0\n2 0 3\n3 0 5\n4 4 0\n"
DEMANDS = "DEMAND_SECTION\n1 0\n2 2\n3 2\n4 3\n"
DEPOT = "DEPOT_SECTION\n1\n-1\nEOF\n"
SMALL = HEAD + NODES + DEMANDS + DEPOT
FULL = np.array([[0, 3, 5, 4], [1, 0, 2, 6], [7, 8, 0, 9], [5, 5, 6, 0]])

LIBRARY = FOLDER / "cvrp"
# Solutions that visit a customer twice.
TWICE = {f"XML/XML100_{name}" for name in ("1371_11", "2271_25", "3371_07")}
SOLVED = sorted({str(path.relative_to(LIBRARY))[:-4] for path in LIBRARY.glob("*/*.sol")} - TWICE)
ALL = sorted(str(path.relative_to(LIBRARY))[:-4] for path in LIBRARY.glob("*/*.vrp"))


def problem_of(tmp_path, text, **more):
    path = tmp_path / "small.vrp"
    path.write_text(text)
    return gls.CVRP.read(path, **more)


def matrix_file(numbers, layout="FULL_MATRIX", demands=DEMANDS, depot=DEPOT):
    head = HEAD.replace("EUC_2D", f"EXPLICIT\nEDGE_WEIGHT_FORMAT : {layout}")
    return head + f"EDGE_WEIGHT_SECTION\n{numbers}\n" + demands + depot


FULL_NUMBERS = " ".join(map(str, FULL.ravel()))

# the library


@each_name(SOLVED)
def test_published_solutions_have_the_published_costs(name):
    problem = gls.CVRP.read(instance_path(f"cvrp/{name}.vrp"))
    path = instance_path(f"cvrp/{name}.sol")
    tour = problem.read_solution(path)
    costs = json.loads((LIBRARY / "solutions.json").read_text())
    published = costs.get(problem.name) or vrplib.read_solution(path)["cost"]
    (cost,) = problem.cost(tour)
    assert cost == published if problem.integer else abs(cost - published) < 0.05
    assert problem.feasible(tour)[0] and problem.complaints(tour) == []
    assert problem.routes(tour) == vrplib.read_solution(path)["routes"]
    assert problem.vehicles >= len(problem.routes(tour))


@each_name(ALL)
def test_all_entries_of_a_library_file_are_read(name):
    path = instance_path(f"cvrp/{name}.vrp")
    problem, content = gls.CVRP.read(path), vrplib.read_instance(path, compute_edge_weights=False)
    assert problem.route_limit == content.get("distance")
    assert set(problem.service_times[1:]) == {content.get("service_time", 0)}
    assert problem.capacity == content["capacity"]
    np.testing.assert_array_equal(problem.demands, content["demand"])
    assert problem.nodes.metric.name == ("EUC_2D" if name.startswith("X") else "EUC")


@pytest.mark.parametrize(
    ("name", "rounded"),
    [
        *(("X-n101-k25", True), ("A-n32-k5", True), ("Little-n5", True), ("", True)),
        *(("CMT1", False), ("Golden_12", False), ("Li_21", False), ("tai75a", False)),
    ],
)
def test_sets_and_their_rounding(name, rounded):
    assert rounds(name) == rounded


def test_rounding_can_be_chosen(tmp_path):
    text = SMALL.replace("4 4 0", "4 4 1")
    assert problem_of(tmp_path, text).nodes.metric.name == "EUC_2D"
    assert problem_of(tmp_path, text, rounding="none").nodes.metric.name == "EUC"
    real = text.replace("small", "CMT77")
    assert problem_of(tmp_path, real).nodes.metric.name == "EUC"
    assert problem_of(tmp_path, real, rounding="nearest").nodes.metric.name == "EUC_2D"


# the content of a file


def test_limits_of_routes_and_fleet(tmp_path):
    text = "DISTANCE : 12\nSERVICE_TIME : 1\nVEHICLES : 2\n" + SMALL
    problem = problem_of(tmp_path, text)
    assert (problem.route_limit, problem.fleet, problem.n) == (12, 2, 5)
    assert problem.service_times.tolist() == [0, 1, 1, 1]
    assert problem_of(tmp_path, text, vehicles=3).fleet == 3
    section = "SERVICE_TIME_SECTION\n4 3\n1 0\n2 1\n3 2\n"
    problem = problem_of(tmp_path, HEAD + NODES + section + DEMANDS + DEPOT)
    assert problem.service_times.tolist() == [0, 1, 2, 3]


def test_the_depot_is_where_the_file_says(tmp_path):
    demands = "DEMAND_SECTION\n1 2\n2 3\n3 0\n4 2\n"
    problem = problem_of(tmp_path, HEAD + NODES + demands + DEPOT.replace("1\n", "3\n", 1))
    assert problem.demands.tolist() == [0, 2, 3, 2]
    assert problem.nodes.coordinates.tolist() == [[0, 5], [0, 0], [0, 3], [4, 0]]
    third = DEPOT.replace("1\n", "3\n", 1)
    problem = problem_of(tmp_path, matrix_file(FULL_NUMBERS, demands=demands, depot=third))
    order = [2, 0, 1, 3]
    np.testing.assert_array_equal(problem.nodes.matrix, FULL[np.ix_(order, order)])


def test_nodes_of_other_numbers_and_orders(tmp_path):
    nodes = "NODE_COORD_SECTION\n40 4 0\n10 0 0\n30 0 5\n20 0 3\n"
    demands = "DEMAND_SECTION\n30 2\n20 2\n40 3\n10 0\n"
    problem = problem_of(tmp_path, HEAD + nodes + demands + "DEPOT_SECTION\n10\nEOF\n")
    same = problem_of(tmp_path, SMALL)
    np.testing.assert_array_equal(problem.nodes.coordinates, same.nodes.coordinates)
    np.testing.assert_array_equal(problem.demands, same.demands)


@pytest.mark.parametrize("layout", ["FULL_MATRIX", "LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW"])
def test_explicit_matrices(layout, tmp_path):
    wanted = FULL if layout == "FULL_MATRIX" else np.triu(FULL, 1) + np.triu(FULL, 1).T
    numbers = {
        "FULL_MATRIX": wanted.ravel(),
        "LOWER_ROW": wanted[np.tril_indices(4, -1)],
        "UPPER_ROW": wanted[np.triu_indices(4, 1)],
        "LOWER_DIAG_ROW": wanted[np.tril_indices(4)],
    }[layout]
    problem = problem_of(tmp_path, matrix_file(" ".join(map(str, numbers)), layout))
    np.testing.assert_array_equal(problem.nodes.matrix, wanted)
    assert problem.integer and problem.symmetric == (layout != "FULL_MATRIX")
    expected = wanted[[0, 1, 2, 0, 3], [1, 2, 0, 3, 0]].sum()
    assert problem.cost(problem.tour([[1, 2], [3]])) == expected


# solutions


def test_written_solutions(tmp_path):
    problem, path = problem_of(tmp_path, SMALL), tmp_path / "out.sol"
    tour = problem.tour([[2, 1], [3]])
    problem.write_solution(tour, path)
    assert path.read_text() == "Route #1: 2 1\nRoute #2: 3\nCost 18\n"
    assert vrplib.read_solution(path) == {"routes": [[2, 1], [3]], "cost": 18}
    assert {file.name for file in tmp_path.iterdir()} == {"small.vrp", "out.sol"}


@examples(30)
@given(st.permutations([1, 2, 3, 4, 5, 6, 7]), st.sets(st.integers(1, 6)))
def test_solutions_of_any_routes(tmp_path_factory, customers, cuts):
    points = [(i * i % 11 + i / 7, 3 * i % 7) for i in range(8)]
    problem = gls.CVRP(points, [0] + [1] * 7, 7, metric="EUC", copies=7)
    ends = [0, *sorted(cuts), 7]
    routes = [list(customers[a:b]) for a, b in itertools.pairwise(ends)]
    path = tmp_path_factory.mktemp("sol") / "out.sol"
    problem.write_solution(problem.tour(routes), path)
    assert problem.routes(problem.read_solution(path)) == routes


def test_a_solution_that_cannot_be_written_keeps_the_former_file(tmp_path):
    problem, path = problem_of(tmp_path, SMALL), tmp_path / "out.sol"
    path.write_text("former")
    path.chmod(0o640)
    with pytest.raises(GpuLsError):
        problem.write_solution(np.zeros(problem.n, int), path)
    assert path.read_text() == "former"
    problem.write_solution(problem.tour([[1, 2], [3]]), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Route #1: 1 2\nRoute #2: 3\nCost 31\n", "cost 18 here, not 31 .* another instance"),
        ("Route #1: 1 2\nRoute #2: 3 4\n", r"4 is not a customer 1\.\.3"),
        ("Route #1: 1 2\n", "customer 3 is not visited"),
        ("Route #1: 1 2\nRoute #2: 2 3\n", "customer 2 is visited 2 times"),
        ("Route #1: 1 2\nRoute #2: x\n", "line 2: 'Route #2: x' is not like"),
        ("Route #1: 1 2\nRoute #2: 3\nCost x\n", "line 3: 'x' is not a cost"),
        ("Cost 18\n", "no line such as 'Route #1: 5 3 8'"),
        ("", "no line such as"),
    ],
)
def test_wrong_solutions(text, message, tmp_path):
    problem, path = problem_of(tmp_path, SMALL), tmp_path / "other.sol"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=rf"other\.sol: .*{message}"):
        problem.read_solution(path)


def test_costs_of_solutions_may_be_rounded(tmp_path):
    problem, path = problem_of(tmp_path, SMALL), tmp_path / "out.sol"
    path.write_text("Route #1: 1 2\nRoute #2: 3\n\nCost 18.049\nTime 7\n")
    assert problem.routes(problem.read_solution(path)) == [[1, 2], [3]]


# wrong files

SERVICES = "SERVICE_TIME_SECTION\n1 0\n2 1\n3 1\n4 1\nEOF"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("CVRP", "VRPB", "TYPE: 'VRPB' is neither CVRP nor DCVRP"),
        ("CVRP", "TSP", r"TYPE: 'TSP' is neither .*; read it by TSP\.read"),
        ("DEPOT_S", "BACKHAUL_SECTION\n1 0\nDEPOT_S", "BACKHAUL_SECTION: not supported"),
        ("NAME", "MIN_VEHICLES : 2\nNAME", "MIN_VEHICLES: not supported"),
        ("CAPACITY : 4\n", "", "CAPACITY: missing"),
        ("CAPACITY : 4", "CAPACITY : 0", "CAPACITY: '0' is not an int"),
        ("CAPACITY : 4", "CAPACITY : 4.5", r"CAPACITY: '4\.5'"),
        ("CAPACITY : 4", "CAPACITY : x", "CAPACITY: 'x' is not"),
        ("NAME", "DISTANCE : -5\nNAME", "DISTANCE: '-5' is not a number of at least 0"),
        ("NAME", "DISTANCE : nan\nNAME", "DISTANCE: 'nan' is not a number"),
        ("NAME", "DISTANCE : 5\nNAME", "route_limit: a route to customer 2 alone takes 10"),
        ("NAME", "VEHICLES : 1\nNAME", "vehicles: 1 of capacity 4 hold 4, but"),
        ("NAME", "VEHICLES : 0\nNAME", "VEHICLES: '0' is not an integer between 1"),
        ("NAME", "SERVICE_TIME : -1\nNAME", "SERVICE_TIME: '-1' is not a number"),
        (SMALL, "SERVICE_TIME : 1\n" + SMALL.replace("EOF", SERVICES), "a number and as a section"),
        ("4 3\n", "4 9\n", "customer 3 demands 9, more than the cap"),
        ("4 3\n", "4 nan\n", "DEMAND_SECTION: 'nan' is not a finite num"),
        ("4 3\n", "", "DEMAND_SECTION: 3 nodes, but DIMENSION is 4"),
        ("4 3\n", "3 3\n", "DEMAND_SECTION: node 3 is given twice"),
        ("4 3\n", "5 3\n", "NODE_COORD_SECTION: node 4 is not in DEMAND_SECTION"),
        (DEMANDS, "", "DEMAND_SECTION: missing; the file may be cut off"),
        (DEPOT, "EOF\n", "DEPOT_SECTION: missing; the file may be cut off"),
        ("1\n-1\nEOF", "-1\nEOF", "DEPOT_SECTION: no depot"),
        ("1\n-1\n", "1\n2\n-1\n", "DEPOT_SECTION: 2 numbers, but one dep"),
        ("1\n-1\n", "7\n-1\n", "DEPOT_SECTION: the depot, 7, is not a no"),
        ("1\n-1\n", "3.5 4\n-1\n", "DEPOT_SECTION: 2 numbers"),
        (NODES, "", "NODE_COORD_SECTION: missing"),
        ("EUC_2D", "EUC_9D", "EDGE_WEIGHT_TYPE: .*EUC_9D"),
        (SMALL, matrix_file("0 1 inf 1 1 0 1 1 1 1 0 1 1 1 1 0"), "'inf' is not a finite number"),
        (SMALL, matrix_file("1 2 3", "LOWER_ROW"), "3 numbers, but LOWER_ROW of 4 cities has 6"),
        (SMALL, "", "DIMENSION: missing"),
        (SMALL, "\0\1\2", "a binary file"),
        (SMALL, "Dear Sir,\n", "line 1: 'Dear Sir,' is neither"),
    ],
)
def test_wrong_files(old, new, message, tmp_path):
    with pytest.raises((FileFormatError, UnsupportedProblemError), match=message) as raised:
        problem_of(tmp_path, SMALL.replace(old, new))
    assert "small.vrp: " in str(raised.value) and "\n" not in str(raised.value)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        gls.CVRP.read(tmp_path / "absent.vrp")
    with pytest.raises(IsADirectoryError):
        gls.CVRP.read(tmp_path)
    with pytest.raises(FileNotFoundError):
        problem_of(tmp_path, SMALL).read_solution(tmp_path / "absent.sol")


def test_cut_files_are_refused_or_whole(tmp_path):
    whole = problem_of(tmp_path, SMALL)
    for end in range(len(SMALL)):
        try:
            problem = problem_of(tmp_path, SMALL[:end])
        except GpuLsError as error:
            assert "small.vrp: " in str(error)
        else:
            np.testing.assert_array_equal(problem.demands, whole.demands)
            np.testing.assert_array_equal(problem.nodes.coordinates, whole.nodes.coordinates)


@examples(200)
@given(st.data())
def test_damaged_files_raise_nothing_else(tmp_path_factory, data):
    place = data.draw(st.integers(0, len(SMALL) - 1))
    inserted = data.draw(st.text(st.sampled_from("019-.:e \nAx\t\xe4"), max_size=3))
    kept = data.draw(st.integers(0, 4))
    path = tmp_path_factory.mktemp("vrp") / "small.vrp"
    path.write_text(SMALL[:place] + inserted + SMALL[place + kept :])
    try:
        gls.CVRP.read(path)
    except GpuLsError as error:
        assert str(error)


@pytest.mark.parametrize("kind", ["CVRP", "DCVRP", "ACVRP", "ADCVRP", "ACVRP (asymmetric)"])
def test_types_of_capacitated_problems(kind, tmp_path):
    text = matrix_file(FULL_NUMBERS).replace("TYPE : CVRP", f"TYPE : {kind}")
    problem = problem_of(tmp_path, text)
    assert problem.cost(problem.tour([[1, 2], [3]])).tolist() == [3 + 2 + 7 + 4 + 5]
    assert not problem.nodes.symmetric


@pytest.mark.parametrize(
    "line", ["Route #1: 1 2", "Route 1: 1 2", "route#1:1 2", "Route # 1 :  1 2", "ROUTE #1 1 2"]
)
def test_forms_of_routes(line, tmp_path):
    path = tmp_path / "a.sol"
    path.write_text(f"{line}\nRoute #2: 3\nRoute #3:\nCost 18\n")
    assert gls.problems.cvrplib.read_solution(path).routes == [[1, 2], [3], []]
