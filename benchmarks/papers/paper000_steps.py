"""The steps by which Schulz tunes a search, in the order of the paper (figures 10 to 19).

A `Step` changes some choices of the variant that the paper has kept so far; `kept` makes it that
variant. `chain` lists the steps as variants.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from benchmarks.helpers import common
from benchmarks.papers.paper000_ablation import Ablation, Variant

REPLAYED, MOST_SECONDS = 50, 0.02  # repeats of a kernel in a graph, and seconds of a graph
BLOCKS = (32, 64, 96, 128, 160, 192, 256, 384, 512, 768, 1024)


# The paper's tables of kernels, by the step after which they were measured: milliseconds, occupancy
# and registers of each resource, on a GTX 480.
TABLES: dict[str, tuple[int, dict[int, dict[str, tuple[float, float, int]]]]] = {
    "first version": (1, {
        3: {"load": (346, 0.50, 37), "cost": (241, 0.67, 32), "vehicles": (217, 0.50, 35),
            "duration": (562, 0.42, 47)},
        2: {"load": (0.56, 0.50, 36), "cost": (0.38, 0.50, 36), "vehicles": (0.36, 0.50, 36),
            "duration": (0.85, 0.42, 45)}}),
    "sizes of levels in shared memory": (2, {
        3: {"load": (198, 0.42, 46), "cost": (171, 0.50, 36), "vehicles": (184, 0.50, 38),
            "duration": (249, 0.33, 63)},
        2: {"load": (0.31, 0.50, 40), "cost": (0.26, 0.50, 36), "vehicles": (0.28, 0.50, 36),
            "duration": (0.41, 0.33, 54)}}),
    "level 0, no shared memory": (3, {
        3: {"load": (31, 1.00, 18), "cost": (26, 1.00, 20), "vehicles": (27, 1.00, 18),
            "duration": (76, 0.52, 28)},
        2: {"load": (0.07, 1.00, 18), "cost": (0.05, 0.83, 21), "vehicles": (0.06, 1.00, 18),
            "duration": (0.16, 0.67, 30)}}),
    "cut triangle": (4, {
        2: {"load": (0.18, 0.67, 27), "cost": (0.14, 0.67, 29), "vehicles": (0.16, 0.67, 27),
            "duration": (0.24, 0.38, 39)}}),
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A step: the figure, a name, the changes of choices, whether they stay, and what was found."""

    figure: str
    name: str
    changes: dict[str, Any]
    kept: bool = False
    beside: str = ""  # another step to compare with
    claims: str = ""  # 2-opt and 3-opt in the paper: + faster, - slower, = equal, . not said


