"""Ctrl-C while a local cluster starts: one line of output, and no process is left."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from tests.distributed.test_command import file
from tests.helpers.marks import slow_after

__all__ = ["file"]  # a fixture

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


@pytest.mark.parametrize("moment", slow_after(2, MOMENTS))
def test_an_interrupt_ends_a_cluster_that_starts(moment: str, file: str) -> None:
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
