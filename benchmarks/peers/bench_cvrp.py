"""Local searches of vehicle routing a second on one core, beside HGS-CVRP's local search.

Both descend from the same feasible giant tours, randomised savings and splits of random orders, to
a local optimum in which no move breaks a constraint: ours with hard constraints, HGS-CVRP's with a
penalty of a million for each unit. Ours is LocalSearch with RouteMoves on 20 nearest candidates,
called by a user on all tours at once, with one thread; it includes costs from scratch. Theirs is
LocalSearch::run with moves 1 to 9 and nbGranular 20, in a separate program (hgs_local_search.cpp),
compiled by the same compiler with -O3 -march=native, with and without SWAP*. Times are CPU seconds
of the searches alone, medians of alternating repeats; compiling, reading files, candidates and
starts are not timed. Gaps are above the best known costs, means over all tours.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

    from gpu_ls_plugin import CVRP

OURS, HGS, HGS_SWAP = "ours", "HGS-CVRP", "HGS-CVRP with SWAP*"
INSTANCES = (
    "X/X-n106-k14",
    "X/X-n200-k36",
    "X/X-n313-k71",
    "X/X-n513-k21",
    "X/X-n1001-k43",
    "CMT/CMT6",
    "CMT/CMT13",
    "Golden/Golden_1",
    "Golden/Golden_7",
)
CANDIDATES = 20
PENALTY = 1e6  # of HGS-CVRP for a unit of excess load or duration; no excess pays off
SOURCES = ("LocalSearch", "Individual", "Params", "InstanceCVRPLIB", "AlgorithmParameters")
BAR = 0.7


class HgsLocalSearch:
    """The local search of HGS-CVRP, built from its source.

    Parameters
    ----------
    source : Path
        The folder `Program` of HGS-CVRP.
    folder : Path
        Receives the program and the starts.
    """

    def __init__(self, source: Path, folder: Path) -> None:
        self.folder, self.program = folder, folder / "hgs_local_search"
        files = [Path(__file__).with_name("hgs_local_search.cpp")]
        files += [source / f"{name}.cpp" for name in SOURCES]
        flags = ["-O3", "-march=native", "-std=c++17", "-DNDEBUG", f"-I{source}"]
        compiler = os.environ.get("CXX", "c++")
        subprocess.run([compiler, *flags, *map(str, files), "-o", str(self.program)], check=True)

    def write_starts(self, problem: CVRP, tours: Any) -> None:
        """Write giant tours as routes divided by zeros."""
        routes = [" 0 ".join(" ".join(map(str, r)) for r in problem.routes(t)) for t in tours]
        (self.folder / "starts").write_text("\n".join(routes) + "\n")

    def descend(self, path: Path, problem: CVRP, *, swaps: bool) -> tuple[float, float]:
        """Return the CPU seconds and the mean cost of descents from the written starts."""
        arguments = (int(problem.integer), problem.copies, CANDIDATES, int(swaps), PENALTY)
        command = [str(self.program), str(path), str(self.folder / "starts"), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, *rows = done.stdout.splitlines()
        costs, feasible = zip(*(row.split() for row in rows), strict=True)
        if "0" in feasible:
            raise AssertionError(
                f"{path.stem}: HGS-CVRP ended with solutions that are not feasible"
            )
        return float(seconds), float(np.mean([float(cost) for cost in costs]))


def instances() -> Path:
    """Return the folder of CVRPLIB files, or end the program with a message."""
    for folder in filter(None, map(str, common.INSTANCE_FOLDERS)):
        if (Path(folder) / "cvrp" / "solutions.json").is_file():
            return Path(folder) / "cvrp"
    sys.exit("no CVRPLIB files found; set GPU_LS_INSTANCES to the folder that holds cvrp/")


def starts_of(problem: CVRP, size: int) -> dict[str, Any]:
    """Return feasible giant tours of two kinds."""
    import gpu_ls_plugin as gls

    random = np.random.default_rng(1)
    orders = np.stack([1 + random.permutation(problem.customers) for _ in range(size)])
    return {
        "savings": gls.savings(problem, size=size, seed=1, backend="cpu"),
        "split": gls.split(problem, orders.astype(np.int32), backend="cpu"),
    }


def compare(
    hgs: HgsLocalSearch, path: Path, best: float, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Time both from the starts of an instance, alternately."""
    import gpu_ls_plugin as gls

    problem = gls.CVRP.read(path)
    search = gls.LocalSearch([gls.RouteMoves()], candidates=gls.Nearest(CANDIDATES))
    size = max(20, options.customers // problem.customers)
    rows = []
    for kind, tours in starts_of(problem, size).items():
        hgs.write_starts(problem, tours)
        search(problem, tours[:1], backend="cpu")  # compiles
        seconds: dict[str, list[float]] = {OURS: [], HGS: [], HGS_SWAP: []}
        costs: dict[str, float] = {}
        for _ in range(options.repeats):
            begin = time.process_time()
            found = search(problem, tours, backend="cpu")
            seconds[OURS].append(time.process_time() - begin)
            costs[OURS] = float(found.costs.mean())
            for name in (HGS, HGS_SWAP):
                took, costs[name] = hgs.descend(path, problem, swaps=name == HGS_SWAP)
                seconds[name].append(took)
        if not problem.feasible(found.tours).all():
            raise AssertionError(f"{path.stem}: ours ended with tours that are not feasible")
        rate = {name: size / common.median(times) for name, times in seconds.items()}
        rows.append(
            {
                "instance": path.stem,
                "customers": problem.customers,
                "starts": kind,
                "tours": size,
                "searches_per_second": rate,
                "ratio": rate[OURS] / rate[HGS],
                "start_gap": 100 * (float(problem.cost(tours).mean()) / best - 1),
                "gap": {name: 100 * (cost / best - 1) for name, cost in costs.items()},
                "moves": found.statistics.moves / size,
                "all_seconds": seconds,
            }
        )
    return rows


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Compare on all instances."""
    os.environ["GPU_LS_THREADS"] = "1"
    folder = instances()
    best = json.loads((folder / "solutions.json").read_text())
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        hgs = HgsLocalSearch(options.hgs / "Program", Path(scratch))
        for name in options.instances:
            path = folder / f"{name}.vrp"
            rows += compare(hgs, path, best[path.stem], options)
            show(rows[-2:])
    means = {
        kind: math.exp(np.mean([math.log(r["ratio"]) for r in rows if r["starts"] == kind]))
        for kind in ("savings", "split")
    }
    print(f"ratio, geometric means: {means}")
    return {"bars": {"ratio": BAR}, "reached": means, "rows": rows}


def show(rows: list[dict[str, Any]]) -> None:
    """Print the table of an instance."""
    common.show(
        f"{rows[0]['instance']}, searches a second and gaps in percent",
        ["starts", OURS, HGS, "SWAP*", "ratio", "start", OURS, HGS, "SWAP*"],
        [
            [
                row["starts"],
                *row["searches_per_second"].values(),
                row["ratio"],
                row["start_gap"],
                *row["gap"].values(),
            ]
            for row in rows
        ],
    )


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw searches a second of both by instance, and the gaps of their results."""
    with common.Figure(out, "cvrp_local_search_cpu", columns=2, rows=2) as axes:
        for column, kind in enumerate(("savings", "split")):
            rows = [row for row in record["rows"] if row["starts"] == kind]
            places = np.arange(len(rows))
            for offset, name in ((-0.3, OURS), (0, HGS), (0.3, HGS_SWAP)):
                for row_of_axes, field in enumerate(("searches_per_second", "gap")):
                    heights = [row[field][name] for row in rows]
                    axes[2 * row_of_axes + column].bar(places + offset, heights, 0.3, label=name)
            axes[column].set(yscale="log", ylabel="searches a second", title=f"from {kind}")
            axes[2 + column].set(ylabel="gap (%)")
            for axis in (axes[column], axes[2 + column]):
                names = [row["instance"].rsplit("-k")[0] for row in rows]
                axis.set_xticks(places, names, rotation=45, ha="right")
        axes[1].legend()


if __name__ == "__main__":
    common.main(
        *(__doc__, "cvrp_local_search_cpu", measure, draw),
        (
            "--hgs",
            {
                "type": Path,
                "default": Path(os.environ.get("HGS_CVRP", "HGS-CVRP")),
                "help": "source of HGS-CVRP (github.com/vidalt/HGS-CVRP)",
            },
        ),
        ("--instances", {"nargs": "+", "default": list(INSTANCES), "help": "SET/NAME"}),
        ("--customers", {"type": int, "default": 20_000, "help": "of all tours together"}),
        ("--repeats", {"type": int, "default": 5}),
    )
