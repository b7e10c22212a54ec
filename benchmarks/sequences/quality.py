"""Gaps to the best published costs of flow shops: `gls.solve` beside the book's program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.helpers import common, gaps
from benchmarks.sequences import instances
from benchmarks.sequences.book import answer

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from benchmarks.helpers.limit import Limit
    from benchmarks.sequences.book import Book
    from benchmarks.sequences.instances import Instance

OURS = "ours"
# Mean gaps in percent by set and seconds.
BARS = {
    "large": {10: 1.2, 60: 0.8},
    "taillard": {10: 0.25},
    "flowtime": {60: 0.3},
}


class Runs(NamedTuple):
    """The runs, and the seconds of each."""

    seconds: float
    backend: str
    seed: int
    books: list[str]  # settings of the book's program
    sets: list[str]
    names: list[str]  # instances, or beginnings of their names; all if empty
    known: Container[str]  # names of rows that need no run
    limit: Limit


def sets(*, all_of_them: bool) -> dict[str, list[Instance]]:
    """Return the instances by set."""
    return {
        "large": instances.large(all_of_them=all_of_them),
        "taillard": instances.taillard(instances.MAKESPAN),
        "flowtime": instances.taillard(instances.FLOWTIME),
    }


def measure(
    runs: Runs, found: dict[str, list[Instance]], book: Book
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what ours and the book reach on each instance."""
    for set_ in runs.sets:
        for instance in found[set_]:
            if runs.names and not instance.name.startswith(tuple(runs.names)):
                continue
            name = f"{instance.name}, {instance.objective}, {runs.seconds:g} s, {runs.backend}"
            if name in runs.known:
                continue
            if runs.limit.left < runs.seconds:
                runs.limit.over(name)
                return
            row = {"set": set_, "instance": instance.name, "size": instance.size}
            row |= {"seconds": runs.seconds, "backend": runs.backend, "seed": runs.seed}
            row |= run(instance, runs, book)
            print(name, {k: f"{gap:.3f} %" for k, gap in row["gap"].items()}, flush=True)
            yield name, row


def run(instance: Instance, runs: Runs, book: Book) -> dict[str, Any]:
    """Return costs and gaps of ours and of the book, with the same seconds.

    The book runs beside a GPU, and alone before a CPU.
    """
    import gpu_ls_plugin as gls

    problem = gls.FlowShop.read(instance.path, instance.objective)
    settings = runs.books if instance.objective == instances.MAKESPAN else []
    others = {}
    for setting in settings:
        others[setting] = book.start(instance.path, runs.seconds, runs.seed, setting)
        if runs.backend == "cpu":
            others[setting].wait()
    result = gls.solve(problem, runs.seconds, seed=runs.seed, backend=runs.backend)
    costs = {OURS: int(result.best_cost)}
    for setting, other in others.items():
        found = answer(other)
        costs[f"book {setting}"] = found["makespan"]
        if int(problem.cost([found["sequence"]])[0]) != found["makespan"]:
            raise AssertionError(f"{instance.name}: the book's makespan is wrong")
    better = {"sequence": result.best_tour.tolist()} if costs[OURS] < instance.best else {}
    return {
        "best": instance.best,
        "cost": costs,
        "gap": {name: float(gaps.percent(cost, instance.best)) for name, cost in costs.items()},
        "evaluations": result.statistics.evaluations,
        "kicks": result.statistics.kicks,
        "took": result.statistics.seconds,
        "history": [
            (point.elapsed, float(gaps.percent(point.best_cost, instance.best)))
            for point in result.statistics.history
        ],
        **better,
    }


def means(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the mean gap of each solver that ran on all of the rows."""
    return {
        name: gaps.mean([row["gap"] for row in rows], name)
        for name in rows[0]["gap"]
        if all(name in row["gap"] for row in rows)
    }


def groups(rows: dict[str, dict[str, Any]]) -> dict[tuple[str, str, float], list[dict[str, Any]]]:
    """Return rows by set, backend and seconds."""
    found: dict[tuple[str, str, float], list[dict[str, Any]]] = {}
    for row in rows.values():
        found.setdefault((row["set"], row["backend"], row["seconds"]), []).append(row)
    return found


def show(rows: dict[str, dict[str, Any]]) -> None:
    """Print mean gaps by size and overall."""
    for (set_, backend, seconds), found in groups(rows).items():
        sizes = dict.fromkeys(row["size"] for row in found)
        lines = [(size, [row for row in found if row["size"] == size]) for size in sizes]
        columns = list(dict.fromkeys(name for row in found for name in row["gap"]))
        bar = BARS[set_].get(int(seconds), "none")
        common.show(
            f"{set_}, {backend}, {seconds:g} s: mean gaps in %, bar {bar}",
            ["size", "instances", *columns],
            [
                [size, len(group), *(means(group).get(name, "") for name in columns)]
                for size, group in [*lines, ("all", found)]
            ],
        )
        for row in found:
            if row["cost"][OURS] < row["best"]:
                print(f"new best: {row['instance']} {row['cost'][OURS]} (was {row['best']})")
