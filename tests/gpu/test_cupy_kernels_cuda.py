"""Default calls use no kernel of CuPy that is not compiled ahead, and none with headers of CUB."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.gpu

PROLOGUE = """
import re
import threading

import numpy as np
from cupy.cuda import compiler

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import cuda, cupy_kernels, get_backend

get_backend("cuda")
for thread in threading.enumerate():
    if thread.name == cupy_kernels.THREAD:
        thread.join()
compile_kernel = getattr(compiler, cuda.PRIVATE)
late = []

def noted(source, *given, **options):
    if "cupy/carray.cuh" in source:  # a kernel of CuPy
        late.extend(re.findall(r"__global__ void (\\w+)", source))
    return compile_kernel(source, *given, **options)

setattr(compiler, cuda.PRIVATE, noted)
rng = np.random.default_rng(1)
points = rng.random((201, 2)) * 1000
tours = np.array([rng.permutation(201) for _ in range(10)])
loads = np.r_[0, rng.integers(1, 20, 200)]
flows, distances = rng.integers(0, 99, (2, 20, 20))
"""
CALLS = {
    "search": "gls.LocalSearch()(gls.TSP(points), tours)",
    "tours": "gls.solve(gls.TSP(points), seconds=1)",
    "rounded": 'gls.solve(gls.TSP(points, metric="EUC_2D"), seconds=1)',
    "few routes": "gls.solve(gls.CVRP(points[:101], demands=loads[:101], capacity=99), seconds=1)",
    "routes": "gls.solve(gls.CVRP(points, demands=loads, capacity=99), seconds=1)",
    "assignment": "gls.solve(gls.QuadraticAssignment(flows, distances), seconds=1)",
    "colouring": "gls.solve(gls.GraphColouring(40, np.argwhere(np.tri(40, k=-1)), 12), seconds=1)",
    "many": "gls.solve_many(rng.random((50, 40, 2)), seconds=1)",
}


LONGER = "gls.solve(gls.CVRP(points[:101], demands=loads[:101], capacity=99), seconds=15)"


def late(call, tmp_path):
    """Return the names of the kernels of CuPy that a call compiles, with an empty cache."""
    code = f"{PROLOGUE}{call}\nprint('late:', *late)"
    environment = {**os.environ, "CUPY_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize("call", CALLS)
def test_default_calls_use_kernels_that_are_compiled_ahead(call, tmp_path):
    assert late(CALLS[call], tmp_path) == []


def test_populations_of_routes_use_no_kernel_with_headers_of_cub(tmp_path):
    assert not [name for name in late(LONGER, tmp_path) if "cub" in name]
