"""Files of assignment problems and of their solutions: read, written, refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidTourError
from tests.assignment.problem.test_quadratic_assignment import nug12

NUG12_BEST = "12 7 9 3 4 8 11 1 5 6 10 2"
# Two problems of 2 agents and 3 jobs.
LIBRARY = "2\n2 3\n1 2 3\n4 5 6\n1 1 2\n2 2 1\n3 4\n2 3\n9 8 7 6 5 4\n1 1 1 1 1 1 1 2\n"


TRIANGLE = "c a triangle and a vertex\np edge 4 3\nn 1 2\ne 1 2\ne 3 2\ne 1 3\n"


SQUARE = gls.GraphColouring.queen(2, 2, colours=3)
PLANTS = gls.QuadraticAssignment.generated(4, seed=1)


@given(st.lists(st.integers(-1, 2), min_size=4, max_size=4))
def test_states_are_read_as_they_were_written(tmp_path_factory, row):
    path = tmp_path_factory.getbasetemp() / "state.txt"
    SQUARE.write_solution(row, path)
    assert path.read_text() == "".join(f"{value + 1}\n" for value in row)
    assert SQUARE.read_solution(path).tolist() == row


@given(st.permutations(range(4)))
def test_permutations_are_read_as_they_were_written(tmp_path_factory, row):
    path = tmp_path_factory.getbasetemp() / "state.sln"
    PLANTS.write_solution(row, path)
    cost = PLANTS.cost(row)[0]
    assert path.read_text().split() == [str(n) for n in (4, cost, *(np.array(row) + 1))]
    assert PLANTS.cost(PLANTS.read_solution(path)).tolist() == [cost]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1\n2\n3\n", "ends after 3 of 4 numbers"),
        ("1\n2\n3\n1\n1\n", "'1' follows the last"),
        ("1\n2\n4\n1\n", "value 3 to variable 2"),
        ("1\n2\n-1\n1\n", "value -2 to variable 2"),
        ("1\n2\nred\n1\n", "line 3: 'red' is not an integer"),
        (f"1\n2\n{-(2**63)}\n1\n", "to variable 2"),
    ],
)
def test_invalid_solutions_are_refused(text, reason, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=reason) as caught:
        SQUARE.read_solution(path)
    assert str(path) in str(caught.value)


def test_invalid_states_are_not_written(tmp_path):
    path = tmp_path / "a.txt"
    with pytest.raises(InvalidTourError, match="state: 2 states, but one"):
        SQUARE.write_solution(np.zeros((2, 4), int), path)
    with pytest.raises(InvalidTourError, match="state: row 0 assigns value 3"):
        SQUARE.write_solution([0, 1, 2, 3], path)
    for row in ([0, 1, 2, -1], [0, 1, 1, 2]):
        with pytest.raises(InvalidTourError, match="not a permutation"):
            PLANTS.write_solution(row, path)
    assert not path.exists()


def test_optima_of_files(tmp_path):
    path = tmp_path / "a.dat"
    path.write_text("1 5 7")
    assert gls.QuadraticAssignment.read(path, optimum=35).optimum == 35
    path.write_text("1 1 5 2 3")
    assert gls.GeneralisedAssignment.read(path, sense="max", optimum=-5).optimum == -5
    path.write_text("p edge 2 1\ne 1 2\n")
    assert gls.GraphColouring.read(path, 1, optimum=1).optimum == 1
    assert gls.GraphColouring.read(path, 1).optimum == 0


def test_a_graph_is_read(tmp_path):
    path = tmp_path / "triangle.col"
    path.write_text(TRIANGLE)
    problem = gls.GraphColouring.read(path, 3)
    assert (problem.n, problem.colours, problem.name) == (4, 3, "triangle")
    assert problem.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert (problem.optimum, problem.integer, problem.moves) == (0, True, ("assign",))


@pytest.mark.parametrize("line", ["p edge 4 3 3", "p col 4 3", "p edges 4 3 3.5", "p  edge\t4 3"])
def test_forms_of_the_problem_line(line, tmp_path):
    path = tmp_path / "triangle.col"
    path.write_text(TRIANGLE.replace("p edge 4 3", line))
    assert len(gls.GraphColouring.read(path, 3).edges) == 3


def test_a_library_file_is_read(tmp_path):
    path = tmp_path / "gap0.txt"
    path.write_text(LIBRARY)
    first, second = (gls.GeneralisedAssignment.read(path, which) for which in (1, 2))
    assert first.costs.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert first.resources.tolist() == [[1, 2], [1, 2], [2, 1]]
    assert first.capacities.tolist() == [3, 4]
    assert second.costs.T.tolist() == [[9, 8, 7], [6, 5, 4]]
    assert second.capacities.tolist() == [1, 2]
    assert (first.n, first.agents, first.name) == (3, 2, "gap0")
    profits = gls.GeneralisedAssignment.read(path, sense="max")
    assert profits.cost([0, 1, -1]).tolist() == [-6]
    path.write_text(LIBRARY[2 : LIBRARY.index("2 3\n9")])  # one problem, without their number
    assert gls.GeneralisedAssignment.read(path).costs.tolist() == first.costs.tolist()


def write_nug12(tmp_path):
    path = tmp_path / "nug12.dat"
    grid, flows = nug12()
    words = " ".join(map(str, [12, *grid.ravel(), *flows.ravel()]))
    path.write_text(words.replace(" ", "\n", 1))
    return path


def test_a_library_file_and_its_solution(tmp_path):
    problem = gls.QuadraticAssignment.read(write_nug12(tmp_path))
    assert np.array_equal(problem.flows, nug12()[0])
    assert np.array_equal(problem.distances, nug12()[1])
    assert (problem.n, problem.name, problem.distinct, problem.moves) == (
        *(12, "nug12", True),
        ("swap",),
    )
    solution = tmp_path / "nug12.sln"
    solution.write_text(f"12 578\n{NUG12_BEST}\n")
    row = problem.read_solution(solution)
    assert problem.cost(row).tolist() == [578]
    assert (row + 1).tolist() == [int(word) for word in NUG12_BEST.split()]
    solution.write_text(f"12, 578\n{', '.join(str(place + 1) for place in row.argsort())}")
    assert np.array_equal(problem.read_solution(solution), row)  # the facility at each location
    for text, words in (
        ("12 579\n" + NUG12_BEST, "costs 578, not 579"),
        ("11 578\n" + NUG12_BEST, "11 facilities"),
        ("12 578\n" + NUG12_BEST.replace("10", "11"), "not a permutation"),
        ("12 578\n" + NUG12_BEST[:-2], "cut off"),
    ):
        solution.write_text(text)
        with pytest.raises(FileFormatError, match=f"nug12.sln: .*{words}"):
            problem.read_solution(solution)


def test_a_third_matrix_may_be_zero(tmp_path):
    path = tmp_path / "three.dat"
    path.write_text("2\n1 2 3 4\n5 6 7 8\n0 0\n0 0\n")
    assert gls.QuadraticAssignment.read(path).distances.tolist() == [[5, 6], [7, 8]]


def test_numbers_behind_the_problem_are_refused(tmp_path):
    # A flow shop of 5 jobs and 4 machines. Its numbers begin like 5 problems of 1 x 1.
    path = tmp_path / "flowshop.txt"
    path.write_text("5 4\n1 1 5 5\n5 7 7 2\n9 8 7 6\n5 4 3 2\n9 9 9 9\n")
    for which in (1, 2):
        with pytest.raises(FileFormatError, match=r"flowshop\.txt"):
            gls.GeneralisedAssignment.read(path, which)
    path.write_text("5 1\n1 5 5 5\n5 7 7 2\n9 8 7 6\n5 4 3 2\n9 9 9 9\n")
    with pytest.raises(FileFormatError, match=r"line 6: the file ends after"):
        gls.GeneralisedAssignment.read(path)


READERS = {
    "jobs": lambda path: gls.GeneralisedAssignment.read(path, 2),
    "graph": lambda path: gls.GraphColouring.read(path, 3),
    "plants": gls.QuadraticAssignment.read,
}
REFUSED = [
    ("jobs", "", "ends after 0 of 1 numbers"),
    ("jobs", LIBRARY[:-2], "line 10: the file ends after 1 of 2 numbers .capacities."),
    ("jobs", LIBRARY + "5", "line 11: '5' follows"),
    ("jobs", LIBRARY.replace("5 6", "5 x"), "line 4: 'x' is not an integer .costs."),
    ("jobs", LIBRARY.replace("5 6", "5 6.5"), "line 4: '6.5'"),
    ("jobs", LIBRARY.replace("2\n2 3", "2\n0 3", 1), "line 2: 0 agents"),
    ("jobs", LIBRARY.replace("2\n2 3", "1\n2 3", 1), "there is no problem 2; the file has 1"),
    ("jobs", LIBRARY.replace("1 1 1 1", "1 -1 1 1", 1), r"resources: entry \(1, 0\) is -1"),
    ("graph", "", "no line 'p edge"),
    ("graph", "p edge 0 0\n", "line 1"),
    ("graph", "p edge 3\n", "line 1"),
    ("graph", "p edge 3 1\np edge 3 1\n", "line 2"),
    ("graph", "e 1 2\np edge 3 1\n", "line 1"),
    ("graph", "p edge 3 1\n\ne 1 4\n", r"line 3: vertices are 1\.\.3"),
    ("graph", "p edge 3 1\ne 0 1\n", "line 2: vertices"),
    ("graph", "p edge 3 1\ne 2 2\n", "line 2: .* to itself"),
    ("graph", "p edge 3 1\ne 1 x\n", "line 2"),
    ("graph", "p edge 3 1\ne 1 2 3\n", "line 2"),
    ("graph", "p edge 3 3\ne 1 2\n", "1 edges of 3; the file may be cut off"),
    ("graph", "DIMENSION : 3\n", "line 1"),
    ("graph", "p edge 3 1\0\n", "binary"),
    ("plants", "", "ends after 0 of 1"),
    ("plants", "2\n1 2 3 4\n5 6 7\n", "line 3: the file ends after 3 of 4 numbers .second matrix."),
    ("plants", "2\n1 2 3 4\n5 6 7 8 9\n", "line 3: '9' follows"),
    ("plants", "2\n1 2 3 4\n5 6 y 8\n", "line 3: 'y'"),
    (
        "plants",
        "2\n1 2 3 4\n5 6 7 8\n0 0 0 1\n",
        "line 4: the third matrix, of linear costs, is not",
    ),
    ("plants", "2\n1 2 3 4\n5 6 7 8\n0 0 0\n", "line 4: '0' follows"),
    ("plants", "0\n", "0 facilities"),
    ("plants", "99999999999\n", "facilities"),
    ("plants", "1\n9223372036854775807 2\n", "flows: sums of products"),
]


@pytest.mark.parametrize(("kind", "text", "words"), REFUSED)
def test_invalid_files_are_refused(tmp_path, kind, text, words):
    path = tmp_path / "broken"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=f"broken: .*{words}"):
        READERS[kind](path)
