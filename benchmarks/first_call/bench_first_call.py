"""Seconds until the result of a first call, beside those of a second process and other programs.

Each call has a new process. "Fresh": its caches are an empty folder; "warm": the caches that this
run has filled, and another process; "wheel": an empty folder and the environment of --wheel, into
which a wheel is installed. Medians. Seconds count from the call to the result: importing the
library and making the instance come before, importing CuPy and compiling within. Most calls ask for
half a second. The case "from its first generation" has a limit of 2 s, and begins after `setup`.
`quality` compares costs after calls that compile: 2 s with greedy, 2-opt and Or-opt run to the
local optimum, 10 s with a warm call of 8 s. Nothing else may run on the machine: `others` is the
mean number of cores that other programs used meanwhile.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.first_call import quality
from benchmarks.first_call.calls import FIRST_CALLS, LIMIT, SECONDS
from benchmarks.first_call.others import Others
from benchmarks.first_call.peer_calls import PEERS
from benchmarks.first_call.processes import python_of, run
from benchmarks.helpers import common

if TYPE_CHECKING:
    import argparse

SECTIONS = ("calls", "peers", "quality")
LIMITED = "MemeticGA from its first generation"
MODES = ("fresh", "warm", "wheel")
OVER = {"cpu": 0.3, "cuda": 1.2}  # seconds over the time asked for, warm
WHEEL = {"cpu": 1.5, "cuda": 2.5}  # of `solve`
LONGER = {"LocalSearch": 3.0, "routes after a tour": 3.0, "QAP after a tour": 3.0}
MOST, MOST_LIMITED = 4.0, 2.3  # fresh; at any time


def asked(case: str) -> float:
    """Return the seconds that a case asks for; a local search ends by itself."""
    if case.startswith("LocalSearch"):
        return 0.0
    return LIMIT if case == LIMITED else SECONDS


def bars(case: str, backend: str) -> dict[str, float]:
    """Return the most seconds that a case may take, by mode."""
    if case == LIMITED:
        return dict.fromkeys(MODES, MOST_LIMITED)
    found = {"fresh": LONGER.get(case, MOST), "warm": asked(case) + OVER[backend]}
    return found | ({"wheel": WHEEL[backend]} if case.startswith("solve") else {})


def calls(options: argparse.Namespace) -> dict[str, Any]:
    """Measure each case; cases whose framework is missing are left out."""
    rows = []
    for case in options.cases:
        row: dict[str, Any] = {"case": case, "asked": asked(case)}
        others, history = Others(), repeated(case, options)
        for mode, records in history.items():
            if missing := {record["missing"] for record in records if "missing" in record}:
                print(f"{case}, {mode}: left out, {', '.join(missing)} is not installed")
                continue
            row[mode] = common.median([record["seconds"] for record in records])
            row[f"{mode}_process"] = common.median([record["of_process"] for record in records])
        row |= {f"{mode}_bar": bar for mode, bar in bars(case, options.backend).items()}
        row |= {"runs": options.runs, "others": round(others.cores(), 2), "history": [history]}
        rows.append(row)
        print(*(row.get(key, "") for key in ("case", *MODES)), flush=True)
    rows = with_stored(rows, options)
    modes = [mode for mode in MODES if any(mode in row for row in rows)]
    columns = [key for mode in modes for key in (mode, f"{mode}_bar", f"{mode}_process")]
    heads = [text for mode in modes for text in (mode, "bar", "of process")]
    common.show(
        f"Seconds to the result on {options.backend}",
        ["case", "asked", *heads, "others"],
        [[row.get(key, "") for key in ("case", "asked", *columns, "others")] for row in rows],
    )
    return {"backend": options.backend, "rows": rows}


def with_stored(rows: list[dict[str, Any]], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return these rows and those of other cases that earlier calls with one --out have stored."""
    stored = common.stored(options.out, record_name(options), ["calls"]).get("calls", {"rows": []})
    known = {row["case"]: row for row in (*stored["rows"], *rows)}
    return [known[case] for case in FIRST_CALLS if case in known]


def record_name(options: argparse.Namespace) -> str:
    """Return the name of the record."""
    return f"first_call_{options.backend}"


def repeated(case: str, options: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    """Return the records of a case by mode."""
    given = (case, "--backend", options.backend, "--seconds", str(asked(case)))
    found = defaultdict(list)
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            for mode in ("fresh", "warm"):
                found[mode].append(run("calls.py", *given, caches=Path(folder)))
        if options.wheel:
            with tempfile.TemporaryDirectory() as folder:
                place = {"caches": Path(folder), "installed": options.wheel}
                found["wheel"].append(run("calls.py", *given, **place))
    return found


def peers(options: argparse.Namespace) -> dict[str, Any]:
    """Measure other programs, each call in a new process."""
    rows = []
    for name in PEERS:
        with tempfile.TemporaryDirectory() as folder:
            place = {"caches": Path(folder), "installed": options.peers or Path(sys.prefix)}
            records = [run("peer_calls.py", name, **place) for _ in range(options.runs)]
        if missing := records[0].get("missing"):
            print(f"{name}: left out, {missing} is not installed")
            continue
        seconds = common.median([record["seconds"] for record in records])
        process = common.median([record["of_process"] for record in records])
        rows.append({"program": name, "asked": SECONDS, "seconds": seconds, "of_process": process})
    if rows:
        heads = ["program", "asked", "seconds", "of process"]
        common.show("Other programs", heads, [row.values() for row in rows])
    return {"runs": options.runs, "rows": rows}


def trace(case: str, backend: str) -> None:
    """Print what a fresh call of one case compiles."""
    with tempfile.TemporaryDirectory() as folder:
        given = (case, "--backend", backend, "--seconds", str(asked(case)), "--trace")
        record = run("calls.py", *given, caches=Path(folder))
    programs = sorted(record["programs"], key=lambda program: program[1])
    total = sum(seconds for _, _, seconds in programs)
    title = f"{case}: {record['seconds']:.1f} s, {len(programs)} programs in {total:.1f} s"
    common.show(title, ["program", "begin", "seconds"], programs)


def main() -> None:
    """Measure the sections and write `first_call_<backend>.json`, or trace one case."""
    options = common.arguments(
        __doc__,
        ("--sections", {"nargs": "+", "choices": SECTIONS, "default": list(SECTIONS)}),
        (
            "--cases",
            {"nargs": "+", "choices": FIRST_CALLS, "default": list(FIRST_CALLS), "metavar": "CASE"},
        ),
        ("--backend", {"choices": list(OVER), "default": "cuda" if common.has_gpu() else "cpu"}),
        ("--runs", {"type": int, "default": 5, "help": "of each call"}),
        ("--seeds", {"type": int, "default": 5, "help": "of the section quality"}),
        ("--wheel", {"type": Path, "help": "environment into which a wheel is installed"}),
        ("--peers", {"type": Path, "help": "environment of the other programs"}),
        (
            "--trace",
            {"choices": FIRST_CALLS, "metavar": "CASE", "help": "only print what it compiles"},
        ),
    )
    if options.trace:
        trace(options.trace, options.backend)
        return
    for environment in filter(None, (options.wheel, options.peers)):
        python_of(environment)
    measures = {"calls": calls, "peers": peers, "quality": quality.measure}
    name = record_name(options)
    results = common.stored(options.out, name, SECTIONS)
    for section in options.sections:
        results[section] = measures[section](options)
        common.write_json(options.out, name, __doc__ or "", results)


if __name__ == "__main__":
    main()
