"""Checks that an acceptance rule is the same in C++ and in Python, and runs chains with it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.runs.acceptance import Acceptance
from gpu_ls_plugin.testing import search_checks, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.kicks.restart import Restart
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

RISES = (-1000, -7, -1, 0, 1, 2, 5, 10, 50, 1000)  # in the unit of costs
LEVELS = (0.0, 0.25, 3.0, 20.0, 400.0)  # passed to takes(), in the unit of costs
DRAWS = 2000  # number of calls for each rise at each level
DEVIATIONS = 6  # allowed number of standard deviations; chance practically never exceeds it
ALIKE = "takes() must be the same rule in C++ and in Python, with one uniform number per call"
COSTS = {"gls::int64": "int64", "double": "float64"}


def check_acceptance(rule: Acceptance, *, backend: str = "auto", seed: int = 0) -> None:
    """Raise unless an acceptance rule is the same in C++ and in Python.

    Both must accept each rise of the cost equally often, at each level; `never_worse` and
    `kNeverWorse` must describe the rule correctly; `level` must return usable levels. The check
    then runs chains that use the rule, both in one kernel and driven from the host.

    Parameters
    ----------
    rule : Acceptance
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the rise and the level, and a remedy.
    """
    subject = Subject.of("acceptance", rule, backend, seed, Acceptance)
    _check_levels(subject)
    for cost in COSTS:
        _check_rule(subject, cost)
    problem = small_problems.planar("EUC_2D", seed, search_checks.CITIES)[0]
    local = LocalSearch([TwoOpt()], Nearest(6))
    search_checks.expect_sound_everywhere(subject, problem, local, ALIKE, accept=rule)
    stepped = IteratedLocalSearch(local, Restart(), rule, part=None)
    search_checks.expect_sound(subject, problem, stepped, "chains driven from the host", ALIKE)


def _check_levels(subject: Subject) -> None:
    for progress in np.linspace(0, 1, 21):
        with subject.blamed(f"level({progress})", "return a number"):
            level = subject.part.level(float(progress))
            usable = math.isfinite(level) and level >= 0
        subject.expect(
            usable,
            f"level({progress}) is {level}",
            "return a level of 0 or more, in mean edge lengths, for each share of the budget from "
            "0 to 1; chains settle only if the level falls",
        )


def _kernel(subject: Subject, cost: str) -> Kernel:
    rule, team = subject.part, subject.backend.block(32)
    return Kernel(
        name="probe_acceptance",
        header="testing/probe_acceptance.cuh",
        body=f"gls::ProbeAcceptance<{team}, {cost}, {rule.functor}>",
        parameters=parse_parameters(
            "gls::uint64 seed, int draws, const void* rises, const float* levels, int* taken, "
            "int* never_worse"
        ),
        team=team,
        functors=sources_of(rule),
        headers=(rule.header,),
        parts=(rule.name,),
    )


def _check_rule(subject: Subject, cost: str) -> None:
    """Compare how often C++ and Python accept each rise at each level."""
    rule, xp = subject.part, subject.backend.xp
    rises, levels = (grid.ravel() for grid in np.meshgrid(RISES, LEVELS))
    rises = rises.astype(COSTS[cost])
    arguments: dict[str, Any] = {
        "seed": subject.seed,
        "draws": DRAWS,
        "rises": xp.asarray(rises),
        "levels": xp.asarray(levels.astype(np.float32)),
        "taken": xp.zeros(len(rises), "int32"),
        "never_worse": xp.zeros(len(rises), "int32"),
    }
    remedy = "functor, header and source() must name and define the C++ struct of the rule"
    with subject.blamed("its kernel", remedy):
        kernel, launch = _kernel(subject, cost), subject.backend.launch
        launch(kernel, len(rises), {**arguments, "draws": 0})  # compiles the kernel
        subject.rehearse(lambda: launch(kernel, len(rises), arguments), "takes()")
        launch(kernel, len(rises), arguments)
    taken = subject.backend.to_numpy(arguments["taken"])
    never = bool(subject.backend.to_numpy(arguments["never_worse"])[0])
    wrong = f"kNeverWorse is {never} in C++, but never_worse is {rule.never_worse} in Python"
    subject.expect(never == rule.never_worse, wrong, "give both the same value")
    if never and taken[rises > 0].any():
        rise = rises[(rises > 0) & (taken > 0)][0]
        wrong = f"C++ accepts a rise of {rise}, but never_worse is True"
        raise subject.fault(wrong, "set kNeverWorse and never_worse to false")
    uniform = 1.0 - np.random.default_rng(subject.seed).random(DRAWS)
    for number, (rise, level) in enumerate(zip(rises, levels, strict=True)):
        own = _taken(subject, np.full(DRAWS, rise), np.full(DRAWS, level), uniform)
        mean = (own + taken[number]) / (2 * DRAWS)
        apart = abs(own - int(taken[number])) / DRAWS
        chance = DEVIATIONS * math.sqrt(2 * mean * (1 - mean) / DRAWS)
        subject.expect(
            apart <= chance,
            f"out of {DRAWS} rises of {rise} at level {level:g}, C++ accepts {taken[number]} and "
            f"Python {own}",
            ALIKE,
        )


def _taken(subject: Subject, rise: NDArray[Any], level: NDArray[Any], uniform: Any) -> int:
    """Return how many of the rises `takes()` accepts in Python."""
    remedy = "takes(rise, level, uniform) must work elementwise and return a boolean array"
    with subject.blamed("takes()", remedy):
        found = np.asarray(subject.part.takes(rise, level, uniform))
    wrong = f"takes() returned {found.dtype} of shape {found.shape} for {len(rise)} rises"
    subject.expect(found.shape == rise.shape and found.dtype == bool, wrong, remedy)
    return int(found.sum())
