"""Figures of an experiment."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments import Results
from tests.experiments.samples import record, results

pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[plot]"')

from gpu_ls_plugin.experiments.figures import cliques, ratios_to_fastest, spread

STRANGE = "_$a_{ <b>&\n|"
RUNS = Results(
    [
        record("a", seed=1, points=[(1.0, [[150.0]]), (4.0, [[110.0]]), (6.0, [[100.0]])]),
        record("a", seed=2, points=[(2.0, [[110.0]]), (3.0, [[105.0]])]),
        record(STRANGE, seed=1, points=[(2.0, []), (5.0, [[111.0]])]),
        record(STRANGE, seed=2, points=[(1.0, [[111.0]]), (8.0, [[105.0]])]),
    ]
)


def labels(axes: Any) -> list[str]:
    legend = axes.get_legend() or axes.figure.legends[0]
    return [text.get_text() for text in legend.get_texts()]


def test_bands_are_quartiles_at_moments():
    runs = [RUNS.curves["a", "p", 1], RUNS.curves["a", "p", 2]]
    moments = np.array([0.5, 1.0, 2.0, 3.5, 4.0, 9.0])
    first, second = [50, 50, 50, 10, 0], [math.inf, 10, 5, 5, 5]
    low, middle, high = spread(runs, moments)
    assert np.isnan(middle[0]) and np.isnan(middle[1]) and np.isnan(high[1])
    assert middle[2:].tolist() == [np.mean(pair) for pair in zip(first, second, strict=True)][1:]
    assert low[2:].tolist() == [20, 16.25, 6.25, 1.25]
    assert high[2:].tolist() == [40, 38.75, 8.75, 3.75]
    assert low[1] == math.inf or np.isnan(low[1])


def test_curves_have_a_panel_for_each_problem_and_names_without_markup(tmp_path):
    figure = RUNS.plot_curves(tmp_path / "a.svg")
    (axes,) = figure.axes
    assert axes.get_title() == "p" and axes.get_yscale() == "log"
    assert labels(axes) == ["a", " " + STRANGE.replace("$", r"\$")]
    x, y = axes.lines[0].get_data()
    assert x[0] == pytest.approx(1.0) and x[-1] == pytest.approx(8.0) and y[-1] == 2.5
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")


def test_curves_that_coincide_differ_in_style_and_share_one_legend():
    points = [(1.0, [[110.0]]), (4.0, [[100.0]])]
    runs = Results(record(a, p, points=points) for a in "abc" for p in "pq")
    figure = runs.plot_curves()
    for axes in figure.axes:
        assert len({line.get_linestyle() for line in axes.lines}) == 3
        assert axes.get_legend() is None
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]


@pytest.mark.parametrize("least", [0.9, 0.0714, 0.01, 0.001, 3e-6])
def test_the_tick_of_zero_touches_no_other(least):
    low = [(1.0, [[900.0]]), (2.0, [[100.0 + least]]), (4.0, [[100.0]])]
    (axes,) = Results([record(points=low)]).plot_curves().axes
    ticks = axes.transData.transform([(1.0, tick) for tick in axes.get_yticks() if tick >= 0])[:, 1]
    assert axes.get_yscale() == "symlog" and len(ticks) > 3
    size = axes.yaxis.get_ticklabels()[0].get_fontsize() * axes.figure.dpi / 72
    assert min(np.diff(np.sort(ticks))) > 1.2 * size


def test_curves_of_fronts_are_drawn():
    points = [(1.0, [[9.0, 9.0]]), (4.0, [[0.0, 10.0], [10.0, 0.0]])]
    runs = Results([record("a", points=points, objectives=2)])
    (axes,) = runs.plot_curves().axes
    assert axes.lines[0].get_ydata()[-1] == 0.0 and axes.get_yscale() == "symlog"
    (axes,) = runs.plot_fronts().axes
    assert axes.collections[0].get_offsets().tolist() == [[0, 10], [10, 0]]
    assert labels(axes) == ["a"]


def test_profiles_compare_with_the_fastest():
    # Seconds to 11 %: 4 and 2 for a, 5 and 1 for the other algorithm.
    ratios = ratios_to_fastest(RUNS, 11.0)
    assert ratios == {"a": [1.0, 2.0], STRANGE: [1.25, 1.0]}
    assert ratios_to_fastest(RUNS, 0.0) == {"a": [1.0, math.inf], STRANGE: [math.inf] * 2}
    one, other = RUNS.plot_profiles(targets=[11.0, 0.0]).axes
    assert one.lines[0].get_ydata().tolist() == [0, 0.5, 1, 1]
    assert one.lines[1].get_xdata().tolist() == [1, 1, 1.25, pytest.approx(2.2)]
    assert other.lines[0].get_ydata()[-1] == 0.5 and other.lines[1].get_ydata()[-1] == 0
    with pytest.raises(InvalidParameterError, match="targets: it is empty"):
        RUNS.plot_profiles(targets=[])


def test_bars_join_ranks_within_the_critical_difference():
    problems = [f"p{i}" for i in range(12)]
    costs = {(name, p): [100 + i] for i, name in enumerate("dabc") for p in problems}
    (axes,) = results(costs).plot_ranks().axes
    stems = [line for line in axes.lines if len(set(line.get_xdata())) == 1]
    assert [line.get_xdata()[0] for line in stems] == [1, 2, 3, 4]
    shown = [text.get_text().strip() for text in axes.texts]
    assert shown == ["d (1.000)", "a (2.000)", "b (3.000)", "c (4.000)"]
    bars = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 3]
    # 2.569 sqrt(4 * 5 / (6 * 12)) = 1.35: neighbours are joined, others are not.
    assert [tuple(np.round(bar).tolist()) for bar in bars] == [(1, 2), (2, 3), (3, 4)]
    assert "1.35" in axes.get_title()


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 8))
def test_cliques_are_the_largest_groups_within_the_distance(values, distance):
    ranks = sorted(map(float, values))
    near = [
        {j for j in range(i, len(ranks)) if ranks[j] - ranks[i] < distance}
        for i in range(len(ranks))
    ]
    largest = [one for one in near if len(one) > 1 and not any(one < other for other in near)]
    found = [set(range(first, last + 1)) for first, last in cliques(ranks, distance)]
    assert found == largest


def test_labels_of_ranks_are_not_crossed():
    costs = {(name, p): [100 + i] for i, name in enumerate("abcd") for p in ("p", "q")}
    (axes,) = results(costs).plot_ranks().axes
    assert {text.get_horizontalalignment() for text in axes.texts} == {"right"}


def test_four_panels_fill_a_square():
    points = [(1.0, [[110.0]]), (4.0, [[100.0]])]
    figure = Results(record("a", p, points=points) for p in "pqrs").plot_curves()
    assert {axes.get_gridspec().get_geometry() for axes in figure.axes} == {(2, 2)}


def test_fonts_in_a_pdf_are_not_of_type_3(tmp_path):
    RUNS.plot_curves(tmp_path / "a.pdf")
    written = (tmp_path / "a.pdf").read_bytes()
    assert b"/CIDFontType2" in written and b"/Type3" not in written


def test_runs_that_cannot_be_drawn(tmp_path):
    nothing = Results([record(points=[(1.0, [])])])
    with pytest.raises(InvalidParameterError, match="found anything"):
        nothing.plot_curves()
    with pytest.raises(InvalidParameterError, match="front"):
        RUNS.plot_fronts()
    with pytest.raises(InvalidParameterError, match="two algorithms"):
        nothing.plot_ranks()
    for draw in (RUNS.plot_curves, RUNS.plot_ranks, RUNS.plot_profiles):
        with pytest.raises(InvalidParameterError, match="must end in one of"):
            draw(tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())
