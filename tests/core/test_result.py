"""Results and histories: their order, distinct rows, files and figures."""

from __future__ import annotations

import gzip
import json
import re
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.core.history import Point, load_history, note, plot_history, save_history
from gpu_ls_plugin.core.result import Result, Statistics
from tests.helpers.on_gpu import OnGPU
from tests.helpers.processes import run_python

WHOLE = st.integers(0, 2**62)
REAL = st.floats(allow_nan=False)
COST = st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
POINTS = st.lists(st.builds(Point, REAL, WHOLE, COST, REAL), max_size=5)
STATISTICS = st.builds(
    Statistics,
    passes=WHOLE,
    kicks=WHOLE,
    accepted=WHOLE,
    seconds=REAL,
    stopped_by=st.sampled_from(["optimum", "kicks", "interrupt"]),
    backend=st.text(max_size=5),
    moves_by=st.dictionaries(st.text(max_size=5), WHOLE, max_size=3),
    phases=st.dictionaries(st.text(max_size=5), REAL, max_size=3),
    history=POINTS,
)
FALL = [Point(0.0, 0, 120, 130.5), Point(0.5, 10, 110, 121.25), Point(2.0, 40, 105, 110.0)]
FALLING = (8, 8, 9, 7, 7, 2)


@st.composite
def results(draw):
    size, n = draw(st.integers(1, 4)), draw(st.integers(1, 7))
    tours = np.array([draw(st.permutations(range(n))) for _ in range(size)], dtype=np.int32)
    whole = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=size, max_size=size)
    real = st.lists(REAL, min_size=size, max_size=size)
    costs = draw(st.one_of(whole.map(np.int64), real.map(np.float64)))
    return Result(tours, costs, draw(STATISTICS))


def three(**fields) -> Result:
    """Three tours of four cities; the last two are the same tour."""
    tours = np.array([[0, 1, 2, 3], [0, 2, 1, 3], [1, 2, 0, 3]], dtype=np.int32)
    return Result(tours, np.array([7, 5, 5]), Statistics(**fields))


# ---- statistics


def test_statistics_of_searches_are_added_by_name():
    total = Statistics(kicks=1, accepted=1, moves_by={"2opt": 3}, phases={"kicks": 0.5})
    total.history.append(FALL[0])
    other = Statistics(
        kicks=2,
        accepted=1,
        moves_by={"2opt": 4, "oropt": 1},
        phases={"costs": 0.25, "kicks": 1.0},
        history=FALL[1:],
    )
    total.add(other)
    assert (total.kicks, total.accepted) == (3, 2)
    assert total.moves_by == {"2opt": 7, "oropt": 1}
    assert total.phases == {"kicks": 1.5, "costs": 0.25}
    assert total.history == FALL
    assert other.moves_by == {"2opt": 4, "oropt": 1} and other.history == FALL[1:]


def test_phases_add_up_even_if_one_raises(monkeypatch):
    clock = iter([10.0, 12.0, 20.0, 23.5])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    statistics = Statistics()
    with statistics.phase("kicks"):
        pass
    with pytest.raises(KeyError), statistics.phase("kicks"):
        raise KeyError
    assert statistics.phases == {"kicks": 5.5}


def test_a_history_contains_the_start_and_new_best_costs():
    history = []
    new = [note(history, Point(0.01 * time, 0, cost, 9.0)) for time, cost in enumerate(FALLING)]
    assert new == [True, False, False, True, False, True]
    assert [point.best_cost for point in history] == [8, 7, 2]


def test_a_history_contains_mean_costs_at_growing_intervals():
    history = []
    new = [note(history, Point(0.02 * step, step, 5 + step % 2, -step)) for step in range(10_000)]
    assert new == [True] + [False] * 9999
    times = [point.elapsed for point in history]
    between = np.diff(times)
    early = between[np.array(times[1:]) < 9]
    assert early.min() > 0.0999 and early.max() < 0.1201
    assert (between >= 0.01 * np.array(times[1:]) - 1e-9).all() and between.max() < 2.1
    assert 200 < len(history) < 500, "100 in 10 s, and 100 for each further factor of 2.7"
    assert {point.best_cost for point in history} == {5}, "the best of all so far"
    assert [point.mean_cost for point in history] == [-point.kicks for point in history]


