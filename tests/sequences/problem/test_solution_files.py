"""Files of one sequence and its cost."""

from __future__ import annotations

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidTourError

TIMES = [[3, 2], [1, 4], [2, 2]]


def test_solutions_are_written_and_read(tmp_path):
    path = tmp_path / "best.txt"
    problem = gls.FlowShop(TIMES)
    problem.write_solution([2, 0, 1], path)
    assert path.read_text() == "3 11\n3 1 2\n"
    assert problem.read_solution(path).tolist() == [2, 0, 1]
    with pytest.raises(InvalidTourError, match="row: 2 sequences, but one is needed"):
        problem.write_solution([[2, 0, 1]] * 2, path)


def test_real_costs_are_written_in_full(tmp_path):
    path = tmp_path / "best.txt"
    problem = gls.FlowShop([[0.1, 0.2], [0.7, 0.1], [1 / 3, 1e-9]])
    problem.write_solution([0, 1, 2], path)
    assert path.read_text().split()[:2] == ["3", repr(problem.cost([0, 1, 2])[0].item())]
    assert problem.read_solution(path).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("3 12\n3 1 2\n", "the sequence costs 11, not 12 as stated"),
        ("4 11\n3 1 2 4\n", "line 1: 4 items, but the problem has 3"),
        ("3 11\n3 1 1\n", r"line 2: not a permutation of 1\.\.3"),
        ("3 11\n2 0 1\n", r"line 2: not a permutation of 1\.\.3"),
        ("3 11\n3 1\n", "the file ends after 2 of 3 numbers"),
        ("3\n", "the file ends before the cost"),
        ("3 x\n3 1 2\n", r"'x' is not a number \(cost\)"),
        ("3 11\n3 1 2 4\n", "'4' follows the last number"),
    ],
)
def test_wrong_solutions_are_refused(text, reason, tmp_path):
    path = tmp_path / "best.txt"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=reason) as caught:
        gls.FlowShop(TIMES).read_solution(path)
    assert str(path) in str(caught.value)


def test_a_sequence_begins_as_the_problem_says(tmp_path):
    path = tmp_path / "best.txt"
    path.write_text("3 2\n2 1 3\n")
    problem = gls.Latency(gls.TSP([[0, 0], [1, 0], [2, 0]]))
    with pytest.raises(FileFormatError, match=r"begins with \[1\]"):
        problem.read_solution(path)
