"""Gantt charts of routes, and their option on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.routes.plan.charts import TRAVEL, WAITING
from tests.cli.test_cli import QUICK, write_instance

pytest.importorskip("matplotlib")
POINTS = [(0, 0), (0, 3), (0, 5), (4, 0)]
ONES = [0, 1, 1, 1]


def bars(axes):
    """Return begin, end, place and colour of each bar that is not empty."""
    from matplotlib.colors import to_hex

    found = []
    for collection in axes.collections:
        for path, ink in zip(collection.get_paths(), collection.get_facecolors(), strict=True):
            box = path.get_extents()
            place = round((box.y0 + box.y1) / 2, 6)
            if box.width:
                found.append((round(box.x0, 6), round(box.x1, 6), place, to_hex(ink)))
    return found


def test_bars_show_travel_waiting_service_and_windows(tmp_path):
    windows = [(0, 600), (100, 200), (0, 70), (0, 600)]
    problem = gls.VRP(
        [(10 * x, 10 * y) for x, y in POINTS],
        ONES,
        3,
        metric="EUC_2D",
        windows=windows,
        service_times=20,
        scale=10,
    )
    row = problem.tour([[2, 1], [3]])
    figure = gls.plot_schedule(problem, row, tmp_path / "a.png")
    (axes,) = figure.axes
    found = bars(axes)
    assert [bar[:2] for bar in found if bar[3] == TRAVEL and bar[2] == 0] == [
        *[(1, 6), (8, 10), (12, 15)]
    ]
    assert [bar[:2] for bar in found if bar[3] == WAITING] == []
    served = [bar[:3] for bar in found if bar[3] not in (TRAVEL, WAITING)]
    assert served == [(6, 8, 0), (10, 12, 0), (4, 6, 1)]
    lines = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) > 1]
    np.testing.assert_allclose(lines, [(0, 7), (10, 15), (0, 15)])
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_routes_without_windows_and_giant_tsps_are_drawn():
    problem = gls.CVRP(POINTS, ONES, 3, service_times=1)
    row = problem.tour([[1, 2], [3]])
    expected = bars(gls.plot_schedule(problem, row).axes[0])
    assert [bar[:2] for bar in expected if bar[3] == TRAVEL] == [
        *[(0, 3), (4, 6), (7, 12), (0, 4), (5, 9)]
    ]
    assert bars(gls.plot_schedule(problem.tsp, row, title="a").axes[0]) == expected


def test_the_command_writes_schedules_and_charts(tmp_path):
    problem = gls.CVRP(POINTS, ONES, 3)
    problem.write(tmp_path / "a.vrp")
    files = ["--schedule", str(tmp_path / "a.json"), "--gantt", str(tmp_path / "a.png")]
    assert main(["solve", str(tmp_path / "a.vrp"), *files, *map(str, QUICK)]) == 0
    assert json.loads((tmp_path / "a.json").read_text())["cost"] == 15
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "option", "words"),
    [
        ("a.vrp", "--schedule=a.txt", "must end in .csv or .json"),
        ("a.vrp", "--gantt=a.txt", "must end in"),
        ("a.tsp", "--schedule=a.csv", "only routes have schedules"),
        ("a.tsp", "--gantt=a.png", "only routes and sequences"),
    ],
)
def test_wrong_outputs_are_refused_before_the_search(name, option, words, tmp_path, capsys):
    gls.CVRP(POINTS, ONES, 3).write(tmp_path / "a.vrp")
    write_instance(tmp_path / "a.tsp", 7)
    assert main(["solve", str(tmp_path / name), option, *map(str, QUICK)]) == 2
    assert words in capsys.readouterr().err
