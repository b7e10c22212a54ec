"""Sequence problems: flow shops beside an iterated greedy by the book, pymoo, tardiness, orderings.

The book is `book_iterated_greedy.cpp`, compiled with -O3 -march=native, on one core, with the
settings of Ruiz and Stuetzle (2007) and of Dubois-Lacoste, Pagnozzi and Stuetzle (2017).

`throughput`: best insertions a second on random flow shops: a job is taken out and all its places
are evaluated. Ours are the evaluations of `gls.SequenceSearch` over the number of jobs. The book
and ours with one thread are timed by CPU seconds, all threads and the GPU by wall time; rates are
medians of alternating repeats. `quality`: gaps to the best published costs after some seconds of
`gls.solve` with its defaults and one seed, and of the book in the same time: on a CPU before ours,
beside a GPU at the same time. `pymoo`: its FlowshopScheduling of Taillard's instances, GA with
order crossover, inversion in one and LocalSearchMutation in the other, beside `gls.solve`, in equal
time. `tardiness` and `ordering`: the cost after a short run of `gls.solve`, beside the best of runs
that are ten times as long. Compiling is never timed.
"""

from __future__ import annotations

import math
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common, sections
from benchmarks.sequences import figures, genetic, long_runs, quality, throughput
from benchmarks.sequences.book import SETTINGS, Book

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def _throughput(given: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    seconds = given.seconds or 2.0
    return throughput.measure(
        given.book, seconds, given.repeats, given.backend, given.instances, given.chains
    )


def _quality(given: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    runs = quality.Runs(
        given.seconds or 10.0,
        given.backend[0],
        given.seed,
        given.books,
        given.sets,
        given.instances,
        _known(given, "quality"),
        given.limit,
    )
    return quality.measure(runs, quality.sets(all_of_them=given.all), given.book)


def _pymoo(given: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    return genetic.measure(given.seconds or 10.0, given.backend[0], given.seeds, given.instances)


def _tardiness(given: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    return long_runs.measure(_long(given, "tardiness", 1.0), long_runs.tardiness())


def _ordering(given: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    usual = 5.0 if given.backend[0] == "cpu" else 1.0
    return long_runs.measure(_long(given, "ordering", usual), long_runs.orderings())


def _long(given: argparse.Namespace, section: str, usual: float) -> long_runs.Long:
    return long_runs.Long(
        given.seconds or usual,
        given.backend[0],
        given.long_runs,
        given.long_times,
        given.instances,
        _known(given, section),
        given.limit,
    )


def _known(given: argparse.Namespace, section: str) -> Any:
    return () if given.again else given.known.get(section, ())


SECTIONS: dict[str, sections.Section] = {
    "throughput": _throughput,
    "quality": _quality,
    "pymoo": _pymoo,
    "tardiness": _tardiness,
    "ordering": _ordering,
}
SHOWN: dict[str, sections.Shown] = {
    "throughput": throughput.show,
    "quality": quality.show,
    "pymoo": genetic.show,
    "tardiness": long_runs.show,
    "ordering": long_runs.show,
}


def measure(options: argparse.Namespace, name: str) -> dict[str, Any]:
    """Measure the requested sections; rows of earlier calls stay in the file."""
    with tempfile.TemporaryDirectory() as scratch:
        options.book = Book(Path(scratch))
        return sections.measure(options, name, __doc__ or "", SECTIONS, SHOWN)


if __name__ == "__main__":
    usual = "cuda,cpu" if common.has_gpu() else "cpu"
    sets = ",".join(quality.BARS)
    seconds = "of a run; by default 2 for throughput, 10, or 1 to 5 beside long runs"
    books = f"settings of the book in section quality: {', '.join(SETTINGS)}, or '' for none"
    options = common.arguments(
        __doc__,
        ("--sections", {"type": sections.words, "default": ",".join(SECTIONS)}),
        ("--backend", {"type": sections.words, "default": usual, "help": "most use the first"}),
        ("--instances", {"type": sections.words, "default": "", "help": "names or sizes"}),
        ("--seconds", {"type": float, "help": seconds}),
        ("--sets", {"type": sections.words, "default": sets, "help": "of section quality"}),
        ("--all", {"action": "store_true", "help": "all of the set VFR large, not one of a size"}),
        ("--books", {"type": sections.words, "default": "2017", "help": books}),
        ("--seed", {"type": int, "default": 1, "help": "of section quality"}),
        ("--seeds", {"type": int, "default": 1, "help": "runs of section pymoo"}),
        ("--repeats", {"type": int, "default": 3, "help": "of section throughput"}),
        ("--chains", {"type": int, "help": "of section throughput"}),
        ("--long-runs", {"type": int, "default": 10, "help": "number of long runs"}),
        ("--long-times", {"type": float, "default": 10.0, "help": "their length in short runs"}),
        ("--again", {"action": "store_true", "help": "repeat existing rows"}),
        ("--limit", {"type": float, "default": math.inf, "help": "seconds of all sections"}),
    )
    name = f"flow_shop_{options.backend[0]}"
    common.finish(
        options, name, partial(measure, name=name), partial(figures.draw, name), __doc__ or ""
    )
