"""The tables of docs/papers/paper000.md, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.papers.paper000_steps import TABLES, steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Rows = list[dict[str, Any]]
LEAST = 0.01  # share of moves kept
EQUAL = 0.02  # times that differ by at most this share are equal
COLUMNS = ((2, 399), (2, 967), (2, 2401), (3, 99), (3, 399))  # of steps: edges and nodes


def markdown(record: dict[str, Any]) -> str:
    """Return all tables whose sections have been measured."""
    tables: dict[str, tuple[Callable[[Rows], str], ...]] = {
        "ablation": (of_steps, of_kernels),
        "blocks": (of_blocks,),
        "idle": (of_idle,),
        "binding": (of_binding,),
        "limits": (of_limits,),
        "mappings": (of_mappings,),
        "iterations": (of_iterations,),
        "filters": (of_filters,),
    }
    made = [
        table(record[name]) for name, those in tables.items() if record.get(name) for table in those
    ]
    return "\n\n".join(made)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table; numbers have three digits."""
    lines = [f"**{title}**", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(shown, row))} |" for row in rows)])


def shown(value: Any) -> str:
    """Return a number with three digits, or text."""
    if not isinstance(value, float):
        return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
    text = f"{value:.3g}"
    return f"{float(text):,.0f}" if "e" in text and value > 1 else text


def at(rows: Rows, **wanted: Any) -> dict[str, Any]:
    """Return the row with these values, or nothing."""
    return next((r for r in rows if all(r.get(k) == v for k, v in wanted.items())), {})


def of_steps(rows: Rows) -> str:
    """Return each step: its iteration, and how many times as fast as the one before."""
    order = [step.figure for step in steps(2)]
    order.insert(order.index("19"), "18")  # which is of 3-opt alone
    names = sorted(dict.fromkeys((row["figure"], row["step"]) for row in rows),
                   key=lambda name: order.index(name[0]))  # fmt: skip
    claims = {(edges, s.figure, s.name): s.claims for edges in (2, 3) for s in steps(edges)}

    def cells(figure: str, name: str) -> list[str]:
        found = []
        for edges, n in COLUMNS:
            row = at(rows, figure=figure, step=name, edges=edges, n=n)
            text = ""
            if row:
                mark = verdict(claims.get((edges, figure, name), "")[edges - 2 : edges - 1],
                               row["times_faster"])  # fmt: skip
                text = f"{shown(1e3 * row['iteration'])} ({row['times_faster']:.2f}{mark})"
                text = f"**{text}**" if row["kept"] else text
            found.append(text)
        return found

    columns = ["figure", "step", *(f"{edges}-opt, {n:,}" for edges, n in COLUMNS)]
    body = [[figure, name, *cells(figure, name)] for figure, name in names]
    return table("Steps: ms of an iteration (times as fast)", columns, body)


def verdict(claim: str, times: float) -> str:
    """Return whether a step does what it does in the paper: yes, no, or nothing if not said."""
    if claim not in ("+", "-"):
        return ""
    return " yes" if (times > 1 + EQUAL if claim == "+" else times < 1 - EQUAL) else " no"


def of_kernels(rows: Rows) -> str:
    """Return tables 1 to 4."""
    body = []
    for step, (number, papers) in TABLES.items():
        for edges, paper in papers.items():
            kernels = at(rows, step=step, edges=edges, n=399).get("kernels") or {}
            for name, (ms, occupancy, registers) in paper.items():
                own = kernels.get(name)
                if own is not None:
                    now = [1e3 * own["seconds"], own["occupancy"], own["registers"]]
                    body.append([number, f"{edges}-opt", name, float(ms), *now[:1],
                                 ms / now[0], occupancy, *now[1:2], registers, now[2],
                                 own["local_bytes"]])  # fmt: skip
    columns = ["table", "moves", "resource", "paper, ms", "ms", "times", "occupancy, paper", "here",
               "registers, paper", "here", "local bytes here"]  # fmt: skip
    return table("Tables 1 to 4, 399 nodes", columns, body)


def of_blocks(rows: Rows) -> str:
    """Return figure 12: times of blocks, to the best."""
    sizes = list(dict.fromkeys(row["threads"] for row in rows))
    body = []
    for kind in dict.fromkeys((row["kernel"], row["edges"], row["n"]) for row in rows):
        kernel, edges, n = kind
        own = {
            r["threads"]: r["seconds"] for r in rows if (r["kernel"], r["edges"], r["n"]) == kind
        }
        best = min(own.values())
        body.append([kernel, f"{edges}-opt, {n:,}", 1e3 * best,
                     *(own[s] / best if s in own else None for s in sizes)])  # fmt: skip
    columns = ["resources", "moves", "best, ms", *map(str, sizes)]
    return table("Figure 12: time by threads of a block, to the best", columns, body)


