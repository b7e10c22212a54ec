"""Checks the plans, searches and reports of a domain for some of its problems."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.runs.domain import Domain, first_rows
from gpu_ls_plugin.runs.settings import Request, Settings
from gpu_ls_plugin.solver.plans import planned
from gpu_ls_plugin.testing.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result

KICKS, ROWS = 3, 4  # number of kicks, and of rows, in each search
# A target that no row reaches. Without a target, searches may end at the known optimum. They check
# for it after each launch, and how much a launch does depends on the clock, so a second call of the
# search could return other rows.
UNREACHED = -(2.0**62)


def check_domain(
    domain: Domain, problems: Sequence[Problem], *, backend: str = "auto", seed: int = 0
) -> None:
    """Raise unless a domain returns valid plans, rows and reports.

    Parameters
    ----------
    domain : Domain
    problems : sequence of Problem
        Small problems, on which a search of three kicks takes at most a second or so.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason and a remedy.
    """
    subject = Subject.of("domain", domain, backend, seed, Domain)
    if not problems:
        raise InvalidTypeError("problems: the list is empty; pass some small problems")
    kinds = [kind.name for kind in domain.files()]
    wrong = f"two of its file kinds have the same name: {kinds}"
    subject.expect(len(set(kinds)) == len(kinds), wrong, "give each a different name")
    for problem in problems:
        _check_problem(subject.on(problem), domain, problem)


def _check_problem(subject: Subject, domain: Domain, problem: Problem) -> None:
    with subject.blamed("serves()", "return whether the domain solves a problem"):
        served = domain.serves(problem)
    subject.expect(
        served, "serves() returns False", "add the problem's class to the `problems` of the domain"
    )
    given = Settings(2.0, ROWS, subject.seed, backend=subject.backend.name, kicks=KICKS)
    request = Request(given, subject.backend)
    with subject.blamed("settings()", "return the settings with search and population filled in"):
        chosen = domain.settings(problem, request)
    wrong = f"settings() chose {chosen.search!r} and a population of {chosen.population}"
    remedy = "keep the settings in request.given, and choose the others"
    subject.expect(callable(chosen.search) and chosen.population == ROWS, wrong, remedy)
    with subject.blamed("stages()", "return a tuple of Stage, the main one last"):
        stages = domain.stages(problem, request, chosen)
        plan = pickle.loads(pickle.dumps(planned(problem, chosen, *stages)))
        text = str(plan)
    subject.expect(stages, "stages() returns no stages", "return at least main_stage(...)")
    wrong = "the plan prints no stages"
    subject.expect(len(text.splitlines()) > 1, wrong, "give each stage a name and a reason")
    first, again = (_found(subject, domain, problem, plan.main) for _ in range(2))
    subject.expect_repeated(first.tours, again.tours, "the search found other rows")
    _check_reports(subject, domain, problem, first)


def _found(subject: Subject, domain: Domain, problem: Problem, stage: Any) -> Result:
    """Return what the main stage finds in a few kicks; raise unless rows and costs are valid."""
    place: dict[str, Any] = {"seed": subject.seed, "backend": subject.backend.name}
    budget = Budget(20.0, kicks=KICKS, target=UNREACHED)
    with subject.blamed(
        "the search",
        "accept the call search(problem, rows, seed=..., backend=..., budget=..., callback=...)",
    ):
        rows = first_rows(problem, ROWS, stage.start, **place)
        found: Result = stage.search(stage.searched, rows, budget=budget, callback=None, **place)
        tours, starts = problem.check(found.tours), domain.completed(problem, rows)
        costs, before = problem.cost(tours), problem.cost(starts)
    wrong = f"the search returned {len(tours)} rows for {ROWS} initial rows"
    subject.expect(len(tours) == ROWS, wrong, "return one row for each")
    subject.expect(
        np.array_equal(costs, found.costs),
        f"the search reports costs {np.asarray(found.costs).tolist()}, but problem.cost returns "
        f"{costs.tolist()}",
        "report the costs of problem.cost",
    )
    feasible = problem.feasible(starts)
    remedy = "keep the best row of each chain"
    subject.expect(bool((costs <= before)[feasible].all()), "the search made a row worse", remedy)
    return found


def _check_reports(subject: Subject, domain: Domain, problem: Problem, found: Result) -> None:
    """Raise unless the facts of a result can be written as JSON, and all reports are strings."""
    shown = problem.published
    known = {"best_cost": shown(found.best_cost), "mean_cost": float(shown(found.costs.mean()))}
    known |= {"population": ROWS, "kicks_per_second": 0.0, "evaluations_per_second": 0.0}
    with subject.blamed("facts(), size(), lines() or work()", "see gpu_ls_plugin/runs/domain.py"):
        facts: dict[str, Any] = domain.facts(problem, found) | known | found.statistics.as_dict()
        json.dumps(domain.facts(problem, found))
        texts: list[object] = [domain.size(facts), domain.stopped_by("seconds")]
        texts += [*domain.lines(facts, "").values(), *domain.work(facts).values()]
    fine = all(text is None or isinstance(text, str) for text in texts)
    subject.expect(fine, f"not all of {texts} are strings", "return str or None")
