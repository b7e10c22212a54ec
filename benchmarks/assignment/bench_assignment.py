"""Assignment problems: successors a second beside NumPy, gaps against time, operators in pymoo.

`generality`: successors of 1,000 states of 1,000 variables with 100 values. All variables are
active, from empty states, or a tenth of each state. The problems are graph colouring of G(1000,
0.1), generalised assignment of type C, and quadratic assignment with 100 facilities and with 1,000
(`quadratic, wide`, with 1,000 values). The heuristic is a `WeightTable` masked by `Conflicts`,
`Capacities` or `Distinct`. NumPy does the same in one process, and in two at once that have a core
each; of blocks of 64, 250 and 1,000 states, the fastest counts. On the GPU, states stay on the
device, and the time is the median of pairs of events around whole calls; on the CPU it is the wall
time of whole calls on two cores.

`bounds`: lower bounds of generalised assignment, types D and E, 200 jobs, that HiGHS finds within a
limit. `quality`: gaps of `gls.SuccessorSearch()` with its defaults against seconds, from empty
states. Runs end at the reference or, with `--until bar`, at the bar. Instances and references are
those of QAPLIB (best known costs), those of `bounds`, and graphs (remaining conflicts). `pymoo`:
its GA with its own integer operators and with ours, in equal time. Compiling is never timed.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.assignment import bounds, figures, generality, pymoo_runs, quality
from benchmarks.helpers import common, sections
from gpu_ls_plugin.plugins.search_text import parse_search

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[tuple[str, Any]]]] = {
    "generality": lambda given: generality.measure(
        min(given.clock, given.seconds),
        given.backend,
        generality.Sizes.tiny() if given.tiny else generality.Sizes(),
        given.instances,
        [int(block) for block in given.blocks],
    ),
    "bounds": lambda given: bounds.measure(given.seconds, given.instances),
    "quality": lambda given: quality.measure(
        quality.Runs(
            given.seconds,
            given.limit,
            given.backend[0],
            given.seeds,
            given.until,
            parse_search(given.search) if given.search else None,
            given.states,
        ),
        quality.tasks(given.qaplib, given.out),
        given.instances,
    ),
    "pymoo": lambda given: pymoo_runs.measure(
        min(given.pymoo_seconds, given.seconds),
        given.backend[0],
        given.seeds,
        given.tiny,
        given.instances,
    ),
}
SHOWN = {"quality": quality.show, "pymoo": pymoo_runs.show}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections; rows of earlier calls stay in the file."""
    record = sections.stored(options.out, bounds.NAME, SECTIONS)
    sections.join_folders(record, bounds.NAME, SECTIONS, options.join)
    return sections.measure(options, bounds.NAME, __doc__ or "", SECTIONS, SHOWN, record)


if __name__ == "__main__":
    usual = "cuda,cpu" if common.has_gpu() else "cpu"
    instances = "comma-separated names; for graphs and searches, beginnings of names"
    common.main(
        *(__doc__, bounds.NAME, measure, figures.draw),
        ("--sections", {"type": sections.words, "default": "generality,quality,pymoo"}),
        (
            "--backend",
            {"type": sections.words, "default": usual, "help": "most sections use the first"},
        ),
        ("--seconds", {"type": float, "default": 60.0, "help": "of a run, or of a bound"}),
        ("--seeds", {"type": int, "default": 1, "help": "runs of each instance"}),
        ("--instances", {"type": sections.words, "default": "", "help": instances}),
        ("--qaplib", {"type": Path, "help": "folder of QAPLIB's .dat files, or .npz of them"}),
        ("--limit", {"type": float, "default": math.inf, "help": "seconds of all sections"}),
        ("--clock", {"type": float, "default": 2.0, "help": "seconds of a rate"}),
        (
            "--blocks",
            {"type": sections.words, "default": "64,250,1000", "help": "NumPy's, in states"},
        ),
        ("--until", {"choices": ("reference", "bar"), "default": "reference"}),
        ("--search", {"default": "", "help": "such as successor_search(steps=5000)"}),
        ("--states", {"type": int, "help": "states that are searched at once"}),
        ("--pymoo-seconds", {"type": float, "default": 60.0, "help": "of a run of pymoo"}),
        ("--tiny", {"action": "store_true", "help": "small sizes, for a trial"}),
        ("--join", {"type": Path, "nargs": "*", "default": [], "help": "other --out folders"}),
    )
