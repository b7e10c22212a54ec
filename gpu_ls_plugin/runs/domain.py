"""A domain: a kind of problem, and all that the clients of every kind ask of it."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.backends.batch_size import batch_size
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    GpuLsError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.figures import require_image, saved
from gpu_ls_plugin.core.files import image_figure
from gpu_ls_plugin.core.progress import SearchDisplay, cost_text
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.splitmix import splitmix64
from gpu_ls_plugin.runs.plan import Stage
from gpu_ls_plugin.runs.request import Request
from gpu_ls_plugin.runs.settings import Settings

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

Answer = TypeVar("Answer")

DEAR = 2.0**50  # more than any row costs, if no bound is known
# How well a file's content fits a kind of file.
NO = 0
MAYBE = 1
SURE = 2


@dataclass
class Content:
    """The content of a file whose kind is to be found.

    Attributes
    ----------
    path : Path
    data : bytes
        Without the mark of the byte order.
    found : dict
        Findings of one kind that another kind can use.
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
        What ``gpu-ls solve --kind`` calls it.
    title : str
        The problem in it, for messages.
    read : callable
        ``read(path, *, optimum, **options)`` returns the problem.
    fits : callable
        Takes a `Content`; returns `SURE`, `MAYBE` or `NO`.
    suffixes : tuple of str
        That break ties, such as ``".vrp"``.
    options : tuple of str
        Names of the options that only this kind has.
    """

    name: str
    title: str
    read: Callable[..., Problem]
    fits: Callable[[Content], int]
    suffixes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Output:
    """A kind of file that a solve leaves behind.

    Attributes
    ----------
    check : callable
        Takes the problem and the path; raises if such a problem cannot be written so.
    save : callable
        Takes the problem, the result and the path.
    """

    check: Callable[[Any, Path], object]
    save: Callable[[Any, Result, Path], object]


@dataclass(frozen=True)
class Command:
    """A command of ``gpu-ls`` that a domain brings.

    Attributes
    ----------
    help : str
        One sentence.
    add_options : callable
        Takes the parser of the command.
    run : callable
        Takes the parsed options; returns what is printed as JSON, and as text.
    """

    help: str
    add_options: Callable[[argparse.ArgumentParser], object]
    run: Callable[[argparse.Namespace], tuple[dict[str, object], str]]


class AnotherQuestion(ABC):
    """What ``gpu-ls solve`` may be asked in place of the best solution of a problem.

    Attributes
    ----------
    refusal : str
        Why it is not asked of islands.
    """

    refusal: ClassVar[str]

    @abstractmethod
    def solve(self, problem: Any, settings: Settings, callback: Callback | None) -> Result:
        """Return the answer; `Result.problem` is the problem that its rows solve."""

    @abstractmethod
    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        """Return what shows the progress."""

    @abstractmethod
    def facts(self, problem: Any, optimum: float | None) -> dict[str, Any]:
        """Return what there is to say of the answer, as plain numbers."""


class Domain(ABC):
    """A kind of problem, registered as a part of the kind "domain".

    A client has a problem and asks `domain_of` for its domain. Only `problems`, `settings` and
    `stages` must be given: the other methods have defaults that suit rows of any kind.

    Attributes
    ----------
    name : str
    rows : str
        Word for its rows.
    permutations : bool
        Whether all its rows are permutations of 0..n-1.
    problems : tuple of type
        Classes of the problems that it serves.
    """

    name: ClassVar[str]
    rows: ClassVar[str] = "rows"
    permutations: ClassVar[bool] = False
    problems: tuple[type[Problem], ...] = ()

    def serves(self, problem: Problem) -> bool:
        """Return whether a problem is of this domain."""
        return isinstance(problem, self.problems)

    # ---- Reading ----------------------------------------------------------------------------

    def files(self) -> Sequence[FileKind]:
        """Return the kinds of files that hold its problems."""
        return ()

    def of_array(self, array: NDArray[Any]) -> Problem | None:
        """Return the problem that an array stands for, None if it stands for none."""
        return None

    # ---- Solving ----------------------------------------------------------------------------

    @abstractmethod
    def settings(self, problem: Any, request: Request) -> Settings:
        """Return settings that leave nothing open: search, population and start.

        Raises
        ------
        InvalidParameterError
            The search or the start that was asked for is not for such a problem.
        """

    def divided(self, problem: Any, given: Settings, chosen: Settings) -> Settings:
        """Return complete settings, changed if `solve` searches the problem in parts."""
        return chosen

    @abstractmethod
    def stages(self, problem: Any, request: Request, chosen: Settings) -> tuple[Stage, ...]:
        """Return the stages of a run with complete settings."""

    def main_stage(
        self, problem: Any, searched: Any, chosen: Settings, *, flexible: bool = False
    ) -> Stage:
        """Return the stage that has the rest of the time.

        Parameters
        ----------
        problem, searched : Problem
            As results are judged, and as rows are searched.
        chosen : Settings
            Complete.
        flexible : bool
            Whether the search was chosen here, and may be changed if time is short.
        """
        return Stage(
            self.rows,
            self.why(searched, chosen) if flexible else "as it was asked for",
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
        """Return why the settings that were chosen suit a problem, in a clause."""
        return "the default search of such problems"

    def prepare(self, stage: Stage, backend: str) -> None:
        """Compile what a stage needs."""
        batch_size(get_backend(backend), stage.searched.n, stage.size, name="population")
        if hasattr(stage.search, "prepare"):  # others compile when they are called
            stage.search.prepare(stage.searched, backend=backend)

    def ready(self, stage: Stage, backend: str, watch: Stopwatch) -> Any:
        """Return the search of a stage, with what it needs of the problem made within the time."""
        return stage.search

    def empty_rows(self, problem: Any) -> NDArray[np.int32] | None:
        """Return a row (n,) from which searches start, None if constructions make the starts."""
        return None

    def completed(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return starts of a search that was interrupted as solutions."""
        return rows

    def check_starts(self, problem: Any, rows: Any) -> NDArray[np.int32]:
        """Return rows to start from as an array, or raise as `Problem.check` does."""
        checked: NDArray[np.int32] = problem.check(rows, parameter="tours")
        return checked

    def target(self, problem: Any) -> float | None:
        """Return the cost at which any search of the problem ends, None if there is none."""
        return None

    def asked(self, problem: Any) -> Problem:
        """Return the problem as a person states it, if searches see it in another form."""
        stated: Problem = problem
        return stated

    # ---- Evolving ---------------------------------------------------------------------------

    def for_operators(self, problem: Any) -> Problem:
        """Return the problem as operators of frameworks take it, if they vary and search its rows.

        Raises
        ------
        InvalidTypeError
            They do not.
        """
        taken: Problem = problem
        return taken

    def bounds(self, problem: Any) -> tuple[Any, Any]:
        """Return the least and the highest value in a row, at all positions or at each (n,).

        Frameworks draw and vary rows between them. A domain whose rows are not permutations says
        it itself.

        Raises
        ------
        UnsupportedProblemError
            It does not.
        """
        if self.permutations:
            return 0, problem.n - 1
        raise UnsupportedProblemError(
            f"problem: {problem!r:.80} has rows whose values nobody knows; give its domain, "
            f"{type(self).__name__}, a method bounds(problem)"
        )

    def searched_costs(self, problem: Any, backend: Any, rows: Any) -> Any:
        """Return the costs by which searches compare checked rows of a backend, shape (P,)."""
        return problem.costs_on(backend, rows)

    def fitness(self, problem: Any, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return what rows cost where no row that breaks a constraint may be better than others."""
        costs: NDArray[Any] = problem.cost(rows)
        if problem.constrained:
            costs[~problem.feasible(rows)] += costs.dtype.type(DEAR)
        return costs

    def offspring_search(
        self, problem: Any | None, backend: str = "auto", *, thorough: bool = False
    ) -> Callable[..., Any]:
        """Return what searches the rows of operators that are given no search.

        Unless overridden, it is the search of a `solve`.

        Parameters
        ----------
        problem : Problem or None
            None if it is not known yet.
        backend : str
        thorough : bool
            Whether it is to leave less undone than usual.
        """
        search: Any = self._usual(problem, backend).search
        return search  # type: ignore[no-any-return]

    def construction(self, problem: Any) -> str | None:
        """Return the name of what makes starts of operators; as a `solve` unless overridden."""
        return self._usual(problem).start

    def some_rows(self, problem: Any, size: int) -> NDArray[np.int32]:
        """Return solutions (size, n), whichever, to compile with."""
        row = first_rows(problem, 1, self.construction(problem), seed=0, backend="auto")
        return np.tile(self.completed(problem, row), (size, 1))

    def perturbation(self, problem: Any) -> Any | None:
        """Return what kicks rows that are there already, None if such rows stay as they are."""
        return None

    def crossover(self, problem: Any) -> Any:
        """Return what crosses rows if a search of the children is to follow in any case, or None.

        It has `never_worse`, `instance` and `cross` of a `Recombination`.
        """
        return None

    def goes_on(self, search: Any) -> bool:
        """Return whether a search, None for that of a `solve`, goes on generation by generation."""
        return search is None or hasattr(search, "population")

    def _usual(self, problem: Any, backend: str = "auto") -> Settings:
        """Return what a `solve` without wishes would do."""
        return self.settings(problem, Request(Settings(backend=backend), get_backend(backend)))

    def features(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return what each of the rows (P, n) is made of, as numbers, int64 (P, n).

        Rows are the same solution where they have the same numbers, in any order, and the more of
        these they share, the more are they alike. No row has a number twice. Unless overridden,
        there is one for each position and value of the canonical rows.

        Parameters
        ----------
        problem : Problem
        xp : module
            NumPy or CuPy, whichever the rows belong to.
        rows : integer array, shape (P, n)
            Solutions; not changed.
        """
        written = xp.asarray(problem.canonical(on_host(rows))).astype(xp.int64)
        return (xp.arange(problem.n, dtype=xp.int64) << 32) + written

    def keys(self, problem: Any, xp: Any, rows: Any) -> Any:
        """Return a key for each of the rows (P, n), uint64 (P,), equal for the same solutions.

        Different ones have different keys but for a negligible probability. By default they are
        made of the `features`.
        """
        numbers = self.features(problem, xp, rows).astype(xp.uint64)
        return splitmix64(splitmix64(numbers)).sum(axis=1, dtype=xp.uint64)

    # ---- Telling ----------------------------------------------------------------------------

    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        """Return what shows the progress of a search."""
        return SearchDisplay(problem.name, settings.seconds, problem.optimum)

    def facts(self, problem: Any, result: Result) -> dict[str, Any]:
        """Return what there is to say of a problem and its best row, as plain numbers."""
        return {"variables": problem.n, "feasible": bool(result.best_feasible)}

    def size(self, found: Mapping[str, Any]) -> str:
        """Return how large a problem is, of the facts of a solve."""
        return f"{found['variables']:,} variables"

    def lines(self, found: Mapping[str, Any], gap: str) -> dict[str, str | None]:
        """Return what is printed of the best row and its `gap`, by the first word of the line."""
        mean = f"{cost_text(found['mean_cost'])} over {found['population']:,} rows"
        return {"best": f"{cost_text(found['best_cost'])}{gap}", "mean": mean}

    def work(self, found: Mapping[str, Any]) -> dict[str, str | None]:
        """Return what is printed of the work that was done."""
        return {"moves": f"{found['moves']:,} applied", "kicks": f"{found['kicks']:,}"}

    def stopped_by(self, reason: str) -> str:
        """Return why a search has ended, for a person."""
        return reason

    def missed(self, problem: Any, result: Result) -> str:
        """Return what a feasible result lacks all the same; nothing as a rule."""
        return ""

    def outputs(self) -> Mapping[str, Output]:
        """Return what writes the outputs "tour", "out" and "plot" of ``gpu-ls solve``."""
        return {}

    def draw(self, problem: Any, rows: NDArray[Any], axes: Any) -> None:
        """Draw rows (P, n) on axes of Matplotlib.

        Raises
        ------
        UnsupportedProblemError
            Such solutions are not drawn, which is the default.
        """
        raise UnsupportedProblemError(
            f"plot: solutions of {problem!r:.80} are not drawn; leave the plot out"
        )

    def plot(
        self, problem: Any, row: Any, path: str | os.PathLike[str] | None, title: str = ""
    ) -> Figure:
        """Return a picture of one row, which is written to `path` if that is not None."""
        rows = problem.check(row, parameter="row")
        require_image(path)
        figure = image_figure(8, 8)
        self.draw(problem, rows[:1], figure.add_subplot(title=title))
        return saved(figure, path)

    # ---- The command line -------------------------------------------------------------------

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add options to ``gpu-ls solve``, each named by a `FileKind`."""

    def commands(self) -> Mapping[str, Command]:
        """Return commands of ``gpu-ls`` beside those of all domains, by name."""
        return {}

    def another_question(self, problem: Any, options: argparse.Namespace) -> AnotherQuestion | None:
        """Return what options ask for, if it is not the best solution of the problem."""
        return None


@cache
def _made(factory: Callable[[], Domain]) -> Domain:
    return factory()


def domains() -> list[Domain]:
    """Return all domains, the built-in ones first.

    Raises
    ------
    FaultyPartError
        One cannot be made; its plugin is named.
    """
    return of_each(lambda domain: domain)


def of_each(ask: Callable[[Domain], Answer]) -> list[Answer]:
    """Return what each domain answers.

    Raises
    ------
    FaultyPartError
        One of them raises an error; its plugin is named.
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
    """Return the domain that serves a problem; of several, the one registered last.

    Raises
    ------
    InvalidTypeError
        It is not a problem that any domain serves.
    """
    for domain in reversed(domains()):
        if domain.serves(problem):
            return domain
    raise InvalidTypeError(
        f"problem: {problem!r:.80} is not a TSP; make one by TSP(coordinates), "
        "TSP.from_matrix(matrix) or TSP.read(path), or of a problem of pymoo by "
        "gpu_ls_pymoo.as_tsp(problem); no installed domain serves it"
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
    """Return given rows, filled up to a size with rows of a construction or with empty ones."""
    given = np.empty((0, problem.n), np.int32) if rows is None else rows[:size]
    missing = size - len(given)
    if not missing:
        return given.copy()
    empty = domain_of(problem).empty_rows(problem)
    if empty is not None:
        return np.concatenate([given, np.tile(empty.astype(np.int32), (missing, 1))])
    construct = registry.lookup("construction", str(start))
    made: NDArray[np.int32] = construct(problem, size=missing, seed=seed, backend=backend)
    return np.concatenate([given, made]) if len(given) else made


def first_row(problem: Any, start: str | None, backend: str) -> NDArray[np.int32]:
    """Return one row (1, n), made on a copy: what a problem keeps for its starts counts as time."""
    copy = pickle.loads(pickle.dumps(problem))
    return first_rows(copy, 1, start, seed=0, backend=backend)
