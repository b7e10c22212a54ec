"""Parallel iterated local search as in paper 002 (Delevacq, Delisle and Krajecki 2012).

A population of independent chains shares a number of kicks. Tours begin at nearest neighbour;
quality is that of the best chain of a trial, the mean of the trials. Table 1 has 2^20 kicks:
`table1_paper` with the paper's 3-opt on 40 nearest neighbours and `Better`; `table1_deep` with
Lin-Kernighan moves of depth 8; `table1_usual` with 3-opt on alpha-nearest and quadrant neighbours
and annealing; `table1_crossed` with populations that cross their tours. Table 3 has the paper's
kicks and k: `table3` improves the first tours by 3-opt as the paper does (its section 5);
`table3_from_nearest` does not. `variants` times one local search. Speedups are over one thread of
the CPU backend on the same machine, in proportion to its kicks, or steps for random-k-best. Up to 8
chains, all trials of all instances run side by side on a GPU, and the time is that of all trials.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common, sections
from benchmarks.papers import paper002
from benchmarks.papers.paper002 import CHAINS, INSTANCES, KICKS, RANDOM_K, TABLE_1, TABLE_3
from benchmarks.papers.paper002_cells import FEW_CHAINS, Case, read, rows_of
from benchmarks.papers.paper002_report import draw, markdown
from benchmarks.papers.paper002_variants import variants

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from gpu_ls_plugin import IteratedLocalSearch

    Rows = Iterator[tuple[str, dict[str, Any]]]

NAME = "paper002"
TABLE_1_SETTINGS = {
    "table1_paper": paper002.as_in_the_paper,
    "table1_usual": paper002.usual,
    "table1_deep": paper002.deep,
    "table1_crossed": paper002.crossed,
}


def table_1(setting: Callable[[float], IteratedLocalSearch]) -> Callable[..., Rows]:
    """Return the section of table 1 with a setting, given the kicks per city of a chain."""

    def section(options: argparse.Namespace) -> Rows:
        def case(name: str, place: int) -> Case:
            problem, chains = read(name), CHAINS[place]
            kicks = max(1, KICKS // options.share // chains)
            search = setting(kicks / problem.n)
            paper = tuple(column[place] for column in TABLE_1[name])
            return Case(problem, search, chains, kicks, options.trials, paper)

        yield from _cells(options, case)

    return section


def table_3(options: argparse.Namespace) -> Rows:
    """Run table 3 from tours that 3-opt has improved."""
    yield from _random_k(options, improved=True)


def table_3_from_nearest(options: argparse.Namespace) -> Rows:
    """Run table 3 from tours of nearest neighbour."""
    yield from _random_k(options, improved=False)


def _random_k(options: argparse.Namespace, improved: bool) -> Rows:
    def case(name: str, place: int) -> Case:
        problem, chains = read(name), CHAINS[place]
        total, k = RANDOM_K[name]
        paper = tuple(column[place] for column in TABLE_3[name])
        kicks = max(1, total // options.share // chains)
        first = paper002.first_for_table_3() if improved else None
        numbers = chains, kicks, min(3, options.trials), paper
        seconds = min(options.cell_seconds, options.limit.left)
        return Case(problem, paper002.random_k(k), *numbers, first, seconds)

    yield from _cells(options, case)


def _cells(options: argparse.Namespace, case: Callable[[str, int], Case]) -> Rows:
    """Yield the rows of all cells, large populations first, until the time is up."""
    cores: dict[str, dict[str, float]] = {}
    order = CHAINS[::-1] if options.backend == "cuda" else CHAINS
    for chains in (size for size in order if size in options.sizes):
        place = CHAINS.index(chains)
        names = list(options.instances)
        together = [names] if chains <= FEW_CHAINS else [[name] for name in names]
        for group in together:
            if options.limit.over(f"{', '.join(group)} with {chains} chains"):
                return
            yield from rows_of([case(name, place) for name in group], options.backend, cores)


SECTIONS: dict[str, Callable[[argparse.Namespace], Rows]] = {
    "table3": table_3,
    "variants": variants,
    **{name: table_1(setting) for name, setting in TABLE_1_SETTINGS.items()},
    "table3_from_nearest": table_3_from_nearest,
}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections; print all tables as Markdown."""
    record = sections.measure(options, NAME, __doc__ or "", SECTIONS, {})
    print(markdown(record), flush=True)
    return record


if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, draw),
        common.sections_option(SECTIONS),
        common.backend_option(),
        ("--sizes", {"nargs": "*", "type": int, "default": CHAINS, "choices": CHAINS}),
        ("--instances", {"nargs": "*", "default": INSTANCES, "choices": INSTANCES}),
        ("--trials", {"type": int, "default": 5, "help": "of a cell; up to 3 in table 3"}),
        ("--share", {"type": int, "default": 1, "help": "divides the kicks, for a trial"}),
        ("--cell-seconds", {"type": float, "default": math.inf, "help": "of a cell of table 3"}),
        ("--limit", {"type": float, "default": math.inf, "help": "seconds of the whole call"}),
    )