# ---- order


@pytest.mark.parametrize("kind", [np.ndarray, OnGPU])
def test_rows_are_sorted_by_cost_and_equal_ones_stay_in_order(kind):
    tours = np.array([np.roll(np.arange(40), row) for row in range(40)], dtype=np.int32)
    costs = np.arange(40) % 3
    given = Result(tours.view(kind), costs.view(kind), Statistics(moves=4))
    ordered = given.sorted()
    assert ordered.tours[:, 0].tolist() == sorted(tours[:, 0].tolist(), key=lambda c: (-c % 40) % 3)
    assert ordered.costs.tolist() == sorted(costs.tolist())
    assert type(ordered.tours) is type(ordered.costs) is kind
    assert ordered.statistics is given.statistics
    assert given.tours[1, 0] == 39, "the result itself is unchanged"


# ---- distinct


def test_rotated_and_reversed_tours_are_one_tour():
    one = [0, 1, 2, 3, 4, 5]
    tours = np.array([one, one[::-1], one[2:] + one[:2], [1, 0, 5, 4, 3, 2], [0, 2, 1, 3, 4, 5]])
    found = Result(tours, np.array([3, 1, 2, 2, 9])).distinct(5)
    assert found.tours.tolist() == [one[::-1], [0, 2, 1, 3, 4, 5]]
    assert found.costs.tolist() == [1, 9]


@pytest.mark.parametrize(
    ("least", "rows"),
    [
        # The reversal of 2, 3 gives 2 of 10 edges, that of 5 to 8 another 2: rows 1 and 2 have
        # 2 new edges against row 0, row 2 has 4 against row 1.
        (0.0, [0, 1, 2, 3]),
        (0.2, [0, 1, 2]),
        (0.200001, [0]),
        (1.0, [0]),
    ],
)
def test_new_edges_are_counted_by_hand(least, rows):
    tours = np.array(
        [
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            [0, 1, 3, 2, 4, 5, 6, 7, 8, 9],
            [0, 1, 2, 3, 4, 8, 7, 6, 5, 9],
            [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
        ]
    )
    found = Result(tours, np.arange(4)).distinct(4, least)
    assert found.costs.tolist() == rows


def test_a_share_is_rounded_to_edges():
    """7 of 100 edges suffice for 0.07, although 0.07 * 100 is 7.000000000000001."""
    first, second = np.arange(100), np.arange(100)
    second[10:15] = second[10:15][::-1]  # 2 new edges
    second[30:40] = second[30:40][::-1]  # 2 new edges
    second[[50, 51, 52, 53, 54]] = [52, 53, 54, 50, 51]  # an or-move of 2 cities: 3 new edges
    found = Result(np.array([first, second]), np.array([1, 2]))
    assert len(found.distinct(2, 0.07).costs) == 2
    assert len(found.distinct(2, 0.08).costs) == 1


def test_the_cheapest_are_taken_up_to_a_number():
    found = three(moves=9)
    assert found.distinct(1).tours.tolist() == [[0, 2, 1, 3]]
    assert found.distinct(2).costs.tolist() == found.distinct(99).costs.tolist() == [5, 7]
    assert found.distinct(2, 0.0).costs.tolist() == [5, 5]
    assert found.distinct(2).statistics.moves == 9


@pytest.mark.parametrize("n", [1, 2, 3])
def test_up_to_three_cities_have_one_tour(n):
    tours = np.array([np.arange(n), np.arange(n)[::-1]])
    assert len(Result(tours, np.array([1, 1])).distinct(2).costs) == 1
    assert len(Result(tours, np.array([1, 1])).distinct(2, 0.0).costs) == 2


def test_gpu_arrays_come_from_the_gpu():
    found = three()
    found = Result(found.tours.view(OnGPU), found.costs.view(OnGPU)).distinct(3)
    assert type(found.tours) is type(found.costs) is OnGPU
    assert found.costs.tolist() == [5, 7]


def edges(tour) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in zip(tour, np.roll(tour, -1), strict=True)}


