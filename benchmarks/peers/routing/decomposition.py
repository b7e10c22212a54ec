"""Whole tours or parts at equal time, or at equal kicks: costs, kicks a second, rounds.

    python -m benchmarks.peers.routing.decomposition --seconds 5 X-n1001-k43 3000
    python -m benchmarks.peers.routing.decomposition --backend cpu --kicks 4000 --chains 64 3000

A number stands for a generated instance with that number of customers. Prints a line for each run;
if parts have more customers than the instance, whole tours are searched.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import gpu_ls_plugin as gls
from benchmarks.peers.bench_cvrp import instances
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings

WHOLE = 10**8


def read(name: str) -> gls.CVRP:
    """Return an instance of the X set, or a generated one."""
    if name.isdigit():
        return gls.CVRP.generated(int(name), seed=1)
    problem = gls.CVRP.read(instances() / "X" / f"{name}.vrp")
    best = problem.cost(problem.read_solution(instances() / "X" / f"{name}.sol"))[0].item()
    return gls.CVRP.read(instances() / "X" / f"{name}.vrp", optimum=best)


def run(problem: gls.CVRP, options: argparse.Namespace, customers: int, seed: int) -> str:
    """Search once; return the figures to print."""
    settings = Settings(seconds=options.seconds, backend=options.backend)
    chosen = default_settings(problem, settings)
    chains = options.chains or chosen.population
    assert isinstance(chosen.search, gls.IteratedLocalSearch)
    search = gls.Decomposed(chosen.search, customers=customers, rounds=options.rounds)
    begin = time.process_time()
    found = gls.solve(
        problem,
        options.seconds,
        seed=seed,
        backend=options.backend,
        population=chains,
        search=search,
        kicks=options.kicks,
    )
    used = time.process_time() - begin
    its, optimum = found.statistics, problem.optimum
    searching = its.seconds - sum(its.phases.get(name, 0.0) for name in ("starts", "candidates"))
    gap = "" if optimum is None else f" gap {100 * (found.best_cost / optimum - 1):.3f} %"
    parts = "whole" if customers == WHOLE else f"parts of {customers}"
    assert problem.feasible(found.best_tour).all()
    return (
        f"{problem.name} {parts} seed {seed}: cost {found.best_cost}{gap}, {its.kicks:,} kicks, "
        f"{its.kicks / searching / 1e6:.3f} million a second, {its.launches} launches, "
        f"{its.seconds:.2f} s, {used:.1f} s of the host, "
        + ", ".join(f"{name} {seconds:.2f}" for name, seconds in its.phases.items())
    )


def main() -> None:
    """Compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("instances", nargs="+")
    parser.add_argument("--parts", default="250", help="customers of a part, or several of them")
    parser.add_argument("--rounds", type=int, default=gls.Decomposed.rounds)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--kicks", type=int)
    parser.add_argument("--chains", type=int)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--backend", default="cuda")
    options = parser.parse_args()
    for name in options.instances:
        problem = read(name)
        for customers in (WHOLE, *map(int, options.parts.split(","))):
            for seed in range(1, options.seeds + 1):
                print(run(problem, options, customers, seed), flush=True)


if __name__ == "__main__":
    main()
