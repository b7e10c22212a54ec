"""The command line: ``gpu-ls solve | generate | report | new | plugins | operators | doctor``,
``warm-up`` and ``compile-check``.

Results go to stdout, progress and errors to stderr. Exit codes: 0 success; 1 the best solution
breaks a constraint, a check failed, or a file was written to another place; 2 bad input; 130
interrupted. Solutions are written unless the exit code is 2.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shlex
import sys
import warnings
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.cli import cluster_options, reports, warming
from gpu_ls_plugin.core.exceptions import GpuLsError, InvalidParameterError
from gpu_ls_plugin.core.feasibility import why_infeasible
from gpu_ls_plugin.core.interrupts import Interrupts
from gpu_ls_plugin.core.registry import KINDS as PART_KINDS
from gpu_ls_plugin.core.registry import near_matches, registry
from gpu_ls_plugin.plugins.info import distribution_version
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import of_each
from gpu_ls_plugin.solver.reading import file_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.progress import SearchDisplay
    from gpu_ls_plugin.core.result import Progress, Result
    from gpu_ls_plugin.runs.domain import Command
    from gpu_ls_plugin.runs.settings import Settings

SEARCHES = """\
searches:
  Write neighbourhoods joined by +, then /candidates and /pivoting rule. If you leave out a part,
  its default is used. "gpu-ls operators" lists all names and their arguments.

    two_opt+or_opt(2)/quadrant(10)/first
    two_opt+or_opt            on nearest(10) with first
    lin_kernighan             on alpha(5) with first
    or_opt/quadrant(8)|nearest(5)
    three_opt/random_k(1000)  over all cities
    "filtered_neighbourhood(three_opt, gain_bound & ~dont_look | radius(100))"
                              over all cities with best; combine filters with &, | and ~
    "LocalSearch([TwoOpt()], candidates=All(), pivoting=Best(), moves_per_pass=8)"

  These searches repair tours after each kick. You can also write the whole iterated search:

    "iterated_local_search(lin_kernighan(3)/alpha(5), double_bridge(50), better)"
    "IteratedLocalSearch(two_opt+or_opt, accept=Threshold(0.1), cooperation=Migration(0.5))"

  Sequence problems (.fsp, .lop) use sequence_search, which takes moves and a kick:

    insertion(3)+swap         with the default kick
    "sequence_search([insertion, swap], destroy_repair(4), better)"

  Assignment problems (.col, gap, .dat) use successor_search:

    "successor_search(share=0.2, release=\'worst\')"
