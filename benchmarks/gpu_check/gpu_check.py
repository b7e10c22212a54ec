"""Everything that needs a GPU, in one command: tests, compute-sanitizer, then the benchmarks.

Writes `gpu-check.json` into --out after each part: device, driver, versions, numbers of tests,
outcomes of the sanitizer, and a hash of all device sources, so that a result names the kernels that
it was measured with. The hash is the SHA-256 of the contents of the tracked .cu and .cuh files in
byte order of their paths, as `git ls-files -z '*.cu' '*.cuh' | LC_ALL=C sort -z | xargs -0 cat |
sha256sum` prints it.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.helpers import common
from tests.helpers.random_problems import METRICS
from tests.helpers.sanitize_case import EXTENTS

BENCHES = (
    "two_opt",
    "three_opt",
    "paper003",
    "quality",
    "gaps",
    "local_search",
    "filtered",
    "iterated",
    "pymoo",
    "limits",
)
PARTS = ("tests", "sanitizer", *BENCHES)
TOOLS = {  # and their metrics, those that take longest first
    "memcheck": ("EUC_2D", "EUC", "GEO", "EXPLICIT", "EXPLICIT_REAL"),
    "racecheck": ("EUC_2D",),  # the slowest tool gets the fewest cities
    "none": METRICS,
}
RACED_CITIES = {"sequences": "12", "objectives": "12"}  # 34 of all others
OTHERS = "kernel_substring=cupy_"  # kernels of CuPy, which are not ours to mend
WATCHED_AT_ONCE = 16  # commands of the sanitizer on each GPU
WORKERS = {"not timed": 15, "timed": 2}  # maximum number of processes of tests on each GPU
DEADLINE = [math.inf]  # of all commands
LATE = 124  # exit code of a command beyond the deadline
A_MOMENT = 30  # seconds in which an interrupted command may print its results
UNTRACKED = {"build", "dist", "node_modules", "__pycache__", "site-packages"}
NONE_SELECTED = 5  # exit code of pytest
ONE_MESSAGE = 300  # characters that are kept of the message of a failed test
ENOUGH_OUTPUT = 4000  # characters that are kept of each end of a failed command's output


def main() -> int:
    """Run the requested parts; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for results")
    parser.add_argument("--parts", default=",".join(PARTS), help="comma-separated selection")
    parser.add_argument("--seconds", type=float, default=math.inf, help="seconds of all parts")
    runs = ",".join(EXTENTS["cuda"].runs)
    parser.add_argument(
        "--runs", default=runs, help=f"of the sanitizer; results of others stay: {runs}"
    )
    parser.add_argument(
        "--again", action="store_true", help="of the tests, run only those that failed before"
    )
    options = parser.parse_args()
    DEADLINE[0] = time.perf_counter() + options.seconds
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = options.parts.split(",")
    if unknown := set(wanted) - set(PARTS):
        parser.error(f"--parts: {', '.join(sorted(unknown))} is not one of {', '.join(PARTS)}")
    if unknown := set(options.runs.split(",")) - set(EXTENTS["cuda"].runs):
        parser.error(f"--runs: {', '.join(sorted(unknown))} is not one of {runs}")
    common.require_gpu()
    record = stored(options.out) | {
        "device": common.gpu(),
        "versions": common.machine()["packages"] | {"python": sys.version.split()[0]},
    }
    for part in (p for p in PARTS if p in wanted):
        begin = time.perf_counter()
        print(f"== {part}", flush=True)
        if part == "tests":
            known = record.get("tests", {}) if options.again else {}
            record["tests"] = outcome = run_tests(options.out, known)
        elif part == "sanitizer":
            known = record.get("sanitizer", {}).get("tools", {})
            record["sanitizer"] = outcome = run_sanitizer(options.runs.split(","), known)
        else:
            outcome = run_bench(part, options.out)
        passed = outcome["passed"] if isinstance(outcome["passed"], bool) else not outcome["failed"]
        seconds = round(time.perf_counter() - begin, 1)
        record["parts"][part] = {"passed": passed, "seconds": seconds}
        (options.out / "gpu-check.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record["parts"], indent=1))
    return 0 if all(part["passed"] for part in record["parts"].values()) else 1


def stored(out: Path) -> dict[str, Any]:
    """Return the results of an earlier call with the same device sources."""
    sources, file = device_sources_hash(), out / "gpu-check.json"
    if file.exists():
        record: dict[str, Any] = json.loads(file.read_text())
        if record.get("device_sources_sha256") == sources:
            return record
    return {"device_sources_sha256": sources, "parts": {}}


def device_sources() -> list[Path]:
    """Return the .cu and .cuh files of the repository in byte order of their paths."""
    # Untracked files, too: a copy may have an older list of files than its commit.
    command = ["git", "ls-files", "-zco", "--exclude-standard", "*.cu", "*.cuh"]
    try:
        done = subprocess.run(command, cwd=common.REPOSITORY, capture_output=True, check=False)
        names = done.stdout.split(b"\0")[:-1]
    except OSError:
        names = []
    if not names:  # a copy without history: all files outside of hidden and built folders
        names = [os.fsencode(path) for path in _walk() if path.endswith((".cu", ".cuh"))]
    paths = [common.REPOSITORY / os.fsdecode(name) for name in sorted(set(names))]
    return [path for path in paths if path.is_file()]  # the list may name files that have moved


def _walk() -> list[str]:
    found = []
    for folder, inner, files in os.walk(common.REPOSITORY):
        inner[:] = [d for d in inner if d not in UNTRACKED and not d.startswith(".")]
        here = Path(folder).relative_to(common.REPOSITORY)
        found += [(here / name).as_posix() for name in files]
    return found


def device_sources_hash() -> str:
    """Return the SHA-256 of the contents of all device sources, one after the other."""
    digest = hashlib.sha256()
    for path in device_sources():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def run_tests(out: Path, known: dict[str, Any]) -> dict[str, Any]:
    """Run the tests marked `gpu` and count them; tests of times run with few others beside them.

    If there are several GPUs, each process of tests gets one of them. If `known` has results of an
    earlier call, only the tests that failed in it are run.
    """
    again = list(known.get("failures", ()))
    record = {"passed": 0, "skipped": 0} | known | {"failed": 0, "failures": {}, "exit": 0}
    if again:
        record["run_again"] = record.get("run_again", 0) + len(again)
    for which, workers in WORKERS.items():
        code, cases = _pytest(f"gpu and {which}", workers, out, again)
        for case in cases:
            found = {problem.tag: problem.get("message", "") for problem in case}
            message = found.get("failure", found.get("error"))
            if message is not None:
                name = f"{case.get('file')}::{case.get('name')}"
                record["failures"].setdefault(name, message[:ONE_MESSAGE])
            else:
                record["skipped" if "skipped" in found else "passed"] += 1
        record["exit"] = record["exit"] or code
    record["failed"] = max(len(record["failures"]), record["exit"] != 0)
    return record


def _pytest(which: str, workers: int, out: Path, chosen: list[str]) -> tuple[int, list[ET.Element]]:
    """Run some tests; return the exit code and the outcome of each, also beyond the deadline."""
    report, names = out / "gpu-tests.xml", out / "gpu-tests.txt"
    names.write_text("\n".join(chosen))
    # This family of reports names the files of the tests.
    options = ["-q", f"--junitxml={report}", "-o", "junit_family=xunit1", f"@{names}"]
    command = [sys.executable, "-m", "pytest", "-m", which, *options]
    if importlib.util.find_spec("xdist"):  # most of the time goes into compiling kernels
        # pytest-benchmark, where it is installed, warns of xdist, and warnings are errors
        processes = min(workers * len(_devices()), os.cpu_count() or 1)
        command += ["-n", str(processes), "-p", "no:benchmark", "-p", "tests.helpers.gpu_each"]
    code, *_ = _run(command, GPU_LS_TEST_DEVICES=",".join(_devices()))
    cases = list(ET.parse(report).getroot().iter("testcase")) if report.exists() else []
    for file in (report, names):
        file.unlink(missing_ok=True)
    return 0 if chosen and code == NONE_SELECTED else code, cases


@cache
def _devices() -> list[str]:
    """Return the names of all GPUs, as for CUDA_VISIBLE_DEVICES."""
    import cupy

    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return (
        visible.split(",") if visible else list(map(str, range(cupy.cuda.runtime.getDeviceCount())))
    )


def run_sanitizer(runs: list[str], tools: dict[str, Any]) -> dict[str, Any]:
    """Run sanitize_case.py under each tool, several processes at a time; no tool may report.

    Several GPUs are used in turn. `tools` are the results of earlier calls, which are extended.
    """
    case = [sys.executable, "-m", "tests.helpers.sanitize_case", "--backend", "cuda"]
    program = shutil.which("compute-sanitizer") or shutil.which(
        "compute-sanitizer", path="/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer"
    )
    if program is None:
        return {"passed": False, "reason": "compute-sanitizer was not found"}

    def watch(tool: str, run: str, metric: str) -> dict[str, Any]:
        exclude = ["--kernel-name-exclude", OTHERS]
        watched = [program, "--tool", tool, "--error-exitcode", "99", *exclude]
        extent = ["--runs", run, "--metrics", metric]
        if tool == "racecheck":
            extent += ["--cities", RACED_CITIES.get(run, "34")]
        device = _devices()[next(turns) % len(_devices())]
        command = [*(watched if tool != "none" else ()), *case, *extent]
        code, output, seconds = _run(command, CUDA_VISIBLE_DEVICES=device)
        found = re.findall(r"=+ (.*SUMMARY.*)", output)
        record = {"exit": code, "summary": found[-1] if found else "", "seconds": round(seconds, 1)}
        print(tool, run, metric, record, flush=True)
        return record | {"output": "" if code == 0 else _ends(output)}

    turns = count()
    with ThreadPoolExecutor(WATCHED_AT_ONCE * len(_devices())) as pool:
        records = {
            (tool, f"{run} {metric}"): pool.submit(watch, tool, run, metric)
            for tool in TOOLS
            for run in runs
            for metric in EXTENTS["cuda"].runs[run]
            if metric in TOOLS[tool]
        }
        for (tool, name), record in records.items():
            tools.setdefault(tool, {})[name] = record.result()
    passed = all(record["exit"] == 0 for runs in tools.values() for record in runs.values())
    return {"passed": passed, "tools": tools}


def run_bench(name: str, out: Path) -> dict[str, Any]:
    """Run one benchmark with its output on the console."""
    (script,) = common.BENCHMARKS.glob(f"*/bench_{name}.py")
    command = [sys.executable, str(script), "--out", str(out)]
    return {"passed": subprocess.run(command, check=False).returncode == 0}


def _run(command: list[str], **environment: str) -> tuple[int, str, float]:
    """Run a command in the repository; return its exit code, its output and its seconds.

    After the deadline, nothing is run.
    """
    folders = [str(common.REPOSITORY), str(common.REPOSITORY / "adapters")]
    path = os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    begin = time.perf_counter()
    if begin > DEADLINE[0]:
        return LATE, "", 0.0
    process = subprocess.Popen(
        command,
        cwd=common.REPOSITORY,
        env={**os.environ, "PYTHONPATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    late = False
    left = None if DEADLINE[0] == math.inf else max(1.0, DEADLINE[0] - begin)
    try:
        output, _ = process.communicate(timeout=left)
    except subprocess.TimeoutExpired:
        late = True
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=A_MOMENT)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
    code = LATE if late else process.returncode
    if code != 0:
        print(_ends(output), flush=True)
    return code, output, time.perf_counter() - begin


def _ends(output: str) -> str:
    """Return the beginning of an output, which has the first report of a sanitizer, and its end."""
    if len(output) <= 2 * ENOUGH_OUTPUT:
        return output
    return f"{output[:ENOUGH_OUTPUT]}\n[...]\n{output[-ENOUGH_OUTPUT:]}"


if __name__ == "__main__":
    sys.exit(main())
