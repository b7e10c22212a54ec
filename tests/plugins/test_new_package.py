"""Packages that ``gpu-ls new`` writes can be installed, pass their tests and are formatted."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.plugins.new_package import KINDS, LEVELS, MOST_LETTERS, TEMPLATES, write_package
from tests.helpers.distributions import install_project, run, run_text
from tests.helpers.marks import slow_after

PARTS = {"domain": "domain", "neighbourhood": "neighbourhood", "resource": "resource"}
PARTS |= {"tour_objective": "objective"}
CASES = [("objective", "prefix"), *((kind, None) for kind in PARTS)]
CASES += [("objective", level) for level in LEVELS if level != "prefix"]
NAMES = ("a", "zebra_2", "abcdefgh_ijklmnop_qrstuvwxyz_z")


def written(folder: Path) -> dict[str, str]:
    """Return the texts of all files in a folder, by path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "level"), slow_after(5, CASES))
def test_a_package_installs_runs_and_passes_its_tests(
    kind: str, level: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [
        "--kind",
        kind,
        "--into",
        str(tmp_path),
        "--json",
        *(["--level", level] if level else []),
    ]
    assert main(["new", "some_cuts", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    folder = tmp_path / "gpu-ls-some-cuts"
    assert found["folder"] == str(folder)
    assert found["files"] == [str(folder / name) for name in written(folder)]
    assert found["commands"] == [
        f"pip install -e '{folder}[test]'",
        f"python -m pytest {folder}",
    ]
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["optional-dependencies"] == {"test": ["pytest"]}
    site = install_project(folder, tmp_path / "site")
    tests = run_text(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder))
    assert re.search(r"\d passed", tests) and "skipped" not in tests
    if kind in PARTS:
        rows = run(site, "-m", "gpu_ls_plugin", "operators", "--kind", PARTS[kind], "--json")
        (row,) = [row for row in rows if row["plugin"] == "some_cuts"]
        assert row["name"] == "some_cuts" and row["summary"].endswith(".")
    if kind == "resource":
        cost, _, routes = run_text(site, "-m", "gpu_ls_some_cuts").partition(" ")
        visited = sorted(customer for route in json.loads(routes) for customer in route)
        assert int(cost) > 0 and visited == list(range(1, 51))
    if kind not in PARTS:
        cost, _, tour = run_text(site, "-m", "gpu_ls_some_cuts").partition(" ")
        assert int(cost) > 0 and sorted(json.loads(tour)) == list(range(50))
        infos = [
            info
            for info in run(site, "-m", "gpu_ls_plugin", "plugins", "--json")
            if info["name"] == "some_cuts"
        ]
        assert len(infos) == (level != "python")  # an objective in Python is no plugin
        assert not any(info["error"] for info in infos)
    assert {path.name for path in site.iterdir() if path.suffix != ".dist-info"} == {
        "gpu_ls_some_cuts"
    }


@pytest.mark.parametrize(("kind", "level"), CASES)
def test_packages_of_any_name_are_formatted(kind: str, level: str | None, tmp_path: Path) -> None:
    pytest.importorskip("ruff", reason='needs pip install "gpu-ls-plugin[dev]"')
    for name in NAMES:
        write_package(name, kind, tmp_path, level)
    for command in ("check", "format --check"):
        ruff = [sys.executable, "-m", "ruff", *command.split(), "--no-cache", str(tmp_path)]
        done = subprocess.run(ruff, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("kind", "level"), CASES)
def test_each_placeholder_is_replaced(kind: str, level: str | None, tmp_path: Path) -> None:
    files = written(write_package("zebra", kind, tmp_path, level))
    assert len(files) == len([*(TEMPLATES / kind).rglob("*.in")]) - (level == "python")
    for name, text in files.items():
        assert not re.search("example|%%", name + text, re.IGNORECASE)
        assert text.endswith("\n")


def test_all_kinds_are_tested() -> None:
    assert {kind for kind, _ in CASES} == set(KINDS)
    assert {path.name for path in TEMPLATES.iterdir()} == set(KINDS)


def test_levels_belong_to_objectives_alone(tmp_path: Path) -> None:
    prefix = written(write_package("zebra", "objective", tmp_path))
    (tmp_path / "gpu-ls-zebra").rename(tmp_path / "first")
    assert written(write_package("zebra", "objective", tmp_path, "prefix")) == prefix
    with pytest.raises(
        InvalidParameterError, match=r"^level: a domain has no levels; leave it out"
    ):
        write_package("giraffe", "domain", tmp_path, "prefix")
    with pytest.raises(
        InvalidParameterError, match=r"^level: 'sufix' is not one of python, prefix"
    ):
        write_package("giraffe", "objective", tmp_path, "sufix")


def test_the_command_lists_the_files_and_next_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "zebra", "--kind", "objective"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "written  gpu-ls-zebra/README.md"
    assert lines[-2:] == [
        "next     pip install -e 'gpu-ls-zebra[test]'",
        "         python -m pytest gpu-ls-zebra",
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        *((name, "cannot name a package") for name in ("", "Zebra", "1a", "a-b", "a b", "a/b")),
        *((name, "cannot name a package") for name in ("_a", "a_", "a__b", "zébra", "a\n")),
        ("z" * (MOST_LETTERS + 1), "cannot name a package"),
        *((name, "is a keyword of Python or C++") for name in ("lambda", "template", "double")),
        ("two_opt", "is a neighbourhood of plugin 'builtin'"),
        ("gap", "is a kind of file"),
        ("builtin", "is a plugin that is installed"),
        ("plugin", "is that of the installed package gpu_ls_plugin"),
    ],
)
def test_invalid_names_are_refused(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=f"^name: .*{re.escape(words)}"):
        write_package(name, "domain", tmp_path)
    assert written(tmp_path) == {}


def test_kinds_without_a_template_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="did you mean 'objective'"):
        write_package("zebra", "objectiv", tmp_path)


@pytest.mark.parametrize("there", ["a folder", "a file", "a link to nowhere"])
def test_nothing_is_overwritten(
    there: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "gpu-ls-zebra"
    make = {
        "a folder": folder.mkdir,
        "a file": folder.touch,
        "a link to nowhere": lambda: folder.symlink_to("nowhere"),
    }
    make[there]()
    assert main(["new", "zebra", "--kind", "domain", "--into", str(tmp_path)]) == 2
    assert f"into: {folder} exists already" in capsys.readouterr().err
    assert list(tmp_path.rglob("*")) == [folder]


def test_other_targets_than_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidParameterError, match="is not a folder; choose another place"):
        write_package("zebra", "domain", tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_folder_is_made(tmp_path: Path) -> None:
    into = tmp_path / "some" / "folder"
    assert write_package("zebra", "domain", into) == into / "gpu-ls-zebra"
    assert (into / "gpu-ls-zebra" / "pyproject.toml").is_file()


def test_all_files_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def fail(path: Path, *arguments: object, **options: object) -> object:
        if path.suffix == ".toml":
            raise OSError(28, os.strerror(28), str(path))
        return write(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OSError, match="No space left"):
        write_package("zebra", "domain", tmp_path)
    assert list(tmp_path.iterdir()) == []
