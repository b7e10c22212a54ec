"""One large tour: the gap after some seconds, with candidates and starts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.iterated.setting import Setting, gap_at, read, show, timed_run, warm_up

if TYPE_CHECKING:
    from gpu_ls_plugin import TSP, IteratedLocalSearch

# Moments, with the bar of each in percent; the last instance has the remaining time.
INSTANCES: dict[str, dict[float, float | None]] = {
    "d18512": {5.0: 1.0, 20.0: 0.5},
    "usa13509": {5.0: 1.0, 20.0: 0.5},
    "pla85900": {20.0: 1.5, 60.0: 1.0},
    "uniform 1000000": {60.0: 4.0},
    "pla33810": {20.0: 1.5, 60.0: 1.0},
}
MILLION, SIDE = 1_000_000, 1_000_000
CONSTANT = 0.7124  # of a random uniform tour: length / sqrt(n * area)
SHORT = 20.0  # seconds; up to these every moment has its own run
COLUMNS = (
    "instance",
    "n",
    "moment",
    "on_the_way",
    "gap",
    "bar",
    "seconds",
    "starts_seconds",
    "kicks_per_second",
)


def large(setting: Setting) -> dict[str, Any]:
    """Search one greedy tour of each instance until the last moment, and until shorter ones.

    Annealing uses the whole time: at a moment within a longer run (`on_the_way`), tours are worse
    than at the end of a run of that length (`gap`). Long moments have no run of their own.
    """
    rows: list[dict[str, Any]] = []
    runs: dict[str, dict[str, Any]] = {}
    for name, moments in setting.some({"d18512": INSTANCES["d18512"]}, INSTANCES).items():
        if setting.spent(name, min(moments) * setting.scale):
            continue
        with setting.guarded(name):
            _compile(setting, name)
            longest = max(moments)
            runs[name] = _run(setting, name, longest)
            for moment, bar in moments.items():
                own = runs[name] if moment == longest else None
                if own is None and longest <= SHORT:
                    own = _run(setting, name, moment)
                at = moment * setting.scale
                row = {"moment": at, "bar": bar, **_at(at, runs[name], own)}
                rows.append(row)
                gaps = (f"{k} {row[k]:.3f} %" for k in ("gap", "on_the_way") if row[k] is not None)
                setting.log(f"{name}, {at:g} s: {', '.join(gaps)}")
    show("one large tour", rows, COLUMNS)
    return {"rows": rows, "runs": runs, "constant": CONSTANT}


def _at(at: float, run: dict[str, Any], own: dict[str, Any] | None) -> dict[str, Any]:
    """Return the gaps at a moment, by the longest run and by a run of that length.

    They are empty if the allowance ended a run before the moment.
    """
    row = {k: run[k] for k in ("instance", "n")} | {"gap": None, "on_the_way": None}
    if run["seconds"] >= 0.95 * at:
        row["on_the_way"] = gap_at(run["history"], at)
    if own is not None:
        row |= {k: own[k] for k in ("seconds", "phases", "starts_seconds", "kicks_per_second")}
        row["gap"] = own["best_gap"] if own["seconds"] >= 0.95 * at else None
    return row


def _run(setting: Setting, name: str, seconds: float) -> dict[str, Any]:
    import gpu_ls_plugin as gls

    options: dict[str, Any] = {"optimum": optimum_of(name), "construct": gls.greedy}
    options["seconds"] = setting.seconds(seconds)
    return timed_run(setting, problem_of(name), _search(name), 1, **options)[0]


def _compile(setting: Setting, name: str) -> None:
    import gpu_ls_plugin as gls

    warm_up(setting, _search(name), problem_of(name), 1, construct=gls.greedy)


def _search(name: str) -> IteratedLocalSearch:
    import gpu_ls_plugin as gls

    lists = gls.Quadrant(8) if name.startswith("uniform") else gls.Alpha(5)
    return gls.IteratedLocalSearch(gls.LocalSearch([gls.LinKernighan(3)], lists))


def optimum_of(name: str) -> float:
    """Return the optimal length of an instance; of uniform cities the expected length."""
    return common.optima().get(name, CONSTANT * math.sqrt(MILLION) * SIDE)


def problem_of(name: str) -> TSP:
    """Return a new instance without any cached data."""
    import gpu_ls_plugin as gls

    if name.startswith("uniform"):
        return gls.TSP(common.uniform(MILLION, SIDE), "EUC_2D", name=name)
    return read(name)


def draw(plot: Any, section: dict[str, Any]) -> None:
    """Draw the gap against time."""
    for number, (name, run) in enumerate(section["runs"].items()):
        times, gaps, _ = zip(*run["history"], strict=True)
        plot.plot(times, gaps, drawstyle="steps-post", color=f"C{number}", label=name)
    for row in section["rows"]:
        place = list(section["runs"]).index(row["instance"])
        plot.plot([row["moment"]], [row["bar"]], "x", color=f"C{place}")
    plot.set(title="one tour (crosses: bars)", xlabel="seconds", ylabel="gap in percent")
    plot.set(xscale="log", yscale="log")
    plot.legend(fontsize=7)
