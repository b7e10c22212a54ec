"""Arguments of `solve`: arrays, files and rows to start from."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidProblemError, InvalidTourError, InvalidTypeError

RNG = np.random.default_rng(3)
POINTS = RNG.integers(0, 100, (12, 2))
MATRIX = RNG.integers(1, 100, (9, 9)) * (1 - np.eye(9, dtype=int))
FEW = {"seconds": 30, "kicks": 5, "backend": "cpu", "population": 3}


def problems() -> dict[str, gls.Problem]:
    costs, loads = RNG.integers(1, 20, (3, 8)), RNG.integers(1, 6, (3, 8))
    flows = RNG.integers(0, 5, (7, 7))
    edges = [(i, j) for i in range(10) for j in range(i) if RNG.random() < 0.5]
    return {
        "tsp": gls.TSP(POINTS),
        "asymmetric": gls.TSP.from_matrix(MATRIX),
        "cvrp": gls.CVRP(POINTS, [0] + [1] * 11, 4),
        "gap": gls.GeneralisedAssignment(costs.T, loads.T, [30, 30, 30]),
        "qap": gls.QuadraticAssignment(flows, flows.T),
        "colouring": gls.GraphColouring(10, edges, colours=4),
    }


PROBLEMS = problems()


def rows_of(problem: gls.Problem, size: int) -> np.ndarray:
    """Return good rows, which a short search does not always find."""
    return gls.solve(problem, seconds=30, kicks=50, backend="cpu", population=size).tours


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_rows_to_start_from_are_never_worsened(kind: str, size: int) -> None:
    problem = PROBLEMS[kind]
    start = rows_of(problem, size)
    found = gls.solve(problem, start=start, seed=2, **FEW)
    assert len(found.tours) == 3
    assert found.best_cost <= problem.cost(start).min()
    assert np.array_equal(found.costs, problem.cost(found.tours))
    assert found.statistics.stopped_by != "seconds"


@pytest.mark.parametrize("kind", PROBLEMS)
def test_rows_come_back_if_there_is_no_time(kind: str) -> None:
    problem = PROBLEMS[kind]
    start = rows_of(problem, 1)
    found = gls.solve(problem, start=start[0], seconds=0, backend="cpu", population=2)
    assert found.best_cost <= problem.cost(start)[0]


def test_all_rows_have_room_in_the_population() -> None:
    problem = PROBLEMS["tsp"]
    start = gls.random_tours(problem, size=700, seed=1)
    assert len(gls.solve(problem, start=start, seconds=30, kicks=1, backend="cpu").tours) >= 700


@pytest.mark.parametrize(
    ("start", "error"),
    [
        ([0, 1, 2], InvalidTourError),
        ([[0] * 12], InvalidTourError),
        (np.zeros((2, 12)) + 0.5, InvalidTypeError),
        (np.zeros((2, 3, 12), int), InvalidTourError),
        (5, InvalidTourError),
        ({}, InvalidTourError),
    ],
)
def test_invalid_rows_are_refused_by_a_short_message(start: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="start: ") as raised:
        gls.solve(PROBLEMS["tsp"], start=start, **FEW)  # type: ignore[arg-type]
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("make", [np.array, np.ndarray.tolist, np.asfortranarray])
def test_arrays_are_coordinates_or_distances(make: object) -> None:
    found = gls.solve(make(POINTS.astype(float)), **FEW)  # type: ignore[operator]
    assert found.problem.n == 12 and found.problem.metric.name == gls.TSP(POINTS).metric.name
    found = gls.solve(make(MATRIX), **FEW)  # type: ignore[operator]
    assert np.array_equal(found.costs, gls.TSP.from_matrix(MATRIX).cost(found.tours))


@pytest.mark.parametrize("shape", [(2, 2), (3,), (3, 4), (2, 3, 2), (0,), ()])
def test_other_arrays_are_refused_with_the_reason(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidProblemError, match=r"problem: .*\(n, 2\)|TSP\(array\)"):
        gls.solve(np.zeros(shape), **FEW)


def test_files_of_any_kind_are_read(tmp_path) -> None:
    file = tmp_path / "square.txt"
    file.write_text(
        "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
        "1 0 0\n2 0 10\n3 10 10\n4 10 0\nEOF\n"
    )
    assert gls.solve(file, **FEW).best_cost == gls.solve(str(file), **FEW).best_cost == 40
    graph = tmp_path / "triangle.col"
    graph.write_text("p edge 3 3\ne 1 2\ne 2 3\ne 1 3\n")
    assert isinstance(gls.solve(graph, **FEW).problem, gls.GraphColouring)
