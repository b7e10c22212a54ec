"""The choice of the compiler, its check, and messages about its failures."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin import backends
from gpu_ls_plugin.backends import compiler
from gpu_ls_plugin.core.exceptions import (
    BackendUnavailableError,
    CompilationError,
    CompilerNotFoundError,
    GpuLsError,
)

if TYPE_CHECKING:
    from pathlib import Path

REMEDY = r'install g\+\+ or clang\+\+, point CXX .* pip install "gpu-ls-plugin\[cpu\]"'
ADD_ONE = 'extern "C" int add_one(int x) { return x + 1; }'
# A script that pretends to support C++17.
PRETENDS = 'case "$*" in *--version*) echo 1.0 ;; *) echo "#define __cplusplus 201703L" ;; esac'


def compiled(source: str = ADD_ONE) -> bytes:
    program = compiler.program_of(source)
    assert program.key
    return program.library()


def test_without_a_compiler_the_remedy_is_named(no_compiler):
    with pytest.raises(
        CompilerNotFoundError, match=rf"^backend: cpu: no C\+\+17 compiler.*{REMEDY}"
    ):
        compiled()
    reason = backends.available()["cpu"]
    assert reason is not None
    assert reason.startswith("no C++17 compiler")
    assert "pip install" in reason


def test_compilers_in_the_order_of_preference(monkeypatch, tmp_path, no_compiler):
    for name in ("clang++", "g++", "c++"):  # in the order of increasing preference
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
        assert compiler.find_compiler() == [str(tmp_path / name)]
    monkeypatch.setenv("CXX", "g++ -DX=1")
    assert compiler.find_compiler() == [str(tmp_path / "g++"), "-DX=1"]


def test_a_relative_path_of_a_compiler(monkeypatch, as_compiler):
    script = as_compiler('exec real "$@"')
    monkeypatch.chdir(script.parent)
    monkeypatch.setenv("CXX", f"./{script.name}")
    assert compiler.check_compiler() == [str(script)]


# The ziglang wheel.

EVIL = "import pathlib\npathlib.Path('run').touch()\n"


def install_wheel(folder: Path) -> None:
    info = folder / "ziglang-0.13.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ziglang\nVersion: 0.13.0\n")


def test_the_ziglang_wheel_is_the_last_resort(monkeypatch, tmp_path, no_compiler):
    install_wheel(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert compiler.find_compiler() == [sys.executable, "-P", "-m", "ziglang", "c++"]


@pytest.mark.parametrize("entry", ["", ".", "absolute"])
def test_the_current_folder_is_no_wheel(monkeypatch, tmp_path, no_compiler, entry):
    """With -c and -m, and interactively, Python looks for modules there first."""
    install_wheel(tmp_path)
    (tmp_path / "ziglang.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path) if entry else entry, *sys.path])
    with pytest.raises(CompilerNotFoundError):
        compiler.find_compiler()


def test_a_module_of_the_current_folder_is_not_run(monkeypatch, tmp_path, no_compiler):
    install_wheel(tmp_path / "installed")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    (tmp_path / "ziglang.py").write_text(EVIL)
    monkeypatch.chdir(tmp_path)
    compiler.version(tuple(compiler.find_compiler()))
    assert not (tmp_path / "run").exists()


# Commands that are not compilers.


@pytest.mark.parametrize(
    "command",
    ["rm -rf", "rm -rf --", "touch --", "false", "true", "cat", sys.executable, "/bin/sh -c true"],
)
def test_other_commands_are_detected_without_damage(monkeypatch, tmp_path, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", command)
    for word in compiler.LIST_MACROS:
        (tmp_path / word).touch()
    with pytest.raises(CompilerNotFoundError, match=rf"is not a C\+\+17 compiler \(.+\); {REMEDY}"):
        compiler.check_compiler()
    assert {path.name for path in tmp_path.iterdir()} == set(compiler.LIST_MACROS)
    assert "is not a C++17 compiler" in (backends.available()["cpu"] or "")


def test_a_compiler_of_an_older_standard_and_one_that_fails(as_compiler):
    as_compiler(PRETENDS.replace("201703", "201402"))
    with pytest.raises(CompilerNotFoundError, match=r"is not a C\+\+17 compiler"):
        compiler.check_compiler()
    as_compiler(f"{PRETENDS}; exit 1")
    with pytest.raises(CompilerNotFoundError, match=r"is not a C\+\+17 compiler"):
        compiler.check_compiler()
    as_compiler(PRETENDS)
    assert compiler.check_compiler()


def test_a_compiler_that_hangs(monkeypatch, as_compiler):
    as_compiler("exec sleep 600")
    monkeypatch.setattr(compiler, "PATIENCE", 0.2)
    for ask in (compiler.check_compiler, compiled):
        with pytest.raises(CompilerNotFoundError, match=rf"does not run \(.*timed out.*{REMEDY}"):
            ask()


def test_ctrl_c_when_a_compiler_has_just_ended(monkeypatch, as_compiler):
    def ended(process, timeout):
        process.wait()
        raise KeyboardInterrupt

    as_compiler("exit 0")
    monkeypatch.setattr(subprocess.Popen, "communicate", ended)
    with pytest.raises(KeyboardInterrupt):
        compiled()


def test_a_file_that_is_no_program(as_compiler):
    script = as_compiler("")
    script.write_bytes(b"\x7fELF no program")
    for ask in (compiler.check_compiler, compiled):
        with pytest.raises(CompilerNotFoundError, match=r"does not run .*Exec format"):
            ask()


def test_a_compiler_that_vanishes(as_compiler):
    as_compiler('rm -- "$0"')  # when it is asked for its version
    with pytest.raises(CompilerNotFoundError, match=r"does not run \(.*No such file"):
        compiled()


# Errors of compilers.


def test_errors_of_the_compiler_are_shown():
    with pytest.raises(CompilationError, match=r"(?s)-O3.* failed:.*undeclared_name"):
        compiled('extern "C" int f() { return undeclared_name; }')


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (PRETENDS, "exit status 0, no library"),
        (f"{PRETENDS}; exit 3", "exit status 3"),
        (f"{PRETENDS}; echo 'b\xe4h' >&2; exit 1", "b\ufffdh"),  # not UTF-8
        ("echo 'b\xe4h'; echo '#define __cplusplus 201703L'", "no library"),
    ],
    ids=["no-library", "silent", "latin-1-errors", "latin-1-version"],
)
def test_compilers_that_fail_in_their_own_way(as_compiler, script, words):
    as_compiler(script)
    with pytest.raises(CompilationError, match=re.escape(words)):
        compiled()


def test_no_room_for_temporary_files(monkeypatch, tmp_path):
    compiler.version(tuple(compiler.find_compiler()))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    for ask in (compiler.check_compiler, compiled):
        with pytest.raises(BackendUnavailableError, match=r"temporary files .*none.*TMPDIR"):
            ask()


@pytest.mark.parametrize("content", [b"flags : b\xe4h\nmodel name : one\n", None])
def test_the_processor_is_described(monkeypatch, tmp_path, content):
    monkeypatch.setattr(compiler, "CPU_INFO", tmp_path / "cpuinfo")
    if content is not None:
        (tmp_path / "cpuinfo").write_bytes(content)
    compiler.processor.cache_clear()
    assert compiler.processor()
    compiler.processor.cache_clear()


def test_bytes_that_are_no_text(monkeypatch):
    monkeypatch.setenv("GPU_LS_CXXFLAGS", os.fsdecode(b"-D\xff"))
    with pytest.raises(GpuLsError, match="failed"):
        compiled()
