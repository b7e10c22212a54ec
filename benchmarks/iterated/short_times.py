"""The first hundredths of a second: `solve` beside fast-tsp with equal time and all cores.

Both get the same seconds, one after the other, three times; results are medians. For fast-tsp the
better of two ways counts: a process for each core (15 at most), or as many threads that search
together; its matrix is made before the clock starts. `late_s` is the longest time by which the call
of `solve` exceeded its limit.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.iterated.setting import SEEDS, Setting, read, show, solved
from benchmarks.peers.solvers import FastTsp, has, processes

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("rat783", "u1817", "pcb3038", "fl1577", "rl5915", "rl11849")
SECONDS = (0.02, 0.05, 0.1)
MOST_PROCESSES = 15
MOST_OF_PEER, MOST_PERCENT, MOST_LATE = 1.5, 6.0, 0.03  # the bars
COLUMNS = ("instance", "given_s", "ours_gap", "peer_gap", "late_s", "met")


def short_times(setting: Setting) -> dict[str, Any]:
    """Measure gaps after short times; the scale of seconds has no effect."""
    optima, rows = common.optima(), []
    peers = FastTsp(processes(MOST_PROCESSES)) if has("fast_tsp") else nullcontext()
    with peers as peer:
        for name in setting.some(NAMES[:1], NAMES):
            if peer is not None:
                peer.load(read(name))
            for seconds in SECONDS:
                if not setting.spent(f"{name}, {seconds} s", 2.0):
                    rows.append(_row(setting, name, seconds, optima[name], peer))
                    setting.keep({"rows": rows})
    show("first moments", rows, COLUMNS)
    return {"rows": rows, "method": " ".join((__doc__ or "").split())}


def _row(
    setting: Setting, name: str, seconds: float, optimum: int, peer: FastTsp | None
) -> dict[str, Any]:
    solved(setting, read(name), seconds, optimum)  # compiles
    runs, others = [], []
    for seed in setting.some(SEEDS[:1], SEEDS):
        runs.append(solved(setting, read(name), seconds, optimum, seed))
        if peer is not None:
            alone, _ = peer.independent(seconds, peer.size)
            together, _ = peer.together(seconds, peer.size)
            others.append(percent(min(*alone, together), optimum))
    gap, other = _middle([run["best_gap"] for run in runs]), _middle(others)
    late = max(run["wall_seconds"] for run in runs) - seconds
    fine = gap <= MOST_PERCENT and (other is None or gap <= MOST_OF_PEER * other + 1e-9)
    return {
        "instance": name,
        "given_s": seconds,
        "ours_gap": gap,
        "peer_gap": other,
        "late_s": late,
        "met": fine and late <= MOST_LATE,
        "runs": runs,
        "peer_gaps": others,
    }


def _middle(values: Sequence[float]) -> Any:
    return common.median(list(values)) if values else None
