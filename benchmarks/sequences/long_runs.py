"""Short runs beside the best of long ones: weighted tardiness and linear ordering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.helpers import common
from benchmarks.sequences import instances

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    import gpu_ls_plugin as gls
    from benchmarks.helpers.limit import Limit

JOBS = 100
# Tardiness factors and ranges of due dates, a part of those of Crauwels, Potts and Van Wassenhove.
FACTORS = ((0.2, 0.2), (0.4, 0.4), (0.6, 0.4), (0.6, 0.8), (0.8, 0.6), (1.0, 0.2))
COLUMNS = ("instance", "backend", "seconds", "cost", "reference", "above", "long_costs")


class Long(NamedTuple):
    """How the short run is compared: with the best of `runs` runs that are `times` as long."""

    seconds: float
    backend: str
    runs: int
    times: float
    names: list[str]  # all instances if empty
    known: Container[str]  # names of rows that need no run
    limit: Limit


def tardiness() -> dict[str, Callable[[], gls.SingleMachine]]:
    """Return single machines by name."""
    import gpu_ls_plugin as gls

    def made(late: float, spread: float) -> gls.SingleMachine:
        return gls.SingleMachine.generated(JOBS, 1, tardiness=late, spread=spread)

    return {
        f"tardiness {late:g} spread {spread:g}": lambda late=late, spread=spread: made(late, spread)
        for late, spread in FACTORS
    }


def orderings() -> dict[str, Callable[[], gls.LinearOrdering]]:
    """Return linear orderings by name."""
    import gpu_ls_plugin as gls

    paths = sorted(path for path in instances.folder("lop").iterdir() if path.is_file())
    return {path.name: lambda path=path: gls.LinearOrdering.read(path) for path in paths}


def measure(
    long: Long, problems: dict[str, Callable[[], gls.Sequence]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the cost of a short run and the best cost of long ones, by instance."""
    for instance, make in problems.items():
        name = f"{instance}, {long.seconds:g} s, {long.backend}"
        if name in long.known or (long.names and instance not in long.names):
            continue
        if long.limit.left < long.seconds * (1 + long.times * long.runs):
            long.limit.over(name)
            return
        row = {"instance": instance, "backend": long.backend, "seconds": long.seconds}
        row |= compare(long, make())
        print(f"{name}: {row['cost']}, long runs {row['reference']}", flush=True)
        yield name, row


def compare(long: Long, problem: gls.Sequence) -> dict[str, Any]:
    """Return the cost after the short time, and what longer runs with other seeds reach."""
    import gpu_ls_plugin as gls

    def cost(seconds: float, seed: int) -> int:
        found = gls.solve(problem, seconds, seed=seed, backend=long.backend)
        return int(found.best_cost)

    found = cost(long.seconds, 1)
    costs = [cost(long.seconds * long.times, 2 + run) for run in range(long.runs)]
    reference = min([found, *costs])
    return {
        "cost": found,
        "reference": reference,
        "above": found - reference,
        "long_costs": costs,
        "long_seconds": long.seconds * long.times,
    }


def show(rows: dict[str, dict[str, Any]]) -> None:
    """Print the results."""
    table = [[row[column] for column in COLUMNS] for row in rows.values()]
    common.show("short runs and the best of long runs", COLUMNS, table)
