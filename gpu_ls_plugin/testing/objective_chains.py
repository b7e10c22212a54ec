"""Checks the costs and the feasibility of tours that chains find under an objective."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.testing import search_checks
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.problem.device_data import search_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.testing.subject import Subject
    from gpu_ls_plugin.tours.problem.tsp import TSP
    from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch

STRETCHES, KICKS = 4, 10  # number of stretches, and of kicks in each
ROUNDING = 1e-9  # relative error of real costs
COMPOSING = "functor, header and source() must name and define the C++ struct of the part"
FEASIBLE = "feasible() must return the same in C++ and in Python"


def rounding(problem: TSP, costs: Any) -> Any:
    """Return the rounding error allowed in real costs; it grows with the largest cost."""
    return 0 if problem.integer else ROUNDING * np.abs(costs).max(initial=1)


def _feasible_kernel(problem: TSP, team: str) -> Kernel:
    metric, header = search_metric(problem), "testing/probe_feasible.cuh"
    body = "gls::ProbeFeasible<{team}, {metric}>"
    parameters = "const void* metric_data, int n, int asked, const int* tours, int* feasible"
    return metric_kernel("probe_feasible", metric, header, body, parameters, team)


def check_feasible(subject: Subject, problem: TSP, tours: NDArray[Any]) -> None:
    """Raise unless feasible() returns the same in C++ and in Python for each tour."""
    subject, backend, rows = subject.on(problem), subject.backend, len(tours)
    found = backend.xp.zeros(rows, "int32")
    with subject.blamed("its kernel", COMPOSING):
        kernel = _feasible_kernel(problem, backend.warp())  # as in chains
        arguments = {
            "metric_data": search_data(backend, problem),
            "n": problem.n,
            "tours": backend.xp.asarray(tours),
            "feasible": found,
        }
        backend.launch(kernel, rows, {**arguments, "asked": 0})  # compiles the kernel
        ask = partial(backend.launch, kernel, rows, {**arguments, "asked": rows})
        subject.rehearse(ask, "feasible()")
        ask()
    there = backend.to_numpy(found).astype(bool)
    here = problem.objective.feasible(problem, tours)
    for row in np.nonzero(there != here)[0]:
        raise subject.fault(
            f"feasible() is {there[row]} in C++, {here[row]} in Python for {tours[row].tolist()}",
            FEASIBLE,
        )


def check_chains(
    subject: Subject,
    problem: TSP,
    search: IteratedLocalSearch,
    remedy: str,
    compare: Callable[[Subject, TSP, NDArray[Any]], None] = check_feasible,
) -> None:
    """Let chains kick; after each stretch, check their costs and best tours with Python methods.

    `remedy` is the advice if costs in C++ differ from costs in Python. `compare` raises unless C++
    and Python agree on the tours that chains have found.
    """
    subject, backend, to_numpy = subject.on(problem), subject.backend, subject.backend.to_numpy
    feasible = partial(problem.objective.feasible, problem)
    with subject.blamed("chains", COMPOSING):
        starts = subject.tours(problem, search_checks.ROWS)
        tours = search.search(problem, starts, backend=backend.name).tours
        chains = search.chains(Start(backend, problem, backend.xp.asarray(tours), subject.seed))
    for stretch in range(1, STRETCHES + 1):
        before = feasible(to_numpy(chains.best_tours))
        with subject.blamed("chains", remedy):
            chains.advance(stretch * KICKS, 1.0, 0.0, 60.0)
        for which in ("", "best_"):
            found = to_numpy(vars(chains)[f"{which}tours"])
            reported = to_numpy(vars(chains)[f"{which}costs"])
            found = subject.expect_tours(problem, found, len(tours), "chains")
            costs = problem.cost(found)
            subject.expect(
                (np.abs(reported - costs) <= rounding(problem, costs)).all(),
                f"after {stretch * KICKS} kicks chains have {which}costs {reported}, but the costs "
                f"of {which}tours are {costs}",
                remedy,
            )
            compare(subject, problem, found)
        lost = before & ~feasible(to_numpy(chains.best_tours))
        wrong = "chains replaced a feasible best tour by an infeasible one"
        subject.expect(not lost.any(), wrong, FEASIBLE)
