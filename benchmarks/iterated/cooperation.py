"""Chains that cooperate beside independent ones, in equal time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.iterated.setting import (
    SEEDS,
    Setting,
    lin_kernighan,
    read,
    show,
    timed_run,
    warm_up,
)

if TYPE_CHECKING:
    from gpu_ls_plugin import IteratedLocalSearch

SECONDS = {"pr2392": 1.0, "fnl4461": 2.0}
DISTINCT = 10
COLUMNS = ("instance", "cooperation", "tours", "budget", "best_gap", "mean_gap", "distinct")


def cooperation(setting: Setting) -> dict[str, Any]:
    """Search with each cooperation of the library; medians over the seeds."""
    import gpu_ls_plugin as gls

    rows, runs = [], []
    for name, seconds in SECONDS.items():
        alone = lin_kernighan(accept=gls.Annealing(0.8))
        usual, size, _ = setting.usual(read(name), seconds, alone)
        for what, exchange in _kinds().items():
            if setting.spent(f"{name}, {what}", 2.0):
                continue
            with setting.guarded(f"{name}, {what}"):
                search = replace(usual, cooperation=exchange)
                mine = _seeds(setting, name, search, size, seconds)
                runs += [run | {"cooperation": what} for run in mine]
                medians = {k: common.median([r[k] for r in mine]) for k in COLUMNS[4:]}
                row = {"instance": name, "cooperation": what, "tours": size}
                rows.append(row | {"budget": seconds * setting.scale} | medians)
                setting.log(f"{name}, {what}: best {medians['best_gap']:.4f} %")
    show("cooperation: medians over seeds, gaps in percent", rows, COLUMNS)
    return {"rows": rows, "runs": runs, "distinct_of": DISTINCT}


def _seeds(
    setting: Setting, name: str, search: IteratedLocalSearch, size: int, seconds: float
) -> list[dict[str, Any]]:
    """Run with each seed; count the different tours among the best ones."""
    warm_up(setting, search, read(name), size)
    runs = []
    for seed in setting.some(SEEDS[:1], SEEDS):
        options: dict[str, Any] = {"optimum": common.optima()[name], "seed": seed}
        options["seconds"] = setting.seconds(seconds)
        run, result = timed_run(setting, read(name), search, size, **options)
        runs.append(run | {"distinct": len(result.distinct(DISTINCT).tours)})
    return runs


def _kinds() -> dict[str, Any]:
    """Return no cooperation, migration at twice the usual pace, and crossovers."""
    import gpu_ls_plugin as gls

    migration, crossover = gls.Migration(0.5), gls.EdgeAssembly()
    return {"independent": None, "Migration(0.5)": migration, "EdgeAssembly": crossover}
