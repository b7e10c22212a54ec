"""Vehicle routing: gaps of gls.solve after some seconds, beside HGS-CVRP and PyVRP.

Ours is a user's call with defaults on a new problem; kernels are compiled before. HGS-CVRP is its
own program, built from its source with -O3 -march=native; PyVRP runs in an interpreter of its own.
Both have their default parameters and one pinned core for each run. They run at the same time as
ours on cores that ours does not use (ours uses one on a GPU); if no core is free, they run after
ours. Their clocks begin when they have read their input (HGS-CVRP counts CPU seconds).

Lengths are rounded if the best known costs are of rounded lengths; otherwise PyVRP's are multiplied
by 1,000 and rounded. The referee checks each result; an infeasible one has no cost. Gaps are above
the best known costs, in percent. A section joins runs of several calls: earlier runs are not
repeated unless requested, and runs that a limit leaves out are printed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.helpers.limit import Limit
from benchmarks.peers.bench_cvrp import instances
from benchmarks.peers.routing import figures, sections
from benchmarks.peers.routing.generations import generations
from benchmarks.peers.routing.ingredients import ingredients
from benchmarks.peers.routing.memetic import memetic
from benchmarks.peers.routing.resources import resources
from benchmarks.peers.routing.runs import Bench, merged
from benchmarks.peers.routing.solvers import HGS, PYVRP, peers
from benchmarks.peers.routing.throughput import SEARCHES, throughput

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

SECTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "x": sections.x,
    "eight": sections.eight,
    "cmt": sections.cmt,
    "golden": sections.golden,
    "large": sections.large,
    "windows": sections.windows,
    "solomon": sections.solomon,
    "windowed": sections.windowed,
    "resources": resources,
    "throughput": throughput,
    "processes": sections.processes,
    "ingredients": ingredients,
    "generations": generations,
    "memetic": memetic,
}
PEERS = {"both": [HGS, PYVRP], "hgs": [HGS], "pyvrp": [PYVRP], "none": []}
BARS = {
    "x": {"10 s": 0.40, "60 s": 0.15},
    "x, 60 s, by nodes": {"up to 250": 0.01, "251 to 500": 0.10, "more": 0.30},
    "eight": {"10 s": 0.45, "60 s": 0.20},
    "cmt": "best known cost in 8 of 10 seeds, 10 s",
    "golden": {"60 s": 0.15},
    "large": "60 s cheaper than peers with 600 s",
    "windows": {"60 s": 0.9, "300 s": 0.6},
    "solomon": "best known cost of 26 of 28, all within 0.1, 5 s; two cores, 60 s: 0.3",
    "windowed": "10 s cheaper than PyVRP with 100 s",
    "resources": "windows 1.6 and 3, one's own 2 and 5 times the time of load and duration",
    "throughput": "300 times HGS-CVRP on one core",
    "x, 16 cores": {"60 s": 0.25},
}  # percent


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections; runs of earlier calls and files stay."""
    limit = Limit(options.limit)
    record: dict[str, Any] = {"bars": BARS, **_joined(options)}
    os.environ["GPU_LS_THREADS"] = str(options.threads)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(
            options.backend,
            peers(PEERS[options.peers], options.hgs, Path(scratch)),
            options.ours,
            options.threads if options.backend == "cpu" else 1,
            limit,
            json.loads((instances() / "solutions.json").read_text()),
            {} if options.population is None else {"population": options.population},
            options.again,
        )
        for name in SECTIONS:
            if name in options.sections:
                print(f"== {name}", flush=True)
                _measure_section(name, bench, options, record)
                record[name]["machine"] = common.machine()
                common.write_json(options.out, name_of(options), __doc__ or "", record)
            elif options.merge and name in record:  # sums up all joined runs
                idle = replace(bench, peers=(), ours=False)
                _measure_section(name, idle, options, record)
    if bench.left_out:
        print(f"{bench.left_out} runs were left out; repeat the call to make them")
    return record


def _joined(options: argparse.Namespace) -> dict[str, Any]:
    """Return the sections of earlier calls and of other records, each with the runs of all."""
    stored = common.stored(options.out, name_of(options), SECTIONS)
    joined: dict[str, Any] = {}
    for file in [stored, *(json.loads(path.read_text()) for path in options.merge)]:
        for name in SECTIONS:
            if name in file:
                earlier, found = joined.get(name, {}), file[name]
                runs = merged(earlier.get("runs", ()), found["runs"])
                joined[name] = {**earlier, **found, **_tables(earlier, found), "runs": runs}
    return joined


def _tables(earlier: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return the measured tables of educations, with the rows of earlier calls."""
    return {title: earlier.get(title, {}) | found[title] for title in SEARCHES if title in found}


def _measure_section(
    name: str, bench: Bench, options: argparse.Namespace, record: dict[str, Any]
) -> None:
    """Make the missing runs of a section; sum them up with those of earlier calls."""
    earlier = record.get(name, {})
    found = SECTIONS[name](bench, options, earlier.get("runs", []))
    found |= _tables(earlier, found)
    record[name] = earlier | found
    sections.show(name, found)


def name_of(options: argparse.Namespace) -> str:
    """Return the name of the record."""
    return f"routes_{options.backend}"


OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--sections", {"nargs": "*", "default": list(SECTIONS), "choices": list(SECTIONS)}),
    ("--peers", {"choices": list(PEERS), "default": "both"}),
    ("--no-ours", {"dest": "ours", "action": "store_false", "help": "only run peers"}),
    ("--seconds", {"type": float, "help": "of each run; by default those of the section"}),
    ("--peer-seconds", {"type": float, "default": 600.0, "help": "of peers in section large"}),
    ("--seeds", {"type": int, "nargs": "+", "help": "by default 1, in section cmt 1 to 10"}),
    ("--instances", {"nargs": "+", "help": "names; by default those of the section"}),
    ("--every", {"type": int, "default": 1, "help": "take every n-th instance by size"}),
    ("--customers", {"type": int, "nargs": "+", "default": list(sections.LARGE)}),
    ("--processes", {"type": int, "default": 16, "help": "for sections processes and throughput"}),
    ("--repeats", {"type": int, "default": 3, "help": "of educations"}),
    ("--limit", {"type": float, "default": 570.0, "help": "seconds of the whole call"}),
    ("--again", {"action": "store_true", "help": "repeat existing runs"}),
    (
        "--merge",
        {"type": Path, "nargs": "+", "default": [], "help": "whole records of other calls"},
    ),
    ("--population", {"type": int, "help": "population of ours"}),
    ("--threads", {"type": int, "default": len(os.sched_getaffinity(0)), "help": "of ours"}),
    common.backend_option(),
    ("--hgs", {"type": Path, "help": "source of HGS-CVRP (github.com/vidalt/HGS-CVRP)"}),
)


if __name__ == "__main__":
    chosen = common.arguments(__doc__, *OPTIONS)
    common.finish(
        chosen,
        name_of(chosen),
        measure,
        lambda out, record: figures.draw(out, name_of(chosen), record),
        __doc__ or "",
    )
