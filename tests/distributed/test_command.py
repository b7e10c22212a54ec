"""`gpu-ls solve` on a cluster: quick cases; `test_processes.py` has slow ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import psutil
import pytest
from rich.console import Console

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.distributed.progress import IslandLine, IslandProgress, IslandView
from tests.distributed.conftest import PROBLEM
from tests.helpers.marks import slow_after

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> str:
    lines = [f"{city + 1} {x} {y}" for city, (x, y) in enumerate(np.asarray(PROBLEM.coordinates))]
    head = ["NAME: cities", "TYPE: TSP", f"DIMENSION: {PROBLEM.n}", "EDGE_WEIGHT_TYPE: EUC_2D"]
    text = "\n".join([*head, "NODE_COORD_SECTION", *lines, "EOF", ""])
    (tmp_path / "cities.tsp").write_text(text)
    return str(tmp_path / "cities.tsp")


def test_a_cluster_solves_and_a_checkpoint_is_resumed(client, file, tmp_path, capsys):
    address = client.scheduler.address
    command = ["solve", file, "--dask", address, "--population", "4", "--seconds", "inf", "--json"]
    command += ["--checkpoint", str(tmp_path / "c"), "--topology", "complete", "--every", "0.5"]
    assert main([*command, "--kicks", "60"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["population"], first["kicks"], first["stopped_by"]) == (8, 480, "kicks")
    assert first["best_cost"] == PROBLEM.cost(first["best_tour"])[0]
    assert main([*command, "--kicks", "90"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["kicks"] == 240 and second["best_cost"] <= first["best_cost"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--checkpoint", "c"], "checkpoint: for a cluster only"),
        (["--topology", "ring"], "topology: for a cluster only"),
        (["--every", "1"], "every: for a cluster only"),
        (
            ["--dask", "tcp://127.0.0.1:9", "--workers", "2"],
            "dask: the workers of a running cluster",
        ),
        (["--workers", "0"], "workers: 0 is not"),
        (["--workers", "1", "--every", "0"], "every: 0"),
        (["--workers", "1", "--checkpoint", "no/such/folder/c"], "no/such/folder/c: No such file"),
    ],
)
def test_wrong_options(file, options, message, capsys):
    assert main(["solve", file, "--seconds", "1", *options]) == 2
    assert message in capsys.readouterr().err


def test_the_fewest_colours_need_a_number(tmp_path, capsys):
    (tmp_path / "g.col").write_text("p edge 3 2\ne 1 2\ne 2 3\n")
    assert main(["solve", str(tmp_path / "g.col"), "--workers", "1"]) == 2
    assert "colours: islands search with a given number" in capsys.readouterr().err


def progress() -> IslandProgress:
    lines = (
        IslandLine(0, "tcp://a:1", "cuda", "searching", 3, 0, 120.0, 130.5, 4000),
        IslandLine(1, "tcp://b:2", "cpu", "waiting", 2, 1, None, None, 0),
    )
    return IslandProgress(1.0, 120.0, 130.5, 5, 6, 0, 8, kicks=4000, islands=lines)


def test_the_display_of_islands():
    console = Console(force_terminal=True, width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    with gls.SearchDisplay("x", 10.0, console=console) as display:
        display.view = IslandView()
        display(progress())
        console.print(display)
    console.file.close()
    text = console.export_text()
    assert "1 of 2 islands searching" in text and "1 restarted" in text
    assert "tcp://a:1 cuda" in text and "tcp://b:2 cpu, restarted 1" in text


def test_lines_about_islands_without_a_terminal(capsys):
    with gls.SearchDisplay("x", 10.0) as display:
        display.view = IslandView()
        display(progress())
    assert "1 of 2 islands searching" in capsys.readouterr().err


# Sends SIGINT to all processes, as a terminal does, after a call of a Dask function.
SCRIPT = """
import os, signal, sys
import gpu_ls_plugin.cli
from distributed import Client, SpecCluster
from distributed.process import AsyncProcess

signal.signal(signal.SIGINT, signal.default_int_handler)
owner, name = {where}
former = getattr(owner, name)

def pressed(*given, **more):
    found = former(*given, **more)
    os.killpg(0, signal.SIGINT)
    return found

setattr(owner, name, pressed)
sys.exit(gpu_ls_plugin.cli.commands.main(["solve", {file!r}, "--workers", "2", "--seconds", "60"]))
"""
MOMENTS = {
    "no process yet": "SpecCluster, '_correct_state'",
    "processes start": "AsyncProcess, 'start'",
    "all have started": "Client, 'run'",
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", slow_after(2, MOMENTS))
def test_an_interrupt_ends_a_cluster_that_starts(moment, file):
    script = SCRIPT.format(where=MOMENTS[moment], file=file)
    command = [sys.executable, "-c", script]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        _, errors = process.communicate(timeout=120)
        _, left = psutil.wait_procs(below(process.pid), timeout=60)
    finally:
        for one in below(process.pid):
            one.kill()
    assert process.returncode == 130
    assert "gpu-ls: interrupted" in errors
    assert "Traceback" not in errors and "Error" not in errors
    assert left == []


def below(session: int) -> list[psutil.Process]:
    """Return the running processes of a session."""
    found = []
    for process in psutil.process_iter():
        with suppress(OSError, psutil.Error):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
