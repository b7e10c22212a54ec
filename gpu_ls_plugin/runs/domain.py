"""Domains: one for each kind of problem, with the interface that all clients use."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.backends.base import Backend, batch_size
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    GpuLsError,
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.figures import image_figure, require_image, saved
from gpu_ls_plugin.core.progress import SearchDisplay, cost_text
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.rows import splitmix64
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.runs.many import solve_in_lanes
from gpu_ls_plugin.runs.plan import Stage
from gpu_ls_plugin.runs.settings import Request, Settings
from gpu_ls_plugin.runs.tensors import ImprovedRows, RowLimits, Tensors

if TYPE_CHECKING:
    import argparse
    import os
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.budget import Stopwatch
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.registry import Part
    from gpu_ls_plugin.core.result import Callback, Result
    from gpu_ls_plugin.runs.many import ManyFound, ManyRequest

Answer = TypeVar("Answer")

LARGE = 2.0**50  # added to costs of infeasible rows; no row costs as much
# How well the content of a file fits a kind of file.
NO = 0
MAYBE = 1
SURE = 2


@dataclass
class Content:
    """The content of a file whose kind is not known yet.

    Attributes
    ----------
    path : Path
    data : bytes
        Without a byte order mark.
    found : dict
        Intermediate results that kinds of files share.
    """

    path: Path
    data: bytes
    found: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FileKind:
    """A kind of file.

    Attributes
    ----------
    name : str
        Value of ``gpu-ls solve --kind``.
    title : str
        Name of the problem in such a file, for messages.
    read : callable
        ``read(path, *, optimum, **options)`` returns the problem.
    fits : callable
        Takes a `Content`; returns `SURE`, `MAYBE` or `NO`.
    suffixes : tuple of str
        Extensions such as ``".vrp"``; if several kinds fit the content, the extension decides.
    options : tuple of str
        Options of `read` that only this kind has.
    """

    name: str
    title: str
    read: Callable[..., Problem]
    fits: Callable[[Content], int]
    suffixes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Output:
    """A kind of file that ``gpu-ls solve`` writes.

    Attributes
    ----------
    check : callable
        Takes the problem and the path; raises if the file cannot be written for such a problem.
    save : callable
        Takes the problem, the result and the path.
    """

    check: Callable[[Any, Path], object]
    save: Callable[[Any, Result, Path], object]


def refused(reason: str) -> Output:
    """Return an output that raises InvalidParameterError before the search."""

    def check(problem: Any, path: Path) -> None:
        raise InvalidParameterError(reason)

    return Output(check, lambda problem, result, path: None)


@dataclass(frozen=True)
class Command:
    """A command that a domain adds to ``gpu-ls``.

    Attributes
    ----------
    help : str
        One sentence.
    add_options : callable
        Takes the parser of the command.
    run : callable
        Takes the parsed options; returns the output as a dictionary, for JSON, and as a string.
    """

    help: str
    add_options: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], tuple[dict[str, object], str]]


class AnotherQuestion(ABC):
    """A question to ``gpu-ls solve`` other than for the best solution, such as the fewest colours.

    Attributes
    ----------
    refusal : str
        The reason why islands cannot answer the question.
    """

    refusal: ClassVar[str]

    @abstractmethod
    def solve(self, problem: Any, settings: Settings, callback: Callback | None) -> Result:
        """Return the answer; `Result.problem` is the problem that the rows solve."""

    @abstractmethod
    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        """Return the display of the progress."""

    @abstractmethod
    def facts(self, problem: Any, optimum: float | None) -> dict[str, Any]:
        """Return facts about the answer, as plain numbers."""


class Domain(ABC):
    """A kind of problem, registered as a part of the kind "domain".

    Clients call `domain_of` for the domain of a problem. A subclass defines `problems`, `settings`
    and `stages`; the defaults of all other methods suit rows of any kind.

    Attributes
    ----------
    name : str
        Name in the registry.
    rows : str
        Word for the rows of its problems, such as "tours".
    permutations : bool
        Whether all these rows are permutations of 0..n-1.
    kicks : str
        Kind of registered parts that kick its rows.
    problems : tuple of type
        The classes of its problems.
    """

    name: ClassVar[str]
    rows: ClassVar[str] = "rows"
    permutations: ClassVar[bool] = False
    kicks: ClassVar[str] = "perturbation"
    problems: tuple[type[Problem], ...] = ()

    def serves(self, problem: Problem) -> bool:
        """Return whether a problem belongs to this domain."""
        return isinstance(problem, self.problems)

    # ---- Reading ----------------------------------------------------------------------------

    def files(self) -> Sequence[FileKind]:
        """Return the kinds of files that contain problems of this domain."""
        return ()

    def of_array(self, array: NDArray[Any]) -> Problem | None:
        """Return the problem of this domain that an array describes, or None."""
        return None

    def of_arrays(self, arrays: Any, metric: Any) -> Sequence[Problem] | None:
        """Return the problems that an array or a list of arrays describes, or None if it does not.

        `solve_many` calls it for input that is not a list of problems. The sequence may create its
        problems on demand; its slices must then do so, too.

        Parameters
        ----------
        arrays : NumPy array, or list
        metric : str, Metric or None
            Metric of coordinates; by default the domain's own.

        Raises
        ------
        GpuLsError
            An array is invalid; the message names its place.
        """
        return None

    # ---- Solving ----------------------------------------------------------------------------

    @abstractmethod
    def settings(self, problem: Any, request: Request) -> Settings:
        """Return complete settings, with search, population and start.

        Raises
        ------
        InvalidParameterError
            The given search or start does not suit the problem.
        """

    def divided(self, problem: Any, given: Settings, chosen: Settings) -> Settings:
        """Return complete settings, changed if `solve` searches the problem in parts."""
        return chosen

    def stages(self, problem: Any, request: Request, chosen: Settings) -> tuple[Stage, ...]:
        """Return the stages of a run, from complete settings; by default one, `main_stage`."""
        return (self.main_stage(problem, problem, chosen, flexible=request.given.search is None),)

    def main_stage(
        self, problem: Any, searched: Any, chosen: Settings, *, flexible: bool = False
    ) -> Stage:
        """Return the stage that gets the rest of the time.

        Parameters
        ----------
        problem, searched : Problem
            The problem that defines the costs of results, and the form of it that is searched.
        chosen : Settings
            Complete settings.
        flexible : bool
            Whether the domain chose the search, and may change it if time is short.
        """
        return Stage(
            self.rows,
            self.why(searched, chosen) if flexible else "as requested",
            chosen.search,
            problem,
            searched,
            chosen.population or 1,
            chosen.start,
            chosen.rows,
            flexible=flexible,
            prepare=partial(self.prepare, backend=chosen.backend),
            ready=self.ready,
        )

    def why(self, problem: Any, chosen: Settings) -> str:
        """Return the reason for the chosen settings, as a clause."""
        return "the default search of such problems"

    def prepare(self, stage: Stage, backend: str) -> None:
        """Compile the kernels of a stage; raise if its rows do not fit into memory."""
        batch_size(get_backend(backend), stage.searched.n, stage.size, name="population")
        if hasattr(stage.search, "prepare"):  # other searches compile when they are called
            stage.search.prepare(stage.searched, backend=backend)

    def ready(self, stage: Stage, backend: str, watch: Stopwatch) -> Any:
        """Return the search of a stage, after computing the problem's data that it needs."""
        return stage.search

    def empty_rows(self, problem: Any) -> NDArray[np.int32] | None:
        """Return the row (n,) from which searches start, or None if they need constructed rows."""
        return None

    def completed(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return complete solutions made from rows that may be incomplete."""
        return rows

    def check_starts(self, problem: Any, rows: Any) -> NDArray[np.int32]:
        """Return rows to start from as an array; raise as `Problem.check` does."""
        checked: NDArray[np.int32] = problem.check(rows, parameter="tours")
        return checked

    def target(self, problem: Any) -> float | None:
        """Return the cost at which every search of the problem ends, or None if there is none."""
        return None

    def asked(self, problem: Any) -> Problem:
        """Return the caller's problem, given the form of it that is searched."""
        stated: Problem = problem
        return stated

    def solve_many(self, request: ManyRequest) -> ManyFound:
        """Return the best solutions of many problems, found within a common time limit.

        Unless overridden, each problem is solved by its own plan, several at a time. A domain
        overrides this method if it can search many problems in the same launches; for all other
        problems, it may call ``super().solve_many`` with a smaller request.
        """
        return solve_in_lanes(self, request)

    def why_not_many(self, problem: Any) -> str | None:
        """Return why `solve_many` does not take a problem, as a clause; None if it does."""
        return None

    def quick_row(self, problem: Any, settings: Settings) -> NDArray[np.int32]:
        """Return a solution (1, n) that takes almost no time; `settings` may be incomplete."""
        start = settings.start or self.construction(problem)
        place: dict[str, Any] = {"seed": settings.seed, "backend": settings.backend}
        return self.completed(problem, first_rows(problem, 1, start, **place))

    # ---- Evolving ---------------------------------------------------------------------------

    def for_operators(self, problem: Any) -> Problem:
        """Return the problem in the form that operators of frameworks (such as pymoo) take.

        Raises
        ------
        InvalidTypeError
            Operators of frameworks cannot vary and search its rows.
        """
        taken: Problem = problem
        return taken

    def bounds(self, problem: Any) -> tuple[Any, Any]:
        """Return the lowest and the highest value of an entry: numbers, or arrays (n,).

        Frameworks draw and vary rows between these bounds. A domain must override this method
        unless its rows are permutations.

        Raises
        ------
        UnsupportedProblemError
            The domain has not overridden the method.
        """
        if self.permutations:
            return 0, problem.n - 1
        raise UnsupportedProblemError(
            f"problem: {problem!r:.80} has rows with unknown bounds; add a method bounds(problem) "
            f"to its domain, {type(self).__name__}"
        )

    def searched_costs(self, problem: Any, backend: Any, rows: Any) -> Any:
        """Return the costs, shape (P,), that searches use to compare checked rows of a backend."""
        return problem.costs_on(backend, rows)

    def fitness(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return costs (P,) for frameworks: infeasible rows cost more than all feasible ones."""
        costs: NDArray[Any] = problem.cost(rows)
        if problem.constrained:
            costs[~problem.feasible(rows)] += costs.dtype.type(LARGE)
        return costs

    def offspring_search(
        self, problem: Any | None, backend: str = "auto", *, thorough: bool = False
    ) -> Callable[..., Any]:
        """Return the default search for operators of frameworks.

        Unless overridden, it is the default search of `solve`.

        Parameters
        ----------
        problem : Problem or None
            None if it is not known yet.
        backend : str
        thorough : bool
            Whether to search more thoroughly than usual.
        """
        search: Any = self._usual(problem, backend).search
        return search  # type: ignore[no-any-return]

    def improver(self, tensors: Tensors) -> Callable[..., ImprovedRows] | None:
        """Return a function that improves rows given as `tensors`; None if the domain has none.

        It is called as ``improver(backend, tensors, search, limits)`` with `RowLimits`.
        """

    def improve_rows(
        self, problem: Any, rows: Any, search: Any, limits: RowLimits, backend: Backend
    ) -> ImprovedRows:
        """Improve rows (P, n), an array of the backend, of a single problem.

        Unless overridden, the offspring search of the domain does so.
        """
        search = self.offspring_search(problem, backend.name) if search is None else search
        budget = Budget(moves=limits.moves, kicks=limits.kicks, seconds=limits.seconds)
        xp, better = backend.xp, rows.copy()
        costs, valid = xp.full(len(rows), xp.nan), xp.asarray(_valid(problem, rows))
        if bool(valid.any()):
            found = search(problem, rows[valid], seed=limits.seed, budget=budget, backend=backend)
            better[valid], costs[valid] = xp.asarray(found.tours), xp.asarray(found.costs)
        return ImprovedRows(better, costs, valid)

    def construction(self, problem: Any) -> str | None:
        """Return the name of the construction for operators; by default, that of `solve`."""
        return self._usual(problem).start

    def some_rows(self, problem: Any, size: int) -> NDArray[np.int32]:
        """Return arbitrary solutions (size, n), for calls that only compile kernels."""
        return np.tile(self.quick_row(problem, Settings(seed=0)), (size, 1))

    def perturbation(self, problem: Any) -> Any | None:
        """Return the default perturbation for operators of frameworks, or None if there is none."""
        return None

    def perturbation_of(self, part: object) -> Any | None:
        """Return an object whose method `perturb` kicks rows as a part does, or None.

        A domain overrides this method if some of its kicks have no method `perturb`.
        """
        return None

    def with_fixed(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return permutations (P, n) with the items that the problem fixes moved to their places.

        Crossovers and kicks that do not read the problem call it, with arrays of the module `xp`.
        By default, nothing is fixed.
        """
        return rows

    def crossover(self, problem: Any) -> Any:
        """Return a crossover whose children are always searched afterwards, or None.

        It has the members `never_worse`, `instance` and `cross` of a `Recombination`.
        """
        return None

    def goes_on(self, search: Any) -> bool:
        """Return whether a search can advance by generations; None means the default search."""
        return search is None or hasattr(search, "population")

    def _usual(self, problem: Any, backend: str = "auto") -> Settings:
        """Return the settings of a `solve` without arguments."""
        return self.settings(problem, Request(Settings(backend=backend), get_backend(backend)))

    def features(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return the features of each row: n distinct numbers, int64 (P, n).

        Two rows are the same solution if and only if they have the same set of features. The more
        features they share, the more similar they are. Unless overridden, a feature is a pair of
        position and value of the canonical row.

        Parameters
        ----------
        problem : Problem
        xp : module
            NumPy or CuPy, the module of the rows.
        rows : integer array, shape (P, n)
            Solutions; not changed.
        """
        written = xp.asarray(problem.canonical(on_host(rows))).astype(xp.int64)
        return (xp.arange(problem.n, dtype=xp.int64) << 32) + written

    def keys(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return a key of each row (P, n), uint64 (P,), equal for the same solutions.

        Different solutions have different keys with overwhelming probability. By default, the keys
        are hashes of the `features`.
        """
        numbers = self.features(problem, xp, rows).astype(xp.uint64)
        return splitmix64(splitmix64(numbers)).sum(axis=1, dtype=xp.uint64)

    # ---- Reporting --------------------------------------------------------------------------

    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        """Return the display of a search's progress."""
        return SearchDisplay(
            problem.name, settings.seconds, problem.optimum, published=problem.published
        )

    def facts(self, problem: Any, result: Result) -> dict[str, Any]:
        """Return facts about a problem and its best row, as plain numbers."""
        return {"variables": problem.n, "feasible": bool(result.best_feasible)}

    def size(self, found: Mapping[str, Any]) -> str:
        """Return a description of the size of a problem, from the facts of a solve."""
        return f"{found['variables']:,} variables"

    def lines(self, found: Mapping[str, Any], gap: str) -> dict[str, str | None]:
        """Return lines about the best row and its `gap`, keyed by the first word of each line.

        Costs in `found` are as `Problem.published` returns them.
        """
        mean = f"{cost_text(found['mean_cost'])} over {found['population']:,} rows"
        return {"best": f"{cost_text(found['best_cost'])}{gap}", "mean": mean}

    def work(self, found: Mapping[str, Any]) -> dict[str, str | None]:
        """Return lines about the work done, keyed by the first word of each line."""
        return {"moves": f"{found['moves']:,} applied", "kicks": f"{found['kicks']:,}"}

    def stopped_by(self, reason: str) -> str:
        """Return the reason why a search ended, worded for the user."""
        return reason

    def missed(self, problem: Any, result: Result) -> str:
        """Return the goal that a feasible result has missed; by default, an empty string."""
        return ""

    def outputs(self) -> Mapping[str, Output]:
        """Return the writers of outputs of ``gpu-ls solve``, by option.

        Options are "tour", "out", "plot", "schedule" and "gantt".
        """
        return {}

    def draw(self, problem: Any, rows: NDArray[Any], axes: Any) -> None:
        """Draw rows (P, n) on axes of Matplotlib.

        Raises
        ------
        UnsupportedProblemError
            The domain has no drawing, which is the default.
        """
        raise UnsupportedProblemError(
            f"plot: solutions of {problem!r:.80} cannot be drawn; leave the plot out"
        )

    def plot(
        self, problem: Any, row: Any, path: str | os.PathLike[str] | None, title: str = ""
    ) -> Figure:
        """Return a figure of one row; write it to `path` if that is not None."""
        rows = problem.check(row, parameter="row")
        require_image(path)
        figure = image_figure(8, 8)
        self.draw(problem, rows[:1], figure.add_subplot(title=title))
        return saved(figure, path)

    def chart(
        self, problem: Any, row: Any, path: str | os.PathLike[str] | None, title: str = ""
    ) -> Figure:
        """Return a Gantt chart of the schedule of one row; write it to `path` if that is not None.

        Raises
        ------
        UnsupportedProblemError
            Rows have no schedules, which is the default.
        """
        raise UnsupportedProblemError(
            f"plot: {problem!r:.80} has no schedule to draw; leave the chart out"
        )

    # ---- The command line -------------------------------------------------------------------

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add to ``gpu-ls solve`` the options that the domain's kinds of files name."""

    def commands(self) -> Mapping[str, Command]:
        """Return commands that the domain adds to ``gpu-ls``, by name."""
        return {}

    def another_question(self, problem: Any, options: argparse.Namespace) -> AnotherQuestion | None:
        """Return the question that `options` ask, or None if they ask for the cheapest solution."""
        return None


def _valid(problem: Any, rows: Any) -> NDArray[np.bool_]:
    """Return which rows (P, n) are solutions of a problem."""

    def passes(some: Any) -> bool:
        try:
            problem.check(some)
        except InvalidTourError:
            return False
        return True

    host = on_host(rows)
    if passes(host):
        return np.ones(len(host), np.bool_)
    return np.array([passes(row[None]) for row in host])


@cache
def _made(factory: Callable[[], Domain]) -> Domain:
    return factory()


def domains() -> list[Domain]:
    """Return all domains, the built-in ones first.

    Raises
    ------
    FaultyPartError
        A domain cannot be created; the message names its plugin.
    """
    return of_each(lambda domain: domain)


def of_each(ask: Callable[[Domain], Answer]) -> list[Answer]:
    """Return the result of `ask` for each domain.

    Raises
    ------
    FaultyPartError
        A domain raises an error; the message names its plugin.
    """
    return [_answer(part, ask) for part in registry.parts("domain")]


def _answer(part: Part, ask: Callable[[Domain], Answer]) -> Answer:
    try:
        return ask(_made(part.factory))
    except GpuLsError:
        raise
    except Exception as error:
        raise FaultyPartError(
            f"domain: {part.name!r} of plugin {part.owner!r}: {error!r}; set "
            f"GPU_LS_DISABLE_PLUGINS={part.owner} to leave the plugin out"
        ) from error


def domain_of(problem: Any) -> Domain:
    """Return the domain of a problem; if there are several, the one registered last.

    Raises
    ------
    InvalidTypeError
        No domain serves it.
    """
    for domain in reversed(domains()):
        if domain.serves(problem):
            return domain
    raise InvalidTypeError(
        f"problem: {problem!r:.80} is not a TSP; make one with TSP(coordinates), "
        "TSP.from_matrix(matrix) or TSP.read(path), or convert a problem of pymoo: tours with "
        "gpu_ls_pymoo.as_tsp(problem), flow shops and other permutations with "
        f"gpu_ls_pymoo.as_sequence(problem); no installed domain serves it. {OWN_OBJECTIVE}"
    )


def first_rows(
    problem: Any,
    size: int,
    start: str | None,
    *,
    seed: int | None,
    backend: str,
    rows: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """Return up to `size` given rows, followed by constructed or empty rows if there are fewer."""
    given = np.empty((0, problem.n), np.int32) if rows is None else rows[:size]
    missing = size - len(given)
    if not missing:
        return given.copy()
    empty = domain_of(problem).empty_rows(problem)
    if empty is not None:
        return np.concatenate([given, np.tile(empty.astype(np.int32), (missing, 1))])
    construct = registry.lookup("construction", str(start))
    try:
        made: NDArray[np.int32] = construct(problem, size=missing, seed=seed, backend=backend)
    except InvalidTypeError as error:
        raise InvalidParameterError(
            f"start: {start!r} does not suit {problem!r:.80}; leave it out to start from "
            f"{domain_of(problem).construction(problem)}"
        ) from error
    return np.concatenate([given, made]) if len(given) else made


def first_row(problem: Any, start: str | None, backend: str) -> NDArray[np.int32]:
    """Return one row (1, n), constructed for a copy, so that the problem itself caches nothing."""
    copy = pickle.loads(pickle.dumps(problem))
    return first_rows(copy, 1, start, seed=0, backend=backend)
