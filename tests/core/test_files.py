"""All writers of files: a file appears complete or not at all, and no other file changes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.files import atomically, check_writable, open_descriptor, plain_name
from gpu_ls_plugin.core.history import Point, load_history, save_history
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.problem import tsplib
from tests.helpers.marks import diagonal

if TYPE_CHECKING:
    from collections.abc import Callable

PROBLEM = gls.TSP(np.random.default_rng(0).integers(0, 999, (60, 2)))
TOUR = np.arange(60)
RESULT = Result(TOUR[None].astype(np.int32), PROBLEM.cost(TOUR))
HISTORY = [Point(0.5 * step, step, 100 - step, 120.0) for step in range(9)]
THREADS, TIMES = 8, 4


def draw(path: Path) -> None:
    pytest.importorskip("matplotlib")
    Result(RESULT.tours, RESULT.costs, gls.Statistics(history=HISTORY)).plot(path)


def drawn(path: Path) -> bool:
    return path.read_bytes().endswith(b"</svg>\n")


def first_city(path: Path) -> int:
    return int(gls.read_tour(path)[0])


# The ending of a file, its writer and its reader.
WRITERS: dict[str, tuple[str, Callable[[Path], object], Callable[[Path], object]]] = {
    "tour": (".tour", lambda path: PROBLEM.write_tour(path, TOUR), first_city),
    "plain tour": (".tour", lambda path: tsplib.write_tour(path, TOUR), first_city),
    "lists": (".npz", lambda path: gls.Nearest(5).save(path, PROBLEM), Candidates.load),
    "history": (".csv", lambda path: save_history(HISTORY, path), load_history),
    "result": (".json", RESULT.save, Result.load),
    "packed result": (".json.gz", RESULT.save, Result.load),
    "figure": (".svg", draw, drawn),
}
EACH_WRITER = pytest.mark.parametrize(("ending", "write", "read"), WRITERS.values(), ids=WRITERS)


@pytest.mark.slow
@EACH_WRITER
def test_many_threads_may_write_one_file(ending, write, read, tmp_path: Path) -> None:
    path = tmp_path / f"out{ending}"
    write(path)
    times = 1 if ending == ".svg" else TIMES
    done = threading.Event()

    def read_again() -> int:
        count = 0
        while not done.is_set():
            read(path)  # raises if the file is cut off
            count += 1
        return count

    with ThreadPoolExecutor(THREADS + 1) as pool:
        reader = pool.submit(read_again)
        try:
            written = [pool.submit(write, path) for _ in range(THREADS * times)]
            for future in written:
                future.result()
        finally:
            done.set()
        assert reader.result() > 0
    assert list(tmp_path.iterdir()) == [path]


@EACH_WRITER
def test_no_file_beside_it_is_written(ending, write, read, tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.write_text("untouched")
    folder.mkdir()
    for name in (f".out.{os.getpid()}{ending}", f".out{ending}", f"out{ending}.tmp"):
        (folder / name).symlink_to(victim)
    planted = set(folder.iterdir())
    write(folder / f"out{ending}")
    assert victim.read_text() == "untouched"
    assert set(folder.iterdir()) == planted | {folder / f"out{ending}"}


@EACH_WRITER
@pytest.mark.parametrize(
    "stem", [b"a\xff", b"\xe9" * 200, b"n" * 245], ids=["odd", "odder", "long"]
)
def test_any_name_that_a_file_can_have(ending, write, read, stem: bytes, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(stem + ending.encode())
    write(path)
    assert list(tmp_path.iterdir()) == [path]
    read(path)


@EACH_WRITER
def test_the_target_of_a_link_is_replaced(ending, write, read, tmp_path: Path) -> None:
    link, target = tmp_path / f"link{ending}", tmp_path / "elsewhere" / f"out{ending}"
    target.parent.mkdir()
    link.symlink_to(target)
    for _ in range(2):
        write(link)
        assert link.is_symlink() and target.is_file()
    read(target)


@pytest.mark.parametrize("mask", [0o022, 0o077])
@EACH_WRITER
def test_permissions(ending, write, read, mask: int, tmp_path: Path) -> None:
    path = tmp_path / f"out{ending}"
    former = os.umask(mask)
    try:
        write(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
        path.chmod(0o640)
        write(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(former)


@EACH_WRITER
def test_a_missing_folder_is_named(ending, write, read, tmp_path: Path) -> None:
    path = tmp_path / "none" / f"out{ending}"
    with pytest.raises(FileNotFoundError) as error:
        write(path)
    assert error.value.filename == str(path)
    with pytest.raises(FileNotFoundError):
        check_writable(path)


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    with pytest.raises(ZeroDivisionError), atomically(path) as file:
        file.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a" * 256, "loop", ""])
def test_unwritable_names_are_found_by_the_check(name: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    before = list(tmp_path.iterdir())
    with pytest.raises(OSError):
        check_writable(tmp_path / name)
    with pytest.raises(OSError), atomically(tmp_path / name) as file:
        file.write_text("x")
    assert list(tmp_path.iterdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("folder", [False, True])
def test_missing_permissions_are_found_by_the_check(folder: bool, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    (tmp_path if folder else path).chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            check_writable(path)
        with pytest.raises(PermissionError), atomically(path) as file:
            file.write_text("x")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_text() == "before"


def test_the_check_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    before = path.stat()
    for checked in (path, tmp_path / "new", Path("/dev/null")):
        check_writable(checked)
    assert (path.stat().st_ino, path.read_text()) == (before.st_ino, "before")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("/dev/stdout", 1),
        ("/dev/../dev/stderr", 2),
        ("/dev/fd/7", 7),
        ("/proc/self/fd/12", 12),
        ("{folder}/link", 1),
        ("{folder}/link of link", 1),
        ("{folder}/stdout", None),
        ("{folder}/loop", None),
        ("/dev/null", None),
    ],
)
def test_names_of_open_files(name: str, number: int | None, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "link of link").symlink_to("link")
    (tmp_path / "loop").symlink_to("loop")
    assert open_descriptor(Path(name.format(folder=tmp_path))) == number


@pytest.mark.parametrize(
    ("name", "piped"), diagonal(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"], [False, True])
)
def test_output_is_appended_to_an_open_file(name: str, piped: bool, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom gpu_ls_plugin.core.files import atomically\n"
        "print('printed before')\n"
        f"with atomically(Path({name!r})) as file: file.write_text('written\\n')\n"
        "print('printed after')"
    )
    out = tmp_path / "out"
    with open(out, "w") as stream:
        stream.write("first\n")
        stream.flush()
        inode = out.stat().st_ino
        done = subprocess.run(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE if piped else stream,
            text=True,
            check=True,
        )
    printed = "printed before\nwritten\nprinted after\n"
    assert out.stat().st_ino == inode
    assert (done.stdout, out.read_text()) == (
        (printed, "first\n") if piped else (None, f"first\n{printed}")
    )


def test_a_name_in_another_encoding_is_shown_as_text() -> None:
    assert plain_name(Path("x/caf\N{LATIN SMALL LETTER E WITH ACUTE}.tsp")) == "caf\xe9"
    assert plain_name(Path(os.fsdecode(b"caf\xe9.tsp"))) == "caf\N{REPLACEMENT CHARACTER}"


def test_a_tour_of_an_instance_whose_file_has_an_odd_name(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.tsp")
    path.write_text(
        "DIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\nEOF\n"
    )
    problem = gls.TSP.read(path)
    assert problem.name == "caf\N{REPLACEMENT CHARACTER}"
    problem.write_tour(path.with_suffix(".tour"), [1, 0])
    assert tsplib.read_tour(path.with_suffix(".tour")).tolist() == [1, 0]