def of_idle(rows: Rows) -> str:
    """Return the shares of an iteration without a kernel."""
    loops = list(dict.fromkeys(row["loop"] for row in rows))
    body = []
    for edges, n in dict.fromkeys((row["edges"], row["n"]) for row in rows):
        cells = []
        for loop in loops:
            row = at(rows, edges=edges, n=n, loop=loop)
            cells.append(f"{1e3 * row['wall']:.3g} ms, {100 * row['idle']:.0f} %" if row else "")
        body.append([f"{edges}-opt, {n:,}", *cells])
    by = ", ".join(dict.fromkeys(row["by"] for row in rows))
    return table(f"An iteration and the GPU's idle share (by {by})", ["moves", *loops], body)


def of_binding(rows: Rows) -> str:
    """Return the moves that fit all vehicles and break the route limit."""

    def percent(row: dict[str, Any], part: str) -> float | None:
        among = row.get(f"{part}fail_limit", 0), row.get(f"{part}pass_load", 0)
        return 100.0 * among[0] / among[1] if among[1] else None

    body = []
    for name, n, edges in dict.fromkeys((r["instance"], r["n"], r["edges"]) for r in rows):
        first, last = (
            at(rows, instance=name, n=n, edges=edges, tour=tour)
            for tour in ("sweep", "local optimum")
        )
        cells = [first["pass_load"], percent(first, ""), first["shorter_pass_load"]]
        cells += [percent(first, "shorter_"), percent(last, "")]
        cells += [last.get("shorter_pass_load"), percent(last, "shorter_")]
        body.append([name, n, f"{edges}-opt", *cells])
    late = "too long, %"
    each = [late, "and shorten the tour", late]
    columns = ["instance", "nodes", "moves", "sweep: pass the load test", *each]
    columns += ["local optimum: too long, %", *each[1:]]
    return table("Moves that fail only the route limit", columns, body)


def of_limits(rows: Rows) -> str:
    """Return iterations with and without a route limit."""
    body = []
    for r in rows:
        times = (r["seconds"], r["without_limit"])
        body.append([r["instance"], r["n"], f"{r['edges']}-opt", *(1e3 * t for t in times),
                     times[0] / times[1]])  # fmt: skip
    columns = ["instance", "nodes", "moves", "ms", "without the limit, ms", "ratio"]
    return table("An iteration of the library with a route limit", columns, body)


def of_mappings(rows: Rows) -> str:
    """Return evaluations by mapping."""
    names = list(dict.fromkeys(row["mapping"] for row in rows))
    body = []
    for edges, n, tight in dict.fromkeys((r["edges"], r["n"], r["binding"]) for r in rows):
        own = [at(rows, edges=edges, n=n, binding=tight, mapping=name) for name in names]
        times = (1e3 * row["seconds"] if row else None for row in own)
        body.append([f"{edges}-opt, {n:,}", "binds" if tight else "loose", *times])
    columns = ["moves", "route limit", *names]
    return table("Figures 15 and 18: the library's evaluation, ms", columns, body)


def of_iterations(rows: Rows) -> str:
    """Return table 5."""
    body = []
    for n in dict.fromkeys(row["n"] for row in rows):
        cells: list[Any] = []
        for edges in (2, 3):
            row = at(rows, edges=edges, n=n)
            cells += [1e3 * row["seconds"], 1e3 * row["paper"], row["paper"] / row["seconds"]]
        body.append([n, *cells])
    columns = ["nodes", "2-opt, ms", "paper", "times", "3-opt, ms", "paper", "times"]
    return table("Table 5", columns, body)


def of_filters(rows: Rows) -> str:
    """Return figure 25; with fewer moves kept, searches end after too few passes."""
    shares = [share for share in dict.fromkeys(row["share"] for row in rows) if share >= LEAST]
    body = []
    for edges, n, mode in dict.fromkeys((r["edges"], r["n"], r["mode"]) for r in rows):
        own = [at(rows, edges=edges, n=n, mode=mode, share=s).get("seconds") for s in shares]
        whole = own[0]
        cells = [None if not x or not whole or x < 0 else x / whole for x in own[1:]]
        body.append([f"{edges}-opt, {n:,}", mode, None if whole is None else 1e3 * whole, *cells])
    return table("Figure 25: time to that of all moves", ["moves", "mode", "all, ms",
                 *map(str, shares[1:])], body)  # fmt: skip
