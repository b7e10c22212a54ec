"""Parallel iterated local search as in paper 002 (Delevacq et al. 2012, tables 1 and 3).

A population of independent chains shares a total number of kicks, from tours of nearest neighbour
as in the paper. Table 1: 2^20 kicks, as there, of 3-opt on alpha-nearest and quadrant neighbours
with annealing (in the paper: 40 nearest neighbours). A GPU begins with the large populations, a CPU
with the small ones, until the allowance is spent; tours do not depend on the backend. The same is
repeated with populations that cross their tours.

Table 3: random-k-best improvement with the paper's k, 2^16 kicks, cheaper tours kept. Solution
quality is that of the best chain of a trial, over five trials. Speedups are over one thread of the
CPU backend: one trial of fewer kicks and chains, in proportion. The host drives random-k-best kick
by kick, so it has one trial of at least 64 chains, which ends after two seconds; `kicks` are those
that were made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.helpers.search_clock import threads
from benchmarks.iterated.setting import Setting, read, show, three_opt

if TYPE_CHECKING:
    from gpu_ls_plugin import TSP, IteratedLocalSearch, Result

CHAINS = (1, 8, 64, 512, 2048)
ORDER = {"cuda": CHAINS[::-1], "cpu": CHAINS}  # single chains take a GPU longest
SMALL, LARGE = 2**16, 2**20  # kicks of a trial, of all its chains together
TRIALS = 5
EXCHANGES, LEAST_BETWEEN = 64, 0.02  # of crossed populations; kicks per city between exchanges
RANDOM_K_SECONDS = 2.0  # of a trial, at most
CORE_CHAINS, CORE_KICKS = 8, 64  # of the run on one thread, at most
PAPER_FIRST = {  # table 1: frequency of the optimum and mean deviation, by number of chains
    "kroA100": ((1.00, 0.000), (1.00, 0.000), (1.00, 0.000), (1.00, 0.000), (1.00, 0.000)),
    "lin318": ((1.00, 0.000), (1.00, 0.000), (1.00, 0.000), (1.00, 0.000), (1.00, 0.000)),
    "rat783": ((1.00, 0.000), (1.00, 0.000), (1.00, 0.000), (0.23, 0.020), (0.00, 0.145)),
    "fl1577": ((0.33, 0.182), (0.39, 0.010), (0.67, 0.003), (0.10, 0.015), (0.00, 0.074)),
    "pcb3038": ((0.00, 0.210), (0.00, 0.192), (0.00, 0.306), (0.00, 0.667), (0.00, 1.104)),
}
PAPER_RANDOM_K = {  # table 3, and k
    "kroA100": (5_500, ((1.0, 0.000),) * 5),
    "lin318": (11_000, ((0.0, 0.482), (0.0, 0.483), (0.0, 0.633), (0.0, 0.875), (0.0, 0.886))),
    "rat783": (10_000, ((0.0, 1.224), (0.0, 1.582), (0.0, 2.740), (0.0, 3.496), (0.0, 3.518))),
    "fl1577": (1_200, ((0.0, 1.034), (0.0, 1.703), (0.0, 1.831), (0.0, 1.776), (0.0, 1.741))),
    "pcb3038": (1_000, ((0.0, 4.636), (0.0, 4.940), (0.0, 5.162), (0.0, 5.104), (0.0, 4.970))),
}
COLUMNS = (
    "instance",
    "search",
    "chains",
    "trials",
    "kicks",
    "frequency",
    "deviation",
    "paper_frequency",
    "paper_deviation",
    "seconds",
    "speedup",
)


@dataclass(frozen=True)
class _Case:
    """A search of one instance in the paper's setting."""

    problem: TSP
    name: str
    search: IteratedLocalSearch
    paper: tuple[tuple[float, float], ...]


def paper_002(setting: Setting) -> dict[str, Any]:
    """Run table 1 with independent chains."""
    import gpu_ls_plugin as gls

    names = setting.some(("kroA100",), tuple(PAPER_FIRST))
    cases = [_case(read(n), "first", three_opt(), PAPER_FIRST[n], gls.Annealing()) for n in names]
    core = {case.problem.name: _one_thread(case) for case in cases}
    rows: list[dict[str, Any]] = []
    for chains in ORDER[setting.backend]:
        for case in cases:
            total = setting.some(2**12, LARGE)
            _add(setting, rows, case, total, chains, core[case.problem.name])
    show("paper 002: quality of the best chain, percent", rows, COLUMNS)
    return {"rows": rows, "one_thread": core, "method": " ".join((__doc__ or "").split())}


def random_k(setting: Setting) -> dict[str, Any]:
    """Run table 3; its trials end after some seconds."""
    import gpu_ls_plugin as gls

    rows: list[dict[str, Any]] = []
    for name in setting.some(("kroA100",), tuple(PAPER_RANDOM_K)):
        k, paper = PAPER_RANDOM_K[name]
        search = gls.LocalSearch([gls.ThreeOpt()], gls.All(), gls.RandomK(k))
        case = _case(read(name), f"random {k}", search, paper, gls.Better())
        for chains in setting.some((64,), (2048, 512, 64)):
            _add(setting, rows, case, setting.some(2**8, SMALL), chains, None)
    show("paper 002, random-k-best: quality of the best chain, percent", rows, COLUMNS)
    return {"rows": rows}


