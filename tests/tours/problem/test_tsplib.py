"""TSPLIB files: every explicit format, loosely written files, tours and wrong files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpu_ls_plugin.core.exceptions import (
    FileFormatError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.tsplib import read_sections, read_tour, write_tour

PLANE = """\
NAME : triangle
COMMENT : by hand
TYPE : TSP
DIMENSION : 3
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 3 0
3 3 4
EOF
"""

MATRIX = """\
NAME: matrix
TYPE: TSP
DIMENSION: 4
EDGE_WEIGHT_TYPE: EXPLICIT
EDGE_WEIGHT_FORMAT: UPPER_ROW
EDGE_WEIGHT_SECTION
1 2 3
4 5 6
EOF
"""

TOUR = """\
NAME : a tour
TYPE : TOUR
DIMENSION : 4
TOUR_SECTION
2
4 1
3 -1
EOF
"""


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file and return its path."""

    def write_file(content, name="file.tsp"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


# Entries of an n x n matrix in the order in which each format writes them (TSPLIB95, 1.1.7).
ORDER = {
    "FULL_MATRIX": lambda n: [(i, j) for i in range(n) for j in range(n)],
    "UPPER_ROW": lambda n: [(i, j) for i in range(n) for j in range(i + 1, n)],
    "LOWER_ROW": lambda n: [(i, j) for i in range(n) for j in range(i)],
    "UPPER_DIAG_ROW": lambda n: [(i, j) for i in range(n) for j in range(i, n)],
    "LOWER_DIAG_ROW": lambda n: [(i, j) for i in range(n) for j in range(i + 1)],
    "UPPER_COL": lambda n: [(i, j) for j in range(n) for i in range(j)],
    "LOWER_COL": lambda n: [(i, j) for j in range(n) for i in range(j + 1, n)],
    "UPPER_DIAG_COL": lambda n: [(i, j) for j in range(n) for i in range(j + 1)],
    "LOWER_DIAG_COL": lambda n: [(i, j) for j in range(n) for i in range(j, n)],
}


def matrix_file(matrix: np.ndarray, layout: str, width: int) -> str:
    """Text of a file with a matrix in one format, `width` numbers to a line."""
    words = [str(matrix[i, j].item()) for i, j in ORDER[layout](len(matrix))]
    lines = [" ".join(words[k : k + width]) for k in range(0, len(words), width)]
    head = f"TYPE: TSP\nDIMENSION: {len(matrix)}\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
    section = f"EDGE_WEIGHT_FORMAT: {layout}\nEDGE_WEIGHT_SECTION\n"
    return head + section + "\n".join([*lines, "EOF\n"])


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("layout", ORDER)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n=st.integers(1, 9), width=st.integers(1, 20), seed=st.integers(0, 10**6))
def test_matrices_come_back_from_every_format(write, layout, dtype, n, width, seed):
    random = np.random.default_rng(seed)
    matrix = (random.random((n, n)) * 1000).astype(dtype)
    if layout != "FULL_MATRIX":
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
    problem = TSP.read(write(matrix_file(matrix, layout, width)))
    np.fill_diagonal(matrix, 0)
    assert np.array_equal(problem.matrix, matrix)
    # One city has no triangle, hence no number that could be a float.
    assert problem.integer == (dtype is np.int64) or n == 1


def test_an_asymmetric_problem(write):
    text = (
        "NAME: a\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
        "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
        "9999 1 50 50 9999\n2 4 50\n9999\nEOF\n"
    )
    problem = TSP.read(write(text, "a.atsp"))
    assert not problem.symmetric
    assert problem.matrix.tolist() == [[0, 1, 50], [50, 0, 2], [4, 50, 0]]


