"""Seconds to a gap: ours with starts and candidates, beside fast-tsp and elkai.

Ours is `solve`. It runs with several budgets and three seeds for each, since it uses its whole
budget; a run ends at the optimum. The time to a gap is the smallest median over the seeds among
these budgets. fast-tsp runs with a geometric series of durations up to 20 s in three modes: one
thread (the median of processes that run at the same time), the best of these processes, and as many
threads that search together. Each is the median of three runs if they take at most 5 s. The time to
a gap is the first duration that reached it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.iterated.setting import (
    GAPS,
    SEEDS,
    Setting,
    read,
    seconds_to,
    show,
    solved,
)
from benchmarks.peers.solvers import FastTsp, durations, elkai_runs, has, processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LONGEST = 20.0  # seconds of a run
REPEATED = 5.0  # seconds; shorter runs of fast-tsp have as many seeds as ours
BUDGETS = {  # seconds, times the scale
    **dict.fromkeys(("rat783", "pr1002", "u1817", "pr2392"), (0.0125, 0.03, 0.1, 0.3, 1.0)),
    **dict.fromkeys(("pcb3038", "fnl4461", "rl5915"), (0.0125, 0.03, 0.1, 0.3, 1.0, 5.0, LONGEST)),
}
# Instances with lengths up to 65,535, the longest of fast-tsp.
LONG = dict.fromkeys(("rl11849", "d15112", "d18512"), (0.1, 0.5, 2.0, 5.0, LONGEST))
BARS = {
    "rat783": {0.0: 0.2},
    "pr1002": {0.0: 0.3},
    "pr2392": {0.0: 1.5, 0.1: 0.4},
    "pcb3038": {0.1: 1.0},
    "fnl4461": {0.1: 2.0},
    "rl5915": {0.1: 2.0},
}
ELKAI = ("rat783", "pr1002", "pr2392")
ELKAI_LIMIT = 60.0
PEER_PROCESSES = 15
MODES = {  # of fast-tsp
    "one": "fast-tsp, 1 thread",
    "best_of": "fast-tsp, best of {} processes",
    "together": "fast-tsp, {} threads",
}
COLUMNS = ("instance", "gap", "ours_s", "bar_s", *(f"{mode}_s" for mode in MODES), "ratio")


def time_to_gap(setting: Setting) -> dict[str, Any]:
    """Measure times to gaps."""
    return _measured(setting, BUDGETS, GAPS)


def of_long_tours(setting: Setting) -> dict[str, Any]:
    """Measure times to gaps of long tours."""
    return _measured(setting, LONG, (5.0, 2.0, *GAPS))


def _measured(
    setting: Setting, budgets: dict[str, tuple[float, ...]], gaps: tuple[float, ...]
) -> dict[str, Any]:
    names = setting.some(tuple(budgets)[:1], tuple(budgets))
    optima = common.optima()
    sections: dict[str, dict[str, Any]] = {}
    limit = min(setting.some(10.0, ELKAI_LIMIT), setting.left)

    def ours() -> None:
        for name in names:
            if not setting.spent(f"{name}, ours", 2.0):
                with setting.guarded(f"{name}, ours"):
                    sections[name] = {"ours": _ours(setting, name, budgets[name])}
                    setting.keep({"instances": sections})

    crowded = processes(len(ELKAI) + 1) <= len(ELKAI)  # cores: elkai would slow us down
    with elkai_runs({n: read(n) for n in names if n in ELKAI}, limit) as elkai:
        if not crowded:
            ours()
    if crowded:
        ours()
    for name, record in elkai.items():
        gap = None if record["cost"] is None else percent(record["cost"], optima[name])
        sections.setdefault(name, {})["elkai"] = record | {"gap": gap}
        setting.log(f"{name}, elkai: {record['seconds']} s, gap {gap} %")
    if has("fast_tsp"):
        with FastTsp(processes(PEER_PROCESSES)) as peer:
            for name in names:
                if not setting.spent(f"{name}, fast-tsp", 2.0):
                    with setting.guarded(f"{name}, fast-tsp"):
                        sections.setdefault(name, {})["fast_tsp"] = _fast_tsp(setting, peer, name)
                        setting.keep({"instances": sections})
    rows = [row for name, found in sections.items() for row in _table(name, found, gaps)]
    show("seconds to a gap in percent", rows, COLUMNS)
    elkai_rows = [{"instance": n, **s["elkai"]} for n, s in sections.items() if "elkai" in s]
    if elkai_rows:
        show("elkai, one run", elkai_rows, ("instance", "seconds", "gap"))
    return {"instances": sections, "rows": rows, "method": " ".join((__doc__ or "").split())}


def _ours(setting: Setting, name: str, budgets: tuple[float, ...]) -> list[dict[str, Any]]:
    optimum = common.optima()[name]
    runs = []
    for seconds in (s for s in budgets if s * setting.scale <= LONGEST):
        solved(setting, read(name), setting.seconds(seconds), optimum)  # compiles
        for seed in setting.some(SEEDS[:1], SEEDS):
            run = solved(setting, read(name), setting.seconds(seconds), optimum, seed)
            runs.append(run | {"given_seconds": seconds * setting.scale})
        setting.log(f"{name}, {seconds:g} s x scale: last gap {runs[-1]['best_gap']:.4f} %")
    return runs


def _fast_tsp(setting: Setting, peer: FastTsp, name: str) -> dict[str, Any]:
    """Run fast-tsp for longer and longer, in each mode until it finds the optimum."""
    optimum, count = common.optima()[name], peer.size
    peer.load(read(name))
    modes: dict[str, list[tuple[float, float, float]]] = {mode: [] for mode in MODES}

    def add(mode: str, seconds: float, runs: list[Any], of: Callable[[Any], Any]) -> None:
        gap = percent(float(np.median([of(costs) for costs, _ in runs])), optimum)
        modes[mode].append((seconds, gap, common.median([wall for _, wall in runs])))

    for seconds in durations(setting.some(1.0, LONGEST)):
        if setting.spent(f"{name}, fast-tsp {seconds} s", 2 * seconds):
            break
        repeats = range(len(SEEDS) if seconds <= REPEATED else 1)
        if not _is_done(modes["one"]):
            runs = [peer.independent(seconds, count) for _ in repeats]
            add("one", seconds, runs, list)
            add("best_of", seconds, runs, min)
        if not _is_done(modes["together"]):
            add("together", seconds, [peer.together(seconds, count) for _ in repeats], int)
    setting.log(f"{name}, fast-tsp: " + ", ".join(f"{m} {p[-1:]}" for m, p in modes.items()))
    return {"threads": count, "points": modes, "point": "duration, gap, wall seconds"}


def _is_done(points: list[tuple[float, float, float]]) -> bool:
    return bool(points) and points[-1][1] <= 0.0


def ours_to(runs: list[dict[str, Any]], gap: float) -> float:
    """Return the time to a gap: the smallest median over the seeds among the budgets."""
    by_budget: dict[float, list[float]] = {}
    for run in runs:
        by_budget.setdefault(run["given_seconds"], []).append(seconds_to(run["history"], gap))
    return min(map(common.median, by_budget.values()), default=math.inf)


def peer_to(points: Iterable[tuple[float, float, float]], gap: float) -> float:
    """Return the wall time of the first duration that reached a gap."""
    return next((wall for _, found, wall in points if found <= gap + 1e-9), math.inf)


def _table(name: str, found: dict[str, Any], gaps: tuple[float, ...]) -> list[dict[str, Any]]:
    points = found.get("fast_tsp", {}).get("points", {})
    rows = []
    for gap in gaps:
        peers = {f"{mode}_s": peer_to(points.get(mode, ()), gap) for mode in MODES}
        ours = ours_to(found.get("ours", []), gap)
        many = min(peers["best_of_s"], peers["together_s"])
        row = {"instance": name, "gap": gap, "ours_s": ours, **peers}
        row["ratio"] = many / ours if many < math.inf and ours < math.inf else None
        row["bar_s"] = BARS.get(name, {}).get(gap)
        # JSON has no infinity: a gap that was never reached has None.
        rows.append({k: None if v == math.inf else v for k, v in row.items()})
    return rows


def draw(plot: Any, section: dict[str, Any], name: str) -> None:
    """Draw the gap against time for one instance."""
    found = section["instances"][name]
    floor = 1e-3  # percent: the optimum lies on the lower edge of a logarithmic axis
    for number, budget in enumerate(sorted({r["given_seconds"] for r in found.get("ours", [])})):
        runs = [run for run in found["ours"] if run["given_seconds"] == budget]
        times = np.geomspace(1e-2, budget, 200)
        curves = [[_known(run["history"], t) for t in times] for run in runs]
        middle = np.maximum(np.median(curves, axis=0), floor)
        plot.plot(times, middle, color=f"C{number}", label=f"ours, {budget:g} s")
    threads = found.get("fast_tsp", {}).get("threads")
    for (mode, label), mark in zip(MODES.items(), (":s", "--^", "-v"), strict=True):
        points = found.get("fast_tsp", {}).get("points", {}).get(mode, [])
        gaps = [max(p[1], floor) for p in points]
        plot.plot(
            [p[2] for p in points], gaps, f"k{mark}", label=label.format(threads), markersize=4
        )
    elkai = found.get("elkai", {})
    if elkai.get("seconds"):
        plot.plot([elkai["seconds"]], [max(elkai["gap"], floor)], "r*", label="elkai, one run")
    plot.set(title=name, xlabel="seconds", ylabel="gap in percent", xscale="log", yscale="log")
    plot.set_ylim(bottom=floor)
    plot.legend(fontsize=6)


def _known(history: list[list[float]], seconds: float) -> float:
    known = [point[1] for point in history if point[0] <= seconds]
    return min(known) if known else math.nan
