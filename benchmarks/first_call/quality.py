"""How good a call is that compiles, beside a local search to its end and a warm call."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.first_call.calls import LARGER
from benchmarks.first_call.others import Others
from benchmarks.first_call.processes import run
from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

SOON, LATER, WARM = 2, 10, 8  # seconds asked for
BARS = {"after_soon": 0.0, "after_later": 0.0}  # percent


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Return, for each instance, by how many percent cold calls cost more than what they must."""
    rows = []
    for instance in LARGER:
        seeds = [str(seed) for seed in range(1, options.seeds + 1)]
        others = Others()
        runs = of_instance(instance, seeds, options.backend)
        rows.append(
            {
                "instance": instance,
                "after_soon": common.median([_percent(r["soon"], r["descent"]) for r in runs]),
                "after_later": common.median([_percent(r["later"], r["warm"]) for r in runs]),
                "others": round(others.cores(), 2),
                "runs": runs,
            }
        )
    common.show(
        f"Cost of cold calls on {options.backend}, medians of {options.seeds} seeds, percent",
        [
            "instance",
            f"{SOON} s above 2-opt + Or-opt",
            f"{LATER} s above a warm call of {WARM} s",
            "others",
        ],
        [[row[key] for key in ("instance", "after_soon", "after_later", "others")] for row in rows],
    )
    return {"seconds": [SOON, LATER, WARM], "bars": BARS, "rows": rows}


def of_instance(instance: str, seeds: list[str], backend: str) -> list[dict[str, float]]:
    """Return the costs of all calls for each seed."""

    def cost(what: str, seed: str, seconds: int, caches: Path) -> float:
        given = ("--backend", backend, "--seed", seed, "--seconds", str(seconds))
        return float(run("calls.py", f"{what}, {instance}", *given, caches=caches)["cost"])

    def cold(seed: str, seconds: int) -> float:
        with tempfile.TemporaryDirectory() as fresh:
            return cost("solve", seed, seconds, Path(fresh))

    runs = []
    with tempfile.TemporaryDirectory() as folder:
        warm = Path(folder)
        cost("solve", seeds[0], WARM, warm)  # compiles
        for seed in seeds:
            run_of = {
                "soon": cold(seed, SOON),
                "later": cold(seed, LATER),
                "warm": cost("solve", seed, WARM, warm),
                "descent": cost("descent", seed, 0, warm),
            }
            print(instance, seed, *run_of.values(), flush=True)
            runs.append(run_of)
    return runs


def _percent(cost: float, other: float) -> float:
    return 100 * (cost / other - 1)
