"""A self-contained HTML page about an experiment."""

from __future__ import annotations

import base64
import html
import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import image_figure
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.experiments import effort, figures, paper, summaries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from gpu_ls_plugin.experiments.runs import Runs

CURVES = (
    "Medians of the runs, with bands from the lower to the upper quartile. The axis of seconds is "
    "logarithmic; so is the axis of gaps, but linear near 0 if a gap is 0."
)
STYLE = """
body { font-family: sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: 1em 0; }
caption { text-align: left; font-weight: bold; padding: 0.3em 0; }
th, td { padding: 0.2em 0.8em; border-bottom: 1px solid #ccc; text-align: left; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def write(
    results: Runs,
    path: Path,
    targets: Sequence[float],
    title: str = "",
    control: str | None = None,
) -> None:
    """Write a page with all tables and figures; for the times, `targets` are gaps in percent."""
    image_figure(1, 1)  # raises if Matplotlib is missing, before any work
    text = page(results, targets, title, control)
    with atomically(path) as file:
        file.write_text(text, encoding="utf-8", errors="backslashreplace")


def page(
    results: Runs, targets: Sequence[float], title: str = "", control: str | None = None
) -> str:
    """Return the page as text."""
    heading = html.escape(title or f"Experiment on {', '.join(results.problems)}")
    failed = summaries.failures(results)
    parts = [
        f"<h1>{heading}</h1>",
        f"<p>{html.escape(_overview(results))}</p>",
        *([failed.html()] if failed.rows else []),
        summaries.instances(results).html(),
        summaries.quartiles(results).html(),
        paper.paper_table(results, control).html(),
        summaries.means(results).html(),
        effort.effort(results).html(),
        _image("Gaps against time", lambda: figures.plot_curves(results), CURVES),
        _image("Fronts", lambda: figures.plot_fronts(results)),
        summaries.times_to_target(results, targets).html(),
        _image(
            "Performance profiles of times", lambda: figures.plot_profiles(results, None, targets)
        ),
        summaries.ranks(results).html(),
        _image("Critical differences", lambda: figures.plot_ranks(results)),
        summaries.tests_by_problem(results).html(),
        summaries.tests_by_seed(results, control).html(),
        summaries.machines(results).html(),
        _settings(results),
    ]
    body = "\n".join(part for part in parts if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        f"<title>{heading}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n"
        "</html>\n"
    )


def _overview(results: Runs) -> str:
    begun = [record.begun for record in results.records if record.begun]
    when = f"Runs begun between {min(begun)} and {max(begun)}; " if begun else ""
    ends = "".join(f"Each run ended {until}. " for until in results.described("until"))
    written = datetime.now(UTC).isoformat(timespec="seconds")
    return (
        f"{len(results.records)} runs: {len(results.algorithms)} algorithms, "
        f"{len(results.problems)} problems, {len(results.seeds)} seeds; missing or failed: "
        f"{len(results.missing)}. {ends}{when}this page was written {written}."
    )


def _image(title: str, draw: Callable[[], Figure], note: str = "") -> str:
    """Return a figure as an HTML element with its SVG; empty if it cannot be drawn."""
    stream = io.BytesIO()
    try:
        figure = draw()
    except InvalidParameterError:  # such as the ranks of a single algorithm
        return ""
    figure.canvas.print_figure(stream, format="svg", metadata={"Date": None})
    data = base64.b64encode(stream.getvalue()).decode()
    source = f"data:image/svg+xml;base64,{data}"
    image = f'<p><img alt="{html.escape(title)}" src="{source}"/></p>'
    return f"<h2>{html.escape(title)}</h2>\n{image}" + (f"\n<p>{note}</p>" if note else "")


def _settings(results: Runs) -> str:
    """Return an element with a short text about each algorithm, or with its full description.

    It also has the searches that the algorithm used on each problem, which defaults chose.
    """
    texts: dict[tuple[str, str], str] = {}
    used: dict[tuple[str, str], dict[str, list[str]]] = {}
    for record in results.records:
        if full := record.description.get("algorithm"):
            key = record.algorithm, full
            texts[key] = record.description.get("summary") or texts.get(key, full)
            if parts := record.description.get("used"):
                problems = used.setdefault(key, {}).setdefault(parts, [])
                problems += [record.problem] * (record.problem not in problems)
    rows = "\n".join(
        f"<h3>{html.escape(key[0])}</h3>\n<pre>{html.escape(text)}</pre>"
        + "".join(
            f"\n<p>On {html.escape(', '.join(problems))}: {html.escape(parts)}</p>"
            for parts, problems in used.get(key, {}).items()
        )
        for key, text in texts.items()
    )
    return f"<details><summary>Settings</summary>\n{rows}\n</details>"
