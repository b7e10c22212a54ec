"""Iterated local search: throughput, kicks a second, gap against time, cooperation.

Times are wall time from the problem to the tours as NumPy arrays; they include candidates and
starts. Kernels are compiled before, on another copy of the problem. fast-tsp and elkai run on the
same machine in processes of their own, which have started and hold their input before the clock
starts. A gap is the length over the optimal length less one, in percent. Every section has an
allowance in seconds; parts that would not fit are left out and named in `skipped`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.iterated import (
    cooperation,
    kicks,
    large,
    one_core,
    short_times,
    throughput,
    time_to_gap,
)
from benchmarks.iterated.setting import ALL_SECONDS, Setting

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

# Function and allowance in seconds. A call should take at most nine minutes: see --sections.
SECTIONS: dict[str, tuple[Callable[[Setting], dict[str, Any]], float]] = {
    "throughput": (throughput.throughput, 90),
    "kicks": (kicks.kicks, 80),
    "multiprocessors": (kicks.multiprocessors, 30),
    "first_moments": (short_times.short_times, 60),
    "time_to_gap": (time_to_gap.time_to_gap, ALL_SECONDS),
    "time_to_gap_long": (time_to_gap.of_long_tours, ALL_SECONDS),
    "cooperation": (cooperation.cooperation, 60),
    "large": (large.large, ALL_SECONDS),
    "cpu": (one_core.cpu, 90),
}
PLOTS = {
    "throughput": throughput.draw,
    "kicks": kicks.draw,
    "large": large.draw,
}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the requested sections; those of earlier calls stay in the file."""
    backend = options.backend
    if backend == "auto":
        backend = "cuda" if common.has_gpu() else "cpu"
    chosen = options.sections.split(",") if options.sections else usual(backend)
    if unknown := set(chosen) - set(SECTIONS):
        raise SystemExit(f"--sections: {', '.join(sorted(unknown))}: none of {', '.join(SECTIONS)}")
    setting = Setting(backend, options.quick, options.seconds_scale)
    record = common.stored(options.out, NAME, SECTIONS)
    for name in (s for s in SECTIONS if s in chosen):
        setting.log(f"== {name}")
        section, allowance = SECTIONS[name]
        setting.begin(allowance)
        found: dict[str, Any] = {}

        def keep(so_far: dict[str, Any], name: str = name) -> None:
            record[name] = so_far | {"unfinished": True, "machine": common.machine()}
            common.write_json(options.out, NAME, __doc__ or "", record)

        setting.keep = keep

        def once(name: str = name, found: Any = found, section: Any = section) -> None:
            with setting.guarded(name):
                found |= section(setting)

        seconds = common.seconds_of(once)[0]
        found |= {
            "skipped": setting.skipped,
            "errors": setting.errors,
            "took_seconds": seconds,
            "backend": backend,
            "quick": options.quick,
            "seconds_scale": options.seconds_scale,
            "machine": common.machine(),
        }
        record[name] = found
        setting.log(f"{name} took {seconds:.1f} s")
        common.write_json(options.out, NAME, __doc__ or "", record)
    options.failed = any(record[name]["errors"] for name in chosen)
    return record


NAME = "iterated"


def usual(backend: str) -> list[str]:
    """Return the sections that a backend measures by default."""
    return ["cpu"] if backend == "cpu" else [name for name in SECTIONS if name != "cpu"]


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw each section, and each instance of the times to gaps, into its own file."""
    for name, plot in PLOTS.items():
        if record.get(name, {}).get("rows"):
            with common.Figure(out, f"{NAME}_{name}") as (axes,):
                plot(axes, record[name])
    for section in (record.get(name, {}) for name in ("time_to_gap", "time_to_gap_long")):
        for name in section.get("instances", ()):
            with common.Figure(out, f"{NAME}_{name}") as (axes,):
                time_to_gap.draw(axes, section, name)


if __name__ == "__main__":
    given = common.arguments(
        __doc__,
        ("--sections", {"default": "", "help": f"comma-separated, of {', '.join(SECTIONS)}"}),
        ("--backend", {"default": "auto", "help": "auto, cpu (section cpu) or cuda"}),
        ("--quick", {"action": "store_true", "help": "small sizes, for a trial"}),
        ("--seconds-scale", {"type": float, "default": 1.0, "help": "of budgets and allowances"}),
    )
    common.finish(given, NAME, measure, draw, __doc__ or "")
    sys.exit(int(getattr(given, "failed", False)))
