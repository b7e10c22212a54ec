"""Paper 001 as it measures: passes of 3-opt, 2-opt and 3-opt Search, iterated local search.

`passes` (tables 1 and 2): an evaluation of all n x 40 pairs and their third edges, from a
nearest-neighbour tour; medians of five, on the CPU of three. `descents` (table 3, figure 5): best
improvement to the local optimum. `gap` is the mean of ten starts (one above 6,000 cities); times
are those of the first. One core searches the whole tour if that takes 0.15 s, otherwise as many
passes as fit; all passes cost the same, so `core_ms` is in proportion to their number. `first_*`
are the times of the same search with `First`, which looks only at cities whose edges changed.
`kicks` (figure 6): milliseconds of a double bridge and its repair, from a local optimum. `chains`
(table 3): ten chains of each instance, as [mean gap, best gap, chains with the optimum]. GPU times
are those between two events, without the transfer of tours. Candidate lists are made before, and
compiling is not timed.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common, sections
from benchmarks.papers import paper001, paper001_figures, paper001_tables
from benchmarks.papers.paper001_descents import descents
from benchmarks.papers.paper001_iterated import chains, kicks
from benchmarks.papers.paper001_passes import passes

if TYPE_CHECKING:
    import argparse

NAME = "paper001"
SECTIONS: dict[str, sections.Section] = {
    "passes": passes,
    "descents": descents,
    "kicks": kicks,
    "chains": chains,
}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections, row by row."""
    return sections.measure(options, NAME, __doc__ or "", SECTIONS, {})


def show(out: Path, record: dict[str, Any]) -> None:
    """Print the tables as Markdown, and draw the figures."""
    print(paper001_tables.markdown(record), flush=True)
    paper001_figures.draw(out, record)


if __name__ == "__main__":
    labels = list(paper001.lines())
    common.main(
        *(__doc__, NAME, measure, show),
        common.sections_option(SECTIONS),
        common.backend_option(),
        ("--limit", {"type": float, "default": math.inf, "help": "seconds of all sections"}),
        ("--most", {"type": int, "default": paper001.LARGEST, "help": "cities of an instance"}),
        ("--lines", {"nargs": "*", "default": labels, "choices": labels, "help": "of chains"}),
        ("--lanes", {"type": int, "default": 12, "help": "instances side by side in chains"}),
    )