def test_a_plane_problem(write):
    problem = TSP.read(str(write(PLANE)), optimum=12)
    assert (problem.name, problem.comment, problem.optimum) == ("triangle", "by hand", 12)
    assert problem.coordinates.tolist() == [[0, 0], [3, 0], [3, 4]]
    assert problem.cost([0, 1, 2]).tolist() == [12]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("by hand", "Gr\xf6tschel").encode("latin-1"),
        lambda text: text.replace(" : ", ":"),
        lambda text: text.replace(" : ", "   :   "),
        lambda text: text.replace(" : ", "\t:\t"),
        lambda text: text.replace("EOF\n", ""),
        lambda text: text.replace("EOF\n", "").rstrip(),
        lambda text: text + "what follows the end is not read\n",
        lambda text: text.replace("NODE_COORD_SECTION", "NODE_COORD_SECTION :"),
        lambda text: text.replace("NODE_COORD_SECTION", "NODE_COORD_SECTION   "),
        lambda text: text.replace("\n", "\n\n").replace("1 0 0", "   1\t0    0   "),
        lambda text: text.replace("TYPE : TSP", "TYPE : TSP (M.~Hofmeister)"),
        lambda text: text.replace("TYPE : TSP\n", ""),
        lambda text: "# a remark\n" + text,
        lambda text: text.replace("2 3 0", "2 0.3e1 0.0E+00").replace("3 3 4", "3 3.00000e+00 4."),
        lambda text: text.replace("2 3 0", "2 +3 -0"),
        lambda text: text.replace("2 3 0\n3 3 4", "3 3 4\n2 3 0"),
        lambda text: text.replace("1 0", "0 0").replace("2 3", "1 3").replace("3 3 4", "2 3 4"),
        lambda text: text.replace("1 0", "10 0").replace("2 3", "20 3").replace("3 3 4", "30 3 4"),
        lambda text: text.replace("EOF", "DISPLAY_DATA_TYPE: COORD_DISPLAY\nEOF"),
        lambda text: text.lower().replace(": tsp", ": TSP"),
        lambda text: text.replace("DIMENSION : 3", "DIMENSION : 3\nDIMENSION : 3"),
    ],
)
def test_loosely_written_files(write, change):
    problem = TSP.read(write(change(PLANE)))
    assert problem.coordinates.tolist() == [[0, 0], [3, 0], [3, 4]]
    assert problem.name == "triangle"
    assert problem.metric.name == "EUC_2D"


def test_a_file_without_a_name_is_called_like_the_file(write):
    assert TSP.read(write(PLANE.replace("NAME : triangle\n", ""), "tri.tsp")).name == "tri"


def test_comments_add_up(write):
    text = PLANE.replace("COMMENT : by hand", "COMMENT : one: two\nCOMMENT : three")
    assert TSP.read(write(text)).comment == "one: two\nthree"


def test_other_sections_are_read_but_not_used(write):
    text = PLANE.replace("EOF", "DEMAND_SECTION\n1 0\n2 5\n3 7\nDEPOT_SECTION\n 1\n -1\nEOF")
    path = write(text.replace("\n", "\r\n"))
    assert TSP.read(path).n == 3
    sections = read_sections(path)
    assert sections.lines["DEMAND"] == ["1 0", "2 5", "3 7"]
    assert sections.lines["DEPOT"] == ["1", "-1"]
    assert sections.fields["EDGE_WEIGHT_TYPE"] == "EUC_2D"


def plane(old: str, new: str) -> str:
    assert old in PLANE
    return PLANE.replace(old, new)


def explicit(old: str, new: str) -> str:
    assert old in MATRIX
    return MATRIX.replace(old, new)


COORD = "NODE_COORD_SECTION: "
WEIGHT = "EDGE_WEIGHT_SECTION: "
FORMAT = "EDGE_WEIGHT_FORMAT: "


