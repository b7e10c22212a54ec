"""Pictures of populations and fronts, and animations of runs."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError, InvalidTypeError
from gpu_ls_plugin.tours.plan.drawing import edge_shares

pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[plot]"')
from PIL import Image

SQUARE = gls.TSP([(0, 0), (0, 3), (4, 3), (4, 0)])
AROUND, CROSSED = [0, 1, 2, 3], [0, 2, 1, 3]


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.permutations(range(n)), min_size=1)))
def test_shares_count_the_tours_that_have_an_edge(tours):
    counts: Counter[frozenset[int]] = Counter()
    for tour in tours:
        counts.update({frozenset(edge) for edge in zip(tour, tour[1:] + tour[:1], strict=True)})
    edges, shares = edge_shares(np.array(tours, np.int32))
    found = {frozenset(edge): share for edge, share in zip(edges.tolist(), shares, strict=True)}
    assert len(found) == len(edges)
    assert found == pytest.approx({edge: k / len(tours) for edge, k in counts.items()})


def test_frequent_edges_are_drawn_last_and_wider(tmp_path):
    tours = np.array([AROUND, AROUND[::-1], CROSSED])
    figure = gls.plot_population(SQUARE, tours, tmp_path / "a.png", title="three")
    axes, _ = figure.axes
    lines = next(found for found in axes.collections if found.get_array() is not None)
    shares = lines.get_array().tolist()
    assert shares == pytest.approx([1 / 3] * 2 + [2 / 3] * 2 + [1.0] * 2)
    assert sorted(lines.get_linewidth()) == lines.get_linewidth()
    lengths = [math.dist(*segment) for segment in lines.get_segments()]
    assert lengths == [5, 5, 3, 3, 4, 4]
    assert axes.get_title() == "three"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert tours.tolist() == [AROUND, AROUND[::-1], CROSSED]


def test_a_run_has_a_frame_for_each_state(tmp_path):
    path = tmp_path / "a.gif"
    states = [AROUND, [AROUND, CROSSED], CROSSED, np.array(AROUND), AROUND]
    gls.animate_run(SQUARE, iter(states), path, titles=["x"] * 4, per_second=10)
    with Image.open(path) as image:
        assert image.format == "GIF" and image.n_frames == 5 and image.info["duration"] == 100
        frames = []
        for number in range(5):
            image.seek(number)
            frames.append(np.asarray(image.convert("RGB")))
    assert (frames[0] == frames[3]).all()  # frames do not show earlier ones
    assert all((one != other).any() for one, other in pairwise(frames))  # by their titles
    assert [file.name for file in tmp_path.iterdir()] == ["a.gif"]


MATRIX = gls.TSP.from_matrix([[0]], name="m")


@pytest.mark.parametrize(
    ("problem", "tours", "error", "words"),
    [
        (MATRIX, [0], InvalidParameterError, "plot: m is a"),
        (SQUARE, [0, 1, 2, 2], InvalidTourError, "row 0 is not a permutation"),
        ("a.tsp", [0], InvalidTypeError, "problem: "),
    ],
)
def test_problems_that_cannot_be_drawn(problem, tours, error, words, tmp_path):
    with pytest.raises(error, match=words):
        gls.plot_population(problem, tours, tmp_path / "a.png")
    with pytest.raises(error, match=words):
        gls.animate_run(problem, [tours], tmp_path / "a.gif")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("states", "name", "changes", "words"),
    [
        ([], "a.gif", {}, "states: it is empty"),
        ([AROUND], "a.png", {}, r"path: 'a\.png' must end in \.gif"),
        ([AROUND], "a.gif", {"per_second": 0}, "per_second"),
    ],
)
def test_wrong_parameters_of_animations(states, name, changes, words, tmp_path):
    with pytest.raises(InvalidParameterError, match=words):
        gls.animate_run(SQUARE, states, tmp_path / name, **changes)
    with pytest.raises(InvalidParameterError, match="must end in one of"):
        gls.plot_population(SQUARE, [AROUND], tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[plot]"')

FLAT = [(1.0, 4.0), (2.0, 3.0)]


def test_fronts_of_two_objectives(tmp_path):
    fronts = {"_a $x$": FLAT, "none": np.empty((0, 2)), "b": [(0, 1)]}
    (axes,) = gls.plot_fronts(fronts, tmp_path / "a.svg", title="both").axes
    first, second = axes.collections
    assert first.get_offsets().tolist() == [[1, 4], [2, 3]]
    assert second.get_offsets().tolist() == [[0, 1]]
    assert (first.get_facecolor() != second.get_facecolor()).any()
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == [r" _a \$x\$", "b"]
    assert axes.get_title() == "both" and axes.get_ylabel() == "second objective"
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")


def test_fronts_of_three_objectives():
    (axes,) = gls.plot_fronts({"a": [(1, 2, 3)], "b": [(3, 2, 1)]}).axes
    assert axes.name == "3d" and axes.get_zlabel() == "third objective"


@pytest.mark.parametrize(
    ("fronts", "error", "words"),
    [
        ({}, InvalidParameterError, "fronts: pass one or more"),
        ({"a": FLAT, "b": [(1, 2, 3)]}, InvalidParameterError, "fronts: pass"),
        ({"a": [1, 2]}, InvalidParameterError, "fronts: pass"),
        (FLAT, InvalidTypeError, "fronts: "),
    ],
)
def test_wrong_fronts(fronts, error, words, tmp_path):
    with pytest.raises(error, match=words):
        gls.plot_fronts(fronts, tmp_path / "a.png")
    with pytest.raises(InvalidParameterError, match="must end in one of"):
        gls.plot_fronts({"a": FLAT}, tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())
