"""The command line: ``gpu-ls solve | plugins | operators | doctor | compile-check``.

Results go to stdout, progress and errors to stderr. Exit codes: 0 success, 1 a check found
something wrong, 2 bad input, 130 interrupted (with the best tour written all the same).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import reports
from gpu_ls_plugin.exceptions import GpuLsError
from gpu_ls_plugin.plugin_info import distribution_version
from gpu_ls_plugin.plugins import plugins
from gpu_ls_plugin.registry import registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Result
    from gpu_ls_plugin.solver import Settings

SEARCHES = """\
searches:
  Neighbourhoods, joined by +, then candidates and a pivoting rule, each after a /; names and their
  arguments are those that gpu-ls operators lists. What is missing is at its default.

    two_opt+or_opt(2)/quadrant(10)/first
    two_opt+or_opt            on nearest(10) with first
    lin_kernighan             on alpha(5) with first
    or_opt/quadrant(8)|nearest(5)
    three_opt/random_k(1000)  over all cities
    "filtered_neighbourhood(three_opt, gain_bound & ~dont_look | radius(100))"
                              over all cities with best; filters join by &, | and ~
    "LocalSearch([TwoOpt()], candidates=All(), pivoting=Best(), moves_per_pass=8)"

  Such a search repairs the tours that were kicked. The search around it can be written, too:

    "iterated_local_search(lin_kernighan(3)/alpha(5), double_bridge(50), better)"
    "IteratedLocalSearch(two_opt+or_opt, accept=Threshold(0.1), cooperation=Migration(0.5))"
