"""Files that a solve leaves behind: checked before there is anything to write, and never lost."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.files import check_writable, image_format, is_packed, open_descriptor
from gpu_ls_plugin.core.progress import cost_text
from gpu_ls_plugin.routes.plan.drawing import plot_routes
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.tours.plan.drawing import coordinates, plot_tour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Output:
    """A kind of file: what a problem or a name must not be like, and what writes it."""

    check: Callable[[Any, Path], object]
    save: Callable[[Any, Result, Path], object]


@dataclass(frozen=True)
class Saved:
    """What became of an output: where it was written, if anywhere, and what went wrong before."""

    name: str
    path: Path | None
    error: str = ""


def check_all(problem: Problem, source: Path, paths: Mapping[str, Path]) -> None:
    """Raise, before any work is done, where files could not be written afterwards.

    `paths` are by the names of `OUTPUTS`; none may replace `source`, the file of the problem.
    """
    for name, path in paths.items():
        _output(problem, name).check(problem, path)
    _check_different(source, paths)
    for path in paths.values():
        check_writable(path)


def save_all(problem: Problem, result: Result, paths: Mapping[str, Path]) -> Iterator[Saved]:
    """Write files one by one; what cannot be written goes to a temporary or the current folder."""
    for name, path in paths.items():
        try:
            _output(problem, name).save(problem, result, path)
            yield Saved(name, path)
        except BrokenPipeError:  # its reader has seen enough
            yield Saved(name, None)
        except Exception as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            yield Saved(name, _save_elsewhere(problem, result, name, path), reason)


def _save_elsewhere(problem: Problem, result: Result, name: str, path: Path) -> Path | None:
    """Write an output to a new folder under a plain name; return where, None if nowhere."""
    ending = ".json.gz" if path.name.lower().endswith(".json.gz") else path.suffix
    for place in (None, os.curdir):  # None: where temporary files are
        folder = None
        try:
            folder = Path(tempfile.mkdtemp(prefix="gpu-ls-", dir=place))
            _output(problem, name).save(problem, result, folder / f"{name}{ending}")
            return folder / f"{name}{ending}"
        except Exception:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
    return None


def _check_different(source: Path, paths: Mapping[str, Path]) -> None:
    """Raise where a file would take the place of another; open files are continued."""
    taken = {_identity(source): ("the problem", False)}
    for name, path in paths.items():
        identity, continued = _identity(path), open_descriptor(path) is not None
        other, too = taken.get(identity, ("", False))
        if other and identity is not None and not (continued and too):
            raise InvalidParameterError(
                f"{name}: {path} is the file of {other} as well; give it another name"
            )
        taken[identity] = (f"--{name}", continued)


def _identity(path: Path) -> tuple[int, int] | str | None:
    """Return what two names of one file have in common; None for what cannot be replaced."""
    try:
        found = path.stat()
    except OSError:
        return os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _output(problem: Problem, name: str) -> Output:
    """Return what writes a kind of file for a kind of problem."""
    if isinstance(problem, Assignment):
        return (OUTPUTS | ASSIGNMENT_OUTPUTS)[name]
    return (OUTPUTS | ROUTE_OUTPUTS if isinstance(problem, CVRP) else OUTPUTS)[name]


def _refuse_ending(path: Path, ending: str, reason: str) -> None:
    if path.suffix.lower() == ending:
        raise InvalidParameterError(f"tour: {path.name!r} is the name of a file of {reason}")


def _refused(reason: str) -> Output:
    """Return an output that a kind of problem does not have."""

    def check(problem: Assignment, path: Path) -> None:
        raise InvalidParameterError(reason)

    return Output(check, lambda problem, result, path: None)


def _check_plot(problem: TSP, path: Path) -> None:
    coordinates(problem)
    image_format(path)


def _save_plot(problem: TSP, result: Result, path: Path) -> None:
    title = f"{problem.name}: {cost_text(result.best_cost)}"
    plot_tour(problem, result.best_tour, path, title=title)


def _save_curve(problem: Problem, result: Result, path: Path) -> None:
    result.plot(path, optimum=problem.optimum if (problem.optimum or 0) > 0 else None)


TOUR = Output(
    lambda problem, path: _refuse_ending(
        path, ".sol", "routes, but the problem has tours; name it .tour"
    ),
    lambda problem, result, path: problem.write_tour(path, result.best_tour),
)
OUTPUTS = {
    "tour": TOUR,
    "out": TOUR,
    "plot": Output(_check_plot, _save_plot),
    "curve": Output(lambda problem, path: image_format(path), _save_curve),
    "history": Output(
        lambda problem, path: None, lambda problem, result, path: result.save_history(path)
    ),
    "result": Output(
        lambda problem, path: is_packed(path), lambda problem, result, path: result.save(path)
    ),
}
ROUTES = Output(
    lambda problem, path: _refuse_ending(
        path, ".tour", "a tour, but the problem has routes; name it .sol"
    ),
    lambda problem, result, path: problem.write_solution(result.best_tour, path),
)
ROUTE_OUTPUTS = {  # in place of those
    "tour": ROUTES,
    "out": ROUTES,
    "plot": Output(
        lambda problem, path: _check_plot(problem.nodes, path),
        lambda problem, result, path: plot_routes(problem, result.best_tour, path),
    ),
}
ASSIGNMENT_OUTPUTS = {
    "tour": _refused(
        "tour: assignment problems have no tours; --out writes the best solution of any problem"
    ),
    "plot": _refused("plot: solutions of assignment problems are not drawn; leave it out"),
    "out": Output(
        lambda problem, path: None,
        lambda problem, result, path: problem.write_solution(result.best_tour, path),
    ),
}
