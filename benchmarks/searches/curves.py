"""Time of a local search by cities, by tours, and by the gap that remains: numbers and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.helpers.search_clock import compare

if TYPE_CHECKING:
    from gpu_ls_plugin import LocalSearch

BATCH = 132 * 16
BATCH_CITIES = (200, 500, 1000, 2000, 4000)
ONE_TOUR_CITIES = (1000, 5000, 20_000, 50_000, 200_000)
POPULATIONS = (1, 8, 32, 132, 528, 2112, 8448)
GAP_INSTANCE, GAP_TOURS = "pr2392", 132
PROCESSORS = {"kernel_ms": ("GPU", "-o"), "cpu_ms": ("CPU", "--s")}


def against_cities(gpu: bool) -> dict[str, Any]:
    """Time 2-opt + Or-opt by number of cities, of a batch and of one tour."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.nearest import Nearest

    search = gls.LocalSearch(candidates=Nearest(8))
    backend = "cuda" if gpu else "cpu"
    rows = []
    for n in BATCH_CITIES:
        problem = gls.TSP(common.uniform(n), "EUC_2D", name=f"uniform {n}")
        tours = gls.nearest_neighbour(problem, BATCH, seed=1, backend=backend)
        rows.append(_point(f"{BATCH} tours, n = {n}", search, problem, tours, gpu))
    for n in ONE_TOUR_CITIES:
        problem = gls.TSP(common.uniform(n, 1_000_000), "EUC_2D", name=f"uniform {n}")
        tours = gls.greedy(problem, backend="cpu")
        rows.append(_point(f"one tour, n = {n}", search, problem, tours, gpu))
    return {"rows": rows}


def against_tours(gpu: bool) -> dict[str, Any]:
    """Time 2-opt + Or-opt of pr1002 by number of tours."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.nearest import Nearest

    search = gls.LocalSearch(candidates=Nearest(8))
    problem = gls.TSP.read(common.require_instances() / "pr1002.tsp")
    backend = "cuda" if gpu else "cpu"
    tours = gls.nearest_neighbour(problem, POPULATIONS[-1], seed=1, backend=backend)
    return {"rows": by_tours({"pr1002": search}, problem, tours, gpu)}


def by_tours(
    searches: dict[str, LocalSearch], problem: Any, tours: Any, gpu: bool
) -> list[dict[str, Any]]:
    """Time searches of the first tours of a batch, by their number."""
    return [
        _point(f"{what}, {size} tours", search, problem, tours[:size], gpu)
        for size in POPULATIONS
        if size <= len(tours)
        for what, search in searches.items()
    ]


def gap_searches() -> dict[str, LocalSearch]:
    """Return the searches whose gap is drawn against their time."""
    import gpu_ls_plugin as gls
    from gpu_ls_plugin.tours.candidates.alpha import Alpha
    from gpu_ls_plugin.tours.candidates.nearest import Nearest

    chains = {
        f"Lin-Kernighan {depth}": gls.LocalSearch([gls.LinKernighan(depth)], Alpha(5))
        for depth in (3, 5, 8)
    }
    return {
        "2-opt": gls.LocalSearch([gls.TwoOpt()], Nearest(8)),
        "2-opt + Or-opt": gls.LocalSearch(candidates=Nearest(8)),
        "3-opt": gls.LocalSearch([gls.ThreeOpt()], Nearest(8)),
        **chains,
    }


def against_gap(gpu: bool) -> dict[str, Any]:
    """Time searches of one instance; record the remaining gaps."""
    import gpu_ls_plugin as gls

    problem = gls.TSP.read(common.require_instances() / f"{GAP_INSTANCE}.tsp")
    best_known = common.optima()[GAP_INSTANCE]
    backend = "cuda" if gpu else "cpu"
    tours = gls.nearest_neighbour(problem, GAP_TOURS, seed=1, backend=backend)
    rows = []
    for kind, search in gap_searches().items():
        row = _point(kind, search, problem, tours, gpu)
        gaps = {w: float(percent(row[f"{w}_cost"], best_known)) for w in ("mean", "best")}
        rows.append(row | {"mean_gap": gaps["mean"], "best_gap": gaps["best"]})
    columns = ("what", "kernel_ms", "cpu_ms", "mean_gap", "best_gap")
    common.show(
        f"{GAP_INSTANCE}, {GAP_TOURS} tours", columns, [[r[c] for c in columns] for r in rows]
    )
    return {"rows": rows}


def _point(what: str, search: LocalSearch, problem: Any, tours: Any, gpu: bool) -> dict[str, Any]:
    return compare(what, search, problem, tours, gpu=gpu, repeats=3, cpu_repeats=1, calls=False)


def draw_cities(plot: Any, section: dict[str, Any]) -> None:
    """Draw the time of a batch and of one tour by cities."""
    for number, size in enumerate((BATCH, 1)):
        rows = [r for r in section["rows"] if r["tours"] == size]
        _draw_times(plot, "n", rows, f"C{number}", "one tour" if size == 1 else f"{size} tours")
    plot.set(title="2-opt + Or-opt, uniform", xlabel="cities", ylabel="ms", xscale="log")
    plot.set(yscale="log")
    plot.legend(fontsize=7)


def draw_tours(plot: Any, section: dict[str, Any]) -> None:
    """Draw the time by number of tours."""
    _draw_times(plot, "tours", section["rows"], "C0", "pr1002")
    plot.set(title="2-opt + Or-opt, pr1002", xlabel="tours", ylabel="ms", xscale="log")
    plot.set(yscale="log")
    plot.legend(fontsize=7)


def draw_gap(plot: Any, section: dict[str, Any]) -> None:
    """Draw mean and best gap by the time of a tour."""
    for key, (processor, mark) in PROCESSORS.items():
        rows = sorted(section["rows"], key=lambda r: r[key])
        times = [r[key] / r["tours"] for r in rows]
        for gap, colour in (("mean_gap", "C0"), ("best_gap", "C1")):
            label = f"{processor}, {gap.partition('_')[0]}"
            gaps = [r[gap] for r in rows]
            plot.plot(times, gaps, mark, color=colour, label=label)
        for row, at in zip(rows, times, strict=True) if key == "kernel_ms" else ():
            plot.annotate(
                row["what"],
                (at, row["mean_gap"]),
                rotation=35,
                fontsize=6,
                xytext=(2, 3),
                textcoords="offset points",
            )
    plot.set(title=f"{GAP_INSTANCE}, {GAP_TOURS} tours", xlabel="ms a tour", xscale="log")
    plot.set_ylabel("gap in percent")
    plot.set_ylim(bottom=0)
    plot.legend(fontsize=7)


def _draw_times(plot: Any, x: str, rows: list[dict[str, Any]], colour: str, label: str) -> None:
    for key, (processor, mark) in PROCESSORS.items():
        if not any(r[key] is None for r in rows):
            at, times = [r[x] for r in rows], [r[key] for r in rows]
            plot.plot(at, times, mark, color=colour, label=f"{label}, {processor}")
