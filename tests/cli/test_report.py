"""``gpu-ls report``: a page about the experiment in a folder."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.experiments.plan import Plan
from tests.experiments.samples import record

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("matplotlib", reason='needs pip install "gpu-ls-plugin[plot]"')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an experiment without one of its runs."""
    plan = Plan({"b": "B", "a": "A"}, {"p": "P"}, (1, 2), "T")
    place = tmp_path / "it"
    (place / "runs").mkdir(parents=True)
    plan.save(place)
    *runs, _ = plan.runs()
    for cost, run in enumerate(runs, start=100):
        record(*run.key, points=[(1.0, [[float(cost)]])]).save(run.path(place))
    return place


def test_the_page_is_in_the_folder(folder, capsys):
    assert main(["report", str(folder)]) == 0
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "missing or failed: 1." in text
    out = capsys.readouterr().out
    assert "Final gaps in %" in out and f"report   {folder / 'report.html'}" in out


def test_help_names_the_default_of_the_page(capsys):
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    assert "(default: FOLDER/report.html)" in " ".join(capsys.readouterr().out.split())


def test_options(folder, tmp_path, capsys):
    page = tmp_path / "a.html"
    options = ["--output", str(page), "--targets", "3", "0.5", "--title", "A <title>", "--json"]
    options += ["--control", "a"]
    assert main(["report", str(folder), *options]) == 0
    text = page.read_text(encoding="utf-8")
    assert "significantly better than a, " in text
    assert "A &lt;title&gt;" in text and '<td class="number">0.5</td>' in text
    content = json.loads(capsys.readouterr().out)
    assert content["report"] == str(page) and content["missing"] == [["a", "p", 2]]
    assert [row["algorithm"] for row in content["gaps"]] == ["b", "a"]
    assert not (folder / "report.html").exists()


@pytest.mark.filterwarnings("always::UserWarning")
def test_damaged_files_are_named(folder, capsys):
    damaged = next((folder / "runs").glob("a--*"))
    damaged.write_text("{")
    assert main(["report", str(folder)]) == 0
    assert f"gpu-ls: warning: {damaged}: not the record" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["{tmp}/none"], "{tmp}/none: no such folder"),
        (["{tmp}"], "{tmp} has no runs"),
        (["{tmp}/it", "--targets", "-1"], "targets"),
        (["{tmp}/it", "--output", "{tmp}/none/a.html"], "{tmp}/none/a.html: No such file"),
    ],
)
def test_wrong_folders_and_options(options, words, folder, tmp_path, capsys):
    assert main(["report", *(option.format(tmp=tmp_path) for option in options)]) == 2
    assert words.format(tmp=tmp_path) in capsys.readouterr().err
    assert not (folder / "report.html").exists()


@pytest.mark.slow
def test_neither_cupy_nor_pymoo_is_needed(folder):
    code = (
        "import sys; sys.modules.update(cupy=None, pymoo=None)\n"
        "from gpu_ls_plugin.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "report", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "report.html").exists()
