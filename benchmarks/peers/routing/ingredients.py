"""The effect of each ingredient of the search for routes: equal time without it or with others."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import gpu_ls_plugin as gls
from benchmarks.peers.routing.sections import named, tasks
from benchmarks.peers.routing.solvers import cheapest_of
from gpu_ls_plugin.routes.plan.settings import softened
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import default_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from benchmarks.peers.routing.runs import Bench, Run
    from benchmarks.peers.routing.solvers import Task

NAMES = ("X-n200-k36", "X-n303-k21", "X-n513-k21", "X-n670-k130", "X-n1001-k43")
SECONDS = 5.0
Chains = gls.IteratedLocalSearch


def _kept(search: Chains) -> Any:
    return search


@dataclass(frozen=True)
class Variant:
    """The search of `solve` with one change.

    Attributes
    ----------
    search : callable
        Changes the search of `solve`.
    share : float
        Share of its chains.
    soft : bool
        Whether constraints may be soft.
    """

    search: Callable[[Chains], Any] = _kept
    share: float = 1.0
    soft: bool = True


def _strings(**given: Any) -> Variant:
    return Variant(lambda search: replace(search, perturbation=gls.StringRemoval(**given)))


def _alone(search: Chains) -> Chains:
    assert search.cooperation is not None
    return replace(search, cooperation=replace(search.cooperation, share=0.0))  # type: ignore[call-arg]


VARIANTS = {
    "as it is": Variant(),
    "chains alone: no migration": Variant(_alone),
    "no annealing: better tours alone": Variant(
        lambda search: replace(search, accept=gls.Better())
    ),
    "a quarter of the chains": Variant(share=0.25),
    "strings as wholes": _strings(split=0.0),
    "5 customers leave": _strings(removed=5),
    "20 customers leave": _strings(removed=20),
    "hard constraints": Variant(soft=False),
}
CROSSOVERS = (gls.SplitRecombination, gls.RouteEdgeAssembly)


def ingredients(bench: Bench, options: argparse.Namespace, known: Sequence[Run]) -> dict[str, Any]:
    """Measure the gap with each variant, and of a memetic algorithm with each crossover."""
    listed = tasks(named(options.instances or NAMES), options, SECONDS)
    return bench.compared(listed, known, _searches())


def _searches() -> dict[str, Callable[[gls.CVRP, Task, str], dict[str, Any]]]:
    """Return the searches by name."""
    varied = {label: partial(_varied, variant) for label, variant in VARIANTS.items()}
    crossed = {f"MemeticGA, {part.__name__}()": partial(_crossed, part()) for part in CROSSOVERS}
    return varied | crossed


def _varied(variant: Variant, problem: gls.CVRP, task: Task, backend: str) -> dict[str, Any]:
    """Run a variant of the search of `solve`, from the same starts."""
    chosen = default_settings(
        problem, Settings(seconds=task.seconds, seed=task.seed, backend=backend)
    )
    assert isinstance(chosen.search, Chains) and chosen.population is not None
    first = gls.savings(gls.CVRP.read(task.path), size=1, seed=0, backend=backend)
    asked = softened(problem, chosen.search, task.seconds, lambda: first[0])
    given = {
        "search": variant.search(chosen.search),
        "population": max(1, round(variant.share * chosen.population)),
        "seed": task.seed,
        "backend": backend,
    }
    searched = asked if variant.soft else problem
    gls.solve(searched, task.seconds, kicks=2, **given)  # compiles
    begin = time.perf_counter()
    found = gls.solve(searched, task.seconds, **given)
    return cheapest_of(problem, found.tours, time.perf_counter() - begin)


def _crossed(crossover: Any, problem: gls.CVRP, task: Task, backend: str) -> dict[str, Any]:
    """Run a memetic algorithm of pymoo: children of a crossover, searched in one batch."""
    from pymoo.optimize import minimize

    from gpu_ls_pymoo import CVRPProblem, MemeticGA

    routing = CVRPProblem(problem, hard=True)
    for limit in (("n_gen", 2), ("time", task.seconds)):  # the first one compiles
        begin = time.perf_counter()
        algorithm = MemeticGA(crossover=crossover, backend=backend)
        found = minimize(routing, algorithm, limit, seed=task.seed)
    return cheapest_of(problem, found.pop.get("X"), time.perf_counter() - begin)
