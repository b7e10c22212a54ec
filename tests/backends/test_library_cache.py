"""Compiled programs are kept, found again, rebuilt if damaged, and never taken from others."""

from __future__ import annotations

import ctypes
import errno
import os
import pwd
import stat
import subprocess
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.backends import builds, compiler, library_cache
from gpu_ls_plugin.backends.composition import Kernel
from gpu_ls_plugin.backends.cpu import function_of
from gpu_ls_plugin.core.compilations import compilations
from gpu_ls_plugin.core.exceptions import BackendUnavailableError, CacheWarning, CompilationError

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
ADD_ONE = 'extern "C" int add_one(int x) { return x + 1; }'
OTHER = 'extern "C" int add_two(int x) { return x + 2; }'


@pytest.fixture(autouse=True)
def no_earlier_warnings(monkeypatch) -> None:
    monkeypatch.setattr(library_cache, "warned_of", set())


def runs(log: Path) -> int:
    return len(log.read_text(encoding="utf-8").splitlines())


def keep(source: str = ADD_ONE) -> Path:
    """Put a library into the cache, without loading it; return its path."""
    return library_cache.load(source, Path)


def add_one(number: int) -> int:
    function, _ = library_cache.load(
        ADD_ONE, partial(function_of, kernel=Kernel("add_one", "", "", (), ""))
    )
    function.restype = ctypes.c_int
    return int(function(number))


def works(log: Path, compiled: int) -> bool:
    return add_one(1) == 2 and runs(log) == compiled


# Keeping and finding.


def test_the_log_promises_a_few_seconds_only_to_searches():
    program = compiler.program_of(ADD_ONE)
    assert "(a few seconds; kept)" in library_cache._way(program, "kept")
    with builds.all_waiting():
        assert "(seconds to minutes; kept)" in library_cache._way(program, "kept")


def test_programs_are_compiled_once(counted, cache):
    library = keep()
    assert library.parent == cache
    assert keep() == library
    assert works(counted, 1)
    assert list(cache.iterdir()) == [library]


def test_other_programs_flags_and_compilers_are_other_files(counted, cache, monkeypatch):
    libraries = {keep(), keep(OTHER)}
    monkeypatch.setenv("GPU_LS_CXXFLAGS", "-O0")
    libraries.add(keep())
    monkeypatch.setenv("CXX", f"{os.environ['CXX']} -DX=1")
    libraries.add(keep())
    assert len(libraries) == len(list(cache.iterdir())) == runs(counted) == 4


def test_a_failure_leaves_nothing_behind(cache):
    with pytest.raises(CompilationError):
        keep("no C++")
    assert list(cache.iterdir()) == []


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


@pytest.mark.slow
def test_two_processes_may_compile_at_once(counted, cache):
    both = [start(SOLVE), start(SOLVE)]
    outputs = [process.communicate(timeout=300) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0] != ""
    (library,) = cache.iterdir()  # one whole file, no scratch folders
    assert library.suffix == ".so"
    assert runs(counted) in (1, 2)
    before = runs(counted)
    third = start(SOLVE)
    assert third.communicate(timeout=300) == (outputs[0][0], "")  # nothing to announce
    assert runs(counted) == before


def test_processes_that_wait_for_each_other_lock_all_the_same(cache, counted, monkeypatch):
    """Each holds a lock in one thread and waits for another in a second one: no deadlock."""
    failures = [OSError(errno.EDEADLK, "deadlock"), OSError(errno.EDEADLK, "deadlock")]
    monkeypatch.setattr(library_cache, "BETWEEN", 0.0)
    lockf = library_cache.fcntl.lockf

    def deadlocked(*given):
        if failures:
            raise failures.pop()
        lockf(*given)
        failures.append(None)

    monkeypatch.setattr(library_cache.fcntl, "lockf", deadlocked)
    assert works(counted, 1)
    assert failures == [None]  # locked in the end


