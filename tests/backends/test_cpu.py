"""The CPU backend: which compiler, what is kept, threads, and what is said when something lacks."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import cpu, cuda
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.construction.random_tours import random_tours_kernel
from gpu_ls_plugin.exceptions import (
    BackendUnavailableError,
    CompilationError,
    CompilerNotFoundError,
)
from tests.random_problems import random_problem, random_tours

ROOT = Path(__file__).resolve().parents[2]
ADD_ONE = 'extern "C" int add_one(int x) { return x + 1; }'
REAL_COMPILER = cpu.find_compiler()


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    """An empty folder for compiled programs."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def no_compiler(monkeypatch, tmp_path) -> None:
    """A machine without any compiler."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ziglang" else find_spec(name)
    )


@pytest.fixture
def counted(monkeypatch, tmp_path) -> Path:
    """Make the compiler note each of its runs in a file, `--version` excepted."""
    log = tmp_path / "runs"
    script = tmp_path / "counting-compiler"
    assert REAL_COMPILER is not None
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *--version*) ;; *) echo run >> {log} ;; esac\n'
        f'exec {" ".join(REAL_COMPILER)} "$@"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    log.touch()
    monkeypatch.setenv("CXX", str(script))
    return log


def runs(log: Path) -> int:
    return len(log.read_text(encoding="utf-8").splitlines())


def test_without_a_compiler_the_remedy_is_named(no_compiler, cache):
    remedy = r'install g\+\+ or clang\+\+, point CXX .* pip install "gpu-ls-plugin\[cpu\]"'
    with pytest.raises(
        CompilerNotFoundError, match=rf"^backend: cpu: no C\+\+17 compiler.*{remedy}"
    ):
        cpu.build(ADD_ONE)
    tours = np.zeros((1, 5), np.int32)
    arguments = {"n": 5, "seed": 1, "first_row": 0, "tours": tours}
    with pytest.raises(CompilerNotFoundError):
        CpuBackend().launch(random_tours_kernel("gls::Host"), 1, arguments)
    assert not cache.exists()
    reason = backends.available()["cpu"]
    assert reason is not None
    assert "pip install" in reason


def test_cxx_that_names_nothing(monkeypatch, cache):
    monkeypatch.setenv("CXX", "no-such-compiler -O2")
    with pytest.raises(CompilerNotFoundError, match=r"CXX names 'no-such-compiler -O2'.*install"):
        cpu.build(ADD_ONE)


def test_compilers_in_the_order_of_preference(monkeypatch, tmp_path, no_compiler):
    assert cpu.find_compiler() is None
    for name in ("clang++", "g++", "c++"):  # each is preferred to those before
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
        assert cpu.find_compiler() == [str(tmp_path / name)]
    monkeypatch.setenv("CXX", "g++ -DX=1")
    assert cpu.find_compiler() == ["g++", "-DX=1"]


def test_the_ziglang_wheel_is_the_last_resort(monkeypatch, no_compiler):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "ziglang" or None)
    assert cpu.find_compiler() == [sys.executable, "-m", "ziglang", "c++"]


def test_errors_of_the_compiler_are_shown(cache):
    with pytest.raises(CompilationError, match=r"(?s)-O3.* failed:.*undeclared_name"):
        cpu.build('extern "C" int f() { return undeclared_name; }')
    assert list(cache.iterdir()) == []  # nothing half-made stays


def test_programs_are_compiled_once(counted, cache):
    library = cpu.build(ADD_ONE)
    assert library.parent == cache
    assert cpu.build(ADD_ONE) == library
    assert runs(counted) == 1
    assert list(cache.iterdir()) == [library]


def test_other_programs_flags_and_compilers_are_other_files(counted, cache, monkeypatch):
    first = cpu.build(ADD_ONE)
    second = cpu.build(ADD_ONE.replace("+ 1", "+ 2"))
    monkeypatch.setenv("GPU_LS_CXXFLAGS", "-O1")
    third = cpu.build(ADD_ONE)
    monkeypatch.setenv("CXX", f"{os.environ['CXX']} -DX=1")
    fourth = cpu.build(ADD_ONE)
    assert len({first, second, third, fourth}) == len(list(cache.iterdir())) == runs(counted) == 4


SOLVE = """
import numpy as np
import gpu_ls_plugin as gls
problem = gls.TSP(np.random.default_rng(0).integers(0, 99, (20, 2)), "EUC_2D")
print(gls.random_tours(problem, 2, seed=1, backend="cpu").tolist())
"""


def start(script: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "adapters")])}
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


def test_two_processes_may_compile_at_once(counted, cache):
    both = [start(SOLVE), start(SOLVE)]
    outputs = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0] != ""
    (library,) = cache.iterdir()  # one whole file, no scratch folders
    assert library.suffix == ".so"
    assert runs(counted) in (1, 2)
    before = runs(counted)
    third = start(SOLVE)
    assert third.communicate(timeout=60) == (outputs[0][0], "")  # nothing to announce
    assert runs(counted) == before


def test_the_first_compilation_is_announced(cache, caplog):
    cpu._announce.cache_clear()
    with caplog.at_level(logging.WARNING, logger="gpu_ls_plugin"):
        cpu.build(ADD_ONE)
        cpu.build(ADD_ONE.replace("+ 1", "+ 3"))
    (record,) = caplog.records
    assert "compiling search kernels" in record.getMessage()
    assert str(cache) in record.getMessage()


def test_where_programs_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(tmp_path / "own"))
    assert cpu.cache_folder() == tmp_path / "own"
    monkeypatch.delenv("GPU_LS_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cpu.cache_folder() == tmp_path / "gpu-ls-plugin"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cpu.cache_folder() == tmp_path / ".cache" / "gpu-ls-plugin"


def test_threads_are_the_usable_cores_or_the_users(monkeypatch):
    monkeypatch.delenv("GPU_LS_THREADS", raising=False)
    usable = CpuBackend().processors
    assert 1 <= usable <= (os.cpu_count() or 1)
    for text, threads in (("3", 3), ("0", usable), ("", usable), ("many", usable)):
        monkeypatch.setenv("GPU_LS_THREADS", text)
        assert CpuBackend().processors == threads


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
    monkeypatch.setattr(backends, "_cuda_reason", cuda.unavailable_reason)
    words = r'backend: cuda cannot be used: CuPy is not installed; pip install "gpu-ls-plugin\[cuda'
    with pytest.raises(BackendUnavailableError, match=words):
        gls.LocalSearch()(random_problem("EUC_2D", 9), random_tours(9, 2), backend="cuda")
    assert "CuPy is not installed" in (backends.available()["cuda"] or "")
    assert backends.get_backend("auto").name == "cpu"


def test_without_a_gpu_the_remedy_is_named(monkeypatch):
    cupy = pytest.importorskip("cupy")
    monkeypatch.setattr(cupy.cuda, "is_available", lambda: False)
    monkeypatch.setattr(backends, "_cuda_reason", cuda.unavailable_reason)
    with pytest.raises(BackendUnavailableError, match=r"no CUDA device.*backend='cpu'"):
        gls.random_tours(random_problem("EUC_2D", 9), backend="cuda")
    with pytest.raises(BackendUnavailableError, match="no CUDA device"):
        backends.get_backend("auto", device=0)


def test_an_old_gpu_is_refused(monkeypatch):
    cupy = pytest.importorskip("cupy")

    class Old:
        compute_capability = "61"

    monkeypatch.setattr(cupy.cuda, "is_available", lambda: True)
    monkeypatch.setattr(cupy.cuda, "Device", Old)
    assert "compute capability 6.1, at least 7.5" in (cuda.unavailable_reason() or "")


def test_some_compiler_is_present():
    assert REAL_COMPILER is not None, "these tests need a C++ compiler"
    assert shutil.which(REAL_COMPILER[0])
