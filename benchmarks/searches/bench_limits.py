"""How exactly searches keep their limits: the overrun of a time limit, and the delay after Ctrl-C.

Every engine and kind of chains, from random tours of 1,000, 6,000 and 20,000 cities. Kernels are
compiled before, candidate lists are not made before. The bars: at most 0.2 s over the limit, at
most 0.3 s after Ctrl-C.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from tests.helpers.stopping import STOPPED, delay, overrun

if TYPE_CHECKING:
    import argparse

SIZES = (1_000, 6_000, 20_000)
LIMIT, PRESSED = 0.3, 0.25  # seconds
BARS = {"over": 0.2, "after_ctrl_c": 0.3}
ROWS = {"cpu": (8,), "cuda": (64,)}


def measure(backend: str, sizes: list[int], names: list[str]) -> list[dict[str, Any]]:
    """Return one row for each search, number of cities and number of tours."""
    rows = []
    for n, size in ((n, size) for n in sizes for size in ROWS[backend]):
        for name in names:
            row = {"search": name, "cities": n, "tours": size}
            try:
                row["over"] = overrun(STOPPED[name], n, size, LIMIT, backend)
                row["after_ctrl_c"] = delay(STOPPED[name], n, size, PRESSED, backend)
            except UnsupportedProblemError:
                continue
            print(*row.values(), flush=True)
            rows.append(row)
    return rows


def main() -> None:
    """Measure on the available backend and write `limits_<backend>.json`."""
    options = common.arguments(
        __doc__,
        ("--sizes", {"type": int, "nargs": "+", "default": list(SIZES)}),
        ("--searches", {"nargs": "+", "choices": list(STOPPED), "default": list(STOPPED)}),
        ("--backend", {"choices": list(ROWS), "default": "cuda" if common.has_gpu() else "cpu"}),
    )

    def results(_: argparse.Namespace) -> dict[str, Any]:
        rows = measure(options.backend, options.sizes, options.searches)
        worst = {bar: max((row[bar] or 0.0 for row in rows), default=0.0) for bar in BARS}
        print(worst)
        return {"limit": LIMIT, "bars": BARS, "worst": worst, "rows": rows}

    common.finish(options, f"limits_{options.backend}", results, draw, __doc__ or "")


def draw(out: Path, content: dict[str, Any]) -> None:
    """Draw the worst case of each search beside the bars."""
    backend = "cuda" if content["machine"]["gpu"] else "cpu"
    names = list(dict.fromkeys(row["search"] for row in content["rows"]))
    with common.Figure(out, f"limits_{backend}", len(BARS)) as figure:
        for axes, (bar, most) in zip(figure, BARS.items(), strict=True):
            worst = dict.fromkeys(names, 0.0)
            for row in content["rows"]:
                worst[row["search"]] = max(worst[row["search"]], row[bar] or 0.0)
            axes.barh(names, list(worst.values()))
            axes.tick_params(axis="y", labelsize=6)
            axes.axvline(most, color="tab:red")
            axes.set_xlabel(f"{bar.replace('_', ' ')} in seconds, at worst")


if __name__ == "__main__":
    main()