def test_what_is_compiled_is_known_meanwhile(cache, monkeypatch):
    shown = []
    compiled_in = compiler.Program._compiled_in

    def noted(program, *place):
        shown.append((str(compilations), compilations.way))
        return compiled_in(program, *place)

    monkeypatch.setattr(compiler.Program, "_compiled_in", noted)
    before = compilations.count
    with compilations.named("adding"):
        keep()
        keep()
        monkeypatch.setenv("GPU_LS_CACHE_DIR", "/dev/null/none")
        with pytest.warns(CacheWarning):
            keep(OTHER)
    assert compilations.count == before + 2
    (kept, how), (again, how_else) = shown
    assert "compiling adding" in kept and "compiling adding" in again
    assert f"kept in {cache})" in how and how_else.endswith("; not kept)")


# Folders.


def test_the_folder_of_programs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for own, xdg, folder in (
        (str(tmp_path / "own"), "", "own"),
        ("own", "", "own"),  # relative to the current folder
        (" ", str(tmp_path), "gpu-ls-plugin"),
        ("", str(tmp_path), "gpu-ls-plugin"),
        ("", "relative", "home/.cache/gpu-ls-plugin"),  # not allowed by XDG's specification
        ("", " ", "home/.cache/gpu-ls-plugin"),
        ("", "", "home/.cache/gpu-ls-plugin"),
    ):
        monkeypatch.setenv("GPU_LS_CACHE_DIR", own)
        monkeypatch.setenv("XDG_CACHE_HOME", xdg)
        assert library_cache.cache_folder() == tmp_path / folder


