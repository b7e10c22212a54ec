"""Environment variables with good, blank and broken values, in a call and in the doctor."""

from __future__ import annotations

import json
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import compiler, library_cache
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.core.exceptions import (
    CacheWarning,
    CompilationError,
    CompilerNotFoundError,
    GpuLsError,
    InvalidParameterError,
)
from gpu_ls_plugin.plugins.loader import plugins

if TYPE_CHECKING:
    from pathlib import Path

REAL_COMPILER = compiler.find_compiler()[0]
PROBLEM = gls.TSP(np.random.default_rng(1).integers(0, 99, (20, 2)))
TOURS = np.tile(np.arange(PROBLEM.n), (2, 1))


class Case(NamedTuple):
    """A value, the error or warning of a call, and the rows that the doctor reports as wrong.

    In a value, TMP stands for an empty folder and FILE for a file.
    """

    variable: str
    value: str
    raised: type[Exception] | None = None
    rows: tuple[str, ...] = ()


BACKEND = ("backend cpu",)
COMPILER = ("C++ compiler", *BACKEND)
CACHE, CUDA_CACHE = ("cache of CPU programs",), ("cache of CUDA programs",)
GOOD = {
    "CXX": (REAL_COMPILER, f"'{REAL_COMPILER}' -DX=1", "", "  "),
    "GPU_LS_CXXFLAGS": ("-O0 '-DX=1'", "", " "),
    "GPU_LS_THREADS": ("2", "", " "),
    "GPU_LS_CACHE_DIR": ("TMP", "relative", "", " "),
    "XDG_CACHE_HOME": ("TMP", "", " "),
    "HOME": ("TMP",),
    "TMPDIR": ("TMP", "", "FILE"),
    "CUPY_CACHE_DIR": ("TMP", ""),
    "GPU_LS_DISABLE_PLUGINS": ("all", " , ", "no-such-plugin"),
    "GPU_LS_STRICT_PLUGINS": ("1", "", "perhaps"),
}
CASES = [
    *(Case(variable, value) for variable, values in GOOD.items() for value in values),
    Case("CXX", "'c++", InvalidParameterError, COMPILER),
    *(Case("CXX", v, CompilerNotFoundError, COMPILER) for v in ("''", "no-such-compiler", "TMP")),
    *(Case("CXX", v, CompilationError, COMPILER) for v in ("rm -rf", "true")),
    Case("GPU_LS_CXXFLAGS", "-O0 '-DX=1", InvalidParameterError, COMPILER),
    Case("GPU_LS_CXXFLAGS", "--no-such-flag", CompilationError),
    *(Case("GPU_LS_THREADS", v, InvalidParameterError, BACKEND) for v in ("²", "0", "-1", "many")),
    Case("GPU_LS_CACHE_DIR", "FILE", CacheWarning, CACHE),
    Case("XDG_CACHE_HOME", "FILE", CacheWarning, CACHE),
    Case("HOME", "FILE", CacheWarning, CACHE + CUDA_CACHE),
    Case("CUPY_CACHE_DIR", "FILE", None, CUDA_CACHE),
]
# Each is used only if those before it are not set.
PLACES = ("GPU_LS_CACHE_DIR", "XDG_CACHE_HOME", "HOME")


@pytest.fixture(scope="module")
def kept_programs() -> str:
    """Return a cache for the cases that are not about the cache; later runs of the tests use it."""
    folder = library_cache.cache_folder() / "environment"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)


@pytest.fixture(params=CASES, ids=lambda case: f"{case.variable}={case.value!r}")
def case(request, monkeypatch, tmp_path, kept_programs) -> Case:
    """Set the variable, and reset this process to one that has not searched yet."""
    case: Case = request.param
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path / "empty")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GPU_LS_CACHE_DIR", kept_programs)
    monkeypatch.setenv("GPU_LS_CXXFLAGS", "-O0")  # compiles in half the time
    for place in PLACES[: PLACES.index(case.variable)] if case.variable in PLACES else ():
        monkeypatch.delenv(place, raising=False)
    value = case.value.replace("TMP", str(tmp_path / "empty"))
    monkeypatch.setenv(case.variable, value.replace("FILE", str(tmp_path / "file")))
    monkeypatch.setattr(backends, "cuda_reason", lambda: "no CUDA device; use the CPU")
    monkeypatch.setattr(library_cache, "warned_of", set())
    monkeypatch.setattr(tempfile, "tempdir", None)
    backend = CpuBackend()
    monkeypatch.setattr(backends, "cpu_backend", lambda: backend)
    plugins.clear()
    request.addfinalizer(plugins.clear)
    return case


def call() -> Any:
    """Run a small kernel."""
    return gls.DoubleBridge().perturb(PROBLEM, TOURS, seed=1, backend="cpu")


def test_in_a_call(case: Case, tmp_path: Path) -> None:
    if case.raised is None:
        assert (np.sort(call(), axis=1) == np.arange(PROBLEM.n)).all()
    elif issubclass(case.raised, Warning):
        with pytest.warns(case.raised, match=f"{tmp_path}.*GPU_LS_CACHE_DIR"):
            call()
    else:
        named = case.variable if case.raised is not CompilationError else case.value
        with pytest.raises(case.raised, match=named) as error:
            call()
        assert isinstance(error.value, GpuLsError)


def test_in_the_doctor(case: Case, capsys, tmp_path: Path) -> None:
    code = main(["doctor", "--json"])
    rows = json.loads(capsys.readouterr().out)
    wrong = {row["name"]: row for row in rows if row["status"] == "missing" and not row["optional"]}
    assert set(wrong) == set(case.rows)
    assert code == (1 if "backend cpu" in wrong else 0)
    for row in wrong.values():
        named = (case.variable, str(tmp_path), f"{case.value} is not a C++17 compiler")
        assert any(words in row["detail"] for words in named)
        assert row["remedy"]
