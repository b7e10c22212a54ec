"""Maps of routes, with bars for the loads of vehicles."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import image_figure, plain, require_image, saved
from gpu_ls_plugin.core.problem_data import numbers_of
from gpu_ls_plugin.core.progress import cost_text, gap_percent, gap_text
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.tours.plan.drawing import coordinates as coordinates_of

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

GOLDEN = 0.618034  # step between successive hues, as a share of the colour circle
SHADES = ((0.45, 0.75), (0.35, 0.95), (0.6, 0.6))  # pairs of lightness and saturation, used in turn
INK, TOO_MUCH = "#222222", "#c00000"
MOST_NUMBERED = 60  # with more routes, the map shows no numbers


def plot_routes(
    problem: CVRP,
    tour: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
    coordinates: ArrayLike | None = None,
) -> Figure:
    """Draw a map of routes, with bars for the loads of the vehicles beside it.

    Routes have the numbers of `CVRP.schedule`. The depot is drawn as a square. Edges at the depot
    are faint. If durations are limited, thin bars show them. Excess over a limit is hatched in red.

    Parameters
    ----------
    problem : CVRP
    tour : array_like, shape (n,), integer, or list of lists
        A giant tour, or routes as `problem.routes` returns them: lists of customers, counted from
        1, in driving order. Not changed; may break constraints.
    path : path, optional
        As in `plot_solution`.
    title : str
        Title; by default the name, the cost, the gap to the problem's optimum if known, and the
        number of routes.
    coordinates : array_like, shape (customers + 1, 2), optional
        Points (x, y) to draw, the depot first; by default those of the problem, with north at the
        top if lengths are on a globe. A problem made from matrices, or with a fixed cost or open
        routes, has none. Longitudes come first: ``places[:, ::-1]`` of (latitude, longitude).

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InvalidTourError, InvalidTypeError
        The tour is not a giant tour of the problem, the routes do not visit each customer once, or
        the problem is not a `CVRP`.
    InvalidProblemError
        `coordinates` have the wrong shape or are not finite.
    MissingExtraError, InvalidParameterError, OSError
        As in `plot_solution`.
    """
    checks.instance("problem", problem, kind=CVRP, wanted="CVRP")
    text = checks.text("title", title)
    points = _points(problem, coordinates)
    if _are_routes(tour, problem.n):
        tour = problem.tour(tour)
    routes = problem.routes(tour)
    require_image(path)
    sums = problem.route_sums(tour)
    used = sums.customers[0] > 0
    figure = image_figure(13, 8.5)
    left, right = figure.subplots(1, 2, width_ratios=(3, 1))
    figure.suptitle(plain(text or title_of(problem, tour, len(routes))), fontsize=14)
    colors = [_color(place) for place in _around(points, routes).argsort()]
    _draw_map(left, points, routes, colors)
    limit = problem.route_limit
    durations = None if not limit else sums.durations[0][used] / limit
    _draw_bars(right, sums.loads[0][used] / problem.capacity, durations, colors)
    return saved(figure, path)


def _points(problem: CVRP, given: ArrayLike | None) -> Any:
    """Return the points to draw, float64 (customers + 1, 2); raise if there are none."""
    if given is not None:
        shape = (problem.customers + 1, 2)
        points = numbers_of(given, "coordinates", "nodes", "2", shape=shape)
        return points.astype(np.float64)
    if problem.nodes.coordinates is None:
        raise InvalidParameterError(
            f"plot: {problem.name or 'the problem'} has no coordinates, since its lengths are a "
            "matrix (as with a fixed cost or open routes); pass gls.plot_routes(..., "
            "coordinates=points), or leave the plot out"
        )
    return coordinates_of(problem.nodes)


def _are_routes(given: Any, n: int) -> bool:
    """Return whether `given` is a list of routes, not a giant tour (n,) or a batch of one."""
    if not isinstance(given, list | tuple) or not given:
        return False
    if not all(isinstance(item, list | tuple | np.ndarray) for item in given):
        return False
    return len(given) > 1 or len(given[0]) != n


def title_of(problem: CVRP, tour: Any, routes: int) -> str:
    """Return the name, the cost, the gap and the number of routes of a tour as a title."""
    cost = problem.cost(tour)[0].item()
    gap = gap_percent(cost, problem.optimum)
    feasible = problem.feasible(tour)[0]
    words = [
        cost_text(problem.published(cost)),
        "" if gap is None else f"gap {gap_text(gap)} %",
        f"{routes:,} {'route' if routes == 1 else 'routes'}",
        "" if feasible else "breaks constraints",
    ]
    return f"{problem.name or 'routes'}: {', '.join(filter(None, words))}"


def _around(points: NDArray[Any], routes: list[list[int]]) -> NDArray[np.intp]:
    """Return the order of routes around the depot, by the angles of their mean points."""
    middles = np.array([points[route].mean(axis=0) for route in routes]) - points[0]
    order: NDArray[np.intp] = np.arctan2(middles[:, 1], middles[:, 0]).argsort(kind="stable")
    return order


def _color(place: int) -> tuple[float, float, float]:
    """Return a colour that differs from those of neighbouring places."""
    return colorsys.hls_to_rgb(place * GOLDEN % 1.0, *SHADES[place % len(SHADES)])


def _draw_map(axes: Axes, points: NDArray[Any], routes: list[list[int]], colors: list[Any]) -> None:
    size = min(16.0, 6000.0 / len(points))
    width = 1.4 if len(points) < 500 else 1.0
    for route, color in zip(routes, colors, strict=True):
        inside = points[route].T
        for end in (route[0], route[-1]):
            axes.plot(*points[[0, end]].T, color=color, linewidth=0.6, alpha=0.3, zorder=1)
        axes.plot(*inside, color=color, linewidth=width, zorder=2)
        axes.scatter(inside[0], inside[1], color=color, s=size, zorder=3, linewidths=0)
    square: dict[str, Any] = {"marker": "s", "s": 90, "edgecolors": "white", "linewidths": 1.5}
    axes.scatter(*points[:1].T, color=INK, zorder=5, **square)
    if len(routes) <= MOST_NUMBERED:
        _write_numbers(axes, points, routes, colors)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _write_numbers(
    axes: Axes, points: NDArray[Any], routes: list[list[int]], colors: list[Any]
) -> None:
    """Write the number of each route beside its customer that is farthest from the depot."""
    style: dict[str, Any] = {"fontsize": 8, "fontweight": "bold", "ha": "center", "va": "center"}
    for number, (route, color) in enumerate(zip(routes, colors, strict=True), start=1):
        away = points[route] - points[0]
        far = int(np.hypot(*away.T).argmax())
        direction = away[far] / max(1e-9, float(np.hypot(*away[far])))
        axes.annotate(
            str(number),
            points[route[far]],
            xytext=9 * direction,
            textcoords="offset points",
            color=color,
            zorder=4,
            **style,
        )


def _draw_bars(
    axes: Axes, loads: NDArray[Any], durations: NDArray[Any] | None, colors: list[Any]
) -> None:
    """Draw loads, and durations if limited, as shares of their limits."""
    places = np.arange(len(loads))
    bars = [(loads, places if durations is None else places - 0.15, 0.8, 1.0)]
    if durations is not None:
        bars = [(loads, places - 0.15, 0.5, 1.0), (durations, places + 0.28, 0.24, 0.5)]
    hatched: dict[str, Any] = {"edgecolor": "white", "hatch": "////"}
    for shares, where, height, alpha in bars:
        axes.barh(where, 100 * np.minimum(shares, 1), height, color=colors, alpha=alpha)
        over = shares > 1
        excess = 100 * (shares[over] - 1)
        axes.barh(where[over], excess, height, left=100.0, color=TOO_MUCH, zorder=3, **hatched)
    axes.axvline(100, color=INK, linewidth=1.0)
    axes.set_ylim(len(loads) - 0.4, -0.6)
    axes.set_xlim(0, max(105.0, 5 + 100 * max(float(shares.max()) for shares, *_ in bars)))
    if len(loads) <= MOST_NUMBERED:
        axes.set_yticks(places, [str(place + 1) for place in places], fontsize=7)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    thin = "" if durations is None else "\nthin: duration in % of the limit"
    axes.set_xlabel(f"load in % of the capacity{thin}", fontsize=9)
    axes.set_ylabel("route", fontsize=9)