# Further cases are in tests/test_bad_input.py.
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe" + PLANE.encode("utf-16-le"), "a binary file"),
        ("1 2 3\n4 5 6\n", "line 1: '1 2 3' is neither"),
        (plane("DIMENSION : 3\n", ""), "DIMENSION: missing"),
        (plane("DIMENSION : 3", "DIMENSION :"), "DIMENSION: missing"),
        (plane("DIMENSION : 3", "DIMENSION : 3.5"), "DIMENSION: '3.5'"),
        (plane("DIMENSION : 3", "DIMENSION : " + "9" * 5000), "DIMENSION: '99"),
        (plane("DIMENSION : 3", "DIMENSION : 4"), COORD + "3 cities, but DIMENSION is 4"),
        (plane("DIMENSION : 3", "DIMENSION : 3\nDIMENSION : 4"), "DIMENSION: given twice"),
        (plane("EDGE_WEIGHT_TYPE : EUC_2D\n", ""), "EDGE_WEIGHT_TYPE: missing; known: EUC_2D"),
        (plane("NODE_COORD_SECTION\n1 0 0\n2 3 0\n3 3 4\n", ""), COORD + "missing"),
        (plane("3 3 4", "3 3 4 5"), COORD + "'3 3 4 5' is not"),
        (plane("3 3 4", "3 3 nan"), COORD + "'nan' is not a finite number"),
        (plane("3 3 4", "3 3 1e999"), COORD + "'1e999' is not a finite number"),
        (plane("3 3 4", "3 3 " + "1" * 400), COORD + "'1+...' is not a finite number"),
        (plane("3 3 4", "3 3 1_0"), COORD + "'1_0' is not a finite number"),
        (plane("3 3 4", "3 3,5 4"), COORD + "'3,5' is not a finite number"),
        (plane("3 3 4", "3 3 \u0664"), COORD + "'\u0664' is not a finite number"),
        (plane("3 3 4", "nan 3 4"), COORD + "'nan' is not a finite number"),
        (plane("3 3 4", "1e19 3 4"), COORD + "'1e19 3 4' does not begin with a node number"),
        (plane("EUC_2D", "GEO").replace("3 3 4", "3 95 4"), COORD + ".*latitude 95"),
        (plane("EOF", "NODE_COORD_SECTION\n1 0 0\nEOF"), COORD + "given twice"),
        (plane("EOF", "COLOUR : red\n4 4 4\nEOF"), "line 11: '4 4 4' is neither"),
        (explicit("EDGE_WEIGHT_FORMAT: UPPER_ROW\n", ""), FORMAT + "missing; known: FULL"),
        (explicit("4 5 6\n", "4 5 6 7\n"), WEIGHT + "7 numbers"),
        (explicit("UPPER_ROW", "LOWER_DIAG_ROW").replace("4 5", "4"), WEIGHT + "5 numbers, .*10"),
        (
            explicit("1 2 3\n4 5 6", "0 2 3\n4 0 6").replace("UPPER_ROW", "UPPER_DIAG_ROW"),
            WEIGHT + "6 numbers, .* has 10",
        ),
        (explicit("UPPER_ROW", "FULL_MATRIX"), WEIGHT + "6 numbers, .* has 16"),
        (explicit("DIMENSION: 4", "DIMENSION: 999999999"), WEIGHT + "6 numbers"),
        (explicit("EDGE_WEIGHT_SECTION\n1 2 3\n4 5 6\n", ""), WEIGHT + "missing"),
        (explicit("4 5 6", "4 five 6"), WEIGHT + "'five' is not a finite number"),
        (explicit("4 5 6", "4 2147483648 6"), WEIGHT + "matrix: .* is 2147483648"),
        (explicit("4 5 6", "4 " + "9" * 30 + " 6"), WEIGHT + "matrix: .* is 1e\\+30"),
    ],
)
def test_wrong_files(write, content, words):
    with pytest.raises(FileFormatError, match=rf"file\.tsp: {words}"):
        TSP.read(write(content))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (plane("TYPE : TSP", "TYPE : CVRP"), r"TYPE: 'CVRP' .*CVRP\.read"),
        (plane("TYPE : TSP", "TYPE : TOUR"), "TYPE: 'TOUR' .*read_tour"),
        (plane("TYPE : TSP", "TYPE : HCP"), "TYPE: 'HCP'"),
        *(
            (plane("TYPE : TSP", f"VEHICLES : {count}"), f"VEHICLES: '{count}', but a tour")
            for count in ("2", "0", "two")
        ),
        (
            plane("EOF", "FIXED_EDGES_SECTION\n1 2\n-1\nEOF"),
            "FIXED_EDGES_SECTION: .*remove the section .*OpenPath",
        ),
    ],
)
def test_other_kinds_of_problems_are_refused(write, content, words):
    with pytest.raises(UnsupportedProblemError, match=rf"file\.tsp: {words}"):
        TSP.read(write(content))


def test_one_vehicle_and_no_fixed_edges_are_allowed(write):
    assert TSP.read(write(plane("TYPE : TSP", "TYPE : TSP\nVEHICLES : 1"))).n == 3
    assert TSP.read(write(plane("EOF", "FIXED_EDGES_SECTION\n-1\nEOF"))).n == 3


def test_missing_files_stay_missing(tmp_path):
    for read in (TSP.read, read_tour):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "none.tsp")


@pytest.mark.parametrize("text", [PLANE, MATRIX])
def test_cut_files_are_refused_or_whole(write, text):
    whole = TSP.read(write(text)).fingerprint
    end = text.index("EOF")
    for cut in range(len(text)):
        path = write(text[:cut])
        if cut < end - 1:
            with pytest.raises((FileFormatError, UnsupportedProblemError)):
                TSP.read(path)
        elif text[end:cut] in ("", "EOF"):
            assert TSP.read(path).fingerprint == whole