def crossed(setting: Setting) -> dict[str, Any]:
    """Run table 1 with populations that cross their tours, with the same number of kicks."""
    import gpu_ls_plugin as gls

    names = setting.some(("kroA100",), tuple(PAPER_FIRST))
    problems = [read(name) for name in names]
    total, core = setting.some(2**12, LARGE), {}
    rows: list[dict[str, Any]] = []
    for chains in (size for size in ORDER[setting.backend] if size > 1):
        for problem in problems:
            every = max(LEAST_BETWEEN, total / chains / EXCHANGES / problem.n)
            help_ = gls.EdgeAssembly(every, generations=10)
            paper, accept = PAPER_FIRST[problem.name], gls.Annealing(0.2)
            case = _case(problem, "first, crossed", three_opt(), paper, accept, help_)
            core[problem.name] = core.get(problem.name) or _one_thread(case)
            _add(setting, rows, case, total, chains, core[problem.name])
    show("paper 002, crossed: quality of the best chain, percent", rows, COLUMNS)
    return {"rows": rows}


def _case(
    problem: TSP, name: str, search: Any, paper: Any, accept: Any, help_: Any = None
) -> _Case:
    import gpu_ls_plugin as gls

    chains = gls.IteratedLocalSearch(search, gls.DoubleBridge(), accept=accept, cooperation=help_)
    return _Case(problem, name, chains, paper)


def _add(
    setting: Setting,
    rows: list[dict[str, Any]],
    case: _Case,
    total: int,
    chains: int,
    core: dict[str, float] | None,
) -> None:
    """Add a cell of a table, unless the time is up or its search fails."""
    what = f"{case.problem.name}, {case.name}, {chains} chains, {total} kicks"
    if not setting.spent(what, 1.0):
        with setting.guarded(what):
            rows.append(_cell(setting, case, total, chains, core))
            seconds, deviation = rows[-1]["seconds"], rows[-1]["deviation"]
            setting.log(f"{what}: {deviation:.3f} % in {seconds:.3f} s")


def _cell(
    setting: Setting, case: _Case, total: int, chains: int, core: dict[str, float] | None
) -> dict[str, Any]:
    """Run the trials of one cell: the first one is timed, the others are searched together.

    A GPU takes as long for five single chains at a time as for one; so all trials of single chains
    are timed together there. Without figures of one core, there is one trial of limited time.
    """
    trials, limit = (1, min(setting.left, RANDOM_K_SECONDS)) if core is None else (TRIALS, None)
    kicks = max(1, total // chains)
    _search(setting, case, slice(0, chains), 1, limit)  # compiles
    groups = [trials] if 1 in (chains, trials) else [1, trials - 1]
    if case.search.cooperation is not None:  # trials must not help each other
        groups = [1] * trials
    bests: list[int] = []
    made, seconds = 0.0, []
    for group in groups:
        first = chains * len(bests)
        rows = slice(first, first + chains * group)
        result = _search(setting, case, rows, kicks, limit)
        made += result.statistics.kicks / trials
        seconds.append(result.statistics.seconds)
        bests += result.costs.reshape(group, chains).min(axis=1).tolist()
    optimum = common.optima()[case.problem.name]
    deviations = [percent(best, optimum) for best in bests]
    frequency, deviation = case.paper[CHAINS.index(chains)]
    scaled = None if core is None else core["start"] * chains + core["kick"] * made
    return {
        "instance": case.problem.name,
        "search": case.name,
        "total": total,
        "kicks": round(made),
        "chains": chains,
        "trials": trials,
        "frequency": float(np.mean([d <= 0 for d in deviations])),
        "deviation": float(np.mean(deviations)),
        "paper_frequency": frequency,
        "paper_deviation": deviation,
        "seconds": seconds[0],
        "timed_trials": groups[0],
        "one_thread_seconds": scaled,
        "speedup": None if scaled is None else scaled / seconds[0],
    }


def _search(
    setting: Setting, case: _Case, rows: slice, kicks: int, seconds: float | None
) -> Result:
    """Search from some rows of the starts of all trials."""
    import gpu_ls_plugin as gls

    place: dict[str, Any] = {"seed": 1, "backend": setting.backend}
    tours = gls.nearest_neighbour(case.problem, rows.stop, **place)[rows]
    budget = gls.Budget(kicks=kicks, seconds=seconds)
    return case.search(case.problem, tours, budget=budget, first_row=rows.start, **place)


def _one_thread(case: _Case) -> dict[str, float]:
    """Return the seconds of a start with its first search, and of a kick, on one CPU thread."""
    import gpu_ls_plugin as gls

    problem = case.problem
    tours = gls.nearest_neighbour(problem, CORE_CHAINS, seed=1, backend="cpu")
    with threads(1):
        case.search(problem, tours[:1], budget=gls.Budget(kicks=1), backend="cpu")  # compiles
        budget = gls.Budget(kicks=CORE_KICKS)
        result = case.search(problem, tours, seed=1, budget=budget, backend="cpu")
    phases = result.statistics.phases
    return {
        "start": phases["descent"] / CORE_CHAINS,
        "kick": phases["kicks"] / (CORE_KICKS * CORE_CHAINS),
    }


def draw(plot: Any, section: dict[str, Any]) -> None:
    """Draw the deviations of first improvement against the number of chains."""
    rows = [r for r in section["rows"] if r["search"] == "first"]
    most = max((r["total"] for r in rows), default=0)
    for number, name in enumerate(dict.fromkeys(r["instance"] for r in rows)):
        mine = [r for r in rows if r["instance"] == name and r["total"] == most]
        at = [r["chains"] for r in mine]
        plot.plot(at, [r["deviation"] for r in mine], "-o", color=f"C{number}", label=name)
        plot.plot(at, [r["paper_deviation"] for r in mine], ":s", color=f"C{number}")
    plot.set(title=f"{most:,} kicks (dotted: paper 002)", xlabel="chains", xscale="log")
    plot.set_ylabel("best chain, percent")
    plot.legend(fontsize=7)
