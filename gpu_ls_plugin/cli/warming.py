"""The command ``gpu-ls warm-up``."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend, library_cache, ready_made, standing_in
from gpu_ls_plugin.cli import doctor
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.core.exceptions import InvalidParameterError

if TYPE_CHECKING:
    import argparse

ABOUT = """\
Make the default calls (solve, local search, operators of frameworks) on small problems, so that
later calls find their kernels in the cache. Run it when you build an image, or once on each
machine of a cluster. Without ready-made kernels from a wheel, that takes some minutes on two cores.
Other calls still compile when they are first made: kernels of flow shops, for example, depend on
the number of machines, and on whether times are integers.
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options to `gpu-ls warm-up`."""
    command.description = ABOUT
    add = command.add_argument
    add("--all", action="store_true", help="all kinds of problems, not only the usual ones")
    add(
        "--only",
        metavar="WORD",
        default="",
        help="only calls with this in their name: tours, solve, ...",
    )
    add("--backend", choices=("auto", "cpu", "cuda"), default="auto", help="device to warm up")
    add(
        "--into",
        type=Path,
        metavar="FOLDER",
        help="write ready-made programs for a wheel here instead of filling the cache",
    )
    add(
        "--levels",
        nargs="*",
        choices=tuple(ready_made.LEVELS),
        metavar="LEVEL",
        help=f"levels of processors for --into (default: {' '.join(ready_made.USUAL_LEVELS)})",
    )
    known = " ".join(map(str, ready_made.ARCHITECTURES))
    add(
        "--arch",
        nargs="*",
        type=int,
        choices=ready_made.ARCHITECTURES,
        metavar="N",
        help=f"architectures of GPUs for --into; needs CuPy, but no GPU (default: {known})",
    )


def warm(options: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Make the default calls; return facts about them, and what went wrong."""
    if options.into is not None:
        failures = _make(options)
        return {"folder": str(options.into), "failures": len(failures)}, failures
    if (options.levels, options.arch) != (None, None):
        raise InvalidParameterError("levels, arch: they are for ready-made programs of --into")
    backend = get_backend(options.backend).name
    failures = _shown(options, backend, backend)
    place = doctor.cuda_programs() if backend == "cuda" else library_cache.cache_folder()
    return {"folder": str(place), "failures": len(failures)}, failures


def _make(options: argparse.Namespace) -> list[str]:
    """Compile programs into the folder of the options; return what went wrong."""
    from gpu_ls_plugin.defaults.making import Maker
    from gpu_ls_plugin.defaults.rehearsal import Rehearsal

    levels = ready_made.USUAL_LEVELS if options.levels is None else tuple(options.levels)
    maker, failures = Maker(options.into, levels), []
    if levels:
        with ready_made.using(maker):
            failures += _shown(options, "cpu", "libraries")
    for arch in ready_made.ARCHITECTURES if options.arch is None else options.arch:
        rehearsal = Rehearsal(arch)
        with standing_in(rehearsal):
            failures += _shown(options, "cuda", f"kernels of sm_{arch}")
        maker.make_cubins(rehearsal.kernels, arch)
    return failures


def _shown(options: argparse.Namespace, backend: str, what: str) -> list[str]:
    """Make the calls on a backend and show which; return what went wrong."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    from gpu_ls_plugin.defaults.warm_up import warm_up

    text = TextColumn("{task.description}  {task.fields[compiled]}")
    console = Console(stderr=True)
    shown = compilations.displayed() if console.is_terminal else nullcontext()
    with shown, Progress(SpinnerColumn(), MofNCompleteColumn(), text, console=console) as progress:
        task = progress.add_task(what, compiled=compilations)

        def show(name: str, done: int, count: int) -> None:
            progress.update(task, description=f"{what}: {name}", completed=done, total=count)

        return warm_up(backend, everything=options.all, only=options.only, show=show)


def report(failures: list[str]) -> None:
    """Print what went wrong to stderr."""
    for failure in failures:
        print(f"gpu-ls: error: {failure}", file=sys.stderr)
