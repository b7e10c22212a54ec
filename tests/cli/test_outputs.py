"""Output files of `gpu-ls solve`: checked before the search, and never lost after it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.core.history import load_history
from gpu_ls_plugin.core.result import Result
from gpu_ls_plugin.solver import run as solver
from gpu_ls_plugin.tours.plan import drawing
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.tsplib import read_tour
from tests.cli.test_cli import QUICK, environment, gpu_ls_apart, write_instance

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = {"tour": "out.tour", "history": "out.csv", "result": "out.json"}


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    return write_instance(tmp_path / "in.tsp", 7)


def solve(*arguments: object) -> int:
    return main(["solve", *map(str, arguments), *QUICK])


def options(folder: Path) -> list[object]:
    return [item for name, file in FILES.items() for item in (f"--{name}", folder / file)]


# ---- before the search


def no_search(*_: object) -> None:
    raise AssertionError("searched before the files were checked")


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (["--tour", "in.tsp"], "tour: {}/in.tsp is the file of the problem"),
        (["--history", "./in.tsp"], "history: {}/in.tsp is the file of the problem"),
        (["--tour", "link to in"], "tour: {}/link to in is the file of the problem"),
        (["--tour", "hard link"], "tour: {}/hard link is the file of the problem"),
        (["--tour", "a", "--history", "./a"], "history: {}/a is the file of --tour"),
        (["--tour", "link to a", "--history", "a"], "history: {}/a is the file of --tour"),
        (["--tour", "b", "--history", "hard link to b"], "link to b is the file of --tour"),
        (["--history", "r.json", "--result", "r.json"], "result: {}/r.json is the file of --hist"),
        (["--tour", "n" * 256], "File name too long"),
        (["--tour", "loop"], "Too many levels of symbolic links"),
        (["--tour", "b/c"], "Not a directory"),
    ],
)
def test_files_that_cannot_be_written_are_refused_before_the_search(
    names, reason, instance, monkeypatch, capsys
):
    folder = instance.parent
    (folder / "link to in").symlink_to("in.tsp")
    (folder / "hard link").hardlink_to(instance)
    (folder / "link to a").symlink_to("a")
    (folder / "b").write_text("before")
    (folder / "hard link to b").hardlink_to(folder / "b")
    (folder / "loop").symlink_to("loop")
    before = {path: path.lstat().st_mtime_ns for path in folder.iterdir()}
    monkeypatch.setattr(solver, "solve", no_search)
    arguments = [name if name.startswith("--") else f"{folder}/{name}" for name in names]
    assert solve(instance, *arguments) == 2
    assert reason.format(folder) in capsys.readouterr().err
    assert {path: path.lstat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused_before_the_search(
    instance, monkeypatch, capsys
):
    folder = instance.parent / "closed"
    folder.mkdir()
    (folder / "out.tour").write_text("before")
    folder.chmod(0o500)
    monkeypatch.setattr(solver, "solve", no_search)
    assert solve(instance, "--tour", folder / "out.tour") == 2
    assert "Permission denied" in capsys.readouterr().err


def test_dev_null_may_be_written_several_times(instance):
    assert solve(instance, "--tour", "/dev/null", "--history", "/dev/null") == 0


@pytest.mark.parametrize(
    ("tour", "history", "code"),
    [("/dev/stdout", "out", 2), ("out", "/dev/stdout", 2), ("/dev/stdout", "/dev/stdout", 0)],
)
def test_an_open_file_may_be_continued_but_not_replaced(tour, history, code, instance):
    command = [sys.executable, "-m", "gpu_ls_plugin", "solve", instance.name, *QUICK]
    command += ["--tour", tour, "--history", history]
    with open(instance.parent / "out", "w") as stream:
        done = subprocess.run(
            command, stdout=stream, env=environment(), cwd=instance.parent, check=False
        )
    assert done.returncode == code
    text = (instance.parent / "out").read_text()
    assert [part in text for part in ("TOUR_SECTION", "elapsed,kicks", "best")] == [code == 0] * 3


# ---- after it


def spoiled(spoil: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Call `spoil` between the search and the writing of files."""
    search = solver.solve

    def solve_and_spoil(*arguments: Any) -> Result:
        found = search(*arguments)
        spoil()
        return found

    monkeypatch.setattr(solver, "solve", solve_and_spoil)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a current folder, and a folder of temporary files in it."""
    (tmp_path / "scratch" / "temporary").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch" / "temporary"))
    return tmp_path / "scratch"


@pytest.mark.parametrize("temporary", [True, False])
def test_files_are_written_to_another_folder_if_necessary(
    temporary, instance, scratch, monkeypatch, capsys
):
    folder = instance.parent / "gone"
    folder.mkdir()
    history = instance.parent / "out.csv"

    def spoil() -> None:
        shutil.rmtree(folder)
        if not temporary:
            (scratch / "temporary").rmdir()

    spoiled(spoil, monkeypatch)
    assert solve(instance, *options(folder), "--history", history, "--json") == 1
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    place = scratch / "temporary" if temporary else Path()
    assert Path(found["tour_file"]).parent.parent.resolve() == place.resolve()
    assert found["history_file"] == str(history) and load_history(history)
    assert read_tour(found["tour_file"]).tolist() == found["best_tour"]
    assert Result.load(found["result_file"]).best_tour.tolist() == found["best_tour"]
    for name in ("tour", "result"):
        line = f"{folder / FILES[name]}: No such file or directory; the {name} is in "
        assert f"{line}{found[f'{name}_file']} instead" in printed.err


def test_lost_files_are_named(instance, scratch, monkeypatch, capsys):
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(TSP, "write_tour", full)
    assert solve(instance, *options(instance.parent)) == 1
    printed = capsys.readouterr()
    assert "No space left on device; the tour is lost" in printed.err
    lines = [line.split()[0] for line in printed.out.splitlines()]
    assert "tour" not in lines and {"history", "result"} <= set(lines)
    assert list(scratch.iterdir()) == [scratch / "temporary"]
    assert not list((scratch / "temporary").iterdir())


def test_after_an_error_other_files_are_written(instance, scratch, monkeypatch, capsys):
    pytest.importorskip("matplotlib")

    def broken(*_: object, **__: object) -> None:
        raise ValueError("of Matplotlib")

    monkeypatch.setattr(drawing, "plot_tour", broken)
    files = options(instance.parent)
    assert solve(instance, "--plot", instance.parent / "out.png", *files) == 1
    printed = capsys.readouterr()
    assert "of Matplotlib; the plot is lost" in printed.err
    assert "out.tour" in printed.out and "out.json" in printed.out


# ---- names that cannot be decoded, terminals with few letters


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "as_json"),
    [
        ({"PYTHONIOENCODING": "ascii"}, False),
        ({"LC_ALL": "C", "PYTHONUTF8": "0"}, False),
        ({"PYTHONIOENCODING": "ascii"}, True),
        ({}, True),
    ],
    ids=str,
)
def test_undecodable_file_names(changes, as_json, tmp_path):
    for name in (b"caf\xe9", "caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{SNOWMAN}".encode()):
        file = tmp_path / os.fsdecode(name + b".tsp")
        text = write_instance(tmp_path / "a.tsp", 7).read_text(encoding="utf-8")
        file.write_text(text.replace("NAME : small7\n", ""), encoding="utf-8")
        tour, missing = file.with_suffix(".tour"), file.with_suffix(".none")
        done = gpu_ls_apart(
            "solve", file, *QUICK, "--tour", tour, *["--json"] * as_json, "--debug", **changes
        )
        assert done.returncode == 0, done.stderr
        assert len(read_tour(tour)) == 7
        done = gpu_ls_apart("solve", missing, *QUICK, **changes)
        assert done.returncode == 2 and "Traceback" not in done.stderr