@given(
    st.lists(st.permutations(range(6)), min_size=1, max_size=12),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.01, 1 / 3, 0.5, 1.0]),
    st.randoms(use_true_random=False),
)
def test_distinct_is_the_greedy_choice(tours, k, least, random):
    costs = [random.randrange(4) for _ in tours]
    expected: list[int] = []
    for row in sorted(range(len(tours)), key=lambda row: costs[row]):
        new = [len(edges(tours[row]) - edges(tours[other])) / 6 for other in expected]
        if len(expected) < k and all(share >= least for share in new):
            expected.append(row)
    found = Result(np.array(tours), np.array(costs)).distinct(k, least)
    assert found.tours.tolist() == [tours[row] for row in expected]


@pytest.mark.parametrize(
    ("k", "least", "error", "words"),
    [
        (0, 0.1, InvalidParameterError, "k: 0"),
        (1.0, 0.1, InvalidTypeError, "k: 1.0"),
        (1, -0.01, InvalidParameterError, "least: -0.01"),
        (1, 1.01, InvalidParameterError, "least: 1.01"),
        (1, float("nan"), InvalidParameterError, "least: nan"),
        (1, "2 %", InvalidTypeError, "least: '2 %'"),
    ],
)
def test_distinct_names_wrong_arguments(k, least, error, words):
    with pytest.raises(error, match=re.escape(words)):
        three().distinct(k, least)


# ---- result files


@given(results(), st.sampled_from(["r.json", "r.json.gz", "R.JSON.GZ"]))
def test_saved_results_come_back_equal(result, name):
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        result.save(path)
        again = Result.load(path)
        assert [file.name for file in path.parent.iterdir()] == [name], "nothing is left beside it"
    assert again.tours.dtype == np.int32 and again.costs.dtype == result.costs.dtype
    assert again.tours.tolist() == result.tours.tolist()
    assert again.costs.tobytes() == result.costs.tobytes()
    assert again.statistics == result.statistics


def test_files_whose_name_ends_in_gz_are_compressed(tmp_path):
    three().save(tmp_path / "a.json")
    three().save(tmp_path / "a.json.gz")
    plain = (tmp_path / "a.json").read_bytes()
    assert json.loads(plain)["costs"] == [7, 5, 5]
    assert gzip.decompress((tmp_path / "a.json.gz").read_bytes()) == plain


def test_gpu_arrays_and_numpy_numbers_can_be_saved(tmp_path):
    found = three(moves=np.int64(5), phases={"kicks": np.float32(0.5)})
    Result(found.tours.view(OnGPU), found.costs.view(OnGPU), found.statistics).save(
        tmp_path / "a.json"
    )
    again = Result.load(tmp_path / "a.json")
    assert type(again.tours) is np.ndarray and again.tours.tolist() == found.tours.tolist()
    assert again.statistics == Statistics(moves=5, phases={"kicks": 0.5})


def test_a_file_stays_if_its_successor_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    three().save(path)
    before = path.read_bytes()

    def full(self, data):
        with open(self, "wb") as stream:
            stream.write(data[:9])
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="no space left"):
        three(moves=1).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_fields_that_a_file_lacks_keep_their_defaults(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"version": 1, "tours": [[1, 0]], "costs": [4.0], "statistics": {"moves": 2}}')
    found = Result.load(path)
    assert found.statistics == Statistics(moves=2)
    assert found.costs.dtype == np.float64


