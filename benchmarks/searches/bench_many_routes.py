"""Many CVRPs of 100 customers in one call of solve_many: mean gaps after some seconds.

Section xml: the instances of XML100 (Queiroga et al. 2022) at hand, beside their optimal costs.
Section generated: instances by the same rules (depot, positions, demands and route sizes in turn),
beside a run on the first ones alone with another seed. Kernels are compiled before.
"""

from __future__ import annotations

import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

BARS = {2.0: 0.20, 10.0: 0.05}  # percent after seconds, section xml
GENERATED_SECONDS, GENERATED_BAR = 60.0, 0.3
REFERENCES, REFERENCE_SECONDS = 200, 10.0
CUSTOMERS = 100
DEPOTS = ("random", "central", "eccentric")
POSITIONS = ("random", "clustered", "random_clustered")
DEMANDS = ("unitary", "1-10", "5-10", "1-100", "50-100", "quadrant", "many_small")
ROUTE_SIZES = ((3, 5), (5, 8), (8, 12), (12, 16), (16, 25), (25, 50))
KINDS = tuple(product(DEPOTS, POSITIONS, DEMANDS, ROUTE_SIZES))
COLUMNS = ("instances", "seconds", "wall", "gap_percent", "worst_percent", "optimal", "bar_percent")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the chosen sections."""
    return common.measure_sections(options, name_of(options), SECTIONS, __doc__ or "")


def xml(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Solve XML100, beside its optimal costs."""
    import gpu_ls_plugin as gls

    folder = common.require_instances().parent / "cvrp"
    paths = sorted((folder / "XML").glob("*.vrp"))
    paths = paths[:: max(1, round(1 / options.share))]
    problems = [gls.CVRP.read(path) for path in paths]
    best = np.array([_published(path) for path in paths])
    gls.solve_many(problems, 0.1, backend=options.backend)  # compiles
    rows = [_solved(problems, s, 1, options.backend, best, BARS[s]) for s in BARS]
    common.show("XML100", COLUMNS, [[row[c] for c in COLUMNS] for row in rows])
    return rows


def generated(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Solve generated instances, beside a run on the first ones alone."""
    import gpu_ls_plugin as gls

    count = max(1, round(10_000 * options.share))
    with ProcessPoolExecutor() as pool:
        problems = list(pool.map(_one_generated, range(count), chunksize=64))
    some, seconds = problems[:REFERENCES], GENERATED_SECONDS * options.share
    gls.solve_many(some, 0.1, backend=options.backend)
    long = gls.solve_many(some, REFERENCE_SECONDS, seed=2, backend=options.backend)
    row = _solved(problems, seconds, 1, options.backend, long.costs, GENERATED_BAR)
    common.show("Generated", COLUMNS, [[row[c] for c in COLUMNS]])
    return [row]


SECTIONS = {"xml": xml, "generated": generated}


def _published(path: Path) -> float:
    (cost,) = re.findall(r"^Cost (\S+)", path.with_suffix(".sol").read_text(), re.MULTILINE)
    return float(cost)


def _one_generated(k: int) -> Any:
    import gpu_ls_plugin as gls

    # A step without a common divisor visits all kinds and mixes them among the first instances.
    depot, positioning, demands, (least, most) = KINDS[k * 101 % len(KINDS)]
    size = np.random.default_rng(k).uniform(least, most)
    return gls.CVRP.generated(
        CUSTOMERS,
        depot=depot,
        positioning=positioning,
        demands=demands,
        route_size=float(size),
        seed=k,
    )


def _solved(
    problems: Sequence[Any], seconds: float, seed: int, backend: str, best: Any, bar: float
) -> dict[str, Any]:
    """Return the mean gap of the first instances, as many as `best` has costs."""
    import gpu_ls_plugin as gls

    begin = time.perf_counter()
    found = gls.solve_many(problems, seconds, seed=seed, backend=backend)
    wall = time.perf_counter() - begin
    gaps = 100 * (np.asarray(found.costs, float)[: len(best)] / best - 1)
    return {
        "instances": len(problems),
        "seconds": seconds,
        "wall": wall,
        "gap_percent": gaps.mean().item(),
        "worst_percent": gaps.max().item(),
        "optimal": int((gaps <= 0).sum()),
        "bar_percent": bar,
        "kicks": found.statistics.kicks,
        "gaps": [round(gap, 4) for gap in gaps.tolist()],
    }


def name_of(options: argparse.Namespace) -> str:
    """Return the name of the record."""
    return f"many_routes_{options.backend}"


if __name__ == "__main__":
    chosen = common.arguments(
        __doc__,
        common.sections_option(SECTIONS),
        common.backend_option(),
        common.SHARE,
    )
    common.finish(chosen, name_of(chosen), measure, None, __doc__ or "")
