"""A plugin of pytest: each process of xdist gets one of the GPUs in GPU_LS_TEST_DEVICES."""

from __future__ import annotations

import os

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    devices = os.environ["GPU_LS_TEST_DEVICES"].split(",")
    os.environ["CUDA_VISIBLE_DEVICES"] = devices[int(worker.removeprefix("gw")) % len(devices)]
