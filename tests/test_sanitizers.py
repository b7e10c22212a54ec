"""All kernels of the CPU backend under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpu_ls_plugin.backends import library_cache
from tests.helpers.quick_compiles import with_headers
from tests.helpers.sanitize_case import EXTENTS

ROOT = Path(__file__).resolve().parents[1]
# Without always_inline: sanitizers check each inlined copy, which compiles six times as long.
FLAGS = (
    *("-Og", "-g1", "-DGLS_DEVICE=inline"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)

PLANTED = """
import os
import sys
import numpy as np
from tests.helpers import host_program

def run(statement):
    numbers = np.zeros(4, np.int32)
    host_program.run(
        "struct Probe { static void run(const gls::Host&, int item, int n, int* out) {"
        "  int* own = new int[n]; own[0] = item;"
        "  out[0] = " + statement + "; delete[] own; } };",
        1, "int n, int* out", {"n": 2147483647 if "own[0] + n" in statement else 4, "out": numbers},
    )

for statement in sys.argv[1:]:  # each in a child, which has all imports already
    print("planted", file=sys.stderr, flush=True)
    child = os.fork()
    if child == 0:
        run(statement)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def sanitizer_library(compiler: str, name: str) -> str | None:
    """Return the path of a runtime library of the compiler, None if it has none."""
    found = subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return found if os.path.isabs(found) and os.path.exists(found) else None


def start_sanitized(*arguments: str) -> subprocess.Popen[str]:
    """Start Python with sanitized kernels; skip the test if the compiler has no sanitizers."""
    compiler = shutil.which("g++")
    libraries = [sanitizer_library(compiler, f"lib{n}.so") for n in ("asan", "ubsan") if compiler]
    if not compiler or None in libraries:
        pytest.skip("g++ with libasan and libubsan is not installed")
    folders = [str(ROOT), str(ROOT / "adapters"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "CXX": f"env -u LD_PRELOAD {compiler}",
        "GPU_LS_CXXFLAGS": with_headers(FLAGS),
        "GPU_LS_CACHE_DIR": str(library_cache.cache_folder() / "sanitized"),
        "GPU_LS_THREADS": "2",
        "LD_PRELOAD": " ".join(map(str, libraries)),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself keeps memory until it exits
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONPATH": os.pathsep.join(folders),
        "PYTHONMALLOC": "malloc",  # so that arrays lie between poisoned bytes
    }
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
    )


CASE = ("-m", "tests.helpers.sanitize_case")
SOME = ("--metrics", "CEIL_2D", "--runs", "searches", "--cities", "1,5,33")
EVERYTHING = {  # divided into parts that take about the same time
    "usual metric": ("EUC_2D", "searches"),
    "chains": ("EUC_2D", "chains,filtered,parts"),
    "planar metrics": ("CEIL_2D,ATT,MAN_2D,MAX_2D", "searches"),
    "other metrics": ("EUC,GEO,EXPLICIT,EXPLICIT_REAL", "searches,chains"),
    "unions of tours": ("EUC_2D,EUC", "unions"),
    "weights": ("EUC_2D", "weighted"),
    "routes": ("EUC_2D,EUC", "routes,linked_routes"),
    "moves of routes": ("EUC_2D", "moves_of_routes"),
    "states": ("EUC_2D", "states"),
    "sequences": ("EUC_2D", "sequences"),
    "objectives": ("EUC_2D", "objectives"),
    "tensors": ("EUC_2D", "tensors"),
}


def assert_clean(*options: str) -> None:
    """Run a part of the case; check that the sanitizers report nothing."""
    with start_sanitized(*CASE, *options) as process:
        try:
            output, errors = process.communicate(timeout=900)
        finally:
            process.kill()
    assert process.returncode == 0, errors[-4000:]
    assert "calls done" in output
    assert "runtime error" not in errors


@pytest.mark.slow
def test_usual_kernels_stay_in_their_arrays() -> None:
    assert_clean(*SOME)


@pytest.mark.slow
@pytest.mark.parametrize(("metrics", "runs"), EVERYTHING.values(), ids=EVERYTHING)
def test_all_kernels_stay_in_their_arrays(metrics: str, runs: str) -> None:
    assert_clean("--metrics", metrics, "--runs", runs)


def test_the_parts_are_everything() -> None:
    parts = [(m, r) for ms, rs in EVERYTHING.values() for m in ms.split(",") for r in rs.split(",")]
    assert len(set(parts)) == len(parts)
    needed = {(m, run) for run, metrics in EXTENTS["cpu"].runs.items() for m in metrics}
    assert needed <= set(parts)


FAULTS = {
    "own[n]": "heap-buffer-overflow",
    "out[n]": "heap-buffer-overflow",  # an array of NumPy's
    "own[0] + n + 1": "signed integer overflow",
}


@pytest.mark.slow
def test_planted_faults_are_reported() -> None:
    process = start_sanitized("-c", PLANTED, *FAULTS)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert 0 not in map(int, output.split())
    _, *reports = errors.split("planted\n")
    for found, report in zip(reports, FAULTS.values(), strict=True):
        assert report in found