GOOD = {"version": 1, "tours": [[0, 1], [1, 0]], "costs": [1, 2], "statistics": {}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 2}, "not a result of version 1"),
        ({"tours": None}, "tours: missing"),
        ({"tours": [[0, 1], [0]]}, "tours: "),
        ({"tours": [0, 1]}, "tours: shape (2,)"),
        ({"tours": [[0, 1.0], [1, 0]]}, "tours: "),
        ({"tours": []}, "tours: "),
        ({"tours": [[], []]}, "tours: "),
        ({"tours": [[0, 1], [1, 1]]}, "tours: row 1 is not a permutation"),
        ({"tours": [[0, 1], [0, 2**33]]}, "tours: row 1 is not a permutation"),
        ({"costs": None}, "costs: missing"),
        ({"costs": [1]}, "costs: shape (1,), but there are 2 tours"),
        ({"costs": [1, "2"]}, "costs: "),
        ({"costs": [1, 2**63 + 1]}, "costs: neither 64-bit integers"),
        ({"costs": [1.0, float("nan")]}, "costs: neither"),
        ({"statistics": None}, "statistics: "),
        ({"statistics": {"speed": 1}}, "'speed'"),
        ({"statistics": {"moves": "many"}}, "statistics: moves: 'many'"),
        ({"statistics": {"moves": True}}, "statistics: moves: True"),
        ({"statistics": {"moves": 1.5}}, "statistics: moves: 1.5"),
        ({"statistics": {"backend": 3}}, "statistics: backend: 3"),
        ({"statistics": {"phases": [1]}}, "statistics: phases: [1]"),
        ({"statistics": {"phases": {"kicks": "1"}}}, "statistics: phases: "),
        ({"statistics": {"history": 1}}, "statistics: "),
        ({"statistics": {"history": [1]}}, "statistics: "),
        ({"statistics": {"history": [{"elapsed": 1.0}]}}, "statistics: "),
        (
            {"statistics": {"history": [dict.fromkeys(Point.__annotations__, "1")]}},
            "statistics: history: ",
        ),
    ],
)
def test_a_file_with_other_content_is_refused(tmp_path, change, words):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(GOOD))
    Result.load(path)
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(FileFormatError, match=re.escape(words)) as error:
        Result.load(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b""),
        ("a.json", b"[1, 2]"),
        ("a.json", b'{"version": 1'),
        ("a.json", b"\xff\xfe\xfd"),
        ("a.json", b"[" * 200_000),
        ("a.json.gz", b""),
        ("a.json.gz", json.dumps(GOOD).encode()),
        ("a.json.gz", gzip.compress(json.dumps(GOOD).encode(), mtime=0)[:-9]),
        ("a.json.gz", gzip.compress(b"", mtime=0)[:10] + b"\x07" * 20),  # no such kind of block
    ],
)
def test_broken_files_are_named(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileFormatError, match=re.escape(str(tmp_path / name))):
        Result.load(tmp_path / name)


