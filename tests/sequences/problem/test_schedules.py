"""Gantt charts: where the bars are, and files."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTourError,
    UnsupportedProblemError,
)

pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[plot]"')

SHOP = gls.FlowShop([[3, 2], [1, 4], [2, 2]])
MACHINE = gls.SingleMachine([3, 1, 2], [2, 4, 4], [2, 1, 5])


def bars(figure):
    """Return begin, end and machine of each bar."""
    (axes,) = figure.axes
    boxes = [path.get_extents() for bars in axes.collections for path in bars.get_paths()]
    return [(box.x0, box.x1, (box.y0 + box.y1) / 2) for box in boxes]


def test_bars_of_a_flow_shop(tmp_path):
    figure = gls.plot_schedule(SHOP, [1, 0, 2], tmp_path / "a.png", title="$three")
    first = [(0, 1, 0), (1, 4, 0), (4, 6, 0)]
    second = [(1, 5, 1), (5, 7, 1), (7, 9, 1)]
    np.testing.assert_allclose(bars(figure), [*first, *second])
    (axes,) = figure.axes
    assert [text.get_text() for text in axes.texts] == [*"102"] * 2
    colors = axes.collections[0].get_facecolors()
    np.testing.assert_array_equal(colors, axes.collections[1].get_facecolors())
    assert len(np.unique(colors, axis=0)) == 3
    assert axes.yaxis_inverted() and axes.get_title() == r"\$three"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_single_machine_shows_due_dates_and_delays():
    figure = gls.plot_schedule(MACHINE, np.array([0, 1, 2]))
    np.testing.assert_allclose(bars(figure), [(0, 3, 0), (3, 4, 0), (4, 6, 0)])
    (axes,) = figure.axes
    marked = [list(line.get_xdata()) for line in axes.lines]
    assert marked == [[2], [2, 3], [4], [4], [4, 6]]  # jobs 0 and 2 are late
    assert [text.get_text() for text in axes.get_yticklabels()] == ["due dates", "jobs"]


def test_narrow_bars_have_no_number():
    figure = gls.plot_schedule(gls.FlowShop([[1], [1000], [0]]), [0, 1, 2])
    assert [text.get_text() for text in figure.axes[0].texts] == ["1"]


def test_times_of_zero():
    gls.plot_schedule(gls.FlowShop([[0, 0]]), [0])
    gls.plot_schedule(gls.SingleMachine([0], [-3], [0]), [0])


def test_refusals(tmp_path):
    with pytest.raises(UnsupportedProblemError, match=r"plot: .* has no schedule to draw"):
        gls.plot_schedule(gls.LinearOrdering([[0, 1], [2, 0]]), [0, 1])
    with pytest.raises(InvalidTourError, match="row: 2 sequences, but one"):
        gls.plot_schedule(SHOP, [[0, 1, 2], [1, 0, 2]])
    with pytest.raises(InvalidTourError, match="row: row 0 is not a permutation"):
        gls.plot_schedule(SHOP, [0, 1, 1])
    with pytest.raises(InvalidParameterError, match=r"plot: 'a.txt' must end in"):
        gls.plot_schedule(SHOP, [0, 1, 2], tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())
