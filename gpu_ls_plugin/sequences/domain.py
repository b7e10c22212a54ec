"""The domain of sequences: what the code shared by all domains needs to know about sequences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import require_image
from gpu_ls_plugin.core.progress import cost_text
from gpu_ls_plugin.runs.domain import Domain, FileKind, Output, refused
from gpu_ls_plugin.sequences.cooperation.exchanges import ChainMigration
from gpu_ls_plugin.sequences.engines.kernels import team_of
from gpu_ls_plugin.sequences.kicks.block_swap import BlockSwap
from gpu_ls_plugin.sequences.kicks.destroy_repair import DestroyRepair, SequenceKick
from gpu_ls_plugin.sequences.kicks.perturbation import RemoveAndInsert
from gpu_ls_plugin.sequences.moves.sequence_moves import Insertion, Reversal, Swap
from gpu_ls_plugin.sequences.problem.file_kinds import KINDS
from gpu_ls_plugin.sequences.problem.flow_shop_objectives import FlowShopObjective, TotalFlowtime
from gpu_ls_plugin.sequences.problem.linear_ordering import SumOfPairs
from gpu_ls_plugin.sequences.problem.schedules import draw_schedule, plot_jobs, require_schedule
from gpu_ls_plugin.sequences.problem.sequence import Sequence, with_front
from gpu_ls_plugin.sequences.searches.perturbation import SequencePerturbation
from gpu_ls_plugin.sequences.searches.sequence_search import SequenceSearch

if TYPE_CHECKING:
    import argparse
    import os
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.settings import Request, Settings

SEVERAL = 8  # fewest chains that help each other
# Share of chains that migrate, migrations in a run, and kicks between two if it has no limit.
SHARE, TIMES, KICKS = 0.25, 60, 10
# Flow shops with total flowtime start from a beam search if they have more jobs than FEW_JOBS, and
# time for its levels.
FEW_JOBS, SECONDS_OF_LEVEL = 50, 0.003
# For objectives other than those of flow shops and linear ordering, for which insertions suffice.
GENERAL = SequenceSearch((Insertion(3), Swap(), Reversal()), BlockSwap())
# If the objective is a Python function: chains that take turns, and their kick.
TURNS, LARGE_KICK = 8, DestroyRepair(removed=6)


class Sequences(Domain):
    """Sequence problems: rows are permutations, read from the first item to the last."""

    name = "sequences"
    rows = "sequences"
    permutations = True
    kicks = "sequence_kick"
    problems = (Sequence,)

    def files(self) -> tuple[FileKind, ...]:
        return KINDS

    def settings(self, problem: Any, request: Request) -> Settings:
        """Return complete settings: as many chains as the device searches at a time.

        Chains start from best insertions, or at random if the objective has no functor; for the
        total flowtime of many jobs, from the sequences of a beam search. If there are several, the
        worst ones continue from the best ones now and then. A given search without kicks descends
        after the default kicks.
        """
        given = request.given
        if getattr(given.search, "of_tours", False):
            raise InvalidParameterError(
                f"search: {given.search!r:.200} searches tours; sequences are searched by "
                "SequenceSearch(...), the default"
            )
        population = given.population or chains(problem, request.backend)
        search = given.search or usual_search(problem, population)
        if isinstance(search, SequenceSearch) and search.kick is None:
            search = search.iterated()
        return replace(
            given,
            search=search,
            population=population,
            start=given.start or _usual_start(problem, request) or self.construction(problem),
        )

    def why(self, problem: Any, chosen: Settings) -> str:
        if not problem.objective.functor():
            return "few chains, as the objective is a Python function"
        return "as many chains as the device searches at a time"

    def offspring_search(
        self, problem: Any | None, backend: str = "auto", *, thorough: bool = False
    ) -> Callable[..., Any]:
        """Return a descent, followed by kicks if `thorough` and the objective has a functor."""
        python = problem is not None and not problem.objective.functor()
        return SequenceSearch() if thorough and not python else SequenceSearch(kick=None)

    def construction(self, problem: Any) -> str:
        return "neh" if problem.objective.functor() else "random_sequences"

    def perturbation(self, problem: Any) -> Any:
        """Return the default perturbation: a few items are removed and inserted elsewhere."""
        return RemoveAndInsert()

    def perturbation_of(self, part: object) -> Any | None:
        """Return a kick such as `DestroyRepair` as a perturbation; None for other parts."""
        return SequencePerturbation(part) if isinstance(part, SequenceKick) else None

    def with_fixed(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return rows that begin with the items in front of every sequence of the problem."""
        return with_front(xp, rows, problem.front)

    def fitness(self, problem: Any, rows: Any) -> Any:
        """Return the numbers by which searches compare rows: cost plus price of violations."""
        return problem.compared(rows)

    def searched_costs(self, problem: Any, backend: Any, rows: Any) -> Any:
        return problem.compared_costs(backend, rows, None)

    def size(self, found: Mapping[str, Any]) -> str:
        return f"{found['variables']:,} items"

    def lines(self, found: Mapping[str, Any], gap: str) -> dict[str, str | None]:
        feasible = "" if found["feasible"] else ", breaks constraints"
        mean = f"{cost_text(found['mean_cost'])} over {found['population']:,} sequences"
        return {"best": f"{cost_text(found['best_cost'])}{gap}{feasible}", "mean": mean}

    def stopped_by(self, reason: str) -> str:
        return "local optimum" if reason == "optimum" else reason

    def outputs(self) -> Mapping[str, Output]:
        """Return the writers of solutions and of schedules; requests for tours are refused."""
        chart = Output(_check_plot, _save_plot)
        return {"tour": NO_TOUR, "out": SOLUTION, "plot": chart, "gantt": chart}

    def draw(self, problem: Any, rows: NDArray[Any], axes: Any) -> None:
        draw_schedule(problem, rows[0], axes)

    def chart(
        self, problem: Any, row: Any, path: str | os.PathLike[str] | None, title: str = ""
    ) -> Figure:
        """Return a Gantt chart."""
        return plot_jobs(problem, row, path, title)

    plot = chart

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the option for the objective of flow shops."""
        parser.add_argument(
            "--objective",
            choices=("makespan", "total_flowtime"),
            help="what a flow shop minimises (default: makespan)",
        )


NO_TOUR = refused(
    "tour: sequence problems have no tours; --out writes the best solution of any problem"
)
SOLUTION = Output(
    lambda problem, path: None,
    lambda problem, result, path: problem.write_solution(result.best_tour, path),
)


def _check_plot(problem: Any, path: Path) -> None:
    """Raise if a problem has no schedule, or a path does not name an image."""
    require_schedule(problem)
    require_image(path)


def _save_plot(problem: Any, result: Result, path: Path) -> None:
    title = f"{problem.name}: {cost_text(problem.published(result.best_cost))}"
    plot_jobs(problem, result.best_tour, path, title)


def usual_search(problem: Any, population: int = 1) -> SequenceSearch:
    """Return the default search of a number of chains; `problem` is None if it is not known."""
    if problem is None:
        return SequenceSearch()
    if not problem.objective.functor():
        return SequenceSearch(kick=LARGE_KICK)
    alone = population < SEVERAL
    exchange = None if alone else ChainMigration(SHARE, KICKS / problem.n, TIMES)
    insertions = isinstance(problem.objective, (FlowShopObjective, SumOfPairs))
    return replace(SequenceSearch() if insertions else GENERAL, exchange=exchange)


def _usual_start(problem: Any, request: Request) -> str | None:
    """Return a construction that suits the objective better than the usual one, or None.

    On few jobs, chains make many kicks and end alike from either start.
    """
    n = problem.n
    pays = n > FEW_JOBS and request.seconds > SECONDS_OF_LEVEL * n
    return "beam_search" if pays and isinstance(problem.objective, TotalFlowtime) else None


def chains(problem: Any, backend: Backend) -> int:
    """Return the default number of chains."""
    if not problem.objective.functor():
        return TURNS
    return team_of(backend, problem).at_once * backend.processors
