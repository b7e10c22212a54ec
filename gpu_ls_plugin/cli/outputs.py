"""The output files of `gpu-ls solve`: checked before the search, so that no result is lost."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import require_image
from gpu_ls_plugin.core.files import atomically, check_writable, is_packed, open_descriptor
from gpu_ls_plugin.drawing.pictures import plot_solution
from gpu_ls_plugin.runs.domain import Output, domain_of, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result


@dataclass(frozen=True)
class Saved:
    """An output after the search.

    `path` is None if the output is lost; `error` is the error of the first attempt to write it.
    """

    name: str
    path: Path | None
    error: str = ""


def check_all(problem: Problem, source: Path, paths: Mapping[str, Path]) -> None:
    """Raise before the search if a file could not be written after it.

    The keys of `paths` are those of `OUTPUTS`; no path may replace `source`, the problem's file.
    """
    for name, path in paths.items():
        _output(problem, name).check(problem, path)
    _check_different(source, paths)
    for path in paths.values():
        check_writable(path)


def save_all(problem: Problem, result: Result, paths: Mapping[str, Path]) -> Iterator[Saved]:
    """Write each file; if that fails, write it to the temporary or the current folder."""
    for name, path in paths.items():
        try:
            _output(problem, name).save(problem, result, path)
            yield Saved(name, path)
        except BrokenPipeError:  # the reader has closed the pipe
            yield Saved(name, None)
        except Exception as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            yield Saved(name, _save_elsewhere(problem, result, name, path), reason)


def _save_elsewhere(problem: Problem, result: Result, name: str, path: Path) -> Path | None:
    """Write an output to a new folder; return its path, or None if that also fails."""
    ending = ".json.gz" if path.name.lower().endswith(".json.gz") else path.suffix
    for place in (None, os.curdir):  # None: the folder of temporary files
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
    """Raise if a file would replace another one; several outputs may go to one open descriptor."""
    taken = {_identity(source): ("the problem", False)}
    for name, path in paths.items():
        identity, continued = _identity(path), open_descriptor(path) is not None
        other, too = taken.get(identity, ("", False))
        if other and identity is not None and not (continued and too):
            raise InvalidParameterError(
                f"{name}: {path} is the file of {other} as well; choose another name"
            )
        taken[identity] = (f"--{name}", continued)


def _identity(path: Path) -> tuple[int, int] | str | None:
    """Return a value that is equal for all names of a file; None if it is not a regular file."""
    try:
        found = path.stat()
    except OSError:
        return os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _output(problem: Problem, name: str) -> Output:
    own = domain_of(problem).outputs()
    return own[name] if name in own else OUTPUTS[name]


def _save_curve(problem: Problem, result: Result, path: Path) -> None:
    result.plot(path, optimum=problem.optimum if (problem.optimum or 0) > 0 else None)


def _write_rows(problem: Problem, result: Result, path: Path) -> None:
    """Write the best row, one number per line; numbers count from 1."""
    with atomically(path) as file:
        file.write_text("".join(f"{value + 1}\n" for value in result.best_tour.tolist()), "utf-8")


ROWS = Output(lambda problem, path: None, _write_rows)
SCHEDULE = "only routes have schedules that can be written; leave the schedule out"
CHART = "only routes and sequences on machines have Gantt charts; leave the chart out"
OUTPUTS = {  # domains may replace some of them
    "tour": ROWS,
    "out": ROWS,
    "schedule": refused(f"schedule: {SCHEDULE}"),
    "plot": Output(
        lambda problem, path: require_image(path),
        lambda problem, result, path: plot_solution(problem, result.best_tour, path),
    ),
    "gantt": refused(f"gantt: {CHART}"),
    "curve": Output(lambda problem, path: require_image(path), _save_curve),
    "history": Output(
        lambda problem, path: None, lambda problem, result, path: result.save_history(path)
    ),
    "result": Output(
        lambda problem, path: is_packed(path), lambda problem, result, path: result.save(path)
    ),
}
