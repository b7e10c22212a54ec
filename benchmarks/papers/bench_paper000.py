"""Vehicle routing on a GPU as Schulz (2011, 2013) measures it.

`ablation` (figures 10 to 19, tables 1 to 4): the paper's steps, one after the other, by kernels
written from its description (paper000.cu). Times of kernels are those of CUDA graphs that repeat
them, from the same tour; an iteration is their sum. `times_faster` is against the variant that the
paper has kept so far. `blocks` (figure 12): evaluations by threads of a block. `idle` (figures 7 to
9 and 20 to 22): the share of an iteration without a kernel, for loops driven by the host and for
the library's. `binding`: moves from a sweep and at its local optimum that fit all vehicles and
break the route limit, counted on a CPU. `limits`: iterations of the library with and without a
route limit. `mappings` (figures 15 and 18): the library's evaluation of all moves under constraints
by mapping from threads to moves.

`iterations` (table 5): one iteration of best improvement with the move applied, with capacity,
route limit and number of vehicles, at the paper's numbers of nodes (customers and copies of the
depot), for uniform customers, from a sweep. The time is the difference of two runs of unequal
length over that of their passes. `filters` (figure 25): the same with random filters that keep a
share of all moves.

`levels` (figure 17), of a former version: an iteration with paths of the tour computed ahead in
levels 0, 1 and 2, by several parts, and by scans alone; the preparation of stored data, the
evaluation of all moves, and the iteration. Scans were fastest, and the levels were removed.

`combined` (figure 19): evaluations under all constraints in one kernel beside the sum of those
under each constraint alone. Each of these computes lengths as well, and no kernel writes its
findings for every move, as the paper's do. So the sum is only a stand-in for separate kernels.
`shares` (figure 24): preparation, evaluation, and the choice of a move and its application, by
kernels that are launched one by one. Times are between events around calls; compiling is not timed.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common, summary
from benchmarks.helpers.limit import Limit
from benchmarks.helpers.sections import words
from benchmarks.papers.paper000_drawing import draw
from benchmarks.papers.paper000_sections import ON_CPU, SECTIONS
from benchmarks.papers.paper000_tables import markdown

if TYPE_CHECKING:
    import argparse

NAME = "paper000"
BETWEEN_WRITES = 5.0  # seconds
OLDER = ("levels",)  # measured with former versions


def measure(options: argparse.Namespace, record: dict[str, Any]) -> None:
    """Measure the requested sections and store their rows; an error ends only its section."""
    limit, machine = Limit(options.seconds), common.machine()
    for name in words(options.sections):
        if limit.over(f"section {name}"):
            continue
        if name not in ON_CPU:
            common.require_gpu()
        rows: list[dict[str, Any]] = []
        written = time.perf_counter()
        try:
            for row in SECTIONS[name]():
                rows.append(row)
                print(name, json.dumps(row, default=float), flush=True)
                record[name] = rows
                record["machines"][name] = machine
                if time.perf_counter() - written > BETWEEN_WRITES:
                    common.write_json(options.out, NAME, __doc__ or "", record)
                    written = time.perf_counter()
                if limit.over(f"the rest of section {name}"):
                    break
        except Exception:
            traceback.print_exc()
            options.failed = True
        common.write_json(options.out, NAME, __doc__ or "", record)


def stored(out: Path) -> dict[str, Any]:
    """Return all rows in `out`, whole ones or those of the summary, and the machines of sections.

    Sections of older files were measured on the machine that the file names.
    """
    path = out / f"{NAME}.json"
    kept = json.loads(path.read_text()) if path.exists() else {}
    whole = summary.read_raw(out, NAME)
    found, machines = {}, whole.get("machines", kept.get("machines", {}))
    for name in (*SECTIONS, *OLDER):
        rows = whole.get(name, kept.get(name))
        if rows is not None:
            found[name] = summary.rows(rows)
            machines = {name: kept.get("machine")} | machines
    return {**found, "machines": machines}


def main() -> None:
    """Measure, print tables as Markdown, and draw."""
    options = common.arguments(
        __doc__,
        ("--sections", {"default": ",".join(SECTIONS), "help": "comma-separated"}),
        ("--seconds", {"type": float, "default": 600.0, "help": "limit of the whole call"}),
        ("--markdown", {"action": "store_true", "help": "only print the tables of stored results"}),
    )
    if unknown := set(words(options.sections)) - set(SECTIONS):
        raise SystemExit(f"--sections: {', '.join(sorted(unknown))}: none of {', '.join(SECTIONS)}")
    record = stored(options.out)
    if not (options.redraw or options.markdown):
        measure(options, record)
    print(markdown(record))
    if not options.markdown:
        draw(options.out, record)
    sys.exit(int(getattr(options, "failed", False)))


if __name__ == "__main__":
    main()
