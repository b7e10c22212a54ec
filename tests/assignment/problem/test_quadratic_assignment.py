"""Quadratic assignment: costs by brute force, the functor, files, and published optima."""

from __future__ import annotations

import itertools
from bisect import bisect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidProblemError
from gpu_ls_plugin.testing import check_assignment
from tests.helpers.marks import slow_after
from tests.testing.faults import ON_BOTH

# nug12 (Nugent, Vollmann and Ruml 1968): flows on a grid of 3 x 4, optimum 578 (QAPLIB).
NUG12 = (
    "5 2 4 1 0 0 6 2 1 1 1 3 0 2 2 2 0 4 5 0 0 0 0 0 0 5 5 2 2 2 5 2 2 10 0 0 5 5 10 0 0 0 5 1 1 "
    "5 1 1 5 4 0 10 5 2 3 3 0 0 5 0 0 10 10 5 0 2"
)
NUG12_BEST = "12 7 9 3 4 8 11 1 5 6 10 2"


def symmetric(table):
    return table + table.T


def nug12():
    place = np.array(list(itertools.product(range(3), range(4))))
    grid = np.abs(place[:, None] - place).sum(axis=2)
    flows = np.zeros((12, 12), int)
    flows[np.triu_indices(12, 1)] = NUG12.split()
    return grid, symmetric(flows)


@st.composite
def cases(draw):
    n = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    flows, distances = (rng.integers(-9, 10, (n, n)) for _ in range(2))
    rows = rng.integers(-1, n, (4, n))
    rows[0] = rng.permutation(n)
    return flows, distances, rows


@given(cases())
def test_costs_are_products(case):
    flows, distances, rows = case
    problem = gls.QuadraticAssignment(flows, distances)
    for row, cost, feasible in zip(rows, problem.cost(rows), problem.feasible(rows), strict=True):
        pairs = itertools.product(range(len(row)), repeat=2)
        expected = sum(
            flows[i][j] * distances[row[i]][row[j]] for i, j in pairs if min(row[i], row[j]) >= 0
        )
        assert cost == expected
        assert feasible == (sorted(row) == list(range(len(row))))


def kinds():
    """Matrices for each type of the functor."""
    rng = np.random.default_rng(8)
    flows, distances = rng.integers(-9, 10, (7, 7)), rng.integers(0, 20, (7, 7))
    both = [(symmetric(flows), distances), (flows, symmetric(distances))]
    yield "gls::QuadraticAssignment<int, short, 1>", [*both, ([[5]], [[7]]), nug12()]
    yield "gls::QuadraticAssignment<int, short, 2>", [(flows, distances)]
    yield "gls::QuadraticAssignment<int, int, 1>", [(f * 4000, d) for f, d in both]
    large = 10**9
    yield "gls::QuadraticAssignment<gls::int64, gls::int64, 1>", [(f * large, d) for f, d in both]
    yield "gls::QuadraticAssignment<gls::int64, gls::int64, 2>", [(flows * large, distances)]


@ON_BOTH
@pytest.mark.parametrize(("functor", "tables"), slow_after(2, kinds()))
def test_the_functor(functor, tables, backend):
    for flows, distances in tables:
        problem = gls.QuadraticAssignment(flows, distances)
        assert problem.functor() == functor
        check_assignment(problem, backend=backend)


def uniform(flows, distance):
    return gls.QuadraticAssignment(flows, np.full_like(flows, distance))


def test_numbers_near_2_to_the_31():
    """The largest numbers in 32 bits; the compiler's sanitizer finds overflows."""
    flows = np.full((3, 3), 10**4)
    distances = range(1, 2**15)
    most = bisect(distances, 0, key=lambda d: "64" in uniform(flows, d).functor())
    rng = np.random.default_rng(0)
    for _ in range(3):
        signs = rng.choice([-1, 1], (2, 3, 3))
        distances = symmetric(np.triu(signs[1])) * (most // 2)
        problem = gls.QuadraticAssignment(flows * signs[0], distances)
        assert problem.functor() == "gls::QuadraticAssignment<int, short, 1>"
        check_assignment(problem, backend="cpu")


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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "ends after 0 of 1"),
        ("2\n1 2 3 4\n5 6 7\n", "line 3: the file ends after 3 of 4 numbers .second matrix."),
        ("2\n1 2 3 4\n5 6 7 8 9\n", "line 3: '9' follows"),
        ("2\n1 2 3 4\n5 6 y 8\n", "line 3: 'y'"),
        ("2\n1 2 3 4\n5 6 7 8\n0 0 0 1\n", "line 4: the third matrix, of linear costs, is not"),
        ("2\n1 2 3 4\n5 6 7 8\n0 0 0\n", "line 4: '0' follows"),
        ("0\n", "0 facilities"),
        ("99999999999\n", "facilities"),
        ("1\n9223372036854775807 2\n", "flows: products"),
    ],
)
def test_invalid_files_are_refused(tmp_path, text, words):
    path = tmp_path / "broken.dat"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=f"broken.dat: .*{words}"):
        gls.QuadraticAssignment.read(path)


@pytest.mark.parametrize(
    ("flows", "distances", "words"),
    [
        ([[1, 2]], [[1]], r"flows: shape \(1, 2\) is not"),
        ([[1]], [[1, 2], [3, 4]], "distances: 2 locations, but flows are of 1"),
        ([[1.5]], [[1]], "flows: entry .* is 1.5"),
        ([[1]], [[float("inf")]], "distances: entry"),
        ([[2**40]], [[2**20]], "flows: products"),
        ([], [], "flows: shape"),
    ],
)
def test_invalid_data_are_refused(flows, distances, words):
    with pytest.raises(InvalidProblemError, match=words):
        gls.QuadraticAssignment(flows, distances)


def test_uniform_instances():
    problem = gls.QuadraticAssignment.generated(60, seed=2)
    for table in (problem.flows, problem.distances):
        assert np.array_equal(table, table.T) and not table.diagonal().any()
        others = table[np.triu_indices(60, 1)]
        assert (others.min(), others.max()) == (0, 99) and abs(others.mean() - 49.5) < 3
    assert not np.array_equal(problem.flows, problem.distances)
    again, other = (gls.QuadraticAssignment.generated(60, seed=seed) for seed in (2, 3))
    assert np.array_equal(problem.flows, again.flows)
    assert not np.array_equal(problem.flows, other.flows)
