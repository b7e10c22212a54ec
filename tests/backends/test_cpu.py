"""The CPU backend: its threads, and messages about missing parts of the machine."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import cuda
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.core.exceptions import (
    BackendUnavailableError,
    CompilerNotFoundError,
    InvalidParameterError,
)
from gpu_ls_plugin.tours.construction.random_tours import random_tours_kernel
from tests.helpers.random_problems import random_problem, random_tours


def test_without_a_compiler_nothing_is_launched(no_compiler, cache):
    tours = np.zeros((1, 5), np.int32)
    arguments = {"n": 5, "seed": 1, "first_row": 0, "tours": tours}
    with pytest.raises(CompilerNotFoundError):
        CpuBackend().launch(random_tours_kernel("gls::Host"), 1, arguments)
    assert not cache.exists()


def test_threads_are_the_usable_cores_or_the_users(monkeypatch):
    monkeypatch.delenv("GPU_LS_THREADS", raising=False)
    usable = CpuBackend().processors
    assert 1 <= usable <= (os.cpu_count() or 1)
    for text, threads in (("3", 3), (" 2 ", 2), ("4096", 4096), ("", usable), (" ", usable)):
        monkeypatch.setenv("GPU_LS_THREADS", text)
        assert CpuBackend().processors == threads


@pytest.mark.parametrize("text", ["0", "-1", "many", "²", "1.5", "4097", "9" * 5000])
def test_invalid_numbers_of_threads_are_refused(monkeypatch, text):
    monkeypatch.setenv("GPU_LS_THREADS", text)
    words = rf"GPU_LS_THREADS: '{text}' is not .* between 1 and 4096, or unset"
    with pytest.raises(InvalidParameterError, match=words):
        gls.random_tours(random_problem("EUC_2D", 9), 2, backend="cpu")


@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_the_number_of_threads_changes_nothing(monkeypatch, metric):
    problem, starts = random_problem(metric, 80), random_tours(80, 9)
    results = []
    for threads in ("1", "2", "5", "32"):
        monkeypatch.setenv("GPU_LS_THREADS", threads)
        search = gls.LocalSearch()(problem, starts, backend="cpu")
        kicked = gls.DoubleBridge().perturb(problem, search.tours, seed=1, backend="cpu")
        made = gls.nearest_neighbour(problem, 9, seed=1, backend="cpu")
        results.append([search.tours, search.costs, kicked, made])
    for others in results[1:]:
        assert all(map(np.array_equal, others, results[0]))


def test_without_cupy_the_remedy_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(backends, "cuda_reason", cuda.unavailable_reason)
    words = r'backend: cuda cannot be used: CuPy is not installed; pip install "gpu-ls-plugin\[cuda'
    with pytest.raises(BackendUnavailableError, match=words):
        gls.LocalSearch()(random_problem("EUC_2D", 9), random_tours(9, 2), backend="cuda")
    assert "CuPy is not installed" in (backends.available()["cuda"] or "")
    assert backends.get_backend("auto").name == "cpu"


def test_without_a_gpu_the_remedy_is_named(monkeypatch):
    cupy = pytest.importorskip("cupy")
    monkeypatch.setattr(cuda, "DRIVER", None)
    monkeypatch.setattr(cupy.cuda, "is_available", lambda: False)
    monkeypatch.setattr(backends, "cuda_reason", cuda.unavailable_reason)
    with pytest.raises(BackendUnavailableError, match=r"no CUDA device.*backend='cpu'"):
        gls.random_tours(random_problem("EUC_2D", 9), backend="cuda")
    with pytest.raises(BackendUnavailableError, match="no CUDA device"):
        backends.get_backend("auto", device=0)


def test_an_old_gpu_is_refused(monkeypatch):
    cupy = pytest.importorskip("cupy")

    class Old:
        compute_capability = "61"

    monkeypatch.setattr(cuda, "DRIVER", None)  # the program itself, which can be loaded
    monkeypatch.setattr(cupy.cuda, "is_available", lambda: True)
    monkeypatch.setattr(cupy.cuda, "Device", Old)
    assert "compute capability 6.1; at least 7.5" in (cuda.unavailable_reason() or "")