@pytest.mark.parametrize("name", ["a.npz", "a", "a.gz", "json"])
def test_only_json_is_written_and_read(tmp_path, name):
    with pytest.raises(InvalidParameterError, match=re.escape(".json or .json.gz")):
        three().save(tmp_path / name)
    with pytest.raises(InvalidParameterError, match=re.escape(".json or .json.gz")):
        Result.load(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_missing_file_or_folder_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Result.load(tmp_path / "a.json")
    with pytest.raises(FileNotFoundError):
        three().save(tmp_path / "none" / "a.json")


# ---- history files


@given(POINTS)
def test_saved_histories_come_back_equal(points):
    with TemporaryDirectory() as folder:
        path = Path(folder, "h.csv")
        save_history(points, path)
        again = load_history(path)
    assert again == points
    assert [type(point.best_cost) for point in again] == [type(p.best_cost) for p in points]


def test_a_history_is_a_plain_table(tmp_path):
    three(history=FALL).save_history(tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text().splitlines() == [
        "elapsed,kicks,best_cost,mean_cost",
        "0.0,0,120,130.5",
        "0.5,10,110,121.25",
        "2.0,40,105,110.0",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 0: the first line is not elapsed,kicks,best_cost,mean_cost"),
        ("elapsed,kicks\n", "line 1: the first line"),
        ("{head}1.0,2,3\n", "line 2: 3 values instead of 4"),
        ("{head}1.0,2,3,4,5\n", "line 2: 5 values instead of 4"),
        ("{head}1.0,2,3,4.0\n1.0,2.5,3,4.0\n", "line 3: "),
        ("{head}1.0,2,cheap,4.0\n", "line 2: could not convert string to float: 'cheap'"),
        ('{head}"1.0,2,3,4.0\n', "line 2: unexpected end of data"),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", "line 0: "),
    ],
)
def test_a_table_that_is_not_a_history_is_refused(tmp_path, text, words):
    path = tmp_path / "h.csv"
    text = text.format(head="elapsed,kicks,best_cost,mean_cost\n")
    path.write_text(text, encoding="latin-1")
    with pytest.raises(FileFormatError, match=re.escape(f"{path}: {words}")):
        load_history(path)


# ---- figures


def test_costs_are_drawn_against_seconds():
    figure = three(history=FALL).plot()
    (axes,) = figure.axes
    best, mean = axes.lines
    assert best.get_xdata().tolist() == mean.get_xdata().tolist() == [0.0, 0.5, 2.0]
    assert best.get_ydata().tolist() == [120, 110, 105]
    assert mean.get_ydata().tolist() == [130.5, 121.25, 110.0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("seconds", "cost")
    assert axes.get_xscale() == "linear"


def test_gaps_are_drawn_if_the_optimum_is_known():
    (axes,) = plot_history(FALL, optimum=100).axes
    assert axes.lines[0].get_ydata().tolist() == [20.0, 10.0, 5.0]
    assert axes.lines[1].get_ydata().tolist() == [30.5, 21.25, 10.0]
    assert "%" in axes.get_ylabel()


def test_long_searches_get_a_logarithmic_axis_with_the_start_in_the_picture():
    (axes,) = plot_history([*FALL, Point(100.0, 900, 101, 101.5)]).axes
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] < 0.5 and axes.get_xlim()[1] > 100.0
    assert np.isfinite(axes.transData.transform((0.0, 120))).all(), "a line can begin there"


@pytest.mark.parametrize("point", [FALL[0], FALL[1]])
@pytest.mark.parametrize("name", ["a.png", "a.SVG", "a.pdf"])
def test_one_point_is_a_figure_and_files_are_images(tmp_path, point, name):
    three(history=[point]).plot(tmp_path / name)
    head = (tmp_path / name).read_bytes()[:9]
    assert head.startswith((b"\x89PNG", b"<?xml", b"%PDF"))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("points", "name", "optimum", "error", "words"),
    [
        ([], "a.png", None, InvalidParameterError, "plot: there is no history"),
        (FALL, "a.xyz", None, InvalidParameterError, "plot: 'a.xyz' must end in one of"),
        (FALL, "a", None, InvalidParameterError, "plot: 'a' must end in one of"),
        (FALL, "a.png", 0, InvalidParameterError, "optimum: 0 is not positive"),
        (FALL, "a.png", float("inf"), InvalidParameterError, "optimum: inf is not"),
        (FALL, "a.png", "best", InvalidTypeError, "optimum: 'best'"),
    ],
)
def test_plot_names_wrong_arguments(tmp_path, points, name, optimum, error, words):
    with pytest.raises(error, match=re.escape(words)):
        three(history=points).plot(tmp_path / name, optimum=optimum)
    assert not list(tmp_path.iterdir())


def test_a_missing_matplotlib_is_explained():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from gpu_ls_plugin.core.exceptions import MissingExtraError\n"
        "from gpu_ls_plugin.core.history import Point, plot_history\n"
        "try: plot_history([Point(0.0, 0, 1, 1.0)])\n"
        "except MissingExtraError as error: print(error)"
    )
    assert 'pip install "gpu-ls-plugin[plot]"' in run_python("-c", code)
