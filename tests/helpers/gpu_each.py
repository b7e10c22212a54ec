"""A plugin of pytest for processes of xdist that test on GPUs.

Each process gets one of the GPUs in GPU_LS_TEST_DEVICES. A process whose context is lost, say by an
illegal address, ends with the test that lost it, and xdist starts another one.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

LOST = 70  # exit code

WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if WORKER:
    devices = os.environ["GPU_LS_TEST_DEVICES"].split(",")
    os.environ["CUDA_VISIBLE_DEVICES"] = devices[int(WORKER.removeprefix("gw")) % len(devices)]


@pytest.hookimpl(wrapper=True, tryfirst=True)  # the reports of the test are out
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """End a process that can no longer use its GPU."""
    done = yield
    if WORKER and "cupy" in sys.modules:
        runtime = sys.modules["cupy"].cuda.runtime
        try:
            runtime.deviceSynchronize()
        except runtime.CUDARuntimeError as error:
            print(f"{WORKER} lost its GPU: {error}", file=sys.stderr, flush=True)
            os._exit(LOST)
    return done
