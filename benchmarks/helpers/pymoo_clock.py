"""Runs of pymoo's algorithms for some seconds."""

from __future__ import annotations

import time
from typing import Any


def best_costs(algorithm: Any, problem: Any, seconds: float, seed: int) -> dict[str, Any]:
    """Return the best feasible cost against time of one run; the cost is None if there is none."""
    algorithm.setup(problem, seed=seed, termination=("n_gen", 10**9), verbose=False)
    history: list[tuple[float, float]] = []
    begin, generations, elapsed = time.perf_counter(), 0, 0.0
    while elapsed < seconds:
        algorithm.next()
        generations, elapsed = generations + 1, time.perf_counter() - begin
        found = algorithm.opt
        best = float(found.get("F").min()) if found.get("FEAS").any() else None
        if best is not None and (not history or best < history[-1][1]):
            history.append((elapsed, best))
    return {
        "cost": history[-1][1] if history else None,
        "generations": generations,
        "seconds": elapsed,
        "history": history,
    }