def test_a_relative_folder(counted, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GPU_LS_CACHE_DIR", "some/cache")
    assert works(counted, 1)
    assert keep().parent == tmp_path / "some" / "cache"


# Damage. The library must not be loaded yet, since a process keeps loaded libraries.


def flip_a_byte(library: Path) -> None:
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 0xFF
    library.write_bytes(content)


def make_folder(library: Path) -> None:
    library.unlink()
    library.mkdir()
    (library / "file").touch()


def make_pipe(library: Path) -> None:
    library.unlink()
    os.mkfifo(library)


def make_dangling_link(library: Path) -> None:
    library.unlink()
    library.symlink_to("nothing")


def swap(library: Path, content: bytes) -> None:
    """Replace the library by another file whose name contains the right digest."""
    library.unlink()
    key = library.name.partition("-")[0]
    (library.parent / library_cache.file_name(key, content)).write_bytes(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut off": lambda library: library.write_bytes(library.read_bytes()[:2000]),
    "changed": flip_a_byte,
    "longer": lambda library: library.write_bytes(library.read_bytes() + b"\0"),
    "empty": lambda library: library.write_bytes(b""),
    "a folder": make_folder,
    "a pipe": make_pipe,
    "a dangling link": make_dangling_link,
    "unreadable": lambda library: library.chmod(0),
    "without the function": lambda library: swap(library, compiler.program_of(OTHER).library()),
    "no library": lambda library: swap(library, b"no library"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_library_is_rebuilt(counted, cache, damage):
    library = keep()
    DAMAGES[damage](library)
    before = runs(counted)
    if damage != "unreadable" or os.geteuid() != 0:  # root can read it
        before += 1
    assert works(counted, before)
    assert list(cache.iterdir()) == [library]
    assert keep() == library
    assert runs(counted) == before


# Trust.


def give_away(monkeypatch, path: Path) -> None:
    """Make a file or folder belong to another user."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o002, 0o077])
def test_folders_and_libraries_are_closed(tmp_path, monkeypatch, umask):
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(tmp_path / "new" / "cache"))
    before = os.umask(umask)
    try:
        library = keep()
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (library, library.parent, tmp_path / "new")]
    assert modes == [0o600, 0o700, 0o700]


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o1777])
def test_a_folder_that_others_may_write_is_refused(counted, cache, mode):
    keep()
    cache.chmod(mode)
    with pytest.warns(CacheWarning, match=rf"{cache} .*may be written by others.*GPU_LS_CACHE_DIR"):
        assert works(counted, 2)


def test_a_folder_of_another_user_is_refused(counted, cache, monkeypatch):
    keep()
    give_away(monkeypatch, cache)
    with pytest.warns(CacheWarning, match=rf"{cache} .*belongs to another user.*GPU_LS_CACHE_DIR"):
        assert works(counted, 2)


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_library_that_others_may_write_is_replaced(counted, cache, mode):
    keep().chmod(mode)
    assert works(counted, 2)
    assert stat.S_IMODE(keep().stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_library_of_another_user_is_replaced(counted, cache, monkeypatch):
    give_away(monkeypatch, keep())
    assert works(counted, 2)
    assert keep().stat().st_uid == 0


# Folders that cannot be used.


def file_in_its_place(folder: Path, monkeypatch) -> None:
    folder.touch()


def file_above_it(folder: Path, monkeypatch) -> None:
    folder.touch()
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(folder / "sub"))


def file_as_users_cache(folder: Path, monkeypatch) -> None:
    folder.touch()
    monkeypatch.delenv("GPU_LS_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))


def file_as_home(folder: Path, monkeypatch) -> None:
    file_as_users_cache(folder, monkeypatch)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(folder))


def no_home(folder: Path, monkeypatch) -> None:
    file_as_home(folder, monkeypatch)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", dict[int, object]().__getitem__)


def no_current_folder(folder: Path, monkeypatch) -> None:
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    monkeypatch.setenv("GPU_LS_CACHE_DIR", "relative")


def too_long(folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("GPU_LS_CACHE_DIR", str(folder / ("x" * 300)))


def forbidden(folder: Path, monkeypatch) -> None:
    """Writing fails as for users without permission."""
    fail_below(folder, monkeypatch, errno.EACCES)


def full(folder: Path, monkeypatch) -> None:
    fail_below(folder, monkeypatch, errno.ENOSPC)


def fail_below(folder: Path, monkeypatch, number: int) -> None:
    write = Path.write_bytes

    def fail(path: Path, content: bytes) -> int:
        if path.is_relative_to(folder):
            raise OSError(number, os.strerror(number))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", fail)


UNUSABLE = [
    (file_in_its_place, "cache .*Not a directory"),
    (file_above_it, "cache/sub .*Not a directory"),
    (file_as_users_cache, "cache/gpu-ls-plugin .*Not a directory"),
    (file_as_home, "cache/.cache/gpu-ls-plugin .*Not a directory"),
    (no_home, "the cache folder .*no home folder"),
    (no_current_folder, "the cache folder .*No such file"),
    (too_long, "xxx .*name too long"),
    (forbidden, "cache .*Permission denied"),
    (full, "cache .*No space left"),
]


@pytest.mark.parametrize(("spoil", "reason"), UNUSABLE)
def test_programs_work_without_a_cache(counted, cache, tmp_path, monkeypatch, spoil, reason):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    spoil(cache, monkeypatch)
    with pytest.warns(CacheWarning, match=rf"{reason}.*GPU_LS_CACHE_DIR") as said:
        assert works(counted, 1)
    assert len(said) == 1
    with warnings.catch_warnings():  # it warns only once
        warnings.simplefilter("error")
        assert works(counted, 2)
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(("spoil", "reason"), UNUSABLE)
def test_neither_cache_nor_private_folder(cache, monkeypatch, spoil, reason):
    def loader(library: Path) -> None:
        raise OSError(f"{library}: failed to map segment from shared object")

    spoil(cache, monkeypatch)
    words = rf"^backend: cpu: .*{reason}.*temporary folder: .*failed to map.*GPU_LS_CACHE_DIR"
    with pytest.raises(BackendUnavailableError, match=words):
        library_cache.load(ADD_ONE, loader)


def test_a_folder_that_programs_cannot_be_loaded_from(counted, cache):
    """Loading fails as on a disk that is mounted noexec."""

    def loader(library: Path) -> str:
        if library.parent == cache:
            raise OSError(f"{library}: failed to map segment from shared object")
        return "loaded"

    keep()
    with pytest.warns(CacheWarning, match="failed to map"):
        assert library_cache.load(ADD_ONE, loader) == "loaded"
    assert runs(counted) == 2


def test_a_cache_that_can_only_be_read(counted, cache, monkeypatch):
    keep()
    fail_below(cache, monkeypatch, errno.EROFS)
    assert works(counted, 1)
