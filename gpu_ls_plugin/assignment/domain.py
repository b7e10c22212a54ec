"""The domain of assignment problems, which `solve`, the command line and adapters use."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.engines.found_states import completed
from gpu_ls_plugin.assignment.engines.successor_search import SuccessorSearch
from gpu_ls_plugin.assignment.plan import assignment_reports as reports
from gpu_ls_plugin.assignment.plan.assignment_display import AssignmentDisplay
from gpu_ls_plugin.assignment.plan.fewest_colours import FewestColours
from gpu_ls_plugin.assignment.problem import file_kinds
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.assignment.problem.graph_colouring import GraphColouring
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.runs.domain import Domain, Output, refused

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.progress import SearchDisplay
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.domain import AnotherQuestion, FileKind
    from gpu_ls_plugin.runs.settings import Request, Settings


class Assignments(Domain):
    """Assignment problems: rows are states, in which variables may lack values during a search."""

    name = "assignment"
    rows = "states"
    problems = (Assignment,)

    def files(self) -> Sequence[FileKind]:
        return file_kinds.KINDS

    def settings(self, problem: Any, request: Request) -> Settings:
        """Return complete settings: a `SuccessorSearch` of a few states for each processor.

        `start` stays None, since states begin empty.
        """
        given = request.given
        if getattr(given.search, "of_tours", False):
            raise InvalidParameterError(
                f"search: {given.search!r:.200} searches tours; states of assignment problems are "
                "searched by SuccessorSearch(...), the default"
            )
        if given.start is not None:
            raise InvalidParameterError(
                f"start: {given.start!r} makes tours; states of assignment problems begin empty, "
                "so leave it out"
            )
        chosen = SuccessorSearch() if given.search is None else given.search
        usual = chosen if hasattr(chosen, "states") else SuccessorSearch()
        population = given.population or usual.states(problem, request.backend)
        return replace(given, search=chosen, population=population)

    def why(self, problem: Any, chosen: Settings) -> str:
        return "as many states as the device searches at a time"

    def empty_rows(self, problem: Any) -> NDArray[np.int32]:
        """Return a state in which no variable has a value."""
        return np.full(problem.n, -1, np.int32)

    def completed(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        return completed(problem, rows, 0)

    def check_starts(self, problem: Any, rows: Any) -> NDArray[np.int32]:
        """Return the rows as states; the search checks them."""
        return np.atleast_2d(on_host(rows)).astype(np.int32)

    def target(self, problem: Any) -> float | None:
        """Return the cost at which a search ends: the optimum; None if it is unknown."""
        optimum: float | None = problem.optimum
        return optimum

    def for_operators(self, problem: Any) -> Problem:
        """Raise InvalidTypeError: operators for tours do not work on states."""
        raise InvalidTypeError(
            f"problem: {problem!r} is not a TSP: it assigns values to variables; use "
            "SuccessorSampling and SuccessorMutation"
        )

    def bounds(self, problem: Any) -> tuple[Any, Any]:
        """Return the first and the last value of each variable."""
        return 0, problem.sizes - 1

    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        return AssignmentDisplay(problem, settings.seconds)

    def facts(self, problem: Any, result: Result) -> dict[str, Any]:
        return reports.about_assignment(problem, result)

    def size(self, found: Mapping[str, Any]) -> str:
        return reports.assignment_size(found)

    def lines(self, found: Mapping[str, Any], gap: str) -> dict[str, str | None]:
        return reports.assignment_lines(found, gap)

    def work(self, found: Mapping[str, Any]) -> dict[str, str | None]:
        return reports.work_lines(found)

    def missed(self, problem: Any, result: Result) -> str:
        """Return a complaint if the best colouring has too many conflicts; otherwise ""."""
        if not isinstance(problem, GraphColouring) or result.best_cost <= (problem.optimum or 0):
            return ""
        return f"no legal colouring with {problem.colours:,} colours was found"

    def outputs(self) -> Mapping[str, Output]:
        """Return the writers of results; requests for tours and pictures are refused."""
        return {"tour": NO_TOUR, "out": SOLUTION, "plot": NO_PLOT}

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add options for the number of colours, and for files of generalised assignment."""
        add = parser.add_argument
        add(
            "--colours",
            type=int,
            metavar="N",
            help="colour a graph with this number of colours and the fewest conflicts "
            "(default: search for the fewest colours without conflicts)",
        )
        add(
            "--which",
            "--problem-number",
            type=int,
            metavar="K",
            help="number of the problem in a file of generalised assignment (default: 1)",
        )
        add(
            "--sense",
            choices=("min", "max"),
            help="whether a file of generalised assignment has costs (min, the default) or profits",
        )

    def another_question(self, problem: Any, options: argparse.Namespace) -> AnotherQuestion | None:
        """Return `FewestColours` for a graph if `--colours` is not given; otherwise None."""
        if isinstance(problem, GraphColouring) and options.colours is None:
            return FewestColours()
        return None


NO_TOUR = refused(
    "tour: assignment problems have no tours; --out writes the best solution of any problem"
)
NO_PLOT = refused("plot: solutions of assignment problems are not drawn; leave it out")
SOLUTION = Output(
    lambda problem, path: None,
    lambda problem, result, path: problem.write_solution(result.best_tour, path),
)
