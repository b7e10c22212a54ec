"""The reports of the command line: data for JSON, and tables for people."""

from __future__ import annotations

import inspect
import io
import os
import sys
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.cli.outputs import OUTPUTS
from gpu_ls_plugin.core.progress import cost_text, gap_percent
from gpu_ls_plugin.plugins.loader import BUILT_IN
from gpu_ls_plugin.plugins.search_text import text_of
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gpu_ls_plugin.backends.compile_check import KernelReport
    from gpu_ls_plugin.cli.doctor import Finding
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.registry import Part
    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.plugins.info import PluginInfo
    from gpu_ls_plugin.runs.domain import Domain
    from gpu_ls_plugin.runs.settings import Settings

PIPED = 100  # width of a table if stdout is not a terminal, in characters

STYLES = {
    "ok": "green",
    "loaded": "green",
    "error": "red",
    "FAILED": "red",
    "missing": "yellow",
    "unsupported": "yellow",
    "disabled": "yellow",
    "extra not installed": "yellow",
}


def summary(problem: Problem, settings: Settings, result: Result) -> dict[str, Any]:
    """Return the facts about a result, as reports show them; `settings` must be complete."""
    statistics = result.statistics
    seconds = max(statistics.seconds, 1e-9)
    best, optimum = problem.published(result.best_cost), problem.optimum
    if optimum is not None:
        optimum = problem.published(optimum)
    return {
        "problem": problem.name,
        **domain_of(problem).facts(problem, result),
        "search": text_of(settings.search),
        "best_cost": best,
        "mean_cost": float(problem.published(result.costs.mean())),
        "optimum": optimum,
        "gap_percent": gap_percent(best, optimum),
        "population": len(result.costs),
        "start": settings.start,
        "kicks_per_tour": settings.kicks,
        "moves_per_tour": settings.moves,
        "seed": settings.seed,
        "evaluations_per_second": statistics.evaluations / seconds,
        "kicks_per_second": statistics.kicks / seconds,
        **statistics.as_dict(),
        "history": [asdict(point) for point in result.published_history],
        "interrupted": statistics.interrupted,
    }


def print_summary(found: dict[str, Any], domain: Domain) -> None:
    """Print the summary of a result."""
    phases = ", ".join(f"{name} {time:.2f} s" for name, time in found["phases"].items())
    stopped_by = domain.stopped_by(found["stopped_by"])
    lines = {
        "problem": f"{found['problem'] or found['file']}, {domain.size(found)}",
        "search": found["search"],
        **domain.lines(found, _gap(found)),
        "time": f"{found['seconds']:.2f} s on {found['backend']}, stopped by {stopped_by}",
        "phases": phases,
        **domain.work(found),
        **{name: found.get(f"{name}_file") for name in OUTPUTS},
    }
    for name, text in lines.items():
        if text is not None:
            print(f"{name:8} {text}")


def _gap(found: dict[str, Any]) -> str:
    """Return the gap to the optimum as text; empty if there is no optimum to compare with."""
    gap, sign = found["gap_percent"], -1 if found.get("sense") == "max" else 1
    if gap is None or ("conflicts" in found and not found["optimum"]):
        return ""
    side = "below" if sign * gap < 0 else "above"
    return f" ({abs(gap):.3g} % {side} {cost_text(sign * found['optimum'])})"


def print_plugins(infos: Iterable[PluginInfo]) -> None:
    """Print a row for each plugin; the last column has errors."""
    rows = [
        (i.name, f"{i.distribution} {i.version}".strip(), i.status, len(i.parts), i.error)
        for i in infos
    ]
    _print_table(("plugin", "distribution", "status", "parts", "why and what to do"), rows)


def operator_row(part: Part) -> dict[str, str]:
    """Return the kind, name, arguments, plugin and summary of a registered part."""
    return {
        "kind": part.kind,
        "name": part.name,
        "arguments": arguments_text(part.factory),
        "plugin": part.owner,
        "summary": (inspect.getdoc(part.factory) or "").partition("\n")[0],
    }


