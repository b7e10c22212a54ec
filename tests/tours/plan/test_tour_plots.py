"""Pictures of tours."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTourError, InvalidTypeError

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("matplotlib")
SQUARE = gls.TSP([(0, 0), (0, 3), (4, 3), (4, 0)])


def test_a_tour_is_drawn_closed(tmp_path: Path) -> None:
    figure = gls.plot_tour(SQUARE, [0, 1, 3, 2], title="a square")
    (axes,) = figure.axes
    (line,) = axes.lines
    assert np.transpose(line.get_data()).tolist() == [[0, 0], [0, 3], [4, 0], [4, 3], [0, 0]]
    assert axes.get_title() == "a square" and not list(tmp_path.iterdir())


@pytest.mark.parametrize("metric", ["GEO", "HAVERSINE"])
def test_north_is_up(metric: str) -> None:
    oslo, rome = (59.55, 10.45), (41.54, 12.29)
    (axes,) = gls.plot_tour(gls.TSP([oslo, rome], metric), [0, 1]).axes
    assert axes.lines[0].get_ydata().tolist() == [59.55, 41.54, 59.55]


@pytest.mark.parametrize("name", ["a.png", "a.SVG", "a.pdf"])
def test_the_file_is_an_image(name: str, tmp_path: Path) -> None:
    gls.plot_tour(SQUARE, [0, 1, 2, 3], tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith((b"\x89PNG", b"<?xml", b"%PDF"))
    gls.plot_tour(gls.TSP([(1, 1)]), [0], os.fspath(tmp_path / name))
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("problem", "tour", "name", "error", "words"),
    [
        (gls.TSP.from_matrix([[0]], name="m"), [0], "a.png", InvalidParameterError, "plot: m is a"),
        (SQUARE, [0, 1, 2, 3], "a.txt", InvalidParameterError, "must end in one of"),
        (SQUARE, [0, 1, 2, 2], "a.png", InvalidTourError, "tour: row 0 is not a permutation"),
        (SQUARE, [[0, 1, 2, 3]] * 2, "a.png", InvalidTourError, "tour: 2 tours, but one is drawn"),
        ("a.tsp", [0], "a.png", InvalidTypeError, "problem: "),
    ],
)
def test_bad_input(problem, tour, name, error, words, tmp_path: Path) -> None:
    with pytest.raises(error, match=words):
        gls.plot_tour(problem, tour, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_missing_matplotlib_is_explained() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import gpu_ls_plugin as gls\n"
        "try: gls.plot_tour(gls.TSP([[0, 0]]), [0])\n"
        "except gls.exceptions.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "gpu-ls-plugin[plot]"' in done.stdout
