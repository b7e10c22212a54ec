"""Solution files of assignment problems: written, read back, refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidTourError

GRAPH = gls.GraphColouring.queen(2, 2, colours=3)
PLANTS = gls.QuadraticAssignment.generated(4, seed=1)


@given(st.lists(st.integers(-1, 2), min_size=4, max_size=4))
def test_states_are_read_as_they_were_written(tmp_path_factory, row):
    path = tmp_path_factory.getbasetemp() / "state.txt"
    GRAPH.write_solution(row, path)
    assert path.read_text() == "".join(f"{value + 1}\n" for value in row)
    assert GRAPH.read_solution(path).tolist() == row


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
        ("1\n2\n3\n1\n1\n", "'1' follows behind"),
        ("1\n2\n4\n1\n", "value 3 to variable 2"),
        ("1\n2\n-1\n1\n", "value -2 to variable 2"),
        ("1\n2\nred\n1\n", "line 3: 'red' is not an integer"),
        (f"1\n2\n{-(2**63)}\n1\n", "to variable 2"),
    ],
)
def test_invalid_files_are_refused(text, reason, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=reason) as caught:
        GRAPH.read_solution(path)
    assert str(path) in str(caught.value)


def test_invalid_states_are_not_written(tmp_path):
    path = tmp_path / "a.txt"
    with pytest.raises(InvalidTourError, match="state: 2 states, but one"):
        GRAPH.write_solution(np.zeros((2, 4), int), path)
    with pytest.raises(InvalidTourError, match="state: row 0 assigns value 3"):
        GRAPH.write_solution([0, 1, 2, 3], path)
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
