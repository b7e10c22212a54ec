"""Iterated local search as in paper 001 (Fosin, Davidović and Carić 2013, table 3).

0.1 n, n and 10 n kicks of 3-opt on alpha-nearest and quadrant neighbours from greedy tours (in the
paper, quadrant neighbours and tours of nearest neighbour), over all available EUC_2D instances of
TSPLIB of 70 to 18,512 cities. The paper continues from every local optimum (line 10 of its
algorithm) and runs ten times; here a chain continues from a tour that is not longer, and the gap is
the mean over 8 chains. Lin-Kernighan on alpha-nearest cities with annealing runs beside it. Seconds
are those of starts and searches over all instances; candidates are made before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.helpers.gaps import names
from benchmarks.iterated.setting import (
    Setting,
    lin_kernighan,
    read,
    show,
    three_opt,
    timed_run,
    warm_up,
)

if TYPE_CHECKING:
    from gpu_ls_plugin import IteratedLocalSearch

CHAINS = 8
SMALLEST, LARGEST = 70, 18_512
KICKS_PER_CITY = {0.1: (2.00, 1.8), 1.0: (0.78, 0.7), 10.0: (0.32, 0.3)}  # the paper's gap, bar
COLUMNS = ("what", "kicks_per_city", "instances", "mean_gap", "best_gap", "paper", "bar", "seconds")


def paper_001(setting: Setting) -> dict[str, Any]:
    """Search all instances, the small ones first; `instances` counts those of a mean."""
    rows: list[dict[str, Any]] = []
    chosen = [name for name in names(SMALLEST, LARGEST) if name != "linhp318"]
    begun: set[tuple[str, int]] = set()
    for name in setting.some(chosen[:3], chosen):
        if setting.spent(name, 1.0):
            continue
        with setting.guarded(name):
            rows += (mine := _instance(setting, name, begun))
            setting.log(f"{name}: " + ", ".join(f"{row['mean_gap']:.3f}" for row in mine))
    means = [_mean(rows, what, kicks) for what, _, kicks in _lines()]
    show("paper 001: mean gaps in percent", means, COLUMNS)
    return {"rows": rows, "means": means, "method": " ".join((__doc__ or "").split())}


def _instance(setting: Setting, name: str, begun: set[tuple[str, int]]) -> list[dict[str, Any]]:
    """Search one instance in all ways; kinds of launches in `begun` need no warming up."""
    import gpu_ls_plugin as gls

    problem, rows = read(name), []
    for what, search, kicks_per_city in _lines():
        search.search.candidates.of(problem)
        kind = what, int(np.log2(problem.n))  # shapes of launches change with n
        if kind not in begun:
            begun.add(kind)
            warm_up(setting, search, problem, CHAINS, construct=gls.greedy)
        kicks = max(1, round(kicks_per_city * problem.n))
        optimum = common.optima()[name]
        record, _ = timed_run(
            setting, problem, search, CHAINS, optimum=optimum, kicks=kicks, construct=gls.greedy
        )
        kept = {k: v for k, v in record.items() if k not in ("history", "phases")}
        rows.append(kept | {"what": what, "kicks_per_city": kicks_per_city})
    return rows


def _lines() -> list[tuple[str, IteratedLocalSearch, float]]:
    import gpu_ls_plugin as gls

    # Cuts all over the tour, as in the paper; with this rule a window helps less.
    paper = gls.IteratedLocalSearch(three_opt(), gls.DoubleBridge(), accept=gls.BetterOrEqual())
    ours = lin_kernighan(5, accept=gls.Annealing())
    lines = [("3-opt, BetterOrEqual", paper, kicks) for kicks in KICKS_PER_CITY]
    return [*lines, *(("Lin-Kernighan, Annealing", ours, kicks) for kicks in KICKS_PER_CITY)]


def _mean(rows: list[dict[str, Any]], what: str, kicks: float) -> dict[str, Any]:
    mine = [r for r in rows if (r["what"], r["kicks_per_city"]) == (what, kicks)]
    paper, bar = KICKS_PER_CITY[kicks]
    return {
        "what": what,
        "kicks_per_city": kicks,
        "instances": len(mine),
        "mean_gap": float(np.mean([r["mean_gap"] for r in mine])) if mine else None,
        "best_gap": float(np.mean([r["best_gap"] for r in mine])) if mine else None,
        "paper": paper,
        "bar": bar,
        "seconds": sum(r["seconds"] for r in mine),
    }


def draw(plot: Any, section: dict[str, Any]) -> None:
    """Draw the mean gaps against kicks, ours and the paper's."""
    for number, what in enumerate(dict.fromkeys(m["what"] for m in section["means"])):
        mine = [m for m in section["means"] if m["what"] == what and m["mean_gap"] is not None]
        at = [m["kicks_per_city"] for m in mine]
        plot.plot(at, [m["mean_gap"] for m in mine], "-o", color=f"C{number}", label=what)
    paper = [gap for gap, _ in KICKS_PER_CITY.values()]
    plot.plot(list(KICKS_PER_CITY), paper, "k:s", label="paper 001")
    plot.set(title="means over TSPLIB", xlabel="kicks per city", ylabel="gap in percent")
    plot.set(xscale="log", yscale="log")
    plot.legend(fontsize=7)