"""

OK, FOUND_WRONG, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

interrupts = Interrupts()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with interrupts:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # file names may not be decodable
                stream.reconfigure(errors="backslashreplace")
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            try:
                parser = _parser()
            except GpuLsError as error:  # raised by a domain
                print(f"gpu-ls: error: {error}", file=sys.stderr)
                return BAD_INPUT
            options, unknown = parser.parse_known_args(arguments)
            if unknown:
                options.parser.refuse(unknown)
            return _run(options)


def _warn(message: Warning | str, *where: object, **more: object) -> None:
    print(f"gpu-ls: warning: {message}", file=sys.stderr)


def _run(options: argparse.Namespace) -> int:
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        interrupts.check()
        return code
    except KeyboardInterrupt:
        print("gpu-ls: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (GpuLsError, OSError, MemoryError) as error:
        if options.debug:
            raise
        print(f"gpu-ls: error: {_message(error)}", file=sys.stderr)
        return BAD_INPUT


def solve(options: argparse.Namespace) -> int:
    """Search for a good solution of the problem in a file, and write it."""
    from gpu_ls_plugin.cli import outputs
    from gpu_ls_plugin.runs.domain import domain_of
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.solver.plans import complete_settings, plan_of
    from gpu_ls_plugin.solver.reading import file_kinds, read_problem
    from gpu_ls_plugin.solver.run import solve

    special = {name for kind in file_kinds().values() for name in kind.options}
    given = {name: getattr(options, name, None) for name in special}
    problem = read_problem(options.file, kind=options.kind, optimum=options.optimum, **given)
    domain = domain_of(problem)
    question = domain.another_question(problem, options)
    settings = Settings(
        seconds=options.seconds,
        population=options.population,
        seed=options.seed,
        start=options.start,
        backend=options.backend,
        target=options.optimum if question or options.optimum is None else problem.optimum,
        search=options.search,
        kicks=options.kicks,
        moves=options.moves,
    )
    if options.plan:
        print(plan_of(problem, settings))
        return OK
    named = ((name, getattr(options, name)) for name in outputs.OUTPUTS)
    paths = {name: path for name, path in named if path is not None}
    outputs.check_all(problem, options.file, paths)
    if cluster_options.asked_for(options):
        if question is not None:
            raise InvalidParameterError(question.refusal)
        settings, result = _solve_on_islands(problem, settings, options)
    else:
        # The search gets the incomplete settings, so that it chooses the stages itself.
        asked, settings = settings, complete_settings(problem, settings)
        search = solve if question is None else question.solve
        display = (domain if question is None else question).display(problem, settings)
        result = _watched(display, partial(search, problem, asked))
    facts: dict[str, Any] = {}
    if question is not None:
        problem = result.problem or problem
        facts = question.facts(problem, options.optimum)
    interrupted = result.statistics.interrupted or interrupts.pending
    interrupts.pending = False  # the search has returned a result
    written: dict[str, Path] = {}
    try:
        complete = _save_outputs(problem, result, paths, written)
    finally:
        _report_solve(problem, settings, result, options, written, facts)
    lost = result.statistics.stopped_by == "lost"  # the cluster was lost
    if lost or not complete or not _keeps_constraints(problem, result):
        return FOUND_WRONG
    return INTERRUPTED if interrupted else OK


def _watched(display: SearchDisplay, search: Callable[..., Result]) -> Result:
    """Return the result of a search, and show its progress while it runs."""
    with display:

        def show(progress: Progress) -> None:
            interrupts.check()
            display(progress)

        interrupts.check()
        return search(show)


def _solve_on_islands(
    problem: Problem, settings: Settings, options: argparse.Namespace
) -> tuple[Settings, Result]:
    """Return the settings of the first island, and the result of all islands."""
    from gpu_ls_plugin.distributed.progress import IslandView
    from gpu_ls_plugin.runs.domain import domain_of

    chosen: dict[int, Any] = {}
    display = domain_of(problem).display(problem, settings)
    display.view = IslandView(problem.published)

    def search(show: Callable[[Progress], None]) -> Result:
        with cluster_options.opened_islands(options) as islands:
            return islands.solve(problem, settings, show, chosen.update)

    result = _watched(display, search)
    return chosen[0].settings, result


def _keeps_constraints(problem: Problem, result: Result) -> bool:
    """Return whether the best solution is feasible; print an error if it is not."""
    from gpu_ls_plugin.runs.domain import domain_of

    if not result.best_feasible:
        reason = f"no feasible solution was found; {why_infeasible(result)}"
    else:
        reason = domain_of(problem).missed(problem, result)
    if not reason:
        return True
    print(f"gpu-ls: error: {reason}", file=sys.stderr)
    return False


def _save_outputs(
    problem: Problem, result: Result, paths: dict[str, Path], written: dict[str, Path]
) -> bool:
    """Write files, add them to `written`, and return whether each is at its requested path."""
    from gpu_ls_plugin.cli import outputs

    complete = True
    for saved in outputs.save_all(problem, result, paths):
        if saved.path is not None:
            written[saved.name] = saved.path
        if saved.error:
            complete = False
            place = "is lost" if saved.path is None else f"is in {saved.path} instead"
            text = f"{paths[saved.name]}: {saved.error}; the {saved.name} {place}"
            print(f"gpu-ls: error: {text}", file=sys.stderr)
    return complete


def _report_solve(
    problem: Problem,
    settings: Settings,
    result: Result,
    options: argparse.Namespace,
    written: dict[str, Path],
    facts: dict[str, Any],
) -> None:
    from gpu_ls_plugin.runs.domain import domain_of

    summary = reports.summary(problem, settings, result) | {
        "file": str(options.file),
        **{f"{name}_file": str(path) for name, path in written.items()},
    }
    summary |= facts
    if options.json:
        _print_json(summary | {"best_tour": result.best_tour.tolist()})
    else:
        reports.print_summary(summary, domain_of(problem))


def _run_own(command: Command, options: argparse.Namespace) -> int:
    facts, text = command.run(options)
    if options.json:
        _print_json(facts)
    else:
        print(text)
    return OK


def report(options: argparse.Namespace) -> int:
    """Write an HTML page about the experiment in a folder."""
    from gpu_ls_plugin.experiments.results import TARGETS, Results

    results = Results.load(options.folder)
    path = options.folder / "report.html" if options.output is None else options.output
    targets = TARGETS if options.targets is None else options.targets
    results.report(path, targets, options.title, options.control)
    table = results.table()
    if options.json:
        content = {"report": str(path), "missing": results.missing, "gaps": table.as_dicts()}
        _print_json(content)
    else:
        print(table)
        print(f"report   {path}")
    return OK


def new(options: argparse.Namespace) -> int:
    """Write a package for a new part of your own, from a template that you can install and run."""
    from gpu_ls_plugin.plugins.new_package import write_package

    folder = write_package(options.name, options.kind, options.into, options.level)
    files = [str(path) for path in sorted(folder.rglob("*")) if path.is_file()]
    place = shlex.quote(str(folder))
    with_tests = shlex.quote(f"{folder}[test]")  # with pytest
    commands = [f"pip install -e {with_tests}", f"python -m pytest {place}"]
    if options.json:
        _print_json({"folder": str(folder), "files": files, "commands": commands})
    else:
        for first, lines in (("written", files), ("next", commands)):
            print(f"{first:9}" + f"\n{'':9}".join(lines))
    return OK


def list_plugins(options: argparse.Namespace) -> int:
    """List plugins, the parts that they register, and the errors in loading them."""
    infos = plugins.infos()
    if options.json:
        _print_json([asdict(info) for info in infos])
    else:
        reports.print_plugins(infos)
    return OK


def list_operators(options: argparse.Namespace) -> int:
    """List the registered parts by kind."""
    rows = [reports.operator_row(part) for part in registry.parts(options.kind)]
    if options.json:
        _print_json(rows)
    else:
        reports.print_operators(rows)
    for name in registry.failed:
        print(f"gpu-ls: plugin {name!r} failed to load: see gpu-ls plugins", file=sys.stderr)
    return OK


def examine(options: argparse.Namespace) -> int:
    """Report versions, compiler, GPU and caches; fail if no backend can search."""
    from gpu_ls_plugin.cli import doctor

    findings = doctor.examine()
    if options.json:
        _print_json([finding.as_dict() for finding in findings])
    else:
        reports.print_findings(findings)
    return OK if doctor.can_search(findings) else FOUND_WRONG


def warm_up(options: argparse.Namespace) -> int:
    """Compile the kernels of default calls ahead, for images and clusters."""
    facts, failures = warming.warm(options)
    warming.report(failures)
    if options.json:
        _print_json(facts)
    else:
        print(f"kernels are in {facts['folder']}")
    return FOUND_WRONG if failures else OK


def compile_check(options: argparse.Namespace) -> int:
    """Compile kernels for several architectures; fail on an error or on spilled registers."""
    from gpu_ls_plugin.backends import compile_check as check
    from gpu_ls_plugin.plugins.instantiations import instantiations

    failures: list[str] = []
    kernels = [*instantiations(), *plugins.kernel_sources(failures.append)]
    for failure in failures:
        print(f"gpu-ls: error: {failure}", file=sys.stderr)
    if options.part is not None:
        kernels = check.holding(kernels, options.part)
    rows = check.check(kernels, options.arch or check.ARCHITECTURES, everything=options.all)
    if options.json:
        _print_json([row.as_dict() for row in rows])
    else:
        reports.print_kernels(rows)
    return OK if rows and not failures and all(row.passed for row in rows) else FOUND_WRONG


class _Parser(argparse.ArgumentParser):
    """A parser whose errors suggest similar words."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(
                action,
                f"invalid choice: {value!r:.80}; {near_matches(value, known)}"
                f"known: {', '.join(known)}",
            )

    def refuse(self, unknown: Sequence[str]) -> None:
        """Exit with an error about unknown arguments."""
        options = [name for action in self._actions for name in action.option_strings]
        word = unknown[0].partition("=")[0]
        near = near_matches(word, options) if word.startswith("-") else ""
        self.error(f"unrecognized arguments: {' '.join(unknown):.200}; {near}see --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="gpu-ls", description="Local search on the GPU for batches of solutions.")
    version = distribution_version("gpu-ls-plugin") or "(not installed)"
    parser.add_argument("--version", action="version", version=f"gpu-ls {version}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON to stdout")
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")

    def add(name: str, run: Any, text: str = "") -> argparse.ArgumentParser:
        text = text or run.__doc__.partition("\n")[0]
        command = commands.add_parser(name, parents=[common], help=text, description=text)
        command.set_defaults(run=run, parser=command)
        return command

    solving = add("solve", solve)
    _add_solve_options(solving)
    cluster_options.add_options(solving)
    for own_commands in of_each(lambda domain: domain.commands()):
        for name, own in own_commands.items():
            own.add_options(add(name, partial(_run_own, own), own.help))
    _add_report_options(add("report", report))
    _add_new_options(add("new", new))
    add("plugins", list_plugins)
    command = add("operators", list_operators)
    command.add_argument(
        "--kind",
        choices=PART_KINDS,
        metavar="KIND",
        help=f"list only parts of this kind: {', '.join(PART_KINDS)}",
    )
    add("doctor", examine)
    warming.add_options(add("warm-up", warm_up))
    command = add("compile-check", compile_check)
    command.add_argument(
        "--arch",
        type=int,
        nargs="+",
        metavar="N",
        help="architectures, 90 for sm_90 (default: 75 80 90 100)",
    )
    command.add_argument("--part", metavar="NAME", help="compile only kernels with this part")
    command.add_argument(
        "--all",
        action="store_true",
        help="compile every kernel for every architecture (default: some only for 90)",
    )
    return parser


def _add_solve_options(command: argparse.ArgumentParser) -> None:
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.epilog = SEARCHES
    kinds = file_kinds()
    add = command.add_argument
    add(
        "file",
        type=Path,
        metavar="FILE",
        help=", ".join(f"{kind.title} ({', '.join(kind.suffixes)})" for kind in kinds.values()),
    )
    add(
        "--kind",
        choices=tuple(kinds),
        help="kind of problem (default: detected from the content of the file)",
    )
    add(
        "--seconds",
        type=float,
        default=10.0,
        help="time limit, counted once the first kernels are compiled (default: 10; inf: no limit)",
    )
    add(
        "--population",
        type=int,
        metavar="N",
        help="number of tours, sequences or states (default: enough to keep the device busy)",
    )
    add(
        "--search",
        metavar="TEXT",
        help="the search, written as shown below (default: lin_kernighan(3)/alpha(5), or "
        "three_opt+or_opt/nearest(10) for asymmetric lengths, with faster candidates if time is "
        "short; for routes route_moves/nearest(20); for "
        "sequences insertion)",
    )
    text = "maximum number of kicks per tour or sequence, or of rounds per state"
    add("--kicks", type=int, metavar="N", help=text)
    add(
        "--moves", type=int, metavar="N", help="maximum number of moves per tour, sequence or state"
    )
    add("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    add("--backend", choices=("auto", "cpu", "cuda"), default="auto", help="device to use")
    add(
        "--plan",
        action="store_true",
        help="print the plan of the search with its reasons, and do not search",
    )
    add(
        "--start",
        metavar="NAME",
        help="construction of the first tours (default: random_tours if the search crosses tours, "
        "otherwise nearest_neighbour, or greedy for 10,000 cities or more; savings for routes; neh "
        "for sequences, or beam_search for the total flowtime of many jobs; see gpu-ls operators)",
    )
    add(
        "--optimum",
        type=_cost,
        metavar="COST",
        help="show the gap to this value, and stop when it is reached: a cost, a profit with "
        "--sense max, the sum of a linear ordering, or a number of colours if the search is for "
        "the fewest",
    )
    of_each(lambda domain: domain.arguments(command))
    add(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the best solution here: a tour (TSPLIB), routes (.sol), a sequence or "
        "permutation with its cost (as .sln of QAPLIB), or, for graphs and generalised assignment, "
        "a line with the colour of each vertex or the agent of each job",
    )
    add("--tour", type=Path, metavar="FILE", help="like --out, for tours and routes only")
    add(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw the best tour or schedule here (.png, .svg, .pdf)",
    )
    text = "write the stops of routes with their times and loads here (.csv, .json)"
    add("--schedule", type=Path, metavar="FILE", help=text)
    text = "draw the schedule of routes, or of jobs on machines, here"
    add("--gantt", type=Path, metavar="FILE", help=text)
    add("--curve", type=Path, metavar="FILE", help="draw the costs over time here")
    add("--history", type=Path, metavar="FILE", help="write the costs over time here (.csv)")
    add("--result", type=Path, metavar="FILE", help="write all tours here (.json, .json.gz)")


def _add_report_options(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("folder", type=Path, metavar="FOLDER", help="folder of an experiment, with runs/*.json")
    text = "write the page here (default: FOLDER/report.html)"
    add("--output", type=Path, metavar="FILE", help=text)
    add(
        "--targets",
        type=float,
        nargs="+",
        metavar="GAP",
        help="show the time to reach each of these gaps, in %% (default: 1 0.1 0)",
    )
    add("--title", default="", metavar="TEXT", help="title of the page")
    text = "test the other algorithms against this one (default: test all pairs)"
    add("--control", metavar="ALGORITHM", help=text)


def _add_new_options(command: argparse.ArgumentParser) -> None:
    from gpu_ls_plugin.plugins.new_package import KINDS, LEVEL, LEVELS

    command.add_argument(
        "name", metavar="NAME", help="name of the part, in lower case, such as vertex_cover"
    )
    command.add_argument(
        "--kind",
        required=True,
        choices=KINDS,
        help="kind of part; a domain is a kind of problem with its files, search and picture; an "
        "objective is for sequences",
    )
    command.add_argument(
        "--level",
        choices=LEVELS,
        help="how much of an objective is written in C++; the more, the faster its searches "
        f"(default: {LEVEL})",
    )
    command.add_argument(
        "--into",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="create the package in this folder, which is created if needed (default: here)",
    )


def _cost(text: str) -> float:
    """Return a cost; an integer if the text is one, so that it is printed without a fraction."""
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
