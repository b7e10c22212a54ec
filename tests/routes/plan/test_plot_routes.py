"""Pictures of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from tests.helpers.routing import random_cvrp

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("matplotlib")
POINTS = [(0, 0), (0, 3), (0, 5), (4, 0)]


def problem_of(**more) -> gls.CVRP:
    return gls.CVRP(POINTS, [0, 2, 2, 3], 4, **{"vehicles": 3, "name": "small"} | more)


def paths_of(axes) -> list[list[list[float]]]:
    return [np.transpose(line.get_data()).tolist() for line in axes.lines]


def test_routes_are_drawn_from_depot_to_depot() -> None:
    problem = problem_of()
    figure = gls.plot_routes(problem, problem.tour([[1, 2], [3]]))
    routes, _ = figure.axes
    drawn = [[[0, 0], [0, 3]], [[0, 0], [0, 5]], [[0, 3], [0, 5]]]
    drawn += [[[0, 0], [4, 0]], [[0, 0], [4, 0]], [[4, 0]]]
    assert paths_of(routes) == drawn
    assert routes.lines[0].get_color() == routes.lines[2].get_color()
    assert routes.lines[0].get_color() != routes.lines[3].get_color()
    assert [text.get_text() for text in routes.texts] == ["1", "2"]


def test_numbers_are_those_of_the_schedule() -> None:
    problem = gls.CVRP.generated(40, route_size=4, seed=1)
    tour = gls.savings(problem, size=1, seed=1)[0]
    plan = problem.schedule(tour)
    axes = gls.plot_routes(problem, tour).axes[0]
    assert len(axes.texts) == len(plan) > 5
    for number, stops in enumerate(plan, start=1):
        text = axes.texts[number - 1]
        nodes = [stop.node for stop in stops]
        assert text.get_text() == str(number)
        assert list(text.xy) in problem.nodes.coordinates[nodes].tolist()
    colors = [line.get_color() for line in axes.lines]
    assert len(set(colors)) == len(plan)


def test_problems_from_matrices_are_drawn_with_coordinates() -> None:
    placed = problem_of()
    every = np.arange(4)
    lengths = placed.nodes.distance(every[:, np.newaxis], every)
    drawn = [
        gls.CVRP.from_matrix(lengths, [0, 2, 2, 3], 4, vehicles=3),
        gls.VRP(POINTS, [0, 2, 2, 3], 4, metric="EUC_2D", fixed_cost=2, vehicles=3),
        gls.CVRP(np.zeros((4, 2)), [0, 2, 2, 3], 4, vehicles=3, metric="EUC"),
    ]
    expected = gls.plot_routes(placed, [[1, 2], [3]])
    for problem in drawn:
        figure = gls.plot_routes(problem, [[1, 2], [3]], coordinates=POINTS)
        assert paths_of(figure.axes[0]) == paths_of(expected.axes[0])
        for wrong in (POINTS[:3], [(0, np.nan)] * 4):
            with pytest.raises(InvalidProblemError, match="coordinates: "):
                gls.plot_routes(problem, [[1, 2], [3]], coordinates=wrong)


@pytest.mark.parametrize("routes", [[[1, 2], [3]], [[3], [2, 1]], ((1,), (2,), (3,))])
def test_routes_are_drawn_like_their_tour(routes) -> None:
    problem = problem_of()
    drawn = gls.plot_routes(problem, routes)
    expected = gls.plot_routes(problem, problem.tour(routes))
    assert paths_of(drawn.axes[0]) == paths_of(expected.axes[0])
    assert bars_of(drawn) == bars_of(expected)


def test_one_route_and_a_batch_of_one_tour_are_told_apart() -> None:
    problem = gls.CVRP(POINTS, [0, 1, 1, 1], 4)
    expected = paths_of(gls.plot_routes(problem, problem.tour([[1, 2, 3]])).axes[0])
    assert paths_of(gls.plot_routes(problem, [[1, 2, 3]]).axes[0]) == expected
    batch = problem.tour([[1, 2, 3]])[np.newaxis]
    for given in (batch, batch.tolist()):
        assert paths_of(gls.plot_routes(problem, given).axes[0]) == expected


@pytest.mark.parametrize(
    "routes", [[[1, 2], [2, 3]], [[1], [2]], [[1, 2], [3, 4]], [[0, 1], [2, 3]]]
)
def test_routes_of_another_problem_are_refused(routes) -> None:
    with pytest.raises(InvalidTourError):
        gls.plot_routes(problem_of(), routes)


def bars_of(figure) -> list[tuple[float, float]]:
    bars = [(bar.get_x(), bar.get_width()) for bar in figure.axes[1].patches]
    return [(round(x, 6), round(width, 6)) for x, width in bars if width]


def test_bars_show_loads_durations_and_excess() -> None:
    problem = problem_of()
    tour = problem.tour([[1, 2], [3]])
    assert bars_of(gls.plot_routes(problem, tour)) == [(0, 100), (0, 75)]
    limited = problem_of(route_limit=16)
    figure = gls.plot_routes(limited, tour)
    assert bars_of(figure) == [(0, 100), (0, 75), (0, 62.5), (0, 50)]
    figure = gls.plot_routes(problem, problem.tour([[1, 2, 3]]))
    assert bars_of(figure) == [(0, 100), (100, 75)]
    assert figure.axes[1].get_xlim()[1] > 175
    short = problem_of(route_limit=10, service_times=0)
    figure = gls.plot_routes(short, short.tour([[1, 3], [2]]))  # 12 of 10, and a load of 5
    assert (100, 20) in bars_of(figure) and (100, 25) in bars_of(figure)


@pytest.mark.parametrize(
    ("more", "routes", "title"),
    [
        ({}, [[1, 2], [3]], "small: 18, 2 routes"),
        ({"optimum": 18}, [[1, 2], [3]], "small: 18, gap 0.00 %, 2 routes"),
        ({"optimum": 18}, [[1], [2], [3]], "small: 24, gap 33.33 %, 3 routes"),
        ({"optimum": 18.0004}, [[1, 2], [3]], "small: 18, gap 0.00 %, 2 routes"),
        ({"name": ""}, [[1, 2, 3]], "routes: 15, 1 route, breaks constraints"),
        ({"name": "a_$b$"}, [[1, 2], [3]], "a_\\$b\\$: 18, 2 routes"),
    ],
)
def test_titles(more, routes, title) -> None:
    problem = problem_of(**more)
    if routes == [[1, 2, 3]]:
        title = title.replace("15", str(problem.cost(problem.tour(routes))[0]))
    assert gls.plot_routes(problem, problem.tour(routes)).get_suptitle() == title
    assert gls.plot_routes(problem, problem.tour(routes), title="x").get_suptitle() == "x"


@pytest.mark.parametrize("name", ["a.png", "a.SVG"])
def test_the_file_is_an_image(name: str, tmp_path: Path) -> None:
    problem = random_cvrp("real duration", 80)
    figure = gls.plot_routes(problem, np.arange(problem.n), tmp_path / name)  # one huge route
    assert (tmp_path / name).read_bytes().startswith((b"\x89PNG", b"<?xml"))
    assert len(list(tmp_path.iterdir())) == 1 and figure.get_suptitle().endswith("constraints")


def test_many_routes_have_no_numbers() -> None:
    problem = random_cvrp("capacity", 70)
    figure = gls.plot_routes(problem, problem.tour([[c] for c in range(1, 71)]))
    assert not figure.axes[0].texts and len(bars_of(figure)) == 70


@pytest.mark.parametrize(
    ("problem", "tour", "name", "error", "words"),
    [
        (
            *(gls.CVRP.from_matrix([[0, 1], [1, 0]], [0, 1], 1, name="m"), [0, 1], "a.png"),
            *(InvalidParameterError, "plot: m has no coordinates.*; pass .*coordinates=points"),
        ),
        (problem_of(), range(6), "a.txt", InvalidParameterError, "must end in one of"),
        (problem_of(), range(5), "a.png", InvalidTourError, "these have 2 of 3 copies"),
        (problem_of(), [range(6)] * 2, "a.png", InvalidTourError, "tour: 2 rows"),
        (problem_of(), np.array([range(6)] * 2), "a.png", InvalidTourError, "tour: 2 rows"),
        (gls.TSP(POINTS), range(4), "a.png", InvalidTypeError, "problem: .* is not a CVRP"),
    ],
)
def test_what_cannot_be_drawn(problem, tour, name, error, words, tmp_path: Path) -> None:
    with pytest.raises(error, match=words):
        gls.plot_routes(problem, list(tour) if isinstance(tour, range) else tour, tmp_path / name)
    assert not list(tmp_path.iterdir())