def steps(edges: int) -> list[Step]:
    """Return the paper's steps, then what it could not have."""
    three = edges == 3
    ways = {"order": 1} if three else {}
    lex = {"order": 0} if three else {}
    found = [
        Step("table 1", "first version", {}, kept=True),
        Step("10", "pieces in registers", {"held": 1}, kept=True, claims="++"),
        Step("10", "sizes of levels in shared memory", {"sizes": 1}, kept=True, claims="++"),
        Step("11", "parts of 8, divisions", {"parts": (8,)}),
        Step("11", "parts of 8, shifts", {"parts": (8,), "shift": 1},
             beside="parts of 8, divisions", claims="++"),
        Step("11", "parts of a power of two", {"shift": 1}, kept=True, claims="++"),
        Step("13", "AoS, no shared memory", {"sizes": 0}, claims="--"),
        Step("13", "SoA", {"layout": 1}, claims="--"),
        Step("13", "SoA, no shared memory", {"layout": 1, "sizes": 0}, claims="--"),
        Step("14", "index mode 2", {"index": 2}, claims="++"),
        Step("14", "SoA, index mode 4", {"index": 4, "layout": 1}, claims="++"),
        Step("14", "index mode 4", {"index": 4}, claims="++"),
        Step("14", "index mode 3", {"index": 3}, kept=True, claims="++"),
        Step("16", "kernel mode 1, index mode 4", {"held": 2, "index": 4}, claims="++"),
        Step("16", "kernel mode 1", {"held": 2}, kept=True, claims="++"),
    ]  # fmt: skip
    if three:
        found[9:9] = [
            Step("13", "AoS, a way after the other", {"order": 1}, claims=".-"),
            Step("13", "SoA, a way after the other", {"layout": 1, "order": 1}, claims=".-"),
        ]
        found += [Step("16", "kernel mode 1, a way after the other", ways, kept=True, claims=".+")]
    else:
        found += [
            Step("15", "grid of pairs", {"mapping": 2}),
            Step("15", "cut triangle", {"mapping": 1}, kept=True, claims="+."),
        ]
    more: list[Step | None] = [
        Step("17", "level 2", {"levels": 2}, claims="--"),
        Step("17", "level 2, a triple after the other", {"levels": 2} | lex) if three else None,
        Step("17", "level 0, no shared memory, index mode 4",
             {"levels": 0, "sizes": 0, "index": 4}, claims="-+"),
        Step("17", "level 0, no shared memory", {"levels": 0, "sizes": 0}, kept=three, claims="-+"),
        Step("18", "Newton's method", {"mapping": 1}, claims=".-") if three else None,
        Step("18", "Newton's method from a cube root", {"mapping": 2}) if three else None,
        Step("19", "pairs of resources", {"groups": 1}, kept=True, claims="++"),
        Step("19", "all resources in one kernel", {"groups": 2}, kept=True),
        Step("today", "sizes of levels as parameters", {"sizes": 2}, kept=True),
        Step("today", "moves reduced at once", {"sink": 1}, kept=True),
        Step("today", "lengths of 32 bits", {"value": "int"}, kept=True),
        Step("today", "structures padded to 16 bytes", {"align": 16}, kept=True),
        Step("today", "and SoA", {"layout": 1}),
        Step("today", "level 0, index mode 4", {"levels": 0, "index": 4}),
        Step("today", "level 1, index mode 4", {"levels": 1, "index": 4}),
    ]  # fmt: skip
    return [*found, *(step for step in more if step is not None)]


def chain(edges: int) -> list[tuple[Step, Variant, Variant]]:
    """Return each step with its variant and the one that it is compared with."""
    kept = Variant(edges)
    found: list[tuple[Step, Variant, Variant]] = []
    for step in steps(edges):
        variant = replace(kept, **step.changes)
        beside = [other for named, other, _ in found if named.name == step.beside]
        found.append((step, variant, (beside or [kept])[0]))
        kept = variant if step.kept else kept
    return found


def row_of(problem: Any, tour: Any, variant: Variant, threads: int = 128) -> dict[str, Any]:
    """Time the kernels of an iteration, from the same tour; return them and the best move."""
    search = Ablation(problem, tour, variant, threads)
    change, move = search.best()
    parts = {"build": replayed(search.build), "clear": 0.0, "reduce": 0.0}
    if variant.sink == 0:
        parts |= {"clear": replayed(search.clear), "reduce": replayed(search.reduce)}
    kernels = {
        name: {
            "seconds": replayed(lambda name=name: search.evaluate((name,))),
            **search.device.attributes(name, threads),
        }
        for name in search.names
    }
    parts["evaluate"] = sum(kernel["seconds"] for kernel in kernels.values())
    return {
        **parts,
        "iteration": sum(parts.values()),
        "stored_bytes": search.stored_bytes,
        "change": change,
        "move": list(move),
        "kernels": kernels,
    }


def evaluation_seconds(
    problem: Any, tour: Any, variant: Variant, threads: int, kernel: str
) -> float:
    """Return the seconds in which a kernel evaluates all moves, by threads of a block."""
    search = Ablation(problem, tour, variant, threads)
    search.build()
    return replayed(lambda: search.evaluate((kernel,)))


def replayed(work: Any) -> float:
    """Return the seconds of some launches, repeated in a CUDA graph; the best of three."""
    import cupy

    work()
    once = common.seconds_of(work, on_gpu=True)[0]
    times = max(1, min(REPLAYED, int(MOST_SECONDS / once)))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for _ in range(times):
            work()
        graph = stream.end_capture()
    cupy.cuda.Device().synchronize()
    graph.launch()
    return min(common.seconds_of(graph.launch, 3, on_gpu=True)) / times