def test_a_tour_by_hand(write):
    tour = read_tour(write(TOUR))
    assert tour.tolist() == [1, 3, 0, 2]
    assert tour.dtype == np.int32
    assert tour.shape == (4,)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.lower(),
        lambda text: text.replace("DIMENSION : 4\n", ""),
        lambda text: text.replace("TYPE : TOUR", "TYPE : TSP"),
        lambda text: text.replace(" -1\nEOF\n", ""),
        lambda text: text.replace("EOF\n", ""),
        lambda text: text.replace(" -1\n", "\n"),
        lambda text: text.replace("-1", "-1\n4 3 2 1 -1\n-1"),
        lambda text: text.replace("\n4 1\n3 ", " 4 1 3 "),
        lambda text: text.replace("\n4 1\n3 ", "\n\n  4\n1\n3\n"),
    ],
)
def test_loosely_written_tours(write, change):
    assert read_tour(write(change(TOUR))).tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("TOUR_SECTION\n2\n4 1\n3 -1\n", "", "TOUR_SECTION: missing"),
        ("2\n4 1\n3 -1\n", "", "TOUR_SECTION: 0 cities, but DIMENSION is 4"),
        ("3 -1\nEOF\n", "", "TOUR_SECTION: 3 cities, but DIMENSION is 4"),
        ("3 -1", "3 5 -1", "TOUR_SECTION: 5 cities, but DIMENSION is 4"),
        ("4 1", "4 4", "TOUR_SECTION: tour: row 0 is not a permutation: city 3 appears 2 times"),
        ("4 1", "4 5", "TOUR_SECTION: tour: row 0 holds city 4 .*zero-based"),
        ("4 1", "4 0", "TOUR_SECTION: tour: row 0 holds city -1"),
        ("4 1", "4 x", "TOUR_SECTION: 'x' is not a finite number"),
        ("4 1", "4 1.5", "TOUR_SECTION: tour: cities must be integers"),
        ("DIMENSION : 4", "DIMENSION : x", "DIMENSION: 'x'"),
        ("DIMENSION : 4\nTOUR_SECTION\n2\n4 1\n3 -1", "TOUR_SECTION\n-1", "TOUR_SECTION: 0 cities"),
    ],
)
def test_wrong_tours(write, old, new, words):
    assert old in TOUR
    with pytest.raises(FileFormatError, match=rf"file\.tour: {words}"):
        read_tour(write(TOUR.replace(old, new), "file.tour"))


@given(tour=st.integers(1, 30).flatmap(lambda n: st.permutations(range(n))))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_tours_come_back(tmp_path, tour):
    path = tmp_path / "some.tour"
    write_tour(path, tour, name="some", length=3, comment="two\nlines: here")
    assert read_tour(path).tolist() == list(tour)


def test_a_written_tour_by_hand(tmp_path):
    path = tmp_path / "square.tour"
    problem = TSP([(0, 0), (0, 3), (4, 3), (4, 0)], "EUC_2D", name="square")
    problem.write_tour(path, np.array([2, 0, 1, 3]), comment="by\nhand")
    assert path.read_text() == (
        "NAME : square\nCOMMENT : by hand, length 16\nTYPE : TOUR\nDIMENSION : 4\n"
        "TOUR_SECTION\n3\n1\n2\n4\n-1\nEOF\n"
    )
    write_tour(path, [1, 0])
    assert path.read_text().startswith("NAME : square\nTYPE : TOUR\nDIMENSION : 2\n")


@pytest.mark.parametrize(
    ("tour", "error"),
    [
        ([0, 0], InvalidTourError),
        ([1, 2], InvalidTourError),
        ([], InvalidTourError),
        ([[0, 1], [1, 0]], InvalidTourError),
        ([0.0, 1.5], InvalidTypeError),
    ],
)
def test_invalid_tours_are_not_written(tmp_path, tour, error):
    path = tmp_path / "some.tour"
    with pytest.raises(error, match=r"^tour: "):
        write_tour(path, tour)
    with pytest.raises(error, match=r"^tour: "):
        TSP([(0, 0), (1, 1)], "EUC_2D").write_tour(path, tour)
    assert not path.exists()


# Files of other programs


@pytest.mark.parametrize("layout", [layout for layout in ORDER if "DIAG" in layout])
def test_triangles_without_their_diagonal(write, layout):
    # TSPLIB's eil7.vrp, eil13.vrp and eil31.vrp say LOWER_DIAG_ROW and lack the diagonal.
    for n in range(2, 7):
        matrix = np.arange(1, n * n + 1).reshape(n, n)
        matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
        text = matrix_file(matrix, layout.replace("DIAG_", ""), 3)
        problem = TSP.read(write(text.replace(layout.replace("DIAG_", ""), layout)))
        assert np.array_equal(problem.matrix, matrix)


@pytest.mark.parametrize("layout", [layout for layout in ORDER if "DIAG" in layout])
def test_triangles_that_lack_a_row_are_cut_off(write, layout):
    for n in range(2, 7):
        matrix = 7 * (1 - np.eye(n, dtype=int))
        words = matrix_file(matrix, layout, 1).splitlines()
        text = "\n".join(words[: 5 + n * (n - 1) // 2])
        with pytest.raises(FileFormatError, match="may be cut off"):
            TSP.read(write(text))


@pytest.mark.parametrize("separator", [" ", "\t", "   "])
def test_keywords_without_colons(write, separator):
    for text in (PLANE, MATRIX.replace(": ", " : ")):
        path = write(text.replace(" : ", separator))
        assert TSP.read(path).fingerprint == TSP.read(write(text)).fingerprint
    assert read_tour(write(TOUR.replace(" : ", separator))).tolist() == [1, 3, 0, 2]
    after = PLANE.replace("EOF", f"COMMENT{separator}after the section\nEOF")
    assert TSP.read(write(after)).comment == "by hand\nafter the section"
