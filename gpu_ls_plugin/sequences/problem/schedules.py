"""Gantt charts of schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.figures import color, image_figure, plain, require_image, saved
from gpu_ls_plugin.sequences.problem.flow_shop import FlowShop
from gpu_ls_plugin.sequences.problem.single_machine import SingleMachine

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

DIGITS = 90  # number of digits that fit side by side into the chart
BAR = 0.8  # height of a bar; machines are 1 apart
DUE = -1.0  # place of due dates, above machine 0


def plot_jobs(
    problem: FlowShop | SingleMachine,
    row: ArrayLike,
    path: str | os.PathLike[str] | None = None,
    title: str = "",
) -> Figure:
    """Draw a Gantt chart: the jobs on each machine over time; see `plot_schedule`.

    Bars have the number of the job if they are wide enough. If there is only one machine, the
    chart shows due dates, with lines from there to the ends of late jobs.
    """
    ends = schedule_of(problem, row)
    require_image(path)
    figure = image_figure(10, 2.0 + 0.35 * ends.shape[1])
    draw_schedule(problem, row, figure.add_subplot(title=plain(title)))
    return saved(figure, path)


def draw_schedule(problem: FlowShop | SingleMachine, row: ArrayLike, axes: Any) -> None:
    """Draw a Gantt chart on axes of Matplotlib; see `plot_jobs`."""
    ends = schedule_of(problem, row)
    jobs = np.asarray(row).reshape(-1).astype(np.int64)
    times = problem.times.reshape(problem.n, -1)[jobs]
    colors = [color(job) for job in jobs.tolist()]
    for machine, (own_ends, own_times) in enumerate(zip(ends.T, times.T, strict=True)):
        bars = np.stack([own_ends - own_times, own_times], axis=1).tolist()
        place = (machine - BAR / 2, BAR)
        axes.broken_barh(bars, place, facecolors=colors, edgecolors="white", linewidth=0.3)
        for job, (begin, time) in zip(jobs.tolist(), bars, strict=True):
            if time * DIGITS > ends.max() * len(str(job)):
                axes.text(begin + time / 2, machine, str(job), ha="center", va="center")
    axes.set(xlabel="time", ylabel="machine", yticks=range(ends.shape[1]))
    axes.set_ylim(ends.shape[1] - 0.5, -0.5)
    if problem.due_dates is not None and ends.shape[1] == 1:
        _draw_due_dates(axes, problem.due_dates[jobs], ends[:, 0], colors)


def _draw_due_dates(
    axes: Any, due_dates: NDArray[Any], ends: NDArray[Any], colors: list[str]
) -> None:
    """Mark due dates above machine 0, with lines from there to the ends of late jobs."""
    for due, end, own in zip(due_dates.tolist(), ends.tolist(), colors, strict=True):
        axes.plot([due], [DUE], marker="v", color=own)
        if end > due:
            axes.plot([due, end], [DUE, -BAR / 2], color=own, linewidth=0.8)
    axes.set(ylabel="", yticks=(DUE, 0), yticklabels=("due dates", "jobs"), ylim=(0.5, DUE - 0.2))


def require_schedule(problem: Any) -> None:
    """Raise unless a problem has schedules."""
    if not isinstance(problem, (FlowShop, SingleMachine)):
        raise UnsupportedProblemError(
            f"plot: {problem!r:.80} has no schedule to draw, unlike FlowShop and SingleMachine; "
            "leave the plot out"
        )


def schedule_of(problem: Any, row: ArrayLike) -> NDArray[Any]:
    """Return when each job leaves each machine, shape (jobs, machines)."""
    require_schedule(problem)
    return np.asarray(problem.schedule(row).reshape(problem.n, -1))
