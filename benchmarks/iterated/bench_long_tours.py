"""Long tours by `gls.solve` with its defaults: the gap during and after some seconds.

Each run is a user's call with defaults, on a new problem. Compiling comes before the time starts;
starts and candidates count. Gaps are in percent above the optimal length; for a million uniform
cities above 0.7124 sqrt(n A). Runs of several calls with the same `--out` are joined.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from benchmarks.iterated.large import optimum_of, problem_of
from benchmarks.iterated.setting import Setting, solved

if TYPE_CHECKING:
    import argparse

NAME = "long_tours"
UNIFORM = "uniform"  # a million cities
# Percent, by instance and seconds.
BARS = {
    **{(name, 5.0): 0.10 for name in ("usa13509", "d15112", "d18512")},
    **{(name, 20.0): 0.03 for name in ("usa13509", "d15112", "d18512")},
    ("pla33810", 20.0): 0.15,
    ("pla33810", 60.0): 0.08,
    ("pla85900", 20.0): 0.25,
    ("pla85900", 60.0): 0.12,
    ("fnl4461", 20.0): 0.0,
    (UNIFORM, 15.0): 5.0,
    (UNIFORM, 120.0): 0.35,
}


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Make the requested runs; a later run replaces an earlier one of the same key."""
    setting = Setting(options.backend, quick=False, scale=1.0)
    record = common.stored(options.out, NAME, [options.backend])
    runs = {_key(run): run for run in record.get(options.backend, [])}
    for text in options.runs:
        name, seconds, seed = _named(text)
        run = solved(setting, problem_of(name), seconds, optimum_of(name), seed)
        run |= {"instance": name, "limit": seconds, "bar": BARS.get((name, seconds))}
        runs[_key(run)] = run
        print({k: v for k, v in run.items() if k != "history"}, flush=True)
        record[options.backend] = [runs[key] for key in sorted(runs)]
        common.write_json(options.out, NAME, __doc__ or "", record)
    return record


def _named(text: str) -> tuple[str, float, int]:
    """Return instance, seconds and seed of a run, by default 5 s and seed 1."""
    name, _, rest = text.partition(":")
    seconds, _, seed = rest.partition(":")
    return name, float(seconds or 5), int(seed or 1)


def _key(run: dict[str, Any]) -> tuple[str, float, int]:
    return run["instance"], run["limit"], run["seed"]


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw gap against time; bars are crosses."""
    backends = [name for name in ("cuda", "cpu") if name in record]
    with common.Figure(out, NAME, columns=len(backends)) as axes:
        for axis, backend in zip(axes, backends, strict=True):
            for number, run in enumerate(r for r in record[backend] if r["seed"] == 1):
                label = f"{run['instance']}, {run['limit']:g} s, {run['tours']} tours"
                times, gaps, _ = zip(*run["history"], strict=True)
                axis.plot(times, gaps, color=f"C{number}", label=label)
                if run["bar"] is not None:
                    axis.plot([run["limit"]], [run["bar"]], "x", color=f"C{number}")
            axis.set(xscale="log", yscale="log", xlabel="seconds", ylabel="gap (%)", title=backend)
            axis.legend(fontsize=7)


OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--runs",
        {
            "nargs": "+",
            "default": [f"{name}:{seconds:g}" for name, seconds in BARS],
            "metavar": "INSTANCE:SECONDS[:SEED]",
        },
    ),
    common.backend_option(),
)

if __name__ == "__main__":
    common.main(
        *(__doc__, NAME, measure, draw),
        *OPTIONS,
    )
