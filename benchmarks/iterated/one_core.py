"""One core: the CPU backend with one thread beside fast-tsp with one."""

from __future__ import annotations

from typing import Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.helpers.search_clock import threads
from benchmarks.iterated.setting import (
    Setting,
    lin_kernighan,
    read,
    show,
    timed_run,
    warm_up,
)
from benchmarks.peers.solvers import FastTsp, has

CASES = {"rat783": (2.0, 0.1), "pr2392": (10.0, 0.4)}  # seconds, bar in percent
COLUMNS = ("instance", "what", "tours", "seconds", "best_gap", "bar", "kicks_per_second")


def cpu(setting: Setting) -> dict[str, Any]:
    """Search for some seconds on one core, with starts and candidates."""
    import gpu_ls_plugin as gls

    rows: list[dict[str, Any]] = []
    with threads(1):
        for name, (seconds, bar) in CASES.items():
            optimum = common.optima()[name]
            usual = setting.usual(read(name), seconds)
            alone = lin_kernighan(accept=gls.Annealing(0.8))
            for search, size, construct in ((alone, 1, gls.nearest_neighbour), usual):
                if setting.spent(f"{name}, {size} tours", seconds * setting.scale):
                    continue
                start: dict[str, Any] = {"construct": construct}
                warm_up(setting, search, read(name), size, **start)
                budget = {"seconds": setting.seconds(seconds)}
                record, _ = timed_run(
                    setting, read(name), search, size, optimum=optimum, **start, **budget
                )
                rows.append(record | {"what": "ours", "bar": bar})
                setting.log(f"{name}, {size} tours: {record['best_gap']:.4f} %")
            if has("fast_tsp"):
                with FastTsp(1) as peer:
                    peer.load(read(name))
                    cost, wall = peer.together(seconds * setting.scale, 1)
                gap = percent(cost, optimum)
                rows.append(
                    {"instance": name, "what": "fast-tsp", "seconds": wall, "best_gap": gap}
                )
                setting.log(f"{name}, fast-tsp: {gap:.4f} %")
    show("one core", rows, COLUMNS)
    return {"rows": rows}
