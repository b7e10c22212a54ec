"""The command ``gpu-ls warm-up``."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend, library_cache, ready_made
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.core.exceptions import InvalidParameterError

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager

ABOUT = """\
Makes the default calls (solve, local search, operators of frameworks) on small problems, so that
later calls find their kernels in the cache. Run it when you build an image, or once on each
machine of a cluster. Kernels that the installed wheel contains ready-made are not compiled.
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options to `gpu-ls warm-up`."""
    command.description = ABOUT
    add = command.add_argument
    add("--all", action="store_true", help="all kinds of problems, not only the usual ones")
    add("--only", metavar="WORD", default="", help="only calls with this in their name, as shown")
    add("--backend", choices=("auto", "cpu", "cuda"), default="auto", help="device to warm up")
    add(
        "--into",
        type=Path,
        metavar="FOLDER",
        help="write ready-made programs for a wheel here instead of filling the cache",
    )
    add(
        "--levels",
        nargs="+",
        choices=tuple(ready_made.LEVELS),
        metavar="LEVEL",
        help=f"levels of processors for --into (default: {', '.join(ready_made.LEVELS)})",
    )


def warm(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Make the default calls; return facts about them, and what went wrong."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    from gpu_ls_plugin.defaults.warm_up import warm_up

    if options.levels is not None and options.into is None:
        raise InvalidParameterError("levels: they are for ready-made programs; give --into, too")
    backend = get_backend("cpu" if options.into else options.backend).name
    text = TextColumn("{task.description}  {task.fields[compiled]}")
    console = Console(stderr=True)
    shown = compilations.displayed() if console.is_terminal else nullcontext()
    bar = Progress(SpinnerColumn(), MofNCompleteColumn(), text, console=console)
    with shown, _made(options), bar as progress:
        task = progress.add_task("begins", compiled=compilations)

        def show(name: str, done: int, count: int) -> None:
            progress.update(task, description=name, completed=done, total=count)

        failures = warm_up(backend, everything=options.all, only=options.only, show=show)
    place = options.into or library_cache.cache_folder()
    return {"backend": backend, "folder": str(place), "failures": len(failures)}, failures


def _made(options: argparse.Namespace) -> AbstractContextManager[None]:
    """Return a context in which programs are compiled into the folder of the options."""
    if options.into is None:
        return nullcontext()
    from gpu_ls_plugin.defaults.making import Maker

    return ready_made.using(Maker(options.into, options.levels or tuple(ready_made.LEVELS)))


def report(failures: list[str]) -> None:
    """Print what went wrong to stderr."""
    for failure in failures:
        print(f"gpu-ls: error: {failure}", file=sys.stderr)
