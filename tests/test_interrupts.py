"""Ctrl-C at any moment of a search leaves consistent tours and costs."""

from __future__ import annotations

import signal
import subprocess
import sys
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli import commands as cli
from gpu_ls_plugin.core.progress import SearchDisplay
from gpu_ls_plugin.solver import compile_search, plans, reading, run
from gpu_ls_plugin.tours.problem.tsplib import read_tour
from tests.cli.test_cli import QUICK, write_instance
from tests.helpers.processes import ROOT, run_python
from tests.helpers.random_problems import random_problem, random_tours

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# Signals arrive while threads start, run and end. A thread that outlived its launch would change
# tours of the result.
SCRIPT = """
import os, signal, threading, time
import numpy as np
import gpu_ls_plugin as gls
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.run import solve

signal.signal(signal.SIGINT, signal.default_int_handler)  # off in a background job of a shell
random = np.random.default_rng(0)
problem = gls.TSP(random.integers(0, 10_000, (400, 2)), "EUC_2D")
# The first solve compiles and imports all: an interrupted import of SciPy may end the process.
for _ in range(2):
    begin = time.perf_counter()
    solve(problem, Settings(seconds=0.5, population=16, backend="cpu"))
    usual = time.perf_counter() - begin - 0.5
stopped = 0
for _ in range(40):
    delay = (0.05 + 3 * usual) * random.random()
    timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        timer.start()
        result = solve(problem, Settings(seconds=100, population=16, backend="cpu"))
        assert result.statistics.interrupted
        assert (problem.cost(result.tours) == result.costs).all(), "tours and costs differ"
        stopped += 1
    except KeyboardInterrupt:  # before there was a tour
        pass
    timer.join()
assert stopped > 10, stopped
"""

# The same for the command, from reading the file to writing the tour.
COMMANDS = """
import contextlib, io, json, os, signal, threading, time
import numpy as np
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.tsplib import read_tour

signal.signal(signal.SIGINT, signal.default_int_handler)
random = np.random.default_rng(1)
rows = (f"{city + 1} {x} {y}" for city, (x, y) in enumerate(random.integers(0, 9999, (3000, 2))))
with open("a.tsp", "w") as file:
    file.write("NAME : a\\nTYPE : TSP\\nDIMENSION : 3000\\nEDGE_WEIGHT_TYPE : EUC_2D\\n")
    file.write("NODE_COORD_SECTION\\n" + "\\n".join(rows) + "\\nEOF\\n")
problem = TSP.read("a.tsp")
arguments = ["solve", "a.tsp", "--backend", "cpu", "--population", "16"]
arguments += ["--json", "--tour", "out.tour"]
for _ in range(2):
    begin = time.perf_counter()
    assert main([*arguments, "--seconds", "1"]) == 0
    usual = time.perf_counter() - begin - 1
found, kicks = 0, 0
for _ in range(20):
    if os.path.exists("out.tour"):
        os.remove("out.tour")
    out = io.StringIO()
    delay = 0.05 + (2 + 3 * usual) * random.random()
    timer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with contextlib.redirect_stdout(out):
        assert main([*arguments, "--seconds", "30"]) == 130
    timer.join()
    if out.getvalue():
        summary, tour = json.loads(out.getvalue()), read_tour("out.tour")
        assert sorted(tour) == list(range(3000)) and summary["stopped_by"] == "interrupt"
        assert summary["best_tour"] == list(tour)
        assert summary["best_cost"] == problem.cost(tour)[0]
        found, kicks = found + 1, kicks + (summary["kicks"] > 0)
    else:
        assert not os.path.exists("out.tour")
assert found >= kicks > 3, (found, kicks)
assert not [name for name in os.listdir() if name.startswith(".")]
"""


@pytest.mark.slow
@pytest.mark.parametrize("script", [SCRIPT, COMMANDS], ids=["solve", "command"])
def test_ctrl_c_at_any_moment(script: str, tmp_path: Path) -> None:
    run_python("-X", "faulthandler", "-c", script, cwd=tmp_path, GPU_LS_THREADS="2")


def test_ctrl_c_raises() -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    code = "import signal; signal.raise_signal(signal.SIGINT)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert b"KeyboardInterrupt" in done.stderr


def test_ctrl_c_raises_if_a_shell_runs_the_tests_in_the_background() -> None:
    """By default, such processes ignore it."""
    test = f"{__file__}::test_ctrl_c_raises"
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-pno:cacheprovider", test]
    done = subprocess.run(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout


class Interrupted:
    """A search that has caught a Ctrl-C."""

    def __call__(self, problem: gls.TSP, tours: Any, **_: Any) -> gls.Result:
        statistics = gls.Statistics(stopped_by="interrupt")
        return gls.Result(np.asarray(tours), problem.cost(tours), statistics)


def test_ctrl_c_while_kernels_are_compiled_is_not_lost() -> None:
    problem = random_problem("EUC_2D", 10)
    with pytest.raises(KeyboardInterrupt):
        compile_search(Interrupted(), problem, random_tours(10, 2), "cpu")


def test_ctrl_c_in_the_search_behind_a_kick_ends_the_chains(monkeypatch) -> None:
    problem, tours = random_problem("EUC_2D", 20), random_tours(20, 3)
    chains = gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()))
    optima = chains.search(problem, tours, backend="cpu")
    monkeypatch.setattr(gls.LocalSearch, "__call__", Interrupted.__call__)
    result = chains(problem, optima.tours, budget=gls.Budget(kicks=5), backend="cpu")
    assert result.statistics.interrupted
    assert result.statistics.kicks == 0
    assert (result.costs <= optima.costs).all()
    assert (result.costs == problem.cost(result.tours)).all()


# ---- Ctrl-C that Python swallows


def swallowed_ctrl_c(*_: object) -> None:
    """Press Ctrl-C in the callback of a weak reference, where nothing can be raised."""

    class Short:
        pass

    thing = Short()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
    assert reference() is None


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the default handler of Ctrl-C, and hide reports of swallowed exceptions."""
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, former)


def followed(function: Any) -> Any:
    """Return a function after whose first call Ctrl-C is pressed and swallowed."""
    presses = iter([swallowed_ctrl_c])

    def call(*arguments: Any, **options: Any) -> Any:
        found = function(*arguments, **options)
        next(presses, lambda: None)()
        return found

    return call


@pytest.mark.usefixtures("handler")
@pytest.mark.parametrize(
    ("where", "name", "found"),
    [
        (reading, "read_problem", False),
        (plans, "complete_settings", False),
        (SearchDisplay, "__call__", True),
        (run, "solve", True),
    ],
)
def test_a_swallowed_ctrl_c_ends_the_command(
    where: Any, name: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, tour = write_instance(tmp_path / "a.tsp", 30), tmp_path / "out.tour"
    monkeypatch.setattr(where, name, followed(getattr(where, name)))
    options = ["solve", str(file), *QUICK, "--tour", str(tour)]
    if name != "solve":
        options += ["--seconds", "100"]
    assert cli.main(options) == cli.INTERRUPTED
    assert tour.exists() == found
    if found:
        assert sorted(read_tour(tour)) == list(range(30))


@pytest.mark.usefixtures("handler")
def test_a_swallowed_ctrl_c_ends_any_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.plugins, "infos", followed(cli.plugins.infos))
    assert cli.main(["plugins"]) == cli.INTERRUPTED
    assert cli.main(["plugins"]) == cli.OK


@pytest.mark.usefixtures("handler")
def test_an_ignored_ctrl_c_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.plugins, "infos", followed(cli.plugins.infos))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert cli.main(["plugins"]) == cli.OK
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