def arguments_text(factory: Callable[..., Any]) -> str:
    """Return the arguments of a part as source text, such as ``max_length=3``."""
    try:
        signature = inspect.signature(factory)
        made = {f.name: f.default_factory for f in fields(factory)} if is_dataclass(factory) else {}
        plain = [
            parameter.replace(
                annotation=parameter.empty,
                default=_shown(parameter.default, made.get(name, MISSING)),
            )
            for name, parameter in signature.parameters.items()
        ]
        return str(signature.replace(parameters=plain, return_annotation=signature.empty))[1:-1]
    except Exception:  # a third-party part, or a class without a Python signature
        return ""


@dataclass(frozen=True)
class _Text:
    """Replaces a default value in a signature."""

    text: str

    def __repr__(self) -> str:
        return self.text


def _shown(default: Any, made: Any) -> Any:
    """Return a default value, or its source text if it is a search."""
    value = default if made is MISSING else made()
    is_search = callable(value) and not isinstance(value, type)
    return _Text(text_of(value)) if is_search else value


def print_operators(rows: Sequence[dict[str, str]]) -> None:
    """Print a table of parts for each kind."""
    for number, kind in enumerate(dict.fromkeys(row["kind"] for row in rows)):
        shown = []
        for row in rows:
            if row["kind"] == kind:
                arguments = row["arguments"] and f"({row['arguments']})"
                owner = "" if row["plugin"] == BUILT_IN else f" [plugin {row['plugin']}]"
                shown.append((f"  {row['name']}{arguments}", row["summary"] + owner))
        if number:
            print()
        _print_table((kind, ""), shown)


def print_findings(findings: Iterable[Finding]) -> None:
    """Print a row for each finding of the doctor."""
    rows = []
    for finding in findings:
        optional = " (optional)" if finding.optional and finding.status != "ok" else ""
        remedy = finding.remedy and f"\n-> {finding.remedy}"
        rows.append((finding.name, finding.status, f"{finding.detail}{optional}{remedy}"))
    _print_table(("what", "status", "found"), rows)


def print_kernels(rows: Sequence[KernelReport]) -> None:
    """Print a row for each kernel and architecture, then each error once, then a count."""
    table = [
        (
            row.body,
            f"sm_{row.arch}",
            *(row.registers, row.shared, row.stack, row.spill_stores, row.spill_loads),
            "ok" if row.passed else "FAILED",
        )
        for row in rows
    ]
    _print_table(
        ("kernel", "arch", "registers", "shared", "stack", "stores", "loads", "status"), table
    )
    by_line: dict[str, list[KernelReport]] = {}
    for row in rows:
        if row.error:
            by_line.setdefault(row.error.partition("\n")[0], []).append(row)
    for row, *others in by_line.values():
        print(f"{row.kernel} {row.body} for sm_{row.arch}:\n{row.error}\n")
        if others:
            also = dict.fromkeys(f"{other.kernel} for sm_{other.arch}" for other in others)
            print(f"The same error: {', '.join(also)}\n")
    failed = sum(not row.passed for row in rows)
    print(f"{len(rows)} kernels, {failed} failed (memory in bytes; stores and loads are spills)")


def _print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        cells = [str(cell) for cell in row]
        table.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in cells))
    if sys.stdout.isatty():
        Console().print(table)
        return
    console = Console(file=io.StringIO(), width=_piped_width(), color_system=None)
    console.print(table)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    print("\n".join(line.rstrip() for line in text.splitlines()))


def _piped_width() -> int:
    """Return the width of a table if stdout is not a terminal: $COLUMNS, or `PIPED`."""
    given = os.environ.get("COLUMNS", "")
    return max(40, int(given)) if given.isascii() and given.isdigit() and len(given) < 6 else PIPED