"""

OK, FOUND_WRONG, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("gpu-ls: interrupted before there was a result", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (GpuLsError, OSError, MemoryError) as error:
        if options.debug:
            raise
        print(f"gpu-ls: error: {_message(error)}", file=sys.stderr)
        return BAD_INPUT


def solve(options: argparse.Namespace) -> int:
    """Search for a short tour of a TSPLIB file and write what was found."""
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.progress import SearchDisplay
    from gpu_ls_plugin.solver import Settings, default_settings
    from gpu_ls_plugin.solver import solve as search

    problem = TSP.read(options.file, optimum=options.optimum)
    settings = Settings(
        seconds=options.seconds,
        population=options.population,
        seed=options.seed,
        start=options.start,
        backend=options.backend,
        target=options.optimum,
        search=options.search,
        kicks=options.kicks,
        moves=options.moves,
    )
    _check_outputs(problem, options)
    settings = default_settings(problem, settings)
    title = problem.name or options.file.stem
    with SearchDisplay(title, settings.seconds, problem.optimum) as display:
        result = search(problem, settings, display)
    try:
        _write_outputs(problem, result, options)
    finally:
        _report_solve(problem, settings, result, options)
    return INTERRUPTED if result.statistics.interrupted else OK


def _check_outputs(problem: TSP, options: argparse.Namespace) -> None:
    """Find out before the search, not after it, what could not be written."""
    from gpu_ls_plugin import outputs

    if options.plot is not None:
        outputs.check_plottable(problem, options.plot)
    for path, check in (
        (options.tour, outputs.check_writable),
        (options.curve, outputs.check_drawable),
        (options.history, outputs.check_writable),
        (options.result, outputs.check_result),
    ):
        if path is not None:
            check(path)


def _write_outputs(problem: TSP, result: Result, options: argparse.Namespace) -> None:
    from gpu_ls_plugin import outputs
    from gpu_ls_plugin.progress import cost_text

    if options.tour is not None:
        outputs.save_tour(problem, result.best_tour, options.tour)
    if options.plot is not None:
        title = f"{problem.name or options.file.stem}: {cost_text(result.best_cost)}"
        outputs.save_plot(problem, result.best_tour, options.plot, title)
    if options.curve is not None:
        optimum = problem.optimum if problem.optimum and problem.optimum > 0 else None
        result.plot(options.curve, optimum=optimum)
    if options.history is not None:
        result.save_history(options.history)
    if options.result is not None:
        result.save(options.result)


def _report_solve(
    problem: TSP, settings: Settings, result: Result, options: argparse.Namespace
) -> None:
    files = {f"{name}_file": getattr(options, name) for name in reports.FILES}
    summary = reports.summary(problem, settings, result) | {
        "file": str(options.file),
        **{key: str(path) for key, path in files.items() if path is not None},
    }
    if options.json:
        _print_json(summary | {"best_tour": result.best_tour.tolist()})
    else:
        reports.print_summary(summary)


def list_plugins(options: argparse.Namespace) -> int:
    """List plugins with what they register and why they do not load."""
    infos = plugins.infos()
    if options.json:
        _print_json([reports.plugin_row(info) for info in infos])
    else:
        reports.print_plugins(infos)
    return OK


def list_operators(options: argparse.Namespace) -> int:
    """List all registered parts by kind."""
    rows = [reports.operator_row(part) for part in registry.parts()]
    if options.json:
        _print_json(rows)
    else:
        reports.print_operators(rows)
    return OK


def examine(options: argparse.Namespace) -> int:
    """Report versions, compiler, GPU and caches; wrong if no backend can search."""
    from gpu_ls_plugin import doctor

    findings = doctor.examine()
    if options.json:
        _print_json([finding.as_dict() for finding in findings])
    else:
        reports.print_findings(findings)
    return OK if doctor.can_search(findings) else FOUND_WRONG


def compile_check(options: argparse.Namespace) -> int:
    """Compile all listed kernels for several architectures; wrong if one fails or spills."""
    from gpu_ls_plugin.backends import compile_check as check
    from gpu_ls_plugin.searches.instantiations import instantiations

    kernels = [*instantiations(), *plugins.kernel_sources()]
    if options.part is not None:
        kernels = [kernel for kernel in kernels if options.part in check.parts(kernel)]
    rows = check.check(kernels, options.arch or check.ARCHITECTURES, everything=options.all)
    if options.json:
        _print_json([row.as_dict() for row in rows])
    else:
        reports.print_kernels(rows)
    return OK if rows and all(row.passed for row in rows) else FOUND_WRONG


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpu-ls", description="Local search on the GPU for batches of tours."
    )
    version = distribution_version("gpu-ls-plugin") or "(not installed)"
    parser.add_argument("--version", action="version", version=f"gpu-ls {version}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON to stdout")
    common.add_argument("--debug", action="store_true", help="show where an error comes from")

    def add(name: str, run: Any) -> argparse.ArgumentParser:
        text = run.__doc__.partition("\n")[0]
        command = commands.add_parser(name, parents=[common], help=text, description=text)
        command.set_defaults(run=run)
        return command

    _add_solve_options(add("solve", solve))
    add("plugins", list_plugins)
    add("operators", list_operators)
    add("doctor", examine)
    command = add("compile-check", compile_check)
    command.add_argument(
        "--arch", type=int, nargs="+", metavar="N", help="architectures (default: 75 80 90 100)"
    )
    command.add_argument("--part", metavar="NAME", help="only kernels that hold this part")
    command.add_argument(
        "--all", action="store_true", help="every kernel for every architecture, not only for 90"
    )
    return parser


def _add_solve_options(command: argparse.ArgumentParser) -> None:
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.epilog = SEARCHES
    add = command.add_argument
    add("file", type=Path, metavar="FILE", help="TSPLIB file (.tsp)")
    add(
        "--seconds",
        type=float,
        default=10.0,
        help="time without compiling (default: 10, inf: no limit)",
    )
    add("--population", type=int, metavar="N", help="tours (default: what keeps the device busy)")
    add(
        "--search",
        metavar="TEXT",
        help="see below (default: lin_kernighan(3)/alpha(5), or three_opt+or_opt/nearest(10) where "
        "lengths are asymmetric; quicker candidates where time is short)",
    )
    add("--kicks", type=int, metavar="N", help="kicks per tour at most")
    add("--moves", type=int, metavar="N", help="improving moves per tour at most")
    add("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    add("--backend", choices=("auto", "cpu", "cuda"), default="auto", help="where to search")
    add(
        "--start",
        metavar="NAME",
        help="construction of the first tours (default: random_tours where tours are crossed, else "
        "nearest_neighbour, from 10,000 cities on greedy; see gpu-ls operators)",
    )
    add("--optimum", type=_cost, metavar="COST", help="show the gap to it, stop when reached")
    add("--tour", type=Path, metavar="FILE", help="write the best tour here (TSPLIB)")
    add("--plot", type=Path, metavar="FILE", help="draw the best tour here (.png, .svg, .pdf)")
    add("--curve", type=Path, metavar="FILE", help="draw the costs over time here")
    add("--history", type=Path, metavar="FILE", help="write the costs over time here (.csv)")
    add("--result", type=Path, metavar="FILE", help="write all tours here (.json, .json.gz)")


def _cost(text: str) -> float:
    """An integer where the text is one, so that integer costs are shown as such."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def _print_json(content: object) -> None:
    print(json.dumps(content, indent=2, default=str))
