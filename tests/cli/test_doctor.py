"""`gpu-ls doctor` with unusable compilers and caches, and packages of wrong versions."""

from __future__ import annotations

import json
import os
import pwd
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import compiler
from gpu_ls_plugin.cli import doctor
from gpu_ls_plugin.cli.commands import main

if TYPE_CHECKING:
    from pathlib import Path

CPU_CACHE, CUDA_CACHE = "cache of CPU programs", "cache of CUDA programs"


@pytest.fixture
def examined(capsys, monkeypatch):
    """Return a function that runs the command without a GPU: its exit code and rows by name."""
    available = backends.available
    no_gpu = {"cuda": "no CUDA device; buy one"}
    monkeypatch.setattr(backends, "available", lambda: available() | no_gpu)

    def run() -> tuple[int, dict[str, dict[str, str]]]:
        code = main(["doctor", "--json"])
        return code, {row["name"]: row for row in json.loads(capsys.readouterr().out)}

    return run


def test_a_machine_that_can_search(examined):
    code, rows = examined()
    assert code == 0
    assert rows["C++ compiler"]["status"] == rows["backend cpu"]["status"] == "ok"
    assert rows["C++ compiler"]["detail"].startswith(compiler.find_compiler()[0])
    assert (rows["GPU"]["detail"], rows["GPU"]["remedy"]) == ("no CUDA device", "buy one")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-compiler", "CXX names 'no-such-compiler'"),
        ("rm -rf", "is not a C++17 compiler"),
        ("rm -rf --", "is not a C++17 compiler"),
        ("false", "is not a C++17 compiler"),
        ("c++ 'open", 'CXX: "c++ \'open" cannot be split'),
    ],
)
def test_commands_that_are_no_compilers(examined, monkeypatch, tmp_path, command, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c++").mkdir()
    monkeypatch.setenv("CXX", command)
    code, rows = examined()
    assert code == 1
    for name in ("C++ compiler", "backend cpu"):
        assert rows[name]["status"] == "missing"
        assert words in rows[name]["detail"]
        assert "backend:" not in rows[name]["detail"]
        assert rows[name]["remedy"]
    assert [path.name for path in tmp_path.iterdir()] == ["c++"]


def test_a_compiler_that_hangs(examined, monkeypatch, tmp_path):
    script = tmp_path / "hangs"
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setattr(compiler, "PATIENCE", 0.1)
    code, rows = examined()
    assert code == 1
    assert "timed out" in rows["C++ compiler"]["detail"]


# Caches: the doctor creates none, and names those that cannot be used.


def a_file(place: Path) -> None:
    place.touch()


def closed(place: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    place.mkdir(mode=0o500)


def open_to_others(place: Path) -> None:
    place.mkdir()
    place.chmod(0o777)


def of_another_user(place: Path) -> None:
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can give folders away")
    os.chown(place, 12345, -1)


@pytest.mark.parametrize("spoil", [a_file, closed, open_to_others, of_another_user])
def test_unusable_caches(examined, monkeypatch, tmp_path, spoil):
    place = tmp_path / "place"
    spoil(place)
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(place))
    code, rows = examined()
    assert code == 0  # each process compiles for itself
    assert rows[CPU_CACHE]["status"] == "missing"
    assert str(place) in rows[CPU_CACHE]["detail"]
    assert "GPU_LS_CACHE_DIR" in rows[CPU_CACHE]["remedy"]


@pytest.mark.parametrize("home", [None, "", "x" * 300])
def test_no_home(examined, monkeypatch, home):
    for name in ("GPU_LS_CACHE_DIR", "XDG_CACHE_HOME", "CUPY_CACHE_DIR", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", dict[int, object]().__getitem__)
    if home is not None:
        monkeypatch.setenv("HOME", home and f"/{home}")
    code, rows = examined()
    assert code == 0
    if home != "":  # Python reads it as the root folder
        assert rows[CPU_CACHE]["status"] == rows[CUDA_CACHE]["status"] == "missing"


def test_a_relative_cache(examined, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GPU_LS_CACHE_DIR", "new/cache")
    _, rows = examined()
    assert rows[CPU_CACHE]["detail"] == f"{tmp_path / 'new' / 'cache'} (not created yet)"
    assert list(tmp_path.iterdir()) == []


def test_packages_of_all_adapters_are_looked_for(examined):
    _, rows = examined()
    adapters = ("pymoo", "pygad", "deap", "evotorch", "torch", "jax")
    for name in (*adapters, "dask", "distributed", "cupy", "matplotlib"):
        row = rows[name]
        assert row["optional"] and (row["status"] == "ok") == (not row["remedy"])


@pytest.mark.parametrize(
    ("name", "version", "fits"),
    [
        ("pymoo", "0.6.1.6", False),
        ("pymoo", "0.6.2", True),
        ("pymoo", "0.7.0rc1", False),
        ("pygad", "3.8", True),
        ("pygad", "4.0.0", False),
        ("deap", "1.4.1", False),
        ("dask", "2024.7.1", False),
        ("numpy", "1.25.2", False),
        ("numpy", "10.0", True),
        ("torch", "1.0+cu124", False),
        ("torch", "2.9+cu130", True),
        ("evotorch", "0.7", False),
    ],
)
def test_versions_that_do_not_fit_are_named(examined, monkeypatch, name, version, fits):
    versions = {name: version}
    real = metadata.version
    monkeypatch.setattr(metadata, "version", lambda what: versions.get(what) or real(what))
    monkeypatch.setattr(doctor, "distributions_by_module", lambda: {name: [name]})
    _, rows = examined()
    row = rows[name]
    assert row["status"] == ("ok" if fits else "unsupported")
    assert row["detail"].startswith(f"{name} {version}")
    assert fits or (" is needed" in row["detail"] and row["remedy"].startswith("pip install"))


@pytest.mark.parametrize(
    ("version", "bound", "fits"),
    [
        ("13.2", "==13.*", True),
        ("12.9", "==13.*", False),
        ("2", "==2.0", False),
        ("2.0", "==2.0", True),
        ("unreadable", ">=1", True),
        ("1.0", "~=2.0", True),
    ],
)
def test_bounds_of_versions(version, bound, fits):
    assert doctor.fits(version, bound) is fits
