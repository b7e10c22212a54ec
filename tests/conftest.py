"""Deselects tests that this machine cannot run, and shortens the time of compiling."""

from __future__ import annotations

import os
import re
import signal
import warnings
from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import settings

from gpu_ls_plugin.backends import compile_check
from gpu_ls_plugin.core.exceptions import GpuLsError
from tests.evolution.samples import Diary
from tests.helpers.clock import Clock
from tests.helpers.examples import USUAL
from tests.helpers.garbage import litter
from tests.helpers.patience import wait_as_users_do, wait_for_all
from tests.helpers.quick_compiles import quick_flags

if TYPE_CHECKING:
    from collections.abc import Iterator

# Compiling takes most of the time, and results do not depend on its flags:
# tests/backends/test_optimisation.py. `GPU_LS_CXXFLAGS= pytest` tests with the flags of users.
# The first process sets them for all that it starts.
if "GPU_LS_CXXFLAGS" not in os.environ:
    os.environ["GPU_LS_CXXFLAGS"] = quick_flags()

# Of each test, except in files and folders about input: they compile little, and each case matters.
QUICK_CASES = 2
EVERY_CASE = (
    "tests/backends/test_taken_arrays",
    "tests/cli/",
    "tests/core/",
    "tests/routes/problem/",
    "tests/sequences/problem/",
    "tests/solver/test_reading",
    "tests/test_bad_input",
    "tests/tours/problem/",
)

# Commands and examples run in new processes, which find the package compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No deadline: the first example may compile a kernel, and machines may be busy.
settings.register_profile("tests", deadline=None, max_examples=USUAL)
settings.load_profile("tests")


@cache
def _why_no_gpu() -> str | None:
    """Return why CuPy cannot use a CUDA device, None if it can."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import cupy
        except ImportError:
            return 'CuPy is not installed: pip install "gpu-ls-plugin[cuda13]"'
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            return f"no CUDA device: {error}"
    return None if count else "no CUDA device"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that selects a share of the tests."""
    text = "run one of N tests, chosen by their names, and all tests under sanitizers"
    parser.addoption("--one-of", type=int, default=1, metavar="N", help=text)


def pytest_report_header() -> str | None:
    """Return the reason why tests marked `gpu` are deselected, if they are."""
    reason = _why_no_gpu()
    return reason and f"tests marked gpu are deselected: {reason}"


@pytest.hookimpl(tryfirst=True)  # before marks select
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests marked `gpu` if there is no CUDA device; begin with the longest tests.

    Skipping the two thousand tests would take longer than all tests of some rooms.
    """
    unstable = [item.nodeid for item in items if re.search(r"0x[0-9a-f]{8}", item.nodeid)]
    if unstable:  # they differ between processes of xdist, which then runs no test
        raise pytest.UsageError(f"give the parameters of {unstable[0]} names: ids=...")
    if not any("::" in argument for argument in config.args):
        _mark_further_cases(items)
    items.sort(key=lambda item: not _sanitized(item))
    share = config.getoption("one_of")
    left_out = [
        item for item in items if crc32(item.nodeid.encode()) % share and not _sanitized(item)
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and _why_no_gpu() is not None:
        config.hook.pytest_deselected(items=marked)
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]


def _mark_further_cases(items: list[pytest.Item]) -> None:
    """Mark cases as slow if a test has more than QUICK_CASES; those that remain are far apart."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any(item.iter_markers("slow")) and not item.nodeid.startswith(EVERY_CASE):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        quick = {k * (len(cases) - 1) // (QUICK_CASES - 1) for k in range(QUICK_CASES)}
        for k in set(range(len(cases))) - quick:
            cases[k].add_marker("slow")


def _sanitized(item: pytest.Item) -> bool:
    return "test_sanitizers" in item.nodeid


@pytest.fixture(scope="session", autouse=True)
def _handle_ctrl_c() -> Iterator[None]:
    """Handle Ctrl-C in tests and their processes even if a shell runs pytest in the background.

    Processes inherit from such a shell that they ignore it.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    if ignored:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.fixture(scope="session", autouse=True)
def _wait_for_all() -> Iterator[None]:
    """Let searches wait for all kernels: what they find must not depend on the compiler's time."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        wait_for_all(monkeypatch)
        yield


@pytest.fixture(autouse=True)
def _garbage_in_shared_memory(request: pytest.FixtureRequest) -> None:
    """Let kernels find garbage where they have not written."""
    if request.node.get_closest_marker("gpu"):
        litter()


@pytest.fixture
def as_users_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches with a time limit begin before all kernels are compiled."""
    wait_as_users_do(monkeypatch)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock of budgets that advances with each launch."""
    return Clock().install(monkeypatch)


@pytest.fixture
def diary() -> type[Diary]:
    """Return the class of a search that records its calls, without calls of earlier tests."""
    Diary.calls.clear()
    Diary.interrupt_at = None
    return Diary


@pytest.fixture
def nvrtc() -> None:
    """Skip the test if CuPy or its NVRTC is not installed."""
    try:
        compile_check.load_nvrtc()
    except GpuLsError as error:
        pytest.skip(str(error))
